"""Fragments and accumulators in VGPRs and AGPRs: the products, the loops, the maps, and what has no room."""

from __future__ import annotations

import pytest
from support.gemm_family import ARCHS, Values, is_right, run

from hkasm.asm.program import Program
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import UsageError
from hkasm.inspect.registers import register_map
from hkasm.isa.registers import Register
from hkasm.kernels import get_kernel

OPERANDS = {"vgpr": "", "agpr": "AB", "agpr-a": "A", "agpr-b": "B"}


def _files(program: Program) -> set[tuple[str, ...]]:
    """Return in which files the loops' matrix instructions find B's fragment, A's and the accumulators."""
    marks = [mark for mark in program.marks if mark.kind == "loop"]
    loops = [inst for mark in marks for inst in program.instructions[mark.first : mark.last]]
    assert not any("accvgpr" in inst.mnemonic for inst in loops)
    found: set[tuple[str, ...]] = set()
    for inst in loops:
        if inst.mnemonic.startswith("v_mfma"):
            d, b, a, _ = inst.operands[:4]
            found.add(tuple(one.file for one in (b, a, d) if isinstance(one, Register)))
    return found


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("acc", ["agpr", "vgpr"])
@pytest.mark.parametrize("operands", OPERANDS)
@pytest.mark.parametrize("schedule", ["pingpong", "interleave"])
def test_matrix_instructions_take_fragments_where_they_are_wanted(
    arch: str, acc: str, operands: str, schedule: str
) -> None:
    program = get_kernel("gemm").build(arch, tile="128x128", schedule=schedule, acc=acc, operands=operands)
    a, b = ("a" if side in OPERANDS[operands] else "v" for side in "AB")
    assert _files(program) == {(b, a, acc[0])}
    held = {(one.name, one.register.file) for file in register_map(program).files for one in file.holdings}
    assert ("accumulators", acc[0]) in held
    assert (("fragments", "a") in held) == (operands != "vgpr")


CASES: list[Values] = [
    {"schedule": "interleave", "operands": "agpr", "acc": "vgpr", "scale": "row", "bias": "column", "act": "silu"},
    {"schedule": "pingpong", "operands": "agpr-a", "trans": "NT", "out": "f32"},
    {"schedule": "specialised", "operands": "agpr-b"},
    {
        "schedule": "simple",
        "operands": "agpr",
        "dtype": "i8",
        "bias": "row",
        "out": "f16",
        "work": "stream",
        "workers": 3,
    },
]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['schedule']}-{case['operands']}")
def test_products_from_agprs(arch: str, case: Values, toolchain: Toolchain) -> None:
    values = {"tile": "128x128", "m": 100, "n": 130, "k": 64 * 3 + 5, "data": "integers"} | case
    if arch == "gfx942" and case.get("dtype") == "i8":
        values["k"] = 128 * 2 + 16
    assert is_right(values, run(arch, values))


def test_block_scaled_products_from_agprs(toolchain: Toolchain) -> None:
    values: Values = {"dtype": "mxfp8", "dtype_b": "mxfp4", "tile": "128x128", "operands": "agpr"}
    values |= {"schedule": "interleave", "m": 100, "n": 130, "k": 416, "data": "integers"}
    assert _files(get_kernel("gemm").build("gfx950", **values)) == {("a", "a", "a")}
    assert is_right(values, run("gfx950", values))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"tile": "256x256", "schedule": "interleave", "operands": "agpr-b"},
            r"tile 256x256x64 with acc=agpr operands=agpr-b takes 256 accumulators \+ 96 fragments AGPRs",
        ),
        ({"tile": "256x256", "operands": "agpr"}, "takes 304 registers in each of 8 waves is not declared"),
        ({"operands": "lds"}, "operands=lds: not a choice"),
    ],
)
def test_what_has_no_room_is_refused(values: Values, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        get_kernel("gemm").build("gfx950", **values)

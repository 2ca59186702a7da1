"""What stands around the instructions is derived from the program, and the assembler reads it as it was meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.asm.directives import footer, header, kernel_descriptor, metadata
from hkasm.asm.program import KernelArg, LdsRegion, Mark, OwnerRange, Program
from hkasm.asm.toolchain import Toolchain
from hkasm.asm.yaml_text import read_yaml
from hkasm.errors import UsageError
from hkasm.isa.arch import GFX942, GFX950
from hkasm.isa.registers import Register

ARGS = (
    KernelArg("x", "pointer", "bf16", 0, 8, 2, "read"),
    KernelArg("y", "pointer", "bf16", 8, 8, 2, "write"),
    KernelArg("z", "pointer", "f32", 16, 8, 1, "readwrite"),
    KernelArg("n", "value", "u32", 24, 4),
)
PROGRAM = Program(
    GFX950,
    "scale",
    [],
    args=ARGS,
    kernarg_bytes=28,
    lds_bytes=4096,
    block=(256, 1, 1),
    vgprs=37,
    agprs=5,
    sgprs=33,
    owners=(OwnerRange('acc "é" \\', Register("v", 4, 8), 3, 90, "scale.py:12"),),
    marks=(Mark("step", "fetch A", 1, 4),),
    lds_map=(LdsRegion("A", 0, 4096),),
    config={"block_m": 256, "schedule": "simple"},
)


def assembled(program: Program, toolchain: Toolchain) -> KernelImage:
    text = "\n".join([*header(program), "  s_endpgm", *footer(program), ""])
    return CodeObject.from_bytes(toolchain.build(text, program.arch.name)).kernels[program.name]


@pytest.mark.parametrize(
    "program",
    [
        PROGRAM,
        replace(PROGRAM, arch=GFX942, vgprs=0, agprs=0, sgprs=0, args=(), kernarg_bytes=0, lds_bytes=0, owners=()),
        replace(PROGRAM, vgprs=256, agprs=256, sgprs=102, lds_bytes=163840, block=(512, 1, 1)),
        replace(PROGRAM, vgprs=256, agprs=0, block=(16, 4, 4), workitem_dims=3),
        replace(PROGRAM, vgprs=8, agprs=1, block=(16, 4, 1), workitem_dims=2, workgroup_ids=(True, False, True)),
    ],
    ids=["plain", "empty", "full", "no AGPRs", "one AGPR"],
)
def test_the_assembler_makes_the_descriptor_that_was_derived(program: Program, toolchain: Toolchain) -> None:
    kernel = assembled(program, toolchain)
    assert replace(kernel.descriptor, entry_offset=0) == kernel_descriptor(program)
    assert kernel.descriptor.accum_offset == program.accum_offset
    assert kernel.descriptor.vgprs == program.total_vgprs
    layout = {slot.name: slot.first for slot in kernel.descriptor.sgpr_layout()}
    assert layout["kernarg_ptr"] == 0
    assert layout["workgroup_id_x"] == 2


def test_metadata_and_names_come_back(toolchain: Toolchain) -> None:
    kernel = assembled(PROGRAM, toolchain)
    kernels = metadata(PROGRAM)["amdhsa.kernels"]
    assert [kernel.metadata] == kernels
    assert kernel.args == ARGS
    assert kernel.hkasm == {
        "owners": PROGRAM.owners,
        "marks": PROGRAM.marks,
        "args": PROGRAM.args,
        "lds": PROGRAM.lds_map,
        "block": PROGRAM.block,
        "config": PROGRAM.config,
    }
    assert kernel.hkasm["owners"][0].register.name == 'acc "é" \\'


def test_arguments_are_told_without_hkasms_section(toolchain: Toolchain) -> None:
    lines = footer(PROGRAM)
    lines = lines[: next(i for i, line in enumerate(lines) if line.startswith(".section .hkasm"))]
    text = "\n".join([*header(PROGRAM), "  s_endpgm", *lines, ""])
    kernel = CodeObject.from_bytes(toolchain.build(text, "gfx950")).kernels["scale"]
    assert kernel.hkasm is None
    assert kernel.args == tuple(replace(arg, dtype="", rank=0) for arg in ARGS)


@pytest.mark.parametrize("name", ["", "two words", "1st", "a-b", "naïve", 'x"\n.globl y'])
def test_a_name_that_is_no_symbol_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="a kernel's name is an ASCII identifier"):
        header(replace(PROGRAM, name=name))


def test_the_text_is_one_string_of_lines() -> None:
    for line in header(PROGRAM) + footer(PROGRAM):
        assert "\n" not in line
        assert line.isascii()


@pytest.mark.parametrize("name", ["inf", "nan", "true", "Infinity", "n", "y", "null"])
def test_a_name_that_llvm_could_take_for_a_number_or_a_truth_value_stays_a_name(
    name: str, toolchain: Toolchain
) -> None:
    args = (KernelArg(name, "value", "u32", 0, 4), *(KernelArg(t, "value", "u32", 4, 4) for t in ("1", "0x1", "-1e5")))
    program = replace(PROGRAM, name=name, args=args)
    kernel = assembled(program, toolchain)
    assert kernel.metadata[".name"] == name
    assert [arg[".name"] for arg in kernel.metadata[".args"]] == [name, "1", "0x1", "-1e5"]  # type: ignore[attr-defined]
    assert read_yaml(_metadata_text(program)) == metadata(program)


def _metadata_text(program: Program) -> list[str]:
    lines = footer(program)
    return lines[lines.index(".amdgpu_metadata") + 1 : lines.index(".end_amdgpu_metadata")]

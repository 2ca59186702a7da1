"""What the GEMM's code consists of, counted in the program: no run needed."""

from __future__ import annotations

from collections import Counter

import pytest
from support.gemm_runs import built_gemm

from hkasm.analysis.hazards import check_hazards
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Mark, Program
from hkasm.isa.counters import unpack_waitcnt
from hkasm.kernels import get_kernel

ARCHS = ("gfx942", "gfx950")


@pytest.fixture(scope="module", params=ARCHS)
def program(request: pytest.FixtureRequest) -> Program:
    return built_gemm(request.param).program


def loops(program: Program) -> dict[str, list[Instruction]]:
    marks = [mark for mark in program.marks if mark.kind == "loop"]
    return {mark.name: program.instructions[mark.first : mark.last] for mark in marks}


def sections(program: Program, name: str) -> list[Mark]:
    return [mark for mark in program.marks if (mark.kind, mark.name) == ("section", name)]


def test_there_is_one_loop_for_each_alignment(program: Program) -> None:
    assert set(loops(program)) == {"wide", "words", "elements"}


def test_the_hot_loop_of_gfx950_is_lean() -> None:
    """Two K steps: 64 MFMA, 24 LDS reads, 8 loads to LDS each, and at most 40 others."""
    loop = loops(built_gemm("gfx950").program)["wide"]
    count = Counter(inst.mnemonic for inst in loop)
    assert count.pop("v_mfma_f32_16x16x32_bf16") == 2 * 64
    assert count.pop("ds_read_b128") == 2 * 24
    loads = [inst for inst in loop if inst.mnemonic == "buffer_load_dwordx4"]
    assert count.pop("buffer_load_dwordx4") == 2 * 8
    assert all(inst.mods.get("lds") for inst in loads)
    assert sum(count.values()) <= 2 * 40
    assert count["s_barrier"] == 2 * 8
    assert count["s_waitcnt"] == 2 * 6
    assert not any(inst.spec.unit in ("VALU", "TRANS") for inst in loop)
    assert len(loop) / (2 * 64) <= 2.05


def test_the_hot_loop_of_gfx942_is_lean() -> None:
    loop = loops(built_gemm("gfx942").program)["wide"]
    count = Counter(inst.mnemonic for inst in loop)
    assert count["v_mfma_f32_16x16x16_bf16"] == 128
    assert (count["ds_read_b128"], count["ds_write_b128"], count["buffer_load_dwordx4"]) == (24, 8, 8)
    assert len(loop) / 128 <= 1.60


@pytest.mark.parametrize(
    ("arch", "dtype", "schedule", "limit"),
    [
        ("gfx950", "bf16", "interleave", 1.60),
        ("gfx950", "fp8", "interleave", 2.0),
        ("gfx950", "fp8", "pingpong", 3.0),
        ("gfx950", "mxfp8", "interleave", 2.3),
        ("gfx950", "mxfp6", "interleave", 2.3),
        ("gfx950", "mxfp4", "interleave", 1.62),
        ("gfx942", "bf16", "interleave", 1.60),
    ],
)
def test_hot_loops_are_lean(arch: str, dtype: str, schedule: str, limit: float) -> None:
    program = get_kernel("gemm").build(arch, dtype=dtype, schedule=schedule, tile="256x256")
    loop = loops(program)["wide"]
    products = sum(inst.spec.mfma is not None for inst in loop)
    assert len(loop) / products <= limit
    count = Counter(inst.mnemonic for inst in loop)
    assert not any(inst.spec.unit in ("VALU", "TRANS") for inst in loop)
    assert not any(name.startswith(("scratch", "v_accvgpr")) for name in count)
    if schedule == "interleave":
        assert count["s_waitcnt"] <= 4
        assert count["s_barrier"] <= 4


def test_every_loop_multiplies_alike_and_fetches_in_its_own_way(program: Program) -> None:
    fetches = {}
    for name, loop in loops(program).items():
        count = Counter(inst.mnemonic for inst in loop)
        steps = count["s_barrier"] // 8
        assert sum(count[m] for m in count if m.startswith("v_mfma")) == steps * (
            64 if program.arch.name == "gfx950" else 128
        )
        assert count["ds_read_b128"] == steps * 24
        fetches[name] = {m: n // steps for m, n in count.items() if m.startswith("buffer_load")}
    assert fetches == {
        "wide": {"buffer_load_dwordx4": 8},
        "words": {"buffer_load_dword": 32},
        "elements": {"buffer_load_ushort": 64},
    }


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("acc", ["agpr", "vgpr"])
def test_two_waves_fit_a_simd(arch: str, acc: str) -> None:
    program = built_gemm(arch, acc).program
    assert program.total_vgprs <= 256
    assert program.arch.name == arch
    occupancy = program.arch.occupancy(program.vgprs, program.agprs, program.sgprs, program.lds_bytes, 8)
    assert occupancy.waves_per_simd == 2
    assert (program.agprs == 0) == (acc == "vgpr")


def test_no_wait_is_at_its_fields_maximum_or_waits_for_nothing(program: Program) -> None:
    for inst in program.instructions:
        if inst.spec.control == "wait":
            simm16 = inst.operands[0]
            assert isinstance(simm16, int)
            counts = unpack_waitcnt(simm16)
            assert counts.vmcnt < 63 or counts.lgkmcnt < 15
            assert inst.comment, "a derived wait says why it is there"


def test_loads_stay_in_flight_over_every_barrier_of_the_direct_loop() -> None:
    for inst in loops(built_gemm("gfx950").program)["wide"]:
        if inst.spec.control == "wait":
            simm16 = inst.operands[0]
            assert isinstance(simm16, int)
            assert unpack_waitcnt(simm16).vmcnt >= 10, "five half tiles of two loads"


def test_code_of_a_pipeline_fits_the_instruction_cache(program: Program) -> None:
    program.layout()
    for loop in loops(program).values():
        assert sum(inst.size for inst in loop) <= 32 * 1024


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("acc", ["agpr", "vgpr"])
def test_no_instruction_stands_too_close_to_another(arch: str, acc: str) -> None:
    assert check_hazards(built_gemm(arch, acc).program) == []


def test_two_builds_give_the_same_code(program: Program) -> None:
    assert get_kernel("gemm").build(program.arch.name).encode() == program.encode()


def test_regions_of_lds_are_named_and_fill_it(program: Program) -> None:
    names = [region.name for region in program.lds_map]
    assert names[0] == "A0[0]"
    assert sum(region.bytes for region in program.lds_map) == program.lds_bytes
    assert program.lds_bytes == (131072 if program.arch.name == "gfx950" else 65536)

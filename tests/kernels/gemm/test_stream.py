"""Stream-K on the emulator: odd shares of odd shapes, any order of arrival, and what must not be left out."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from support.gemm_family import ARCHS, Values, draw, is_right, launch, run

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.asm.toolchain import Toolchain
from hkasm.emulator.options import Options
from hkasm.errors import RaceError, UsageError
from hkasm.isa.registers import Register
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.declared import SCHEDULES, GemmConfig

CASES = 4
# Two by three tiles of six K steps in five shares of eight: each share ends inside a tile.
SHAPE: Values = {"m": 70, "n": 130, "k": 64 * 5 + 9, "tile": "64x64", "work": "stream", "workers": 5}


@pytest.mark.parametrize("number", range(CASES))
def test_a_sample_of_shares(number: int, toolchain: Toolchain) -> None:
    arch, values, shift = draw(np.random.default_rng([9, number]), {"work": ["stream"]})
    comparisons = run(arch, values, shift, seed=number)
    assert is_right(values, comparisons), f"{arch} {values}: {comparisons}"


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_starts_and_ends_inside_tiles(arch: str, schedule: str, toolchain: Toolchain) -> None:
    # Two tiles of four K steps in three shares of three.
    values = SHAPE | {"tile": "128x128", "schedule": schedule, "k": 64 * 3 + 9, "workers": 3, "data": "integers"}
    assert is_right(values, run(arch, values))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    ("grid", "more"),
    [
        ("w2c1", {}),
        ("w3call", {"workers": 17, "m": 250}),
        ("w2c3", {"workers": 7, "batch": "strided", "count": 2, "chip": "mi300x-cpx"}),
        ("rows", {"workers": 19}),
        ("w2", {"workers": 9, "n": 64 * 6, "m": 64 * 3, "k": 64 * 6, "tile": "64x64"}),
    ],
)
def test_shares_in_the_order_of_the_grid(arch: str, grid: str, more: Values, toolchain: Toolchain) -> None:
    """Shares shorter and longer than a tile, that meet tiles' ends now and then, in one product and in two."""
    values = SHAPE | {"grid": grid, "data": "integers"} | more
    if values.get("chip") and arch != "gfx942":
        values["chip"] = "mi355x-32:32"
    assert is_right(values, run(arch, values))


def test_shares_that_are_whole_tiles_need_no_room(toolchain: Toolchain) -> None:
    values = SHAPE | {"workers": 3, "data": "integers"}
    assert get_kernel("gemm").problem_on("gfx950", values).shares.slots == 0
    assert is_right(values, run("gfx950", values))


def test_a_prediction_has_the_sum_of_the_last_to_arrive(toolchain: Toolchain) -> None:
    from hkasm.model.chips import get_chip
    from hkasm.ops.predict import predict_kernel

    found = predict_kernel("gemm", get_chip("mi355x"), m=256, n=256, k=8192, tile="256x256", work="stream", workers=4)
    program = found.program
    summed = next(mark for mark in program.marks if mark.name == "sum of parts")
    assert any(summed.first <= int(str(one["index"])) < summed.last for one in found.stalls(400))


@pytest.mark.parametrize("trans", ["NN", "NT", "TT"])
def test_segments_of_ragged_k_strided_matrices(trans: str, toolchain: Toolchain) -> None:
    """The last line of such a matrix is left to the rest: in the segment that has it, and in no other."""
    values = SHAPE | {"trans": trans, "m": 67, "n": 59, "k": 64 * 3, "workers": 4, "data": "integers"}
    for arch in ARCHS:
        assert is_right(values, run(arch, values))


@pytest.mark.parametrize("order", ["reversed", "random", "lockstep"])
def test_the_order_of_arrival_changes_no_bit(order: str, toolchain: Toolchain) -> None:
    first, other = (launch("gfx950", SHAPE, options=options)[1] for options in (None, Options(order=order, seed=5)))
    assert first["C"].tobytes() == other["C"].tobytes()
    assert not other["counters"].any()


def test_a_function_sees_the_sum_of_all_parts(toolchain: Toolchain) -> None:
    """Of partial sums no two agree in sign with the whole everywhere, so that max(x, 0) of them would show."""

    def positive_part(k: Builder, values: list[Register], free: list[Register]) -> None:
        for value in values:
            k.v_max_f32(value, 0, value)

    kernel, values = get_kernel("gemm"), SHAPE | {"act": "relu", "data": "integers"}
    program = kernel.write("gfx942", GemmConfig.of(values), positive_part)
    assert is_right(values, run("gfx942", values, program=program))


def _without(program: Program, index: int) -> Program:
    rest = [item for item in program.body if item is not program.instructions[index]]
    return replace(program, body=rest)


def _between_tiles(program: Program) -> list[int]:
    """Return the barriers that stand in no pipeline."""
    inner = [mark for mark in program.marks if mark.name in ("wide", "words", "elements", "rest")]
    inside = {i for mark in inner for i in range(mark.first, mark.last)}
    return [i for i, one in enumerate(program.instructions) if one.mnemonic == "s_barrier" and i not in inside]


def _fence(program: Program) -> tuple[int, list[Instruction]]:
    """Return where the write-back before the counter stands, and the instructions up to the sum's first load."""
    instructions = program.instructions
    first = next(i for i, one in enumerate(instructions) if one.mnemonic == "buffer_wbl2")
    last = next(i for i, one in enumerate(instructions) if one.mnemonic == "buffer_inv")
    return first, instructions[first : last + 2]


FENCE = re.compile(r"^\s*(buffer_wbl2 sc1|buffer_inv sc1|s_waitcnt vmcnt\(0\)|global_atomic_inc .*)$", re.MULTILINE)
COUNTED = """
typedef __attribute__((address_space(1))) unsigned *words;
__attribute__((amdgpu_kernel)) void count(words counter, words data, unsigned bound) {
  data[__builtin_amdgcn_workitem_id_x()] = 3;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  if (__builtin_amdgcn_atomic_inc32((unsigned *)counter, bound, __ATOMIC_RELAXED, "agent") == bound) {
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    data[1000 + __builtin_amdgcn_workitem_id_x()] = data[77];
  }
}
"""


def _fences(text: str) -> list[str]:
    """Return the cache operations, waits and atomics of a kernel from its write-back to its invalidation."""
    found = [re.sub(r"(inc) .* (sc0)", r"\1 \2", one) for one in FENCE.findall(text)]
    return found[found.index("buffer_wbl2 sc1") : found.index("buffer_inv sc1") + 1]


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ARCHS)
def test_parts_are_handed_over_as_llvm_would(arch: str) -> None:
    """Clang's fences in agent scope are the measure."""
    compiled = subprocess.run(
        ["clang-22", "-x", "c", "-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-O2", "-S", "-o", "-", "-"],
        input=COUNTED, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    _, fence = _fence(get_kernel("gemm").build(arch, **SHAPE))
    assert len(_fences(compiled)) == 5
    assert _fences("\n".join(map(str, fence))) == _fences(compiled)


def test_a_part_that_is_counted_before_it_is_stored_is_a_race(toolchain: Toolchain) -> None:
    program = get_kernel("gemm").build("gfx950", **SHAPE)
    first, fence = _fence(program)
    wait = next(i for i, one in enumerate(fence) if one.mnemonic == "s_waitcnt")
    with pytest.raises(RaceError, match="of workspace"):
        run("gfx950", SHAPE, program=_without(program, first + wait))


@pytest.mark.parametrize("arch", ARCHS)
def test_a_segment_that_starts_before_lds_is_free_is_a_race(arch: str, toolchain: Toolchain) -> None:
    values = SHAPE | {"k": 64 * 5}  # no rest of K, whose barriers would do
    program = get_kernel("gemm").build(arch, **values)
    barrier = _between_tiles(program)[0]
    with pytest.raises(RaceError, match="LDS"):
        run(arch, values, program=_without(program, barrier))


STAYING = [(work, schedule) for work in ("stream", "tickets") for schedule in SCHEDULES]


def _staying(work: str, schedule: str) -> Values:
    """Workgroups that compute one tile after the other, or parts of them."""
    tile = "128x128" if schedule == "pingpong" else "64x64"
    size = int(tile.split("x")[0]) + 6
    workers = 3 if work == "stream" else 2
    return {"tile": tile, "m": size, "n": size, "schedule": schedule, "work": work, "workers": workers}


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("work", "schedule"), STAYING)
def test_every_barrier_between_tiles_is_needed(arch: str, work: str, schedule: str, toolchain: Toolchain) -> None:
    """Some K and alignment shows it: whole steps, whole steps with a rest, a rest alone; 16, 4 and 2 bytes."""
    values = _staying(work, schedule)
    program = get_kernel("gemm").build(arch, **values)
    for barrier in _between_tiles(program):
        mutant = _without(program, barrier)
        for k, more in ((280, 0), (280, 2), (280, 1), (256, 0), (256, 2), (24, 0)):
            try:
                run(arch, values | {"k": k, "lda": k + more, "ldb": k + more}, program=mutant)
            except RaceError:
                break
        else:
            raise AssertionError(f"{barrier}: {program.instructions[barrier].comment} is not needed")


@pytest.mark.parametrize(("work", "count"), [("stream", 0), ("tickets", 2)])
def test_a_plan_that_meets_before_it_fills_lds_needs_no_barrier_between_tiles(work: str, count: int) -> None:
    """The first step of `simple` and of a rest of K begins as every other one; tickets tell a rank through LDS."""
    values = _staying(work, "simple")
    assert len(_between_tiles(get_kernel("gemm").build("gfx942", **values))) == count
    # Loads straight to LDS come first in their step: one barrier more for each alignment.
    assert len(_between_tiles(get_kernel("gemm").build("gfx950", **values))) == count + 2


@pytest.mark.parametrize(("control", "fault"), [("wbl2", "written it back"), ("inv", "caches may hold what was there")])
def test_a_part_must_get_through_the_caches(control: str, fault: str, toolchain: Toolchain) -> None:
    program = get_kernel("gemm").build("gfx950", **SHAPE)
    place = next(i for i, one in enumerate(program.instructions) if one.mnemonic == f"buffer_{control}")
    with pytest.raises(RaceError, match=rf"reads byte \d+ of workspace .*{fault}"):
        run("gfx950", SHAPE, program=_without(program, place))


def test_launches_follow_each_other_without_clearing(toolchain: Toolchain) -> None:
    _, once = launch("gfx950", SHAPE)
    _, twice = launch("gfx950", SHAPE, scratch=once)
    assert once["C"].tobytes() == twice["C"].tobytes()


def test_the_workspace_is_stated() -> None:
    problem = get_kernel("gemm").problem_on("gfx950", SHAPE)
    assert (problem.shares.share, problem.shares.workgroups) == (8, 5)
    # Cuts at 8, 16, 24 and 32 of six steps a tile: that at 24 lies between tiles, each other one halves a tile.
    assert problem.launch().workspace_bytes == (3 * 2 * 64 * 64 + 3 * 4) * 4
    assert {name: array.size for name, array in problem.scratch().items()} == {
        "workspace": 3 * 2 * 64 * 64,
        "counters": 3 * 4,
    }
    assert problem.launch().grid == (5, 1, 1)
    said = get_kernel("gemm").reasons(GemmConfig.of(SHAPE), SHAPE)
    assert said["workspace"] == "98352 bytes for partial tiles and counters"


def test_the_grid_follows_from_the_arguments() -> None:
    kernel = get_kernel("gemm")
    problem, program = kernel.problem_on("gfx950", SHAPE), kernel.build("gfx950", **SHAPE)
    assert kernel.grid_rule_of(program) == ("ceil(units / share)", "1", "1")
    given = dict(zip((arg.name for arg in program.args), problem.launch().args, strict=True))
    units, share = int(given["units"]), int(given["share"])
    assert -(-units // share) == problem.launch().grid[0]


def test_what_cannot_be_shared_is_refused() -> None:
    kernel = get_kernel("gemm")
    with pytest.raises(UsageError, match="work=stream with batch=split is not declared"):
        kernel.build("gfx950", work="stream", batch="split", out="f32")

"""LDS over bytes and time: regions with who touches them, and bank costs that are counted by hand."""

from __future__ import annotations

import pytest

from hkasm.asm.builder import Builder, build
from hkasm.asm.program import LdsRegion, Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.options import Options
from hkasm.errors import UsageError
from hkasm.inspect.lds import LdsView, RegionUse, lds_view
from hkasm.runtime.emulated import EmulatorDevice

STRIDE = 128


def stripes(k: Builder) -> None:
    """Write 64 dwords side by side, and 64 others 128 bytes apart; read both."""
    k.lds("near", 256)
    far = k.lds("far", 64 * STRIDE)
    near_at, far_at = k.vgpr("near at"), k.vgpr("far at")
    k.v_lshlrev_b32(near_at, 2, k.lane)
    k.v_lshlrev_b32(far_at, 7, k.lane)
    k.ds_write_b32(near_at, k.lane)
    k.ds_write_b32(far_at, k.lane, offset=far.offset)
    k.wait_counts(lgkmcnt=0)
    k.ds_read_b32(near_at, near_at)
    k.ds_read_b32(far_at, far_at, offset=far.offset)
    k.wait_counts(lgkmcnt=0)
    k.s_endpgm()


def seen(program: Program) -> WaveTrace:
    trace = WaveTrace()
    with EmulatorDevice() as device:
        kernel = device.load(build_hsaco(program)).kernels[program.name]
        kernel.launch((1,), (64,), [], options=Options(checks=()), probes=[trace])
    return trace


def view(arch: str) -> LdsView:
    program = build(stripes, arch=arch)
    return lds_view(program, seen(program).waves)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_regions_are_written_and_read_by_the_instructions_that_touch_them(arch: str, toolchain: None) -> None:
    found = view(arch)
    assert [(one.region.name, one.region.offset) for one in found.regions] == [("near", 0), ("far", 256)]
    touches = [[(t.act, t.ranges, t.count, t.runs) for t in one.touches] for one in found.regions]
    assert touches == [
        [("write", ((2, 2),), 1, 1), ("read", ((5, 5),), 1, 1)],
        [("write", ((3, 3),), 1, 1), ("read", ((6, 6),), 1, 1)],
    ]
    assert [one.strip(found.steps, found.steps) for one in found.regions] == ["··W░░R···", "···W░░R··"]


def test_bank_costs_are_those_of_the_addresses(toolchain: None) -> None:
    # gfx942: 32 banks and phases of 32 lanes; dwords 128 bytes apart are all in bank 0.
    costs = [(one.index, one.clk, one.free, one.degree) for one in view("gfx942").banks]
    assert costs == [(2, 2, 2, 1), (3, 64, 2, 32), (5, 2, 2, 1), (6, 64, 2, 32)]
    # gfx950 reads with 64 banks in one phase: banks 0 and 32 have 32 dwords each. Writes see 32 banks.
    costs = [(one.index, one.clk, one.free, one.degree) for one in view("gfx950").banks]
    assert costs == [(2, 2, 2, 1), (3, 64, 2, 32), (5, 1, 1, 1), (6, 32, 1, 32)]
    marks = {one.index: one.mark for one in view("gfx942").banks}
    assert marks == {2: "assumed", 3: "assumed", 5: "measured", 6: "measured"}


def test_a_strip_joins_what_falls_together() -> None:
    use = RegionUse(LdsRegion("r", 0, 4), (), {0: 1, 1: 2, 4: 1, 6: 2})
    assert use.strip(8, 8) == "WR░░W░R·"
    assert use.strip(8, 4) == "X░WR"
    assert use.strip(8, 2) == "WX"[1] + "X"


def test_without_a_run_there_is_the_map(toolchain: None) -> None:
    found = lds_view(build(stripes, arch="gfx950"))
    assert (found.steps, found.banks, [one.touches for one in found.regions]) == (0, (), [(), ()])
    assert found.as_dict()["lds_bytes"] == 256 + 64 * STRIDE


def test_a_trace_of_other_code_is_refused(toolchain: None) -> None:
    def other(k: Builder) -> None:
        k.lds("near", 256)
        k.s_endpgm()

    trace = seen(build(stripes, arch="gfx950"))
    with pytest.raises(UsageError, match="the trace is not of other"):
        lds_view(build(other, arch="gfx950"), trace.waves)

"""Probes: where waves stop, what changed, and how registers are shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.emulate import COLLECT, Kit, run, zeros

from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.options import Options
from hkasm.emulator.probes import Probe
from hkasm.emulator.stop import Stop
from hkasm.emulator.views import parse_view
from hkasm.errors import UsageError
from hkasm.isa.mfma import mfma_spec, operand_layout

HERE = Path(__file__).name


def line_of(text: str) -> int:
    """The line of this file that ends with a comment."""
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {text}"))


def counting(k: Kit) -> None:
    """x[lane] += 1 three times, in a loop."""
    (x,) = k.pointers("x")
    at, sum_ = k.lane_bytes(), k.vgpr("sum")
    count = k.sgpr("count")
    k.global_load_dword(sum_, at, x)  # load
    k.s_mov_b32(count, 3)  # after load
    k.wait(sum_)
    again = k.label("again")
    k.place(again)
    k.v_add_u32(sum_, 1, sum_)  # add
    k.s_sub_u32(count, count, 1)  # count down
    k.s_cmp_lg_u32(count, 0)
    k.s_cbranch_scc1(again)
    k.global_store_dword(at, sum_, x)  # store


def probed(probe: Probe, body: Callable[[Kit], None] = counting, count: int = 64, **more: Any) -> np.ndarray[Any, Any]:
    x = np.arange(count, dtype=np.uint32)
    return run(body, {"x": x}, listeners=[probe], options=COLLECT, **more).arrays["x"]


def test_a_line_stops_each_time_the_wave_comes_by() -> None:
    probe = Probe(at=f"{HERE}:{line_of('add')}", show=["sum", "count", "x"])
    assert probed(probe).tolist() == [n + 3 for n in range(64)]
    assert [stop.number for stop in probe.stops] == [1, 2, 3]
    first = probe.stops[0]
    assert f"{HERE}:{line_of('add')}: v_add_u32" in first.title
    assert "wave 0 of (0, 0, 0)" in first.title
    assert "lane  8: 0x00000008 0x00000009" in first.shown[0]
    assert [stop.shown[1].split(": ")[1] for stop in probe.stops] == ["0x3", "0x2", "0x1"]
    assert first.shown[2].endswith("= x + 0x0")


def test_the_live_state_at_a_stop() -> None:
    seen: list[Any] = []

    def look(stop: Stop) -> None:
        seen.append((stop.register("sum")[0, 5], stop.numbers("sum:i32")[0, 5], stop.address("x"), stop.wave))
        stop.register("sum")[...] = 0  # a copy

    assert probed(Probe(at=f"{HERE}:{line_of('store')}", then=look))[5] == 8
    assert seen == [(8, 8, "x + 0x0", 0)]


def test_watching_tells_each_change_and_who_made_it() -> None:
    probe = Probe(watch=["sum"])
    probed(probe)
    assert len(probe.stops) == 4  # the load and three additions
    assert "sum lane 0 was" in probe.stops[0].reason
    assert "s_waitcnt" in probe.stops[0].reason
    assert "sum lane 0 was 0x1, is 0x2 and 63 more lanes, changed by" in probe.stops[2].reason
    assert "v_add_u32" in probe.stops[2].reason


def test_what_is_in_flight_or_undefined_is_told() -> None:
    probe = Probe(at=f"{HERE}:{line_of('after load')}", show=["sum", "count"])
    probed(probe)
    (stop,) = probe.stops
    assert "all lanes: ?" in stop.shown[0]
    assert "in flight: global_load_dword sum=v" in stop.shown[0] or "in flight: global_load_dword v" in stop.shown[0]
    assert f"{HERE}:{line_of('load')}" in stop.shown[0]
    assert stop.shown[1].endswith(": ?")


@pytest.mark.parametrize("order", ["batch", "reversed", "random", "lockstep"])
def test_waves_and_workgroups_are_chosen(order: str) -> None:
    place = f"{HERE}:{line_of('store')}"
    options = COLLECT.but(order=order)
    for settings, expected in (
        ({"wave": 1, "workgroup": 2}, [((2, 0, 0), 1)]),
        ({"wave": 1, "workgroup": (1, 0, 0)}, [((1, 0, 0), 1)]),
        ({"wave": None, "workgroup": 0}, [((0, 0, 0), 0), ((0, 0, 0), 1)]),
        ({"wave": 0, "workgroup": None}, [((g, 0, 0), 0) for g in range(3)]),
    ):
        probe = Probe(at=place, **settings)  # type: ignore[arg-type]
        run(counting, {"x": zeros(128)}, grid=(3,), block=128, listeners=[probe], options=options.but(checks=()))
        assert sorted((stop.workgroup, stop.wave) for stop in probe.stops) == expected


def test_steps_and_limits() -> None:
    probe = Probe(step=True)
    probed(probe)
    assert probe.stops[0].offset == 0 or "s_load" in probe.stops[0].title
    assert "s_endpgm" in probe.stops[-1].title
    short = Probe(step=True, limit=3)
    probed(short)
    assert len(short.stops) == 3


def test_probing_changes_nothing() -> None:
    plain = run(counting, {"x": np.arange(256, dtype=np.uint32)}, block=256)
    probe = Probe(step=True, watch=["sum"], show=["sum"], wave=None)
    other = run(counting, {"x": np.arange(256, dtype=np.uint32)}, block=256, listeners=[probe])
    assert plain.arrays["x"].tobytes() == other.arrays["x"].tobytes()
    assert plain.report.counters == other.report.counters


def product(k: Kit) -> None:
    """D = A B + 0 by one matrix instruction, A and B from memory."""
    x, _ = k.pointers("x", "y")
    at, left, right, acc = k.lane_bytes(16), k.vgpr("left", 4), k.vgpr("right", 4), k.agpr("acc", 8)
    k.global_load_dwordx4(left, at, x)
    k.global_load_dwordx4(right, at, x, offset=1024)
    k.wait(left, right)
    k.v_mfma_f32_16x16x32_bf16(acc[0:4], left, right, 0)
    k.v_mfma_f32_16x16x32_bf16(acc[4:8], right, left, 0)
    k.s_nop(15)  # done


def test_a_register_is_shown_as_its_tile() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(-8, 8, 1024).astype(np.float32)
    x = (values.view(np.uint32) >> 16).astype(np.uint16)
    spec = mfma_spec("v_mfma_f32_16x16x32_bf16")
    matrices = []
    for operand, part in (("A", values[:512]), ("B", values[512:])):
        layout = operand_layout(spec, operand)
        lanes = part.reshape(64, 8)
        matrices.append(lanes[layout.lane_of[0], layout.slot_of[0]])
    a, b = matrices
    seen: dict[str, Any] = {}

    def look(stop: Stop) -> None:
        seen.update(acc=stop.tile("acc:16x16"), a=stop.tile("left:16x32"), b=stop.tile("right:32x16"))
        seen["text"] = stop.text("acc:16x16")
        seen["part"] = stop.text("acc[0:4]:16x16:f32")
        seen["wrong"] = stop.text("acc[0:3]:16x16")
        seen["none"] = stop.text("acc:5x5")

    probe = Probe(at=f"{HERE}:{line_of('done')}", then=look)
    run(product, {"x": x, "y": zeros()}, listeners=[probe])
    assert (seen["a"][0] == a).all()
    assert (seen["b"][0] == b).all()
    assert seen["acc"].shape == (2, 16, 16)
    assert (seen["acc"][0] == a @ b).all()
    lines = seen["text"].splitlines()
    assert lines[0] == "acc=a[0:7]: 2 x 16x16 f32, D of v_mfma_f32_16x16x32_bf16"
    assert lines[1] == "  tile 0: a[0:3]"
    assert lines[2].split()[1:] == [f"{value:.5g}" for value in (a @ b)[0]]
    assert len(lines) == 1 + 2 * 17
    assert seen["part"].splitlines()[1:] == lines[2:18]
    assert seen["wrong"].endswith("a[0:2] are 3 registers, a 16x16 tile of f32 takes 4")
    assert "no matrix instruction of gfx950 has a 5x5 operand" in seen["none"]


def test_views_of_scalars() -> None:
    def body(k: Kit) -> None:
        (x,) = k.pointers("x")
        quad = k.sgpr("quad", 4)
        k.s_mov_b64(quad[0:2], x)
        k.s_mov_b32(quad[2], 256)
        k.s_mov_b32(quad[3], 0x20000)
        k.s_nop(0)  # scalars

    texts: list[str] = []
    views = ("quad", "quad[2]", "quad[0:2]", "exec", "s[0:1]:ptr", "quad[2]:i32", "quad[2]:f32", "scc", "quad:hex")
    probe = Probe(at=f"{HERE}:{line_of('scalars')}", then=lambda stop: texts.extend(map(stop.text, views)))
    run(body, {"x": zeros()}, listeners=[probe])
    assert "= descriptor of x + 0x0, 0x100 records, stride 0" in texts[0]
    assert texts[1].endswith(": 0x100")
    assert texts[2].endswith("= x + 0x0")
    assert texts[3] == "exec: 0xffffffffffffffff (64 lanes)"
    assert texts[4].endswith("= the kernel arguments + 0x0")
    assert texts[5].endswith(": 256")
    assert "=" not in texts[8].split(": ")[1]


WRONG = {
    "nowhere": "'nowhere' is no place",
    "other+0x10": "'other+0x10' is not in kernel",
    "kernel+0x100000": "is no place in kernel",
    "kernel+0x2": "is no place in kernel",
    "elsewhere.py:3": "no line of kernel is in elsewhere.py",
    f"{HERE}:1": f"{HERE}:1 has no instruction of kernel",
}


@pytest.mark.parametrize("place", WRONG)
def test_places_that_are_not_there(place: str) -> None:
    with pytest.raises(UsageError) as caught:
        probed(Probe(at=place))
    assert WRONG[place] in caught.value.message


def test_waves_that_are_not_there() -> None:
    with pytest.raises(UsageError, match="there is no wave 1: workgroups of kernel have 1"):
        probed(Probe(step=True, wave=1))
    with pytest.raises(UsageError, match="there is no workgroup 4: the launch has 1"):
        probed(Probe(step=True, workgroup=4))


def test_views_that_make_no_sense() -> None:
    with pytest.raises(UsageError, match="unknown type 'f33'"):
        parse_view("v1:f33")
    texts: list[str] = []
    views = ("v300", "summ", "v[0:2]:f64", "sum[1]")
    probe = Probe(at=f"{HERE}:{line_of('store')}", then=lambda stop: texts.extend(map(stop.text, views)))
    probed(probe)
    assert texts[0] == "v300: v300 is outside the register file (256 registers)"
    assert texts[1] == "summ: no registers are called 'summ'; did you mean 'sum'?"
    assert texts[2] == "v[0:2]:f64: 3 registers are no whole elements of f64"
    assert texts[3] == "sum[1]: sum[1]: sum has 1 registers there"


def test_a_trace_keeps_instructions_and_addresses() -> None:
    trace = WaveTrace(groups=(1,))
    outcome = run(counting, {"x": zeros(128)}, grid=(2,), block=128, listeners=[trace], options=Options(checks=()))
    assert sorted(trace.waves) == [(1, 0), (1, 1)]
    steps = trace.waves[1, 1]
    assert [step.order for step in steps] == sorted({step.order for step in steps})
    assert len(steps) * 4 == outcome.report.instructions
    stores = [access for step in steps for access in step.accesses if access.kind == "store"]
    (store,) = stores
    assert (store.space, store.size) == ("global", 4)
    assert (np.diff(store.address) == 4).all()
    short = WaveTrace(limit=5)
    run(counting, {"x": zeros(128)}, grid=(2,), block=128, listeners=[short], options=Options(checks=()))
    assert {len(found) for found in short.waves.values()} == {5}
    assert short.truncated == {(0, 0), (0, 1)}


def test_the_trace_has_lds_addresses() -> None:
    def body(k: Kit) -> None:
        k.pointers("x")
        k.lds("tile", 1024)
        at = k.lane_bytes(8)
        k.ds_write_b64(at, k.vgpr("data", 2))
        k.ds_read2_b32(k.vgpr("back", 2), at, offset0=0, offset1=1)

    trace = WaveTrace()
    run(body, {"x": zeros()}, listeners=[trace], options=Options(checks=()))
    write, one, two = (access for step in trace.waves[0, 0] for access in step.accesses if access.space == "lds")
    assert (write.kind, write.size, write.address.tolist()) == ("store", 8, [8 * n for n in range(64)])
    assert (one.kind, two.size) == ("load", 4)
    assert (two.address - one.address == 4).all()

"""Predictions: the library's GEMM near published speeds, Triton's products in the order of their code's quality."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hkasm.asm.codeobject import CodeObject
from hkasm.errors import ArchError, UsageError
from hkasm.model.chips import Chip, get_chip
from hkasm.ops.predict import (
    Point,
    Prediction,
    _traced,
    compare_predictions,
    predict_kernel,
    predict_launch,
    predict_many,
)
from hkasm.runtime.arg_words import parse_argument, prepare
from hkasm.runtime.emulated import EmulatorDevice

LADDER = Path(__file__).parent.parent / "data" / "triton_ladder"
CASES: list[dict[str, Any]] = json.loads((LADDER / "manifest.json").read_text())["kernels"]
BEST_FIRST = (
    ("256x256x64_w4_s2", "256x128x64_w8_s2"),
    ("128x128x64_w4_s2",),
    ("128x128x64_w4_s1",),
    ("32x32x64_w4_s2",),
    ("256x256x64_w2_s2",),
)
"""Large tiles, then small ones, one stage behind two; 922 spilled registers last. Names of one place are equals."""


K_STEPS = 9
"""Steps of 64 that are played: the loops are steady by then."""


def word(arg: dict[str, Any]) -> str:
    if arg["kind"] == "value":
        return f"i32={K_STEPS * 64 if arg['name'] == 'k' else arg['value']}"
    shape = "x".join(str(side) for side in arg["shape"])
    return f"{arg['name']}:ptr:bf16[{shape}]=zeros"


def triton(case: dict[str, Any]) -> Prediction:
    code = CodeObject.from_path(LADDER / case["file"])
    image = code.kernels[case["kernel"]]
    words = [*map(word, case["args"]), *["ptr=0"] * case["trailing_pointers"]]
    with EmulatorDevice() as device:
        machine = device.load(code.data).machine
        prepared = prepare(image, [parse_argument(one) for one in words], device, limit=1 << 30)
        return predict_launch(machine, image, get_chip("mi355x"), case["grid"], case["block"], prepared.segment)


def test_triton_products_come_in_the_order_of_their_quality() -> None:
    # By what the compute units need: of a file's caches nothing is known, and HBM's floor is alike for all of them.
    rates = {case["label"]: 1 / triton(case).performance.seconds_by["compute"] for case in CASES}
    ranks = [[value for label, value in rates.items() for name in names if name in label] for names in BEST_FIRST]
    assert [len(rank) for rank in ranks] == [2, 1, 1, 1, 1]
    for better, worse in pairwise(ranks):
        assert min(better) > max(worse)
    assert ranks[-1][0] < 0.2 * ranks[0][0]


@pytest.fixture(scope="module")
def big() -> Prediction:
    return predict_kernel("gemm", get_chip("mi355x"), m=8192, n=8192, k=8192)


def test_the_gemm_at_8192(big: Prediction) -> None:
    """8-wave ping-pong, bf16, MI355X: HipKittens measures 1610 TFLOPS."""
    assert big.workgroups == 1024
    assert big.performance.tflops == pytest.approx(1610, rel=0.15)
    assert big.cycles.loop_efficiency > 0.9
    document = big.as_dict()
    assert json.loads(json.dumps(document))["performance"]["rounds"] == 4
    assert document["grid"]["l2_hit"] > 0.7
    assert all(stall["origin"].startswith("hkasm/") for stall in document["stalls"])
    assert len(document["waves"]) == 8
    assert all(len(stall["by_wave"]) == 8 for stall in document["stalls"])


def test_predictions_stand_side_by_side(big: Prediction) -> None:
    rows = compare_predictions([big, big])
    assert rows["TFLOPS"] == [big.performance.tflops] * 2
    assert rows["stall: barrier"][0] == big.cycles.reasons()["barrier"]
    total = sum(row[0] for name, row in rows.items() if name.startswith("stall"))
    assert total == pytest.approx(sum(sum(wave.values()) for wave in big.cycles.wave_reasons()) / 8)


def test_iterations_of_a_long_k_are_not_played(big: Prediction) -> None:
    longer = predict_kernel("gemm", get_chip("mi355x"), m=8192, n=8192, k=16384)
    assert longer.iterations == pytest.approx(2 * big.iterations, rel=0.05)
    assert longer.performance.workgroup_clk == pytest.approx(2 * big.performance.workgroup_clk, rel=0.06)
    assert longer.cycles.middle.played == big.cycles.middle.played


@pytest.mark.parametrize(
    ("chip", "types"),
    [("mi355x", {"dtype": dtype}) for dtype in ("f32", "f16", "i8", "bf8", "mxfp8", "mxfp6", "mxbf6", "mxfp4")]
    + [("mi355x", {"dtype": "mxfp8", "dtype_b": "mxfp4"}), ("mi300x", {"dtype": "xf32"}), ("mi300x", {"dtype": "fp8"})],
)
@pytest.mark.parametrize("k", [2048, 8192])
def test_all_products_of_a_gemm_are_counted(chip: str, types: dict[str, object], k: int) -> None:
    """The loop stands for the K that is not played, however many elements a step of its type has."""
    found = predict_kernel("gemm", get_chip(chip), m=4096, n=4096, k=k, tile="256x256", **types)
    played = found.cycles.flops + (found.iterations - found.cycles.middle.iterations) * found.cycles.loop_flops
    assert played * found.workgroups / found.resident == pytest.approx(2 * 4096 * 4096 * k, rel=0.01)


def test_shares_of_many_steps_have_a_loop_that_stands_for_them() -> None:
    """Of the K that is traced a workgroup that shares tiles has a part only."""
    found = predict_kernel(
        "gemm", get_chip("mi350x"), dtype="i8", m=8192, n=256, k=16384, tile="128x256", work="stream"
    )
    assert found.cycles.loop_flops
    steps = 64 * 128 / 256  # of 64 tiles, a workgroup
    assert found.iterations == pytest.approx(steps / 2, abs=2)  # two a turn


def test_a_share_pays_for_every_tile_that_it_has_a_part_of() -> None:
    """Against the same launch traced whole: 56,022 and 83,992 clk on the MI300X."""
    for k, clk in ((256, 56022), (512, 83992)):
        found = predict_kernel("gemm", get_chip("mi300x"), m=512, n=512, k=k, work="stream", tile="128x128", workers=5)
        assert found.performance.workgroup_clk == pytest.approx(clk, rel=0.1)
    peak = 2048 * 304 * 2.1e9 / 1e12
    few = predict_kernel("gemm", get_chip("mi300x"), m=16384, n=16384, k=256, work="stream")
    assert few.performance.tflops < peak / 2


def test_workgroups_that_take_tickets_are_as_many_as_there_are() -> None:
    one, many = (
        predict_kernel(
            "gemm", get_chip("mi300x"), m=1024, n=1024, k=512, tile="256x256", work="tickets", workers=workers
        )
        for workers in (1, 0)
    )
    assert (one.performance.rounds, many.performance.rounds) == (16, 1)
    assert one.performance.seconds > 4 * many.performance.seconds


def test_what_is_written_is_moved_too() -> None:
    """C is 1 GiB: more than all that is read, and HBM takes no more than its rate."""
    chip = get_chip("mi355x")
    found = predict_kernel("gemm", chip, m=16384, n=16384, k=64, out="f32").performance
    assert found.bytes > 4 * 16384**2
    assert found.gigabytes_s * 1e9 <= chip.rates.hbm
    assert found.bound in ("llc", "hbm")


@pytest.mark.parametrize("n", [8192, 16384, 65536])
def test_long_rows_are_traced_as_long_as_they_are(n: int) -> None:
    short, found = (predict_kernel("softmax", get_chip("mi355x"), n=length).cycles.total for length in (1024, n))
    assert found > short


def test_the_range_holds_what_phases_of_the_loop_differ_by() -> None:
    found = predict_kernel("gemm", get_chip("mi350x"), m=256, n=255, k=65536, dtype="fp8", out="f32", work="tiles")
    low, high = found.performance.seconds_range
    periods = [phase.period for phase in found.cycles.phases]
    assert high / low > max(periods) / min(periods)


def test_a_sweep_takes_any_executor_and_tells_how_far_it_is() -> None:
    points = [("gemm", "mi300x", None, {"m": m, "n": 256, "k": 256}) for m in (256, 512)]
    bad = ("gemm", "mi355x", "best", {"m": 512})
    told: list[int] = []
    with ThreadPoolExecutor(3) as pool:
        found = predict_many([*points, bad], executor=pool, done=told.append)
    assert told == [1, 2, 3]
    assert [point["parameters"]["m"] for point in found] == [256, 512, 512]
    assert found[1]["workgroups"] == 2 * found[0]["workgroups"]
    assert "unknown grid order 'best'" in found[2]["error"]


POINTS: list[Point] = [("gemm", "mi355x-cpx", None, {"m": m, "n": 256, "k": 256, "tile": "64x64"}) for m in (256, 512)]


class Plain:
    """The least that a pool has: `submit`, and futures with `result`."""

    def submit(self, act: Callable[..., Any], *args: Any) -> Any:
        return SimpleNamespace(result=lambda: act(*args))


def test_pools_of_processes_and_plain_ones_give_the_same() -> None:
    with ProcessPoolExecutor(2) as pool:
        found = predict_many(POINTS, executor=pool)
    assert found == predict_many(POINTS, executor=Plain()) == predict_many(POINTS)
    assert [point["workgroups"] for point in found] == [16, 32]


def test_one_fault_leaves_the_other_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, chip: Chip, *, order: str | None, **values: object) -> Prediction:
        if values["m"] == 256:
            raise ZeroDivisionError("inside")
        return predict_kernel(name, chip, order=order, **values)

    monkeypatch.setattr("hkasm.ops.predict.predict_kernel", broken)
    first, second = predict_many(POINTS, executor=Plain())
    assert first == {"parameters": POINTS[0][3], "error": "ZeroDivisionError: inside"}
    assert second["workgroups"] == 32


def test_a_worker_that_is_killed_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system does where memory ends; workers are forked, so that they have what is set here."""
    monkeypatch.setattr("hkasm.ops.predict.predict_kernel", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        found = predict_many(POINTS, executor=pool)
    assert [point["error"].split(":")[0] for point in found] == ["BrokenProcessPool"] * 2


class Deadly:
    """A value that ends the process which reads it."""

    def __reduce__(self) -> tuple[Callable[[int], object], tuple[int]]:
        return os._exit, (3,)


def test_a_process_that_is_killed_takes_no_other_point_along() -> None:
    told: list[int] = []
    deadly: Point = ("gemm", "mi355x", None, {"m": Deadly()})
    found = predict_many([POINTS[0], deadly, POINTS[1], deadly], done=told.append)
    assert told == [1, 2, 3, 4]
    assert [point.get("workgroups") for point in found] == [16, None, 32, None]
    assert all(point["error"].startswith("BrokenProcessPool") for point in found[1::2])


@pytest.mark.parametrize("given", [None, "text"])
def test_results_that_are_none_are_told_of(given: object) -> None:
    class Wrong:
        def submit(self, act: Callable[..., Any], *args: Any) -> Any:
            return SimpleNamespace(result=lambda: given)

    found = predict_many(POINTS, executor=Wrong())
    assert {point["error"] for point in found} == {f"the executor gave {type(given).__name__}, no prediction"}


def test_a_pool_that_takes_no_more_keeps_what_it_took() -> None:
    class Full(Plain):
        room = 1

        def submit(self, act: Callable[..., Any], *args: Any) -> Any:
            self.room -= 1
            if self.room < 0:
                raise RuntimeError("full")
            return super().submit(act, *args)

    first, second = predict_many(POINTS, executor=Full())
    assert first["workgroups"] == 16
    assert second == {"parameters": POINTS[1][3], "error": "RuntimeError: full"}


def test_what_is_no_executor_and_no_point_is_refused() -> None:
    with pytest.raises(UsageError, match="an executor has 'submit', object has not"):
        predict_many(POINTS, executor=object())
    for wrong in (5, "gemm", ("gemm", "mi355x"), ("gemm", None, None, {}), ("gemm", "mi355x", None, {1: 2})):
        with pytest.raises(UsageError, match="point 3 is no"):
            predict_many([*POINTS, wrong])


def test_what_is_interrupted_starts_no_other_point() -> None:
    started = []

    class Slow(Plain):
        def submit(self, act: Callable[..., Any], *args: Any) -> Any:
            future: Future[Any] = Future()
            started.append(future)
            if len(started) == 1:
                future.set_result({})
            return future

    def interrupt(number: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict_many([*POINTS, *POINTS], executor=Slow(), done=interrupt)
    assert [future.cancelled() for future in started] == [False, True, True, True]


def test_points_of_a_sweep_share_a_trace() -> None:
    """Problems with one tile and one rest behind whole tiles are traced once; the figures are those of each alone."""
    chip, sizes = get_chip("mi355x"), [{"m": 4096, "n": 4096, "k": 4096}, {"m": 8192, "n": 4096, "k": 8192}]
    _traced.cache_clear()
    found = [predict_kernel("gemm", chip, tile="256x256", **size).as_dict() for size in sizes]
    assert (_traced.cache_info().misses, _traced.cache_info().hits) == (1, 1)
    _traced.cache_clear()
    assert predict_kernel("gemm", chip, tile="256x256", **sizes[1]).as_dict() == found[1]


def test_unequal_shares_are_predicted_by_the_longest() -> None:
    """1024 tiles: five rounds with 240 CUs, eight where an XCD of 16 CUs has an eighth of them."""
    chip = get_chip("mi355x-32:32:32:32:32:32:32:16")
    size = {"m": 8192, "n": 8192, "k": 128, "tile": "256x256", "work": "tiles"}
    weighed, even, whole = (
        predict_kernel("gemm", on, weights=weights, **size)
        for on, weights in ((chip, "chip"), (chip, "even"), (get_chip("mi355x"), "chip"))
    )
    assert [one.performance.rounds for one in (weighed, even, whole)] == [5, 8, 4]
    assert weighed.workgroups == even.workgroups == 1024
    tickets = predict_kernel("gemm", chip, **{**size, "work": "tickets"})
    assert (tickets.performance.rounds, tickets.plan.how) == (5, "tickets")


def test_a_padded_workgroup_is_not_the_one_that_is_traced() -> None:
    """One tile, which the larger XCD has: the first workgroup pads the share of the smaller one."""
    chip = get_chip("mi355x-1:32")
    found = predict_kernel("gemm", chip, m=64, n=64, k=256, tile="64x64", work="tiles")
    assert found.cycles.flops > 0
    assert found.workgroups == 1


def test_attention_is_predicted_on_a_device() -> None:
    shape = {"hq": 16, "hkv": 4, "q": 2048, "kv": 256, "batch": 2, "d": 64}
    small, whole = (predict_kernel("attention", get_chip(name), **shape) for name in ("mi300x-38:19", "mi300x"))
    assert (small.plan.how, whole.plan.how) == ("padded", "even")
    assert small.workgroups == whole.workgroups == 2 * 16 * 8
    assert small.performance.rounds > whole.performance.rounds


@pytest.mark.parametrize(("name", "shape", "tiles"), [
    ("attention", {"hq": 16, "hkv": 4, "q": 4096, "kv": 256, "batch": 2, "d": 64}, 16 * 16 * 2),
    ("attention", {"hq": 16, "hkv": 4, "q": 4096, "kv": 256, "batch": 2, "d": 64, "mask": "causal"}, 16 * 16 * 2),
    ("gemm", {"m": 4096, "n": 8192, "k": 128, "tile": "256x256", "work": "tiles"}, 512),
])  # fmt: skip
def test_what_is_kept_for_communication_computes_nothing(name: str, shape: dict[str, object], tiles: int) -> None:
    """512 workgroups are two rounds of 256 compute units, and four of 128; one that computes is traced all the same."""
    chip = get_chip("mi355x")
    whole, half = (predict_kernel(name, chip, reserve=reserve, **shape) for reserve in (0, 16))
    assert (whole.chip.cus, half.chip.cus, half.plan.reserved) == (256, 128, 16)
    assert (whole.performance.rounds, half.performance.rounds) == (2, 4)
    assert whole.workgroups == half.workgroups == tiles
    assert half.cycles.flops == whole.cycles.flops > 0
    assert half.performance.seconds > 1.5 * whole.performance.seconds
    assert (whole.as_dict()["grid"]["reserved"], half.as_dict()["grid"]["reserved"]) == (0, 16 * 8)


@pytest.mark.parametrize("shape", [
    {"batch": 16, "hq": 40, "hkv": 20, "kv": 3000, "d": 40},
    {"batch": 4, "hq": 8, "hkv": 2, "kv": 5000, "q": 7, "cache": "plain"},
    {"batch": 3, "hq": 8, "hkv": 2, "kv": 9000, "mask": "window", "window": 700},
    {"batch": 2, "hq": 8, "hkv": 8, "kv": 6000, "mask": "full", "lengths": "mixed"},
])  # fmt: skip
def test_decode_is_traced_in_short(shape: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first workgroup is the whole problem's."""
    chip = get_chip("mi355x")
    short = predict_kernel("decode", chip, **shape)
    _traced.cache_clear()
    monkeypatch.setattr("hkasm.kernels.decode.problem.DecodeProblem.traced", lambda problem: problem)
    assert predict_kernel("decode", chip, **shape).as_dict() == short.as_dict()


def test_a_long_cache_is_not_played_whole() -> None:
    found = predict_kernel("decode", get_chip("mi355x"), batch=64, hq=64, hkv=8, kv=1 << 22)
    assert found.iterations == pytest.approx((1 << 22) / 128, rel=0.01)
    assert found.cycles.middle.iterations < 100
    half = predict_kernel("decode", get_chip("mi355x"), batch=64, hq=64, hkv=8, kv=1 << 21)
    assert found.performance.seconds == pytest.approx(2 * half.performance.seconds, rel=0.01)


def test_a_chip_of_another_arch_is_refused() -> None:
    case = CASES[0]
    code = CodeObject.from_path(LADDER / case["file"])
    with EmulatorDevice() as device:
        machine = device.load(code.data).machine
        with pytest.raises(ArchError, match="is for gfx950, mi300x has gfx942"):
            predict_launch(machine, code.kernels[case["kernel"]], get_chip("mi300x"), (1,), (256,), b"")


def test_a_shortened_problem_keeps_the_tile_that_the_whole_one_has() -> None:
    """Without m and n the tile is the largest, not what the default shape would choose."""
    plain = predict_kernel("gemm", get_chip("mi355x"), k=256)
    named = predict_kernel("gemm", get_chip("mi355x"), k=256, tile="256x256")
    assert plain.workgroups == 4
    assert plain.performance == named.performance


def test_a_wrong_parameter_is_refused() -> None:
    with pytest.raises(UsageError, match="'mm'"):
        predict_kernel("gemm", get_chip("mi355x"), mm=3)

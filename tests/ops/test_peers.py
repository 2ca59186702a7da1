"""Peers: timed by torch's events under the library that they name; what is missing is said."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from hkasm.kernels import get_kernel
from hkasm.ops import peers
from hkasm.ops.peers import Peer, measure_peers

KERNEL = get_kernel("gemm")
PROBLEM = KERNEL.problem(m=16, n=8, k=64)
PROTOCOL = {"warmup": 2, "samples": 3, "batch": 4}


class FakeTorch(ModuleType):
    """As much of torch on ROCm as timing asks for; calls are written down with the library that was chosen."""

    def __init__(self, libraries: tuple[str, ...]) -> None:
        super().__init__("torch")
        self.__version__, self.calls, self.library, self.now = "2.9+rocm", [], "was chosen before", 0.0
        self.__spec__ = SimpleNamespace(name="torch")  # type: ignore[assignment]
        self.version = SimpleNamespace(hip="7.0")
        self.backends = SimpleNamespace(cuda=SimpleNamespace(preferred_blas_library=self._prefer))
        self.cuda = SimpleNamespace(is_available=lambda: True, device=lambda _: nullcontext(), Event=self._event)
        self.bfloat16, self._libraries = "bf16", libraries

    def _prefer(self, name: str | None = None) -> str:
        if name is not None:
            if name not in (*self._libraries, "was chosen before"):
                raise RuntimeError(f"no library {name}\nand a second line")
            self.library = name
        return self.library

    def _event(self, enable_timing: bool) -> Any:
        event = SimpleNamespace(at=0.0, synchronize=lambda: None)
        event.record = lambda: setattr(event, "at", self.now)
        event.elapsed_time = lambda stop: stop.at - event.at
        return event

    def empty_strided(self, shape: tuple[int, int], strides: tuple[int, int], dtype: str, device: str) -> Any:
        tensor = SimpleNamespace(shape=shape, strides=strides, copy_=lambda values: None)
        tensor.t = lambda: SimpleNamespace(shape=shape[::-1])
        return tensor

    def from_numpy(self, array: Any) -> Any:
        return array

    def mm(self, a: Any, b: Any) -> None:
        assert a.shape[1] == b.shape[0]
        self.calls.append((self.library, a.shape, b.shape))
        self.now += 0.5


def _measure(monkeypatch: pytest.MonkeyPatch, torch: ModuleType | None, **more: int) -> list[Peer]:
    monkeypatch.setattr(peers, "find_spec", lambda name: torch and torch.__spec__)
    if torch is not None:
        monkeypatch.setitem(sys.modules, "torch", torch)
    return measure_peers(0, KERNEL, PROBLEM, PROBLEM.inputs(), **PROTOCOL, **more)


def test_each_library_is_timed_by_events_round_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = FakeTorch(("default", "cublaslt"))
    found = _measure(monkeypatch, torch, copies=2)
    # Half a millisecond a call.
    assert [peer.name for peer in found] == ["torch", "hipblaslt"]
    assert all(peer.seconds == {name: pytest.approx(5e-4) for name in ("median", "low", "high")} for peer in found)
    calls = 2 + 3 * 4
    assert torch.calls == [("default", (16, 64), (64, 8))] * calls + [("cublaslt", (16, 64), (64, 8))] * calls
    assert torch.library == "was chosen before"


def test_what_cannot_be_timed_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {peer.missing for peer in _measure(monkeypatch, None)} == {"torch is not installed"}
    torch = FakeTorch(("default",))
    first, second = _measure(monkeypatch, torch)
    assert (first.missing, second.missing, second.seconds) == ("", "no library cublaslt", {})
    torch.version.hip = None
    assert {peer.missing for peer in _measure(monkeypatch, torch)} == {"this torch has no ROCm device"}

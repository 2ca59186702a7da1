"""What other libraries take for the same job: torch's own choice and hipBLASLt through torch, where it is installed.

torch's ROCm build carries hipBLASLt; `torch.backends.cuda.preferred_blas_library` names the library that it calls.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from hkasm.kernels import Kernel, Problem
from hkasm.kernels.kernel import Arrays

__all__ = ["PEERS", "Peer", "measure_peers"]

PEERS: Final = {"torch": "default", "hipblaslt": "cublaslt"}
"""Peers by name, with the library that torch is told to call (torch spells hipBLASLt as its CUDA counterpart)."""

Call = Callable[[], object]


@dataclass(frozen=True)
class Peer:
    """One peer's time a launch in seconds (`median`, `low`, `high`), or why there is none."""

    name: str
    seconds: dict[str, float] = field(default_factory=dict)
    missing: str = ""
    version: str = ""


def measure_peers(
    number: int,
    kernel: Kernel[Any, Any],
    problem: Problem,
    inputs: Arrays,
    *,
    warmup: int,
    samples: int,
    batch: int,
    copies: int = 1,
) -> list[Peer]:
    """Time every peer on GPU `number` by the protocol of `measure`: events round `batch` calls, `samples` times.

    `copies` sets of inputs are taken in turn (cold caches). A peer that is not installed, or that has no call for
    the kernel, is returned with the reason.
    """
    if find_spec("torch") is None:
        return [Peer(name, missing="torch is not installed") for name in PEERS]
    torch: Any = import_module("torch")
    if not torch.cuda.is_available() or getattr(torch.version, "hip", None) is None:
        return [Peer(name, missing="this torch has no ROCm device") for name in PEERS]
    make = _CALLS.get(kernel.name)
    if make is None:
        return [Peer(name, missing=f"torch has no call that does what {kernel.name} does") for name in PEERS]
    with torch.cuda.device(number):
        calls = [make(torch, problem, inputs) for _ in range(copies)]
        return [_timed(torch, name, calls, warmup, samples, batch) for name in PEERS]


def _timed(torch: Any, name: str, calls: list[Call], warmup: int, samples: int, batch: int) -> Peer:
    version = f"torch {torch.__version__}"
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    done = 0

    def enqueue(times: int) -> None:
        nonlocal done
        for _ in range(times):
            calls[done % len(calls)]()
            done += 1

    taken = []
    try:
        with _library(torch, PEERS[name]):
            enqueue(warmup)
            for _ in range(samples):
                start.record()
                enqueue(batch)
                stop.record()
                stop.synchronize()
                taken.append(start.elapsed_time(stop) / 1e3 / batch)
    except RuntimeError as error:
        return Peer(name, missing=str(error).splitlines()[0], version=version)
    return Peer(name, {"median": statistics.median(taken), "low": min(taken), "high": max(taken)}, version=version)


@contextmanager
def _library(torch: Any, name: str) -> Iterator[None]:
    """Let torch call one BLAS library; torch's own choice comes back behind."""
    before = torch.backends.cuda.preferred_blas_library()
    torch.backends.cuda.preferred_blas_library(name)
    try:
        yield
    finally:
        torch.backends.cuda.preferred_blas_library(before)


def _gemm(torch: Any, problem: Any, inputs: Arrays) -> Call:
    """Return a call of torch's matrix product on the problem's A and B, pitches and all."""
    a, b = (_tensor(torch, problem.matrix(name, inputs[name])) for name in "AB")
    return lambda: torch.mm(a, b.t())


_CALLS: Final[dict[str, Callable[[Any, Any, Arrays], Call]]] = {"gemm": _gemm}


def _tensor(torch: Any, matrix: Any) -> Any:
    """Return a bf16 matrix as a tensor on the GPU, rows as far apart as in the array."""
    pitch = matrix.strides[0] // matrix.itemsize
    tensor = torch.empty_strided(matrix.shape, (pitch, 1), dtype=torch.bfloat16, device="cuda")
    tensor.copy_(torch.from_numpy(matrix.astype("float32")))
    return tensor

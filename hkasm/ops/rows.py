"""Operators on rows: softmax, norms, gated activations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hkasm.errors import LaunchError
from hkasm.kernels import get_kernel
from hkasm.kernels.kernel import Launch
from hkasm.ops.arrays import empty_like, rows_of, stream_of, view
from hkasm.ops.launcher import place_of, run
from hkasm.runtime import Device

__all__ = ["gelu_mul", "layernorm", "rmsnorm", "silu_mul", "softmax"]

_DTYPES = ("f32", "f16", "bf16")
_EPS = 1e-5


def softmax(x: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None) -> Any:
    """Return softmax over the last dimension of `x` [..., n], n up to 65,536; f32, f16 or bf16, sums in f32.

    Rows may lie apart. Arrays of NumPy and torch give such; of others pass `out`. See `hkasm.ops.gemm` for `device`.

    Raises:
        LaunchError: types, shapes or layouts that the kernel does not take.
    """
    return _apply("softmax", {"X": x}, {"Y": out}, {}, device, arch)


def silu_mul(gate: Any, up: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None) -> Any:
    """Return silu(gate) * up for arrays [..., n] of one shape; see `softmax`."""
    return _apply("silu_mul", {"G": gate, "U": up}, {"Y": out}, {}, device, arch)


def gelu_mul(gate: Any, up: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None) -> Any:
    """Return gelu(gate) * up, gelu in the form with tanh, for arrays [..., n] of one shape; see `softmax`."""
    return _apply("gelu_mul", {"G": gate, "U": up}, {"Y": out}, {}, device, arch)


def layernorm(
    x: Any,
    weight: Any = None,
    bias: Any = None,
    *,
    residual: Any = None,
    eps: float = _EPS,
    device: str | Device = "auto",
    arch: str | None = None,
) -> Any:
    """Return (x - mean) / sqrt(variance + eps) * weight + bias over the last dimension of `x` [..., n].

    `weight` and `bias` are [n] (a bias wants a weight). With a `residual` like `x` the sum x + residual is what is
    normalised, and (answer, sum) are returned. See `softmax`.
    """
    return _norm("layernorm", x, weight, bias, residual, eps, device, arch)


def rmsnorm(
    x: Any,
    weight: Any = None,
    *,
    residual: Any = None,
    eps: float = _EPS,
    device: str | Device = "auto",
    arch: str | None = None,
) -> Any:
    """Return x / sqrt(mean of squares + eps) * weight over the last dimension; see `layernorm`."""
    return _norm("rmsnorm", x, weight, None, residual, eps, device, arch)


def _norm(
    name: str, x: Any, weight: Any, bias: Any, residual: Any, eps: float, device: str | Device, arch: str | None
) -> Any:
    if bias is not None and weight is None:
        raise LaunchError(f"{name}: a bias without a weight", hint="pass a weight of ones")
    if not eps > 0:
        raise LaunchError(f"{name}: eps is {eps}, it must be above 0")
    given = {"X": x, "R": residual, "W": weight, "B": bias}
    config: dict[str, object] = {
        "affine": "none" if weight is None else "weight" if bias is None else "both",
        "residual": "none" if residual is None else "add",
    }
    outs = {"Y": None} if residual is None else {"Y": None, "Z": None}
    arrays = {key: array for key, array in given.items() if array is not None}
    return _apply(name, arrays, outs, config, device, arch, numbers=(float(eps),))


def _apply(
    name: str,
    inputs: Mapping[str, Any],
    outs: Mapping[str, Any],
    config: dict[str, object],
    device: str | Device,
    arch: str | None,
    numbers: tuple[float, ...] = (),
) -> Any:
    """Launch a kernel on rows; vectors (`W`, `B`) have one row for all."""
    first = next(iter(inputs.values()))
    views = {key: view(name, key, array, _DTYPES) for key, array in inputs.items()}
    made = {key: empty_like(name, first) if out is None else out for key, out in outs.items()}
    views |= {key: view(name, key, array, _DTYPES) for key, array in made.items()}
    dtype = next(iter(views.values())).dtype
    shape = next(iter(views.values())).shape
    pitches: dict[str, int] = {}
    for key, one in views.items():
        if one.dtype != dtype:
            raise LaunchError(f"{name}: {key} is {one.dtype}, the first array {dtype}")
        wanted = shape[-1:] if key in "WB" else shape
        if one.shape != wanted:
            raise LaunchError(f"{name}: {key} is {list(one.shape)}, wanted {list(wanted)}")
        rows, n, pitch = rows_of(name, key, one)
        side = "ldy" if key in outs else "ldx"
        if key not in "WB" and rows > 1 and pitches.setdefault(side, pitch) != pitch:
            raise LaunchError(f"{name}: rows of {key} lie {pitch} elements apart, those before {pitches[side]}")
    rows, n, _ = rows_of(name, "the array", next(iter(views.values())))
    if rows and n:
        kernel = get_kernel(name)
        config = {"dtype": dtype, **config}
        values = {"rows": rows, "n": n, **pitches, **config}
        problem = kernel.problem(**values)
        span = str(kernel.settled(kernel.config(**config), values).span)
        launch = problem.launch()
        if numbers:
            launch = Launch(launch.grid, launch.block, (*launch.args[: -len(numbers)], *numbers))
        place = place_of(list(views.values()), device, arch)
        # The code is the same for every row of a span: it is built for the longest.
        code = {**config, "span": span, "n": int(span)}
        run(place, name, code, launch, {key: one.flat() for key, one in views.items()}, stream_of(first))
    answers = tuple(made.values())
    return answers[0] if len(answers) == 1 else answers

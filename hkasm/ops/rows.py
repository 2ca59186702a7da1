"""Operators on rows: softmax, norms, gated activations, rotary embedding, small floats; and the transposition."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hkasm.errors import LaunchError, known_keywords
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.arguments import array_type
from hkasm.kernels.kernel import Launch
from hkasm.kernels.rows.quantise import BLOCK, QuantiseConfig
from hkasm.kernels.rows.rope import RopeConfig
from hkasm.ops.arrays import empty_like, rows_of, stream_of, view
from hkasm.ops.launcher import Place, place_of, run
from hkasm.runtime import Device
from hkasm.runtime.tensors import CPU, View

__all__ = ["gelu_mul", "layernorm", "quantise", "rmsnorm", "rope", "silu_mul", "softmax", "transpose"]

_DTYPES = ("f32", "f16", "bf16")
_EPS = 1e-5


@known_keywords()
def softmax(x: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None) -> Any:
    """Return softmax over the last dimension of `x` [..., n], n up to 65,536; f32, f16 or bf16, sums in f32.

    Rows may lie apart. Arrays of NumPy and torch give such; of others pass `out`. See `hkasm.ops.gemm` for `device`.

    Raises:
        LaunchError: types, shapes or layouts that the kernel does not take.
    """
    return _apply("softmax", {"X": x}, {"Y": out}, {}, device, arch)


@known_keywords()
def silu_mul(gate: Any, up: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None) -> Any:
    """Return silu(gate) * up for arrays [..., n] of one shape; see `softmax`."""
    return _apply("silu_mul", {"G": gate, "U": up}, {"Y": out}, {}, device, arch)


@known_keywords()
def gelu_mul(gate: Any, up: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None) -> Any:
    """Return gelu(gate) * up, gelu in the form with tanh, for arrays [..., n] of one shape; see `softmax`."""
    return _apply("gelu_mul", {"G": gate, "U": up}, {"Y": out}, {}, device, arch)


@known_keywords()
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


@known_keywords()
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


@known_keywords()
def quantise(
    x: Any,
    to: str = "fp8",
    *,
    per: str = "row",
    factor: float | None = None,
    device: str | Device = "auto",
    arch: str | None = None,
) -> Any:
    """Return `x` [..., n] as small floats, and their scales: (y, scales) with y = x / scale, saturated.

    ``per="row"``: f32 scales [...], a row's largest magnitude over the type's largest number. ``per="block"`` (gfx950):
    E8M0 codes [..., n / 32] as bytes, by OCP's rule; ``hkasm run mx_scales`` says how the GEMM wants them.
    ``per="tensor"``: y = x * `factor`, and nothing else is returned. `to` is ``fp8`` or ``bf8`` (FNUZ on gfx942, OCP on
    gfx950), by block also ``fp6``, ``bf6`` and ``fp4``, which are packed in bytes. See `softmax`.
    """
    given = view("quantise", "X", x, _DTYPES)
    config = QuantiseConfig.of({"dtype": given.dtype, "out": to, "per": per})
    if (factor is None) == (per == "tensor") or (factor is not None and not (math.isfinite(factor) and factor > 0)):
        raise LaunchError(f"quantise: factor {factor} with per={per}", hint="a positive number, for per='tensor' alone")
    rows, n, pitch = rows_of("quantise", "X", given)
    place, target = place_of([given], device, arch), config.tensors[0]
    config.require(place.arch)
    if n % target.step:
        raise LaunchError(f"quantise: rows of {n} {to} are no whole bytes", hint=f"a multiple of {target.step}")
    leading, small = given.shape[:-1], target.bits < 8
    kind = "u8" if small else array_type(to, place.arch)
    y = empty_like("quantise", x, (*leading, target.bytes(n) if small else n), dtype=kind)
    views = {"X": given, "Y": view("quantise", "Y", y, (kind,))}
    scales = None
    if per != "tensor":
        shape, stored = (leading, "f32") if per == "row" else ((*leading, -(-n // BLOCK)), "u8")
        scales = empty_like("quantise", x, shape, dtype=stored)
        views["S"] = view("quantise", "S", scales, (stored,))
    if rows and n:
        values = {"rows": rows, "n": n, "ldx": pitch}
        numbers = () if factor is None else (float(factor),)
        _launch("quantise", place, config.values, values, views, stream_of(x), numbers)
    return y if scales is None else (y, scales)


@known_keywords()
def rope(
    x: Any,
    cos: Any,
    sin: Any,
    positions: Any = None,
    *,
    pairs: str = "half",
    offset: int = 0,
    out: Any = None,
    device: str | Device = "auto",
    arch: str | None = None,
) -> Any:
    """Return `x` [..., tokens, heads, d] with the pairs of each head turned by its token's angles; out may be x.

    `cos` and `sin` are [positions, d / 2] in f32; a token's row is its entry of `positions`, [..., tokens] or [tokens]
    for all sequences (i32 or u32; by default its place), plus `offset`. Partners are ``half`` a head apart or
    ``interleaved`` neighbours; d is 32, 64, 128 or 256. On the host positions are held against the tables; on a GPU
    that is the caller's to do. See `softmax`.
    """
    whole = view("rope", "X", x, _DTYPES)
    given = _merged("X", whole)
    leading, d = list(whole.shape[:-2]), whole.shape[-1]
    config = RopeConfig.of({"dtype": given.dtype, "head": str(d), "pairs": pairs})
    made = empty_like("rope", x) if out is None else out
    views = {"X": given, "Y": _merged("out", view("rope", "out", made, (given.dtype,)))}
    if views["Y"].shape != given.shape:
        raise LaunchError(f"rope: out is {list(made.shape)}, x {list(x.shape)}")
    in_place, copied = views["Y"].address == given.address, None
    if in_place and given.place == CPU:  # a launch copies the host's arrays one by one
        copied = empty_like("rope", x)
        views["Y"] = _merged("out", view("rope", "out", copied, (given.dtype,)))
    if positions is None:
        positions = _places(x, leading)
    for key, array, kinds in (("C", cos, ("f32",)), ("S", sin, ("f32",)), ("P", positions, ("i32", "u32"))):
        views[key] = view("rope", key, array, kinds)
        if not views[key].contiguous:
            raise LaunchError(f"rope: {key} has strides of {list(views[key].strides)} bytes", hint="x.contiguous()")
    table = views["C"].shape
    if len(table) != 2 or table[1] != d // 2 or views["S"].shape != table:
        raise LaunchError(
            f"rope: tables {list(table)} and {list(views['S'].shape)}", hint=f"[positions, {d // 2}] both"
        )
    if list(views["P"].shape) not in (leading, leading[-1:]):
        raise LaunchError(f"rope: positions are {list(views['P'].shape)}, the tokens {leading}")
    place = place_of(list(views.values()), device, arch)
    (rows, n, pitch), (_, _, target) = (rows_of("rope", key, views[key]) for key in "XY")
    if rows and n:
        _hold_positions(views["P"], offset, table[0])
        batch = rows // math.prod(views["P"].shape)
        values = {"rows": rows, "n": n, "ldx": pitch, "ldy": target, "offset": offset, "batch": batch}
        _launch("rope", place, config.values, values, views, stream_of(x), allow_aliasing=in_place)
    if copied is not None:
        made[...] = copied
    return made


@known_keywords()
def transpose(x: Any, out: Any = None, *, device: str | Device = "auto", arch: str | None = None) -> Any:
    """Return the transpose of `x` [rows, n], its bits as they are; rows may lie apart. See `softmax`."""
    given = view("transpose", "X", x, _DTYPES, 2)
    made = empty_like("transpose", x, given.shape[::-1]) if out is None else out
    views = {"X": given, "Y": view("transpose", "out", made, (given.dtype,), 2)}
    if views["Y"].shape != given.shape[::-1]:
        raise LaunchError(f"transpose: out is {list(views['Y'].shape)}, wanted {list(given.shape[::-1])}")
    (rows, n, pitch), (_, _, target) = (rows_of("transpose", key, views[key]) for key in "XY")
    if rows and n:
        problem = get_kernel("transpose").problem(dtype=given.dtype, rows=rows, n=n, ldx=pitch, ldy=target)
        place = place_of(list(views.values()), device, arch)
        flat = {key: one.flat() for key, one in views.items()}
        run(place, "transpose", {"dtype": given.dtype}, problem.launch(), flat, stream_of(x))
    return made


def _merged(name: str, found: View) -> View:
    """Return an array [..., heads, d] as [..., heads * d]. Raises LaunchError where heads do not follow each other."""
    if len(found.shape) < 2:
        raise LaunchError(f"rope: {name} has {len(found.shape)} dimensions", hint="[..., tokens, heads, d]")
    *leading, heads, d = found.shape
    *steps, head, element = found.strides
    if (heads > 1 and head != d * element) or (d > 1 and element != found.item_bytes):
        raise LaunchError(f"rope: the heads of {name} do not follow each other", hint="x.contiguous()")
    return replace(found, shape=(*leading, heads * d), strides=(*steps, found.item_bytes))


def _places(x: Any, leading: list[int]) -> Any:
    """Return every token's place in its sequence, for all sequences."""
    torch: Any = sys.modules.get("torch")
    shape = leading[-1:]
    if torch is not None and isinstance(x, torch.Tensor):
        return torch.arange(math.prod(shape), dtype=torch.int32, device=x.device).reshape(shape)
    return np.arange(math.prod(shape), dtype=np.int32).reshape(shape)


def _hold_positions(positions: View, offset: int, rows: int) -> None:
    """Raise LaunchError for a position outside the tables, where positions can be read."""
    if not 0 <= offset < 1 << 20:
        raise LaunchError(f"rope: offset {offset}", hint="0 to 1048575")
    if positions.place == CPU and positions.array().size:
        least, most = (int(bound) + offset for bound in (positions.array().min(), positions.array().max()))
        if least < offset or most >= rows:
            wrong = least if least < offset else most
            raise LaunchError(f"rope: position {wrong}, the tables have {rows} rows")


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
        place = place_of(list(views.values()), device, arch)
        values = {"rows": rows, "n": n, **pitches}
        _launch(name, place, {"dtype": dtype, **config}, values, views, stream_of(first), numbers)
    answers = tuple(made.values())
    return answers[0] if len(answers) == 1 else answers


def _launch(
    name: str,
    place: Place,
    config: dict[str, object],
    values: Mapping[str, object],
    views: Mapping[str, View],
    stream: object,
    numbers: tuple[float, ...] = (),
    *,
    allow_aliasing: bool = False,
) -> None:
    """Launch a kernel on rows; `numbers` take the place of the last arguments."""
    kernel = get_kernel(name)
    problem = kernel.problem_on(place.arch, {**values, **config})
    span = str(kernel.settled(kernel.config(**config), values).span)
    launch = problem.launch()
    if numbers:
        launch = Launch(launch.grid, launch.block, (*launch.args[: -len(numbers)], *numbers))
    # The code is the same for every row of a span: it is built for the longest.
    code = {**config, "span": span, "n": int(span)}
    flat = {key: one.flat() for key, one in views.items()}
    run(place, name, code, launch, flat, stream, allow_aliasing=allow_aliasing)

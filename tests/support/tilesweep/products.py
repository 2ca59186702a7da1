"""Cases of the matrix product: forms, element types, shapes, files, scales. Small whole numbers keep every sum
exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.numbers import to_codes, to_values
from support.tilesweep.runner import WAVES, Bench, Case

from hkasm.tiles.layout import BaseShape, base_shape
from hkasm.tiles.ops.mma import FORMS, mma

Array = npt.NDArray[Any]

SHAPES = {
    "f16": ("rt_16x32", "rt_16x16", "rt_16x32_4", "rt_32x16", "rt_32x16_4", "rt_32x32", "rt_32x32_8"),
    "bf16": ("rt_16x32", "rt_16x16", "rt_16x32_4", "rt_32x16", "rt_32x16_4", "rt_32x32", "rt_32x32_8"),
    "f32": ("rt_16x16", "rt_16x32", "rt_16x4", "rt_32x2", "rt_32x16"),
    "xf32": ("rt_16x8", "rt_16x16", "rt_32x4", "rt_32x16_4"),
    "f64": ("rt_16x4", "rt_16x16"),
    "i8": ("rt_16x32", "rt_16x64", "rt_32x16", "rt_32x32_8"),
    "fp8": ("rt_16x32", "rt_16x128", "rt_32x16", "rt_32x64"),
    "bf8": ("rt_16x32", "rt_16x128", "rt_32x16", "rt_32x64"),
    "fp6": ("rt_16x128_32", "rt_32x64_32"),
    "bf6": ("rt_16x128_32", "rt_32x64_32"),
    "fp4": ("rt_16x128_32", "rt_32x64_32"),
}
RESULT = {"f64": "f64", "i8": "i32"}
MIXED = (("fp8", "bf8"), ("bf8", "fp8"), ("fp8", "fp4"), ("fp6", "fp8"), ("fp4", "bf6"))
FILES = ("vvv", "vva", "aav", "aaa")
"""The files of A, B and D."""


def _shape(name: str, dtype: str, other: str) -> BaseShape:
    """Return the shape of an operand: where types differ, the instruction's own stride."""
    shape = base_shape(name)
    if dtype == other:
        return shape
    stride = shape.elements if dtype not in ("fp8", "bf8") else 16 if shape.elements == 32 else shape.stride
    return BaseShape(shape.rows, shape.cols, stride)


def run(k: Bench, case: Case) -> None:
    """`form` is the form, whether C is given, and scales; `dtype` that of A, or of A and B."""
    kinds = case.dtype.split("*")
    a_type, b_type = kinds[0], kinds[-1]
    form, addend, scaled = case.form.split()
    lines, depth = base_shape(case.shape).rows, base_shape(case.shape).cols
    wide = lines == 32
    m, n, steps = (lines, lines, 1) if wide and depth * lines >= 2048 else (2 * lines, lines, 2)
    if scaled == "scales4":
        m, n, steps = lines, lines, 4
    size = depth * steps
    rng = k.rng("values")
    tiles, values = [], []
    for name, dtype, count, layout, file in (
        ("a", a_type, m, FORMS[form][0], case.file[0]), ("b", b_type, n, FORMS[form][1], case.file[1]),
    ):  # fmt: skip
        shape = _shape(case.shape, dtype, a_type if name == "b" else b_type)
        chosen = shape if layout == "row" else shape.transposed()
        rows, cols = (count, size) if layout == "row" else (size, count)
        tile = k.tile(name, dtype, rows, cols, chosen, layout, file)
        data = rng.integers(-2, 3, (WAVES, rows, cols))
        codes = to_codes(data.astype(np.int8 if dtype == "i8" else np.float64), dtype, k.arch.name)
        k.fill(tile, codes)
        tiles.append(tile)
        value = to_values(codes, dtype, k.arch.name).astype(np.float64)
        values.append(value if layout == "row" else value.swapaxes(1, 2))
    scales = None
    if scaled != "plain":
        scales = []
        for number, tile in enumerate(tiles):
            scale, codes = _scales(k, tile, lines, m if not number else n, size, scaled, rng)
            scales.append(scale)
            values[number] = values[number] * np.repeat(2.0 ** (codes.astype(np.float64) - 127), 32, axis=2)
    result = RESULT.get(a_type, "f32")
    shape_d: Any = "rt_16x16_1" if a_type == "f64" else f"rt_{lines}x{lines}"
    d = k.tile("d", result, m, n, shape_d, "col", case.file[2])
    total = values[0] @ values[1].swapaxes(1, 2)
    c = None
    if addend != "alone":
        c = d if addend == "accumulate" else k.tile("c", result, m, n, shape_d, "col", case.file[2])
        start = rng.integers(-9, 10, (WAVES, m, n))
        k.fill(c, to_codes(start.astype(np.int32 if result == "i32" else np.float64), result, k.arch.name))
        total = total + start
    k.ready()
    mma(k, d, tiles[0], tiles[1], c, form, scales=None if scales is None else (scales[0], scales[1]))
    k.expect(d, to_codes(total.astype(np.int32 if result == "i32" else np.float64), result, k.arch.name))


def _scales(k: Bench, tile: Any, lines: int, count: int, size: int, scaled: str, rng: Any) -> tuple[Any, Array]:
    """Make the scales of an operand, one for 32 elements of k: [waves, count, k / 32]."""
    blocks = size // 32
    each = blocks if scaled == "scales4" or blocks < 64 // lines else 64 // lines
    shape = BaseShape(lines, each, 1)
    codes = rng.integers(124, 131, (WAVES, count, blocks)).astype(np.uint8)
    if tile.layout == "row":
        scale = k.tile("scale", "e8m0", count, blocks, shape, "row")
        k.fill(scale, codes)
    else:
        scale = k.tile("scale", "e8m0", blocks, count, shape.transposed(), "col")
        k.fill(scale, codes.swapaxes(1, 2))
    return scale, codes


DEPTHS = {
    "gfx942": {
        "f16": (16, 8), "bf16": (16, 8), "f32": (4, 2), "xf32": (8, 4), "f64": (4, 0), "i8": (32, 16), "fp8": (32, 16),
        "bf8": (32, 16), "fp8*bf8": (32, 16), "bf8*fp8": (32, 16),
    },
    "gfx950": {
        "f16": (16, 8), "bf16": (16, 8), "f32": (4, 2), "f64": (4, 0), "i8": (32, 16), "fp8": (32, 16), "bf8": (32, 16),
        "fp6": (128, 64), "bf6": (128, 64), "fp4": (128, 64), "fp8*bf8": (32, 16), "bf8*fp8": (32, 16),
        "fp8*fp4": (128, 64), "fp6*fp8": (128, 64), "fp4*bf6": (128, 64),
    },
}  # fmt: skip
"""The least k that the ISA multiplies, for 16 lines and for 32."""
SCALED = ("fp8", "bf8", "fp6", "bf6", "fp4")


def legal(case: Case) -> bool:
    """Say what must be legal: depths that an instruction's k divides, with scales whole steps of f8f6f4."""
    lines, depth = base_shape(case.shape).rows, base_shape(case.shape).cols
    least = DEPTHS[case.arch].get(case.dtype, (0, 0))[lines == 32]
    if not least or depth % least:
        return False
    if case.form.endswith("plain"):
        return True
    return case.arch == "gfx950" and case.dtype.split("*")[0] in SCALED and depth == (128 if lines == 16 else 64)


BATCHES = {
    "rt_64x32_4": (32, 2, "row"), "rt_64x16_4": (16, 4, "row"), "rt_64x4": (4, 16, "row"), "rt_4x16": (4, 4, "col"),
}  # fmt: skip
"""Shapes of D with several blocks: their lines, their number, and the side of D along which they lie."""
BATCHED = {
    "f32": ("rt_64x1", "rt_64x4"), "f16": ("rt_64x4", "rt_64x8"), "bf16": ("rt_64x4", "rt_64x16_4"),
    "i8": ("rt_64x4", "rt_64x8"), "f64": ("rt_16x4", "rt_16x8"), "fp8": ("rt_64x4",), "xf32": ("rt_64x4",),
}  # fmt: skip
MEETINGS = ("own", "A one", "A pairs", "B halves", "B rolled", "B quarter", "A and B", "crossed")


def _meeting(name: str, count: int) -> tuple[list[int], list[int]]:
    """Return which block of A and which of B each block of D multiplies."""
    own = list(range(count))
    one, pairs = [count - 1] * count, [block | 1 for block in own]
    quarter = max(count // 4, 1)
    halves = [count // 2 + block % (count // 2) for block in own]
    return {
        "own": (own, own),
        "A one": (one, own),
        "A pairs": (pairs, own),
        "B halves": (own, halves),
        "B rolled": (own, [(block + quarter) % count for block in own]),
        "B quarter": (own, [quarter + block % quarter for block in own]),
        "A and B": (one, halves),
        "crossed": (own[::-1], own),
    }[name]


def run_batch(k: Bench, case: Case) -> None:
    """`shape` is that of A and the lines of D's blocks; `form` the form, whether C is given, and which blocks meet."""
    name, d_name = case.shape.split(">")
    form, addend, meeting = case.form.split(maxsplit=2)
    lines, count, stacked = BATCHES[d_name]
    base = base_shape(name)
    size, rng = 2 * base.cols, k.rng("values")
    tiles, values = [], []
    for letter, layout, file in (("a", FORMS[form][0], case.file[0]), ("b", FORMS[form][1], case.file[1])):
        chosen = base if layout == "row" else base.transposed()
        rows, cols = (2 * base.rows, size) if layout == "row" else (size, 2 * base.rows)
        tile = k.tile(letter, case.dtype, rows, cols, chosen, layout, file)
        data = rng.integers(-2, 3, (WAVES, rows, cols))
        codes = to_codes(data.astype(np.int8 if case.dtype == "i8" else np.float64), case.dtype, k.arch.name)
        k.fill(tile, codes)
        tiles.append(tile)
        value = to_values(codes, case.dtype, k.arch.name).astype(np.float64)
        value = value if layout == "row" else value.swapaxes(1, 2)
        values.append(value)
    of_a, of_b = _meeting(meeting, count)
    result = RESULT.get(case.dtype, "f32")
    shape = 2 * count * lines, lines
    total = np.zeros((WAVES, *shape))
    if base.rows == count * lines:
        left, right = (value.reshape(WAVES, 2, count, lines, size) for value in values)
        total = (left[:, :, of_a] @ right[:, :, of_b].swapaxes(3, 4)).reshape(WAVES, *shape)
    if stacked == "col":  # the blocks side by side, each as it is
        total = total.reshape(WAVES, 2 * count, lines, lines).swapaxes(1, 2).reshape(WAVES, *shape[::-1])
        shape = shape[::-1]
    d = k.tile("d", result, *shape, base_shape(d_name), "col", case.file[2])
    c = None
    if addend != "alone":
        c = d if addend == "accumulate" else k.tile("c", result, *shape, base_shape(d_name), "col", case.file[2])
        start = rng.integers(-9, 10, (WAVES, *shape))
        k.fill(c, to_codes(start.astype(np.int32 if result == "i32" else np.float64), result, k.arch.name))
        total = total + start
    k.ready()
    mma(k, d, tiles[0], tiles[1], c, form, blocks=None if meeting == "own" else (of_a, of_b))
    k.expect(d, to_codes(total.astype(np.int32 if result == "i32" else np.float64), result, k.arch.name))


def legal_batch(case: Case) -> bool:
    """Say what must be legal: the ISA's blocks of its types; of f64 each meets its own."""
    name, d_name = case.shape.split(">")
    meeting = case.form.split(maxsplit=2)[2]
    lines, count, _ = BATCHES[d_name]
    if (case.dtype == "f64") != (d_name == "rt_4x16") or case.dtype in ("fp8", "xf32"):
        return False
    if base_shape(name).rows != lines * count or meeting == "crossed":
        return False
    return meeting == "own" or (case.dtype != "f64" and (count > 2 or meeting != "B rolled"))


def batch_cases(arch: str) -> Iterator[Case]:
    for dtype, shapes in BATCHED.items():
        for name in shapes:
            for d_name, (lines, count, _) in BATCHES.items():
                full = base_shape(name).rows == lines * count
                shape = f"{name}>{d_name}"
                for form in FORMS:
                    for file in FILES if full else FILES[:1]:
                        for addend in ("alone", "accumulate", "add") if full else ("alone",):
                            yield Case("batch", "mma", arch, dtype, shape, "row", file, f"{form} {addend} own")
                    for meeting in MEETINGS[1:]:
                        yield Case("batch", "mma", arch, dtype, shape, "row", "vvv", f"{form} accumulate {meeting}")


def cases(arch: str, dtypes: Any = None) -> Iterator[Case]:
    for dtype in dtypes or SHAPES:
        for shape in SHAPES[dtype]:
            for form in FORMS:
                for file in FILES:
                    for addend in ("alone", "accumulate", "add"):
                        yield Case("mma", "mma", arch, dtype, shape, "row", file, f"{form} {addend} plain")
                for scaled in ("scales", "scales4"):
                    yield Case("mma", "mma", arch, dtype, shape, "row", "vva", f"{form} accumulate {scaled}")
    for a, b in MIXED:
        for shape in ("rt_16x32", "rt_16x128", "rt_32x64"):
            for form in ("ABt", "AB"):
                for scaled in ("plain", "scales4"):
                    yield Case("mma", "mma", arch, f"{a}*{b}", shape, "row", "vvv", f"{form} accumulate {scaled}")

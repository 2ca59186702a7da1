"""Matrix products of register tiles: D = op(A) op(B) + C in four forms, by whatever matrix instruction fits the
operands.

An operand's lanes number its rows or columns (its lines) and its registers run along k, so that a form is a matter of
layouts: ``AB`` takes A in row and B in column layout, ``ABt`` both in row, ``AtB`` both in column, ``AtBt`` A in
column and B in row layout, where a ``t`` says that the tile holds the transpose. D and C are in column layout with the
shape that the instruction leaves (rt_16x16, rt_32x32; rt_16x16_1 for f64).

A product does not care which k a slot stands for as long as A and B agree. So any two tiles of one stride and depth
will do: the instruction with the largest k that divides a base tile's is taken, as often as needed. Scales bind
elements to blocks of 32 k, and 8-bit elements lie otherwise than smaller ones; there shape and stride are the
instruction's own.

The instructions of several blocks multiply batches: a base tile of A or B has 64 lines (f64: 16), which are 2, 4 or 16
operands of 32, 16 or 4 lines one after the other, and D's base tile is as many products, stacked along its rows (f64:
columns). D's shape says which: rt_64x32_4 (2 of 32x32), rt_64x16_4 (4 of 16x16), rt_64x4 (16 of 4x4), rt_4x16 (4 of
4x4 in f64). Base tile number i of D is that of A times that of B; with `blocks` one block of A or B serves several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from hkasm.asm.builder import Builder
from hkasm.isa.mfma import F8F6F4_FORMATS, MFMA_TABLE, MfmaSpec
from hkasm.isa.registers import Register
from hkasm.tiles.layout import LANES, BaseShape, Layout, mfma_operand
from hkasm.tiles.ops.batches import Batch, Blocks, batch_of, batch_shapes, block_controls, d_size
from hkasm.tiles.ops.common import describe, refuse
from hkasm.tiles.register import RegTile

FORMS: dict[str, tuple[Layout, Layout]] = {
    "AB": ("row", "col"), "ABt": ("row", "row"), "AtB": ("col", "col"), "AtBt": ("col", "row"),
}  # fmt: skip
"""The layouts of the tiles A and B."""


@dataclass(frozen=True)
class Scales:
    """The scales of one operand: a tile of e8m0, a byte an element of [lines, k / 32].

    Built with `RegTile` in the operand's layout: base shape `rt_16x16_1` (or its transpose) holds those of four steps
    of 128 in the bytes of one register, `rt_32x8_1` those of four steps of 64.
    """

    tile: RegTile

    def of(self, line: int, step: int, lines_first: bool) -> tuple[Register, int]:
        """Return the register and byte of base line `line` and k step `step`."""
        shape = self.tile.shape
        line_size = shape.rows if lines_first else shape.cols
        along = shape.cols if lines_first else shape.rows
        steps = along * line_size // LANES
        number, byte = divmod(step, max(steps, 1))
        piece = self.tile[line, number] if lines_first else self.tile[number, line]
        return piece[byte // 4], byte % 4


@cache
def instructions(arch: str, a: str, b: str, d: str, batch: Batch) -> tuple[MfmaSpec, ...]:
    """Return the dense matrix instructions for element types and lines of one or more blocks, largest k first."""
    found = []
    for spec in MFMA_TABLE.values():
        if arch not in spec.opcode or spec.sparse or spec.scaled or spec.c_type != d:
            continue
        if (spec.m, spec.n, spec.blocks) != (batch.lines, batch.lines, batch.blocks):
            continue
        if spec.selects_format:
            if a in F8F6F4_FORMATS and b in F8F6F4_FORMATS:
                found.append(spec)
        elif (spec.a, spec.b) == (a, b):
            found.append(spec)
    return tuple(sorted(found, key=lambda spec: -spec.k))


def mma(
    k: Builder,
    d: RegTile,
    a: RegTile,
    b: RegTile,
    c: RegTile | None = None,
    form: str = "ABt",
    *,
    scales: tuple[RegTile, RegTile] | None = None,
    blocks: Blocks | None = None,
) -> None:
    """Emit D = op(A) op(B) + C, or the product alone without `c`; accumulators and operands may be in either file.

    `scales` are those of A and B (gfx950, f8f6f4): e8m0 tiles as `Scales` says, in the layouts of A and B. The ISA
    scales blocks of 32 along k by powers of two and nothing else; other scales multiply D (`mul` by rows, columns, or
    a number) or the wider values before they are converted. `blocks`
    are for a D of several blocks: which of A's and which of B's blocks each of D's multiplies, within a base tile;
    ``((1, 1, 1, 1), None)`` is block 1 of A with each of B's. The ISA has groups of 2, 4, ... blocks that share one of
    theirs (A), and 16 or 32 lanes that stand for all (B).

    Raises:
        UsageError: layouts, shapes, dtypes, files or blocks that no instruction takes together.
    """
    plan = plan_product(k.arch.name, d, a, b, c, form, scales, blocks)
    for step in range(plan.steps):
        for i in range(d.height):
            for j in range(d.width):
                plan.emit(k, i, j, step)


@dataclass(frozen=True)
class Product:
    """A product that is legal: its instruction and the operands, to be emitted whole or one instruction at a time."""

    spec: MfmaSpec
    form: str
    d: RegTile
    a: RegTile
    b: RegTile
    c: RegTile | None
    scales: tuple[Scales, Scales] | None
    steps: int
    """Instructions along k for each base tile of D."""
    each: int
    """Those of one base tile of A."""
    controls: dict[str, int] = field(default_factory=dict)
    """Which blocks meet, as the instruction's modifiers say it."""

    def emit(self, k: Builder, i: int, j: int, step: int) -> None:
        """Emit one instruction: base tile (i, j) of D, number `step` along k; number 0 takes C or zero."""
        a_first, b_first = (layout == "row" for layout in FORMS[self.form])
        tile, part = divmod(step, self.each)
        a_line, b_line = (i, j) if self.spec.blocks == 1 else (i + j, i + j)  # a batch is one base tile high or wide
        left = self.a[a_line, tile] if a_first else self.a[tile, a_line]
        right = self.b[b_line, tile] if b_first else self.b[tile, b_line]
        sources = []
        for operand, piece, dtype in (("A", left, self.a.dtype), ("B", right, self.b.dtype)):
            width = self.spec.registers(operand, dtype if self.spec.selects_format else None)
            sources.append(piece[part * width : (part + 1) * width])
        target = self.d[i, j]
        addend: Register | int = target if step else (0 if self.c is None else self.c[i, j])
        mods = dict(self.controls)
        if self.spec.selects_format:
            mods |= {"cbsz": F8F6F4_FORMATS.index(self.a.dtype), "blgp": F8F6F4_FORMATS.index(self.b.dtype)}
        extra: list[Register] = []
        if self.scales is not None:
            of_a, a_byte = self.scales[0].of(i, step, a_first)
            of_b, b_byte = self.scales[1].of(j, step, b_first)
            extra = [of_a, of_b]
            mods["op_sel"] = (a_byte & 1) | (b_byte & 1) << 1
            mods["op_sel_hi"] = a_byte >> 1 | (b_byte >> 1) << 1
        getattr(k, self.spec.mnemonic)(target, *sources, addend, *extra, **mods)


def plan_product(
    arch: str,
    d: RegTile,
    a: RegTile,
    b: RegTile,
    c: RegTile | None = None,
    form: str = "ABt",
    scales: tuple[RegTile, RegTile] | None = None,
    blocks: Blocks | None = None,
) -> Product:
    """Return the plan of a product, for schedules that place its instructions. Raises UsageError as `mma` does."""
    if form not in FORMS:
        raise refuse("mma", f"no form {form!r}", ", ".join(FORMS))
    for name, tile, layout in (("A", a, FORMS[form][0]), ("B", b, FORMS[form][1]), ("D", d, "col")):
        if tile.layout != layout:
            raise refuse(f"mma {form}", f"{name} is {describe(tile)}", f"{name} in {layout} layout")
    a_first, b_first = (layout == "row" for layout in FORMS[form])
    a_lines, a_depth = (a.rows, a.cols) if a_first else (a.cols, a.rows)
    b_lines, b_depth = (b.rows, b.cols) if b_first else (b.cols, b.rows)
    batch = batch_of(d.shape)
    if (*d_size(batch, a_lines, b_lines), a_depth) != (d.rows, d.cols, b_depth):
        raise refuse(
            f"mma {form}",
            f"A is {a.rows}x{a.cols}, B {b.rows}x{b.cols}, D {d.rows}x{d.cols}",
            f"A {_form_size(form[:-1].replace('B', ''), d.rows, a_depth)}, B with the same k for D's columns"
            if batch is None
            else f"A and B with {d.rows if batch.stacked == 'row' else d.cols} lines and the same k",
        )
    _check_accumulators(form, d, c)
    lines, a_k = _line_and_depth(a.shape, a_first)
    if (lines, a_k) != _line_and_depth(b.shape, b_first):
        raise refuse(f"mma {form}", f"A is of {a.shape.name}, B of {b.shape.name}", "the same lines and depth")
    if batch is not None and lines != batch.lines * batch.blocks:
        raise refuse(
            f"mma {form}",
            f"A is of {a.shape.name}, D of {d.shape.name}",
            f"{batch.lines * batch.blocks} lines for {batch}",
        )
    spec = _choose(arch, d, a, b, batch or Batch(lines), a_k, scales is not None)
    each = a_k // spec.k
    return Product(
        spec, form, d, a, b, c, _check_scales(spec, a, b, form, scales), each * (a_depth // a_k), each,
        block_controls(form, spec, blocks),
    )  # fmt: skip


def _form_size(transposed: str, rows: int, depth: int) -> str:
    return f"{depth}x{rows}" if "t" in transposed else f"{rows}x{depth}"


def _line_and_depth(shape: BaseShape, lines_first: bool) -> tuple[int, int]:
    return (shape.rows, shape.cols) if lines_first else (shape.cols, shape.rows)


def _check_accumulators(form: str, d: RegTile, c: RegTile | None) -> None:
    if c is None:
        return
    if (c.rows, c.cols, c.shape, c.layout, c.dtype) != (d.rows, d.cols, d.shape, d.layout, d.dtype):
        raise refuse(f"mma {form}", f"C is {describe(c)}, D {describe(d)}", "equal tiles")
    for before, after in zip(c.pieces, d.pieces, strict=True):
        if before.file != after.file:
            raise refuse(f"mma {form}", f"C in {before}, D in {after}", "both in VGPRs or both in AGPRs")


def _choose(arch: str, d: RegTile, a: RegTile, b: RegTile, batch: Batch, depth: int, scaled: bool) -> MfmaSpec:
    """Return the instruction. Raises UsageError naming the element types or shapes that there are."""
    found = instructions(arch, a.dtype, b.dtype, d.dtype, batch)
    if scaled:
        found = tuple(
            MFMA_TABLE[spec.mnemonic.replace("v_mfma_", "v_mfma_scale_")] for spec in found if spec.selects_format
        )
    if not found:
        kind = "scaled product" if scaled else "product"
        raise refuse(
            "mma",
            f"no {kind} of {a.dtype} and {b.dtype} into {d.dtype} with {batch} on {arch}",
            _legal_types(arch, scaled, batch),
        )
    fitting = [spec for spec in found if depth % spec.k == 0 and _agree(spec, a, b)]
    if not fitting:
        what = f"A is of {a.shape.name} ({a.dtype}), B of {b.shape.name} ({b.dtype})"
        raise refuse("mma", what, _legal_depths(found, a, b))
    shape = mfma_operand(fitting[0], "D").shape
    if d.shape != shape:
        raise refuse("mma", f"D is of {d.shape.name}", shape.name)
    return fitting[0]


def _by_position(spec: MfmaSpec, a: RegTile, b: RegTile) -> bool:
    """Tell whether the instruction pairs a lane's elements by k and not by slot: scales, or 8 bits beside fewer."""
    return spec.scaled or (spec.selects_format and (a.bits == 8) != (b.bits == 8))


def _agree(spec: MfmaSpec, a: RegTile, b: RegTile) -> bool:
    """Tell whether elements that meet have the same k, and fill whole registers."""
    shapes = [tile.shape if tile.layout == "row" else tile.shape.transposed() for tile in (a, b)]
    if _by_position(spec, a, b):
        return shapes == [mfma_operand(spec, "A", a.dtype).shape, mfma_operand(spec, "A", b.dtype).shape]
    return shapes[0] == shapes[1] and spec.k * spec.m * spec.blocks // LANES * min(a.bits, b.bits) % 32 == 0


def _legal_depths(found: Sequence[MfmaSpec], a: RegTile, b: RegTile) -> str:
    exact = [spec for spec in found if _by_position(spec, a, b)]
    if exact:
        names = (mfma_operand(exact[0], "A", tile.dtype).shape.name for tile in (a, b))
        return " and ".join(names) + " (or the transposes, in column layout)"
    return "one shape, of a depth that " + " or ".join(str(spec.k) for spec in found) + " divides"


def _legal_types(arch: str, scaled: bool, batch: Batch) -> str:
    """Return the element types that an arch multiplies, of those with several blocks where D has several."""
    if scaled:
        return ", ".join(F8F6F4_FORMATS) + " into f32 on gfx950"
    several = batch.blocks > 1
    kinds = {
        f"{spec.a} into {spec.c_type}"
        for spec in MFMA_TABLE.values()
        if arch in spec.opcode and not spec.sparse and spec.a == spec.b and not spec.selects_format
        if spec.blocks == 1 or several
        if not several or (spec.m, spec.blocks) == (batch.lines, batch.blocks)
    }
    if several:
        return f"{', '.join(sorted(kinds))} for {batch}"
    if arch == "gfx950":
        kinds.add("any two of fp8, bf8, fp6, bf6, fp4 into f32")
    batches = ", ".join(f"{shape.name} ({known})" for shape, known in batch_shapes().items())
    return f"{', '.join(sorted(kinds))}; 16 or 32 lines; batches for D of {batches}"


def _check_scales(
    spec: MfmaSpec, a: RegTile, b: RegTile, form: str, scales: Sequence[RegTile] | None
) -> tuple[Scales, Scales] | None:
    if scales is None:
        return None
    made = []
    for name, tile, scale in (("A", a, scales[0]), ("B", b, scales[1])):
        first = tile.layout == "row"
        lines, depth = (tile.rows, tile.cols) if first else (tile.cols, tile.rows)
        line, along = _line_and_depth(scale.shape, first)
        size = (scale.rows, scale.cols) if first else (scale.cols, scale.rows)
        if (
            scale.dtype != "e8m0"
            or scale.layout != tile.layout
            or (line, scale.shape.stride) != (spec.m, 1)
            or along % (spec.k // 32)
            or size != (lines, depth // 32)
            or any(piece.file != "v" for piece in scale.pieces)
        ):
            shape = f"rt_{spec.m}x{spec.k // 8}_1" if first else f"rt_{spec.k // 8}x{spec.m}_1"
            raise refuse(
                f"mma {form}",
                f"the scales of {name} are {describe(scale)} in file {scale.file}",
                f"e8m0 in VGPRs, {tile.layout} layout, one for each 32 k ({lines} lines of {depth // 32}), "
                f"of {shape} (four steps a register) or a shape of one step",
            )
        made.append(Scales(scale))
    return made[0], made[1]

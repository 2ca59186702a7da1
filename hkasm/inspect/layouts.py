"""Register layouts to look at: which lane and register holds which element, for matrix operands and register tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hkasm.errors import UsageError, did_you_mean
from hkasm.inspect.svg import Picture, shade
from hkasm.isa.mfma import MFMA_TABLE, MfmaSpec, mfma_spec
from hkasm.tiles.layout import (
    HIPKITTENS_SHAPES,
    LANES,
    Layout,
    Place,
    TileForm,
    base_shape,
    dtype_bits,
    mfma_operand,
)

__all__ = ["LayoutView", "draw_layouts", "layout_views"]


@dataclass(frozen=True)
class LayoutView:
    """One base tile with what it is: title, what rows and columns count, and blocks that are stacked."""

    title: str
    form: TileForm
    axes: tuple[str, str]
    note: str = ""

    @property
    def registers(self) -> int:
        """Return the registers of a lane."""
        return self.form.shape.registers(self.form.dtype)

    @property
    def head(self) -> str:
        """Return what the tile is, in one line."""
        form, count = self.form, self.registers
        what = f"{form.rows}x{form.cols} {form.dtype} ({self.axes[0]} x {self.axes[1]})"
        some = "1 register" if count == 1 else f"{count} registers"
        return f"{self.title}: {what}, {form.shape.name} {form.layout} layout, {some} a lane"

    @property
    def rule(self) -> str:
        """Return where an element is, as formulas of its row and column."""
        shape, layout = self.form.shape, self.form.layout
        line, along = ("row", "col") if layout == "row" else ("col", "row")
        lines, extent = (shape.rows, shape.cols) if layout == "row" else (shape.cols, shape.rows)
        group, stride = shape.group(layout), shape.stride
        within = along if extent == group else f"{along} % {group}"
        part = within if stride == 1 else f"{within} // {stride}"
        lane = line if group == stride else f"{line} + {lines} * " + (f"({part})" if " " in part else part)
        run = "" if extent == group else f"{along} // {group}" + ("" if stride == 1 else f" * {stride}")
        step = "" if stride == 1 else along if extent == stride else f"{along} % {stride}"
        return f"lane = {lane}; slot = {' + '.join(word for word in (run, step) if word) or '0'}"

    def runs(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield lanes, rows, columns and registers of every run of elements that a group of lanes holds."""
        shape, layout = self.form.shape, self.form.layout
        lines = shape.rows if layout == "row" else shape.cols
        for run in range(shape.elements // shape.stride):
            for group in range(LANES // lines):
                first = group * shape.stride + run * shape.group(layout)
                line = "lane" if group == 0 else f"lane - {group * lines}"
                along = _range(first, first + shape.stride - 1)
                rows, cols = (line, along) if layout == "row" else (along, line)
                yield _range(group * lines, (group + 1) * lines - 1), rows, cols, self.bits_text(run * shape.stride)

    def bits_text(self, slot: int) -> str:
        """Return the registers, or the bits of one, that a run from a slot on fills."""
        width = dtype_bits(self.form.dtype)
        first, last = slot * width, (slot + self.form.shape.stride) * width - 1
        if first % 32 == 0 and last % 32 == 31:
            return f"v{first // 32}" if first // 32 == last // 32 else f"v[{first // 32}:{last // 32}]"
        return _bits(first, last)

    def element(self, row: int, col: int) -> Place:
        """Return where an element is. Raises UsageError outside the tile."""
        form = self.form
        if not (0 <= row < form.rows and 0 <= col < form.cols):
            raise UsageError(f"{self.title} has no element {row},{col}", hint=f"it is {form.rows}x{form.cols}")
        return form.shape.place(form.layout, form.dtype, row, col)

    def element_text(self, row: int, col: int) -> str:
        """Return where an element is, in words."""
        place = self.element(row, col)
        first = place.register * 32 + place.bit
        return f"row {row}, column {col}: lane {place.lane}, {_bits(first, first + dtype_bits(self.form.dtype) - 1)}"

    def held(self, lane: int, register: int) -> list[tuple[int, int, int, int]]:
        """Return (first bit, last bit, row, column) of every element that starts in a register of a lane.

        Raises UsageError for a lane or register that is not there.
        """
        if not (0 <= lane < LANES and 0 <= register < self.registers):
            raise UsageError(
                f"{self.title} has no lane {lane}, register {register}",
                hint=f"lanes 0 to {LANES - 1}, registers 0 to {self.registers - 1}",
            )
        width, shape = dtype_bits(self.form.dtype), self.form.shape
        found = []
        for slot in range(shape.elements):
            first = slot * width
            if first // 32 == register:
                row, col = shape.row_col(self.form.layout, lane, slot)
                found.append((first % 32, first % 32 + width - 1, row, col))
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data; lane, register and first bit of every element, by row."""
        form = self.form
        places = [[self.element(row, col) for col in range(form.cols)] for row in range(form.rows)]
        return {
            "title": self.title, "dtype": form.dtype, "bits": dtype_bits(form.dtype), "rows": form.rows,
            "cols": form.cols, "axes": list(self.axes), "shape": form.shape.name, "stride": form.shape.stride,
            "layout": form.layout, "registers": self.registers, "rule": self.rule, "note": self.note,
            "lane": [[place.lane for place in row] for row in places],
            "register": [[place.register for place in row] for row in places],
            "bit": [[place.bit for place in row] for row in places],
        }  # fmt: skip


def layout_views(
    name: str, *, operand: str | None = None, arch: str | None = None, fmt: str | None = None, layout: str | None = None
) -> list[LayoutView]:
    """Return the layouts that a name means: a matrix instruction's operands, or a register tile ``rt_16x32:bf16``.

    A tile without dtype is of bf16, one without `layout` is shown in each that it has. Raises UsageError for a name
    that is neither, ArchError for an instruction that the chip has not.
    """
    if name.startswith(("v_mfma", "v_smfmac")) or name in MFMA_TABLE:
        if layout is not None:
            raise UsageError(f"{name}: a matrix instruction's layouts are what they are", hint="leave out --layout")
        return _operands(mfma_spec(name, arch), operand, fmt)
    word, _, dtype = name.partition(":")
    if not word.startswith("rt_") and not word[:1].isdigit():
        near = did_you_mean(name, [*MFMA_TABLE, *HIPKITTENS_SHAPES])
        raise UsageError(
            f"no matrix instruction or register tile '{name}'",
            hint=near or "v_mfma_..., or a tile such as rt_16x32 or rt_16x32:f16",
        )
    if operand is not None or fmt is not None:
        raise UsageError(
            f"{name}: operands and formats are for matrix instructions", hint="rt_16x128:fp8 names a dtype"
        )
    shape = base_shape(word)
    element = dtype or "bf16"
    dtype_bits(element)
    wanted: list[Layout] = ["row", "col"] if layout is None else [_layout(layout)]
    views = []
    for one in wanted:
        try:
            form = TileForm(element, shape.rows, shape.cols, shape, one)
        except UsageError:
            if layout is not None:
                raise
            continue
        views.append(LayoutView(shape.name, form, ("row", "column")))
    return views


def _layout(word: str) -> Layout:
    if word == "row":
        return "row"
    if word == "col":
        return "col"
    raise UsageError(f"no layout '{word}'", hint="row or col")


def _operands(spec: MfmaSpec, operand: str | None, fmt: str | None) -> list[LayoutView]:
    if fmt is not None and not spec.selects_format:
        raise UsageError(f"{spec.mnemonic}: its formats are fixed", hint="--format is for the f8f6f4 instructions")
    names = ["A", "B", "C", "D"] + (["scale-A", "scale-B"] if spec.scaled else [])
    if operand is not None and operand not in names:
        raise UsageError(f"{spec.mnemonic}: no operand '{operand}'", hint=f"operands: {', '.join(names)}")
    axes = {"A": ("m", "k"), "B": ("k", "n"), "scale-A": ("m", "k / 32"), "scale-B": ("k / 32", "n")}
    views = []
    for name in names if operand is None else [operand]:
        if operand is None and name == "C":
            continue  # as D
        found = mfma_operand(spec, name, fmt if name in ("A", "B") else None)
        shape = found.shape
        form = TileForm(found.dtype, shape.rows, shape.cols, shape, found.layout)
        note = ""
        if found.stacked:
            size = found.block_size[0] if found.stacked == "row" else found.block_size[1]
            side = "row" if found.stacked == "row" else "column"
            note = f"{found.blocks} blocks: block b begins at {side} {size} * b"
        if spec.sparse and name == "A":
            note = "columns count stored elements, two of each four k"
        if name.startswith("scale"):
            note = "one byte a lane; op_sel and op_sel_hi choose which byte of the register"
        title = f"{spec.mnemonic} {'C and D' if operand is None and name == 'D' else name}"
        views.append(LayoutView(title, form, axes.get(name, ("m", "n")), note))
    return views


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _bits(first: int, last: int) -> str:
    """Return bits of the registers, counted over all of them, as ``v1 bits 0-15`` or ``v0 bit 30 to v1 bit 3``."""
    if first // 32 == last // 32:
        if first % 32 == 0 and last % 32 == 31:
            return f"v{first // 32}"
        return f"v{first // 32} bits {first % 32}-{last % 32}"
    if first % 32 == 0 and last % 32 == 31:
        return f"v[{first // 32}:{last // 32}]"
    return f"v{first // 32} bit {first % 32} to v{last // 32} bit {last % 32}"


# ---- picture ---------------------------------------------------------------------------------------------------------

CELL_WIDTH, CELL_HEIGHT, MARGIN = 30, 24, 60


def draw_layouts(views: list[LayoutView]) -> str:
    """Return an SVG picture: one matrix a layout, a cell an element, coloured by lane, with lane over register.bit."""
    picture = Picture()
    top = 20.0
    for view in views:
        form = view.form
        picture.text(10, top, view.head, size=14, bold=True)
        picture.text(10, top + 18, "; ".join(part for part in (view.rule, view.note) if part), size=11)
        picture.text(10, top + 34, "in a cell: lane, below it register.first bit; one colour a lane", size=11)
        top += 60
        for col in range(form.cols):
            picture.text(MARGIN + (col + 0.5) * CELL_WIDTH, top, str(col), size=9, anchor="middle")
        for row in range(form.rows):
            y = top + 6 + row * CELL_HEIGHT
            picture.text(MARGIN - 6, y + 15, str(row), size=9, anchor="end")
            for col in range(form.cols):
                place = view.element(row, col)
                x = MARGIN + col * CELL_WIDTH
                picture.rect(
                    x, y, CELL_WIDTH, CELL_HEIGHT, shade(place.lane * 0.381966, 0.72 + 0.16 * (place.lane % 2))
                )
                picture.text(x + CELL_WIDTH / 2, y + 10, str(place.lane), size=9.5, anchor="middle")
                where = f"{place.register}.{place.bit}" if dtype_bits(form.dtype) < 32 else f"v{place.register}"
                picture.text(x + CELL_WIDTH / 2, y + 20, where, size=8, anchor="middle")
        top += 6 + form.rows * CELL_HEIGHT + 40
    return picture.document()

"""LDS tiles to look at: where a shared tile's bytes are, and which lanes of an access meet in a bank."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any

from hkasm.errors import UsageError
from hkasm.inspect.svg import Picture, shade
from hkasm.isa.banks import BANK_BYTES, BANK_ROWS, bank_row
from hkasm.tiles.access import LDS_READS, LDS_WRITES, LdsAccess, legal_instructions
from hkasm.tiles.conflicts import Conflicts, conflicts
from hkasm.tiles.layout import HIPKITTENS_SHAPES, BaseShape, Layout, TileForm, base_shape, dtype_bits
from hkasm.tiles.shared import SharedShape, SharedTile, shared_shape

__all__ = ["AccessView", "access_views", "draw_accesses", "named_shape", "overview"]


def named_shape(name: str) -> tuple[SharedShape, str]:
    """Return the shape and dtype of ``st_16x32:bf16``; the dtype is bf16 where none is named."""
    word, _, dtype = name.partition(":")
    return shared_shape(word, dtype or "bf16"), dtype or "bf16"


@dataclass(frozen=True, eq=False)
class AccessView:
    """One LDS instruction that moves a register tile from or to a shared tile, on one chip."""

    arch: str
    instruction: str
    tile: SharedTile
    form: TileForm
    result: Conflicts

    @property
    def head(self) -> str:
        """Return what is moved and how the chip serves it, in one line."""
        row = self.result.row
        lanes = len(row.phases[0])
        return (
            f"{self.instruction} of {self.form.shape.name} {self.form.layout} layout on {self.arch}: "
            f"{row.banks} banks of {BANK_BYTES} bytes, {len(row.phases)} phases of {lanes} lanes "
            f"({row.mark}: {row.source})"
        )

    @property
    def worst_access(self) -> int:
        """Return the number of the access with most conflicts, the first of those."""
        return int(self.result.degree.sum(axis=1).argmax())

    def phases(self) -> list[tuple[int, str, int, str]]:
        """Return phase, lanes, degree and who meets where, of the access with most conflicts."""
        number = self.worst_access
        access = self.result.accesses[number]
        return [
            (phase, _lanes(lanes), int(self.result.degree[number, phase]), self._meetings(access, lanes))
            for phase, lanes in enumerate(self.result.row.phases)
        ]

    def _meetings(self, access: LdsAccess, lanes: tuple[int, ...]) -> str:
        """Return the lanes of a phase that want different dwords of one bank, by runs of banks."""
        by_bank = self.wanted(access, lanes)
        runs: list[tuple[int, int, tuple[int, ...]]] = []
        for bank in sorted(by_bank):
            if len(by_bank[bank]) < 2:
                continue
            who = tuple(sorted(lane for lanes_of in by_bank[bank].values() for lane in lanes_of))
            if runs and runs[-1][1] == bank - 1 and runs[-1][2] == who:
                runs[-1] = (runs[-1][0], bank, who)
            else:
                runs.append((bank, bank, who))
        return "; ".join(
            f"{'bank' if first == last else 'banks'} {first if first == last else f'{first}-{last}'}: {_lanes(who)}"
            for first, last, who in runs
        )

    def wanted(self, access: LdsAccess, lanes: tuple[int, ...]) -> dict[int, dict[int, list[int]]]:
        """Return the lanes that want each dword of each bank: bank, dword, lanes."""
        row = self.result.row
        found: dict[int, dict[int, list[int]]] = {}
        for lane in lanes:
            for addresses in (access.address, access.second):
                if addresses is None:
                    continue
                for step in range(row.dwords):
                    dword = int(addresses[lane]) // BANK_BYTES + step
                    found.setdefault(dword % row.banks, {}).setdefault(dword, []).append(lane)
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data; addresses are bytes from the tile's start."""
        return {
            "arch": self.arch, "instruction": self.instruction, "register_tile": self.form.shape.name,
            "layout": self.form.layout, "rows": self.form.rows, "cols": self.form.cols, **self.result.as_dict(),
            "phase_lanes": [list(lanes) for lanes in self.result.row.phases],
            "degree": self.result.degree.tolist(),
            "addresses": [access.address.tolist() for access in self.result.accesses],
        }  # fmt: skip


def _forms(shape: SharedShape, dtype: str, base: BaseShape, layout: Layout) -> tuple[SharedTile, TileForm] | None:
    """Return the smallest tile that is whole for both shapes, or None where the register shape has no such layout."""
    rows, cols = lcm(shape.rows, base.rows), lcm(shape.cols, base.cols)
    try:
        form = TileForm(dtype, rows, cols, base, layout)
    except UsageError:
        return None
    return SharedTile(shape.name, dtype, rows, cols, shape), form


def _candidates(shape: SharedShape, dtype: str) -> list[tuple[SharedTile, TileForm]]:
    """Return register tiles to try: the shape's own size first, then the known ones, each layout."""
    names = [f"rt_{shape.rows}x{shape.cols}", *HIPKITTENS_SHAPES]
    if dtype_bits(dtype) < 8:
        names = ["rt_16x128_32", "rt_32x64_32", "rt_128x16_32", "rt_64x32_32"]
    elif dtype_bits(dtype) == 8:
        names += ["rt_32x64", "rt_128x16", "rt_64x32", "rt_16x64", "rt_64x16"]
    found: dict[tuple[BaseShape, Layout], tuple[SharedTile, TileForm]] = {}
    for name in names:
        for layout in ("row", "col"):
            try:
                base = base_shape(name)
            except UsageError:
                continue
            pair = _forms(shape, dtype, base, layout)
            if pair is not None:
                found.setdefault((base, layout), pair)
    return list(found.values())


def access_views(
    name: str, instruction: str, *, arch: str | None = None, tile: str | None = None, layout: str | None = None
) -> list[AccessView]:
    """Return an instruction's view on each chip that has it (or `arch`), of a register tile named or chosen.

    The tile chosen is the first that the instruction can move. Raises UsageError for an instruction or tile that is
    not there, or not legal.
    """
    shape, dtype = named_shape(name)
    if instruction not in LDS_READS and instruction not in LDS_WRITES:
        raise UsageError(f"{instruction} moves no tile", hint=f"accesses: {', '.join([*LDS_READS, *LDS_WRITES])}")
    pairs = _named_forms(shape, dtype, tile, layout) if tile is not None else _candidates(shape, dtype)
    if layout is not None:
        pairs = [pair for pair in pairs if pair[1].layout == layout]
    archs = [arch] if arch is not None else [known for known in BANK_ROWS if _has(known, instruction)]
    views = []
    for known in archs:
        bank_row(known, instruction)
        legal = [pair for pair in pairs if instruction in _legal(known, *pair, write=instruction in LDS_WRITES)]
        if not legal:
            if tile is not None and pairs:
                conflicts(known, *pairs[0], instruction)  # says why not
            raise UsageError(
                f"{instruction} moves no usual register tile in {shape.name} of {dtype}",
                hint="name one with --tile, or see 'hkasm lds' without --access",
            )
        stored, form = legal[0]
        views.append(AccessView(known, instruction, stored, form, conflicts(known, stored, form, instruction)))
    return views


def _named_forms(shape: SharedShape, dtype: str, tile: str, layout: str | None) -> list[tuple[SharedTile, TileForm]]:
    base = base_shape(tile)
    if layout not in (None, "row", "col"):
        raise UsageError(f"no layout '{layout}'", hint="row or col")
    found = [_forms(shape, dtype, base, one) for one in ("row", "col") if layout in (None, one)]
    pairs = [pair for pair in found if pair is not None]
    if not pairs:
        base.require("row" if layout == "row" else "col")
    return pairs


def _has(arch: str, instruction: str) -> bool:
    try:
        bank_row(arch, instruction)
    except UsageError:
        return False
    return True


def _legal(arch: str, stored: SharedTile, form: TileForm, *, write: bool) -> tuple[str, ...]:
    return legal_instructions(arch, stored, form, write=write)


def overview(name: str, arch: str) -> list[AccessView]:
    """Return the widest legal read and write of every usual register tile in a shared tile, on one chip."""
    shape, dtype = named_shape(name)
    views = []
    for stored, form in _candidates(shape, dtype):
        for write in (False, True):
            legal = _legal(arch, stored, form, write=write)
            if legal:
                views.append(AccessView(arch, legal[0], stored, form, conflicts(arch, stored, form, legal[0])))
    return views


def _lanes(lanes: tuple[int, ...]) -> str:
    """Return lane numbers as runs: ``0-3,12-15``."""
    runs: list[list[int]] = []
    for lane in lanes:
        if runs and runs[-1][1] == lane - 1:
            runs[-1][1] = lane
        else:
            runs.append([lane, lane])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


# ---- picture ---------------------------------------------------------------------------------------------------------

BANK_WIDTH, ROW_HEIGHT, MARGIN = 18, 22, 70
MOST_ROWS = 64
"""Rows of banks that are drawn: 16 KiB of 64 banks."""


def draw_accesses(views: list[AccessView]) -> str:
    """Return an SVG picture: LDS as rows of banks, a colour a phase, the lane in its bytes, conflicts framed red."""
    picture = Picture()
    top = 20.0
    for view in views:
        row, number = view.result.row, view.worst_access
        access = view.result.accesses[number]
        picture.text(10, top, view.head, size=14, bold=True)
        shape = view.tile.shape
        picture.text(10, top + 18, f"{shape.name}: byte offset {shape.swizzle.formula}; {view.result}", size=12)
        picture.text(
            10, top + 34, f"access {number} of {len(view.result.accesses)}: lanes in the bytes that they move", size=11
        )
        top += 44
        for phase in range(len(row.phases)):
            x = MARGIN + phase * 140
            picture.rect(x, top, 14, 14, shade(phase / len(row.phases)))
            picture.text(x + 20, top + 11, f"phase {phase}: {int(view.result.degree[number, phase])}-way", size=11)
        top += 34
        for bank in range(0, row.banks, 4):
            picture.text(MARGIN + bank * BANK_WIDTH, top, str(bank), size=9)
        top += 4
        bytes_a_row = row.banks * BANK_BYTES
        first = int(access.address.min()) // bytes_a_row
        last = min(int(access.address.max()) // bytes_a_row, first + MOST_ROWS - 1)
        for line in range(first, last + 1):
            y = top + (line - first) * ROW_HEIGHT
            picture.text(MARGIN - 6, y + 15, str(line * bytes_a_row), size=9, anchor="end")
            picture.rect(MARGIN, y, row.banks * BANK_WIDTH, ROW_HEIGHT, "#f4f4f4", stroke="#ccc")
        for phase, lanes in enumerate(row.phases):
            by_bank = view.wanted(access, lanes)
            crowded = {bank for bank, dwords in by_bank.items() if len(dwords) > 1}
            for bank, dwords in by_bank.items():
                for dword, who in dwords.items():
                    line = dword // row.banks
                    if line > last:
                        continue
                    x, y = MARGIN + bank * BANK_WIDTH, top + (line - first) * ROW_HEIGHT
                    framed = bank in crowded
                    picture.rect(
                        x + 1, y + 1, BANK_WIDTH - 2, ROW_HEIGHT - 2, shade(phase / len(row.phases)),
                        stroke="#c00000" if framed else "#888", thick=2 if framed else 0.5,
                    )  # fmt: skip
                    picture.text(x + BANK_WIDTH / 2, y + 15, str(who[0]), size=9, anchor="middle")
        top += (last - first + 1) * ROW_HEIGHT + 40
    return picture.document()

"""The heat strip: instruction across, register down, and whether each is held, live or touched."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hkasm.analysis.flow import Flow, Liveness, liveness, mask_of
from hkasm.asm.program import Program
from hkasm.isa.registers import FIRST_SPECIAL

__all__ = ["HELD", "LIVE", "STATES", "TOUCHED", "HeatStrip", "heat_strip", "indexed_png"]

STATES: Final = ("free", "held", "live", "touched")
HELD, LIVE, TOUCHED = 1, 2, 3
_MASK_BITS: Final = 1536
_FILE_AT: Final = {"v": 0, "a": 512, "s": 1024}
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class HeatStrip:
    """One register file: `cells` [registers, columns] of `STATES`, a column standing for `per_column` instructions.

    `live` counts the registers live before each instruction; `peak` is the most, first reached at `peak_at`.
    """

    file: str
    cells: NDArray[np.uint8]
    per_column: float
    live: NDArray[np.int64]

    @property
    def peak(self) -> int:
        return int(self.live.max(initial=0))

    @property
    def peak_at(self) -> int:
        return int(self.live.argmax()) if self.live.size else 0


def heat_strip(program: Program, flow: Flow, file: str, columns: int = 900, live: Liveness | None = None) -> HeatStrip:
    """Return a register file's strip, on as many columns as there are instructions but at most `columns`."""
    instructions = program.instructions
    count = len(instructions)
    used = {"v": program.vgprs, "a": program.agprs, "s": min(program.sgprs, FIRST_SPECIAL)}[file]
    columns = max(min(columns, count), 1)
    live = live or liveness(program, flow)
    alive = _bits(live.before, file, used)
    touched = _bits([mask_of((*inst.reads(), *inst.writes())) for inst in instructions], file, used)
    column_of = np.arange(count) * columns // max(count, 1)
    cells = np.zeros((used, columns), np.uint8)
    for owner in program.owners:
        register = owner.register
        if register.file == file and owner.first < count:
            first, last = column_of[owner.first], column_of[min(owner.last, count) - 1]
            cells[register.index : register.end, first : last + 1] = HELD
    for state, hits in ((LIVE, alive), (TOUCHED, touched)):
        at, number = np.nonzero(hits)
        cells[number, column_of[at]] = state
    return HeatStrip(file, cells, count / columns, alive.sum(axis=1, dtype=np.int64))


def _bits(masks: tuple[int, ...] | list[int], file: str, used: int) -> NDArray[np.bool_]:
    """Return masks as [instruction, register]."""
    raw = b"".join(mask.to_bytes(_MASK_BITS // 8, "little") for mask in masks)
    bits = np.unpackbits(np.frombuffer(raw, np.uint8).reshape(len(masks), _MASK_BITS // 8), axis=1, bitorder="little")
    return bits[:, _FILE_AT[file] : _FILE_AT[file] + used].astype(np.bool_)


def indexed_png(cells: NDArray[np.uint8], palette: list[tuple[int, int, int, int]]) -> bytes:
    """Return cells as a PNG of 8-bit palette indices (PNG specification, third edition, sections 11.2 and 11.3).

    `palette` has red, green, blue and alpha of each index.
    """
    height, width = cells.shape
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = cells
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    colours = b"".join(bytes(colour[:3]) for colour in palette)
    alphas = bytes(colour[3] for colour in palette)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", colours),
        (b"tRNS", alphas),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    return _PNG_SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )

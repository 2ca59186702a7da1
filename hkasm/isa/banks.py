"""How LDS serves an instruction: lane groups (phases), banks, and the cycles that a set of addresses costs.

LDS answers one phase after another. Within a phase each bank (4 bytes wide) delivers one dword a cycle; lanes that want
the same dword share it. So an instruction costs, on the bank side, the sum over its phases of the largest number of
distinct dwords wanted from one bank. Which lanes form a phase, and how many banks it sees, is known only where somebody
measured it; every row says `measured` or `assumed` and by whom, and every result carries the mark.

Sources: HipKittens (arXiv 2511.08083, appendix D and analysis/paper_experiments/phases; MI355X), PyHIP's bank
conflict benchmark and AMD's "lds-bank-conflict" blog (MI300X), AMD's gfx950 Gluon tutorials (LDS throughput).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hkasm.errors import ArchError, UsageError, did_you_mean

__all__ = ["BANK_ROWS", "BankResult", "BankRow", "bank_cycles", "bank_row", "describe_rows"]

IntArray = NDArray[np.int64]
BANK_BYTES = 4


@dataclass(frozen=True)
class BankRow:
    """Say how one kind of LDS access is served on one chip.

    `phases` are lane numbers, served in this order; all phases of a row have the same length. `dwords` is what a lane
    moves per address; accesses with two addresses a lane (read2, write2) see both in every phase.
    """

    access: str
    arch: str
    dwords: int
    banks: int
    phases: tuple[tuple[int, ...], ...]
    mark: str
    source: str


@dataclass(frozen=True)
class BankResult:
    """Give the bank-side cost of LDS accesses; arrays have the shape of the addresses without the lanes.

    `degree` has one more axis, the phases: the most distinct dwords wanted from one bank, at least 1. `cycles` is its
    sum, `conflict_free_cycles` the number of phases. `mark` is `measured` or `assumed`: how the row is known.
    """

    cycles: IntArray
    conflict_free_cycles: int
    degree: IntArray
    mark: str
    source: str

    @property
    def conflicts(self) -> IntArray:
        """Return the cycles lost to bank conflicts."""
        return self.cycles - self.conflict_free_cycles

    @property
    def worst(self) -> int:
        """Return the largest conflict degree of any phase."""
        return int(self.degree.max(initial=1))

    def __str__(self) -> str:
        lost = int(np.sum(self.conflicts))
        return f"{lost} conflict cycles ({self.mark}: {self.source})"


# ---- phases ----------------------------------------------------------------------------------------------------


def _runs(length: int) -> tuple[tuple[int, ...], ...]:
    """Return lanes 0..63 in sequential groups."""
    return tuple(tuple(range(first, first + length)) for first in range(0, 64, length))


def _both_halves(*groups: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return groups of lanes 0..31, then the same for lanes 32..63."""
    return groups + tuple(tuple(lane + 32 for lane in group) for group in groups)


def _lanes(*runs: tuple[int, int]) -> tuple[int, ...]:
    return tuple(lane for first, last in runs for lane in range(first, last + 1))


# 8 phases of 8 lanes: ds_read_b128 on gfx942, ds_read_b96 on gfx950.
_EIGHT_OF_8 = _both_halves(
    _lanes((0, 3), (20, 23)), _lanes((4, 7), (16, 19)), _lanes((8, 11), (28, 31)), _lanes((12, 15), (24, 27))
)
# 4 phases of 16 lanes: ds_read_b128 on gfx950.
_FOUR_OF_16 = _both_halves(_lanes((0, 3), (12, 15), (20, 27)), _lanes((4, 11), (16, 19), (28, 31)))

_HK = "HipKittens phase solver, MI355X"
_PYHIP = "PyHIP stride benchmark, MI300X"
_BLOG = "AMD lds-bank-conflict blog and PyHIP, MI300X"
_WIDTH = "bytes a lane over 128 bytes a cycle"
_LIKE = "as the nearest measured access"

# fmt: off
# access        dwords banks  phases       mark        source
_GFX942 = (
    ("read_b32",     1, 32, _runs(32),   "measured", _PYHIP),
    ("read_b64",     2, 32, _runs(16),   "assumed",  _WIDTH),
    ("read_b96",     3, 32, _EIGHT_OF_8, "assumed",  _LIKE),
    ("read_b128",    4, 32, _EIGHT_OF_8, "measured", _BLOG),
    ("read2_b32",    1, 32, _runs(16),   "assumed",  _WIDTH),
    ("read2_b64",    2, 32, _EIGHT_OF_8, "assumed",  _LIKE),
    ("write_b32",    1, 32, _runs(32),   "assumed",  _WIDTH),
    ("write_b64",    2, 32, _runs(16),   "assumed",  _WIDTH),
    ("write_b96",    3, 32, _runs(8),    "assumed",  _WIDTH),
    ("write_b128",   4, 32, _runs(8),    "assumed",  _WIDTH),
    ("write2_b32",   1, 32, _runs(16),   "assumed",  _WIDTH),
    ("write2_b64",   2, 32, _runs(8),    "assumed",  _WIDTH),
    ("atomic_b32",   1, 32, _runs(32),   "assumed",  _WIDTH),
    ("atomic_b64",   2, 32, _runs(16),   "assumed",  _WIDTH),
)
_GFX950 = (
    ("read_b32",     1, 64, _runs(64),   "assumed",  "256 bytes a cycle (CDNA4 white paper, Gluon tutorials)"),
    ("read_b64",     2, 64, _runs(32),   "measured", _HK),
    ("read_b96",     3, 32, _EIGHT_OF_8, "measured", _HK),
    ("read_b128",    4, 64, _FOUR_OF_16, "measured", _HK),
    ("read2_b32",    1, 64, _runs(32),   "assumed",  _LIKE),
    ("read2_b64",    2, 64, _FOUR_OF_16, "assumed",  _LIKE),
    ("read_tr_b16",  2, 64, _runs(32),   "measured", "HipKittens paper, appendix D.1, MI355X"),
    ("read_tr_b8",   2, 64, _runs(32),   "assumed",  _LIKE),
    ("read_tr_b4",   2, 64, _runs(32),   "assumed",  _LIKE),
    ("read_tr_b6",   3, 32, _EIGHT_OF_8, "assumed",  _LIKE),
    ("write_b32",    1, 32, _runs(32),   "assumed",  _WIDTH),
    ("write_b64",    2, 32, _runs(16),   "measured", _HK),
    ("write_b96",    3, 32, _runs(8),    "assumed",  _WIDTH),
    ("write_b128",   4, 32, _runs(8),    "assumed",  _WIDTH),
    ("write2_b32",   1, 32, _runs(16),   "assumed",  _WIDTH),
    ("write2_b64",   2, 32, _runs(8),    "assumed",  _WIDTH),
    ("atomic_b32",   1, 32, _runs(32),   "assumed",  _WIDTH),
    ("atomic_b64",   2, 32, _runs(16),   "assumed",  _WIDTH),
)

_MNEMONICS = {
    "read_b32": (
        "ds_read_b32", "ds_read_u8", "ds_read_i8", "ds_read_u16", "ds_read_i16", "ds_read_u8_d16", "ds_read_u8_d16_hi",
        "ds_read_i8_d16", "ds_read_i8_d16_hi", "ds_read_u16_d16", "ds_read_u16_d16_hi", "ds_read_addtid_b32",
    ),
    "read_b64": ("ds_read_b64",),
    "read_b96": ("ds_read_b96",),
    "read_b128": ("ds_read_b128",),
    "read2_b32": ("ds_read2_b32", "ds_read2st64_b32"),
    "read2_b64": ("ds_read2_b64", "ds_read2st64_b64"),
    "read_tr_b16": ("ds_read_b64_tr_b16",),
    "read_tr_b8": ("ds_read_b64_tr_b8",),
    "read_tr_b4": ("ds_read_b64_tr_b4",),
    "read_tr_b6": ("ds_read_b96_tr_b6",),
    "write_b32": (
        "ds_write_b32", "ds_write_b16", "ds_write_b8", "ds_write_b16_d16_hi", "ds_write_b8_d16_hi",
        "ds_write_addtid_b32",
    ),
    "write_b64": ("ds_write_b64",),
    "write_b96": ("ds_write_b96",),
    "write_b128": ("ds_write_b128",),
    "write2_b32": ("ds_write2_b32", "ds_write2st64_b32"),
    "write2_b64": ("ds_write2_b64", "ds_write2st64_b64"),
}
# fmt: on
_ACCESS_OF = {mnemonic: access for access, mnemonics in _MNEMONICS.items() for mnemonic in mnemonics}

BANK_ROWS: dict[str, dict[str, BankRow]] = {
    arch: {row[0]: BankRow(row[0], arch, *row[1:]) for row in rows}
    for arch, rows in (("gfx942", _GFX942), ("gfx950", _GFX950))
}


class _Memory(Protocol):
    """The parts of a memory instruction's specification that decide its row."""

    @property
    def op(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @property
    def transpose(self) -> int: ...
    @property
    def pair(self) -> int: ...


def bank_row(arch: str, instruction: str | _Memory) -> BankRow:
    """Return the row of an access name (`read_b128`), a mnemonic (`ds_read_b128`) or a `MemSpec` of LDS.

    Raises ArchError for an unknown chip, UsageError for an access that the chip has no row for.
    """
    rows = BANK_ROWS.get(arch)
    if rows is None:
        raise ArchError(f"no LDS banks known for '{arch}'", hint=did_you_mean(arch, BANK_ROWS) or None)
    access = _access_of(instruction)
    row = rows.get(access)
    if row is None:
        words = [*rows, *(mnemonic for mnemonic, name in _ACCESS_OF.items() if name in rows)]
        hint = did_you_mean(access, words) or f"accesses on {arch}: {', '.join(rows)}"
        raise UsageError(f"no LDS bank row for '{access}' on {arch}", hint=hint)
    return row


def _access_of(instruction: str | _Memory) -> str:
    if isinstance(instruction, str):
        return _ACCESS_OF.get(instruction, instruction)
    if instruction.op == "atomic":
        return "atomic_b64" if instruction.bytes > 4 else "atomic_b32"
    way = "read" if instruction.op == "load" else "write"
    if instruction.transpose:
        return f"{way}_tr_b{instruction.transpose}"
    if instruction.pair:
        return f"{way}2_b{instruction.bytes * 4}"
    return f"{way}_b{max(instruction.bytes * 8, 32)}"


# ---- cost ------------------------------------------------------------------------------------------------------


def bank_cycles(
    arch: str,
    instruction: str | _Memory,
    addresses: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    second: ArrayLike | None = None,
) -> BankResult:
    """Return the bank-side cost of LDS byte addresses [64] or [..., 64], one access for each leading index.

    `mask` (same shape, bool) tells which lanes are active; a phase without active lanes still takes its cycle
    [assumed]. `second` holds the second address of read2 and write2. Same-dword lanes of a phase share one access.
    """
    row = bank_row(arch, instruction)
    first = np.asarray(addresses, dtype=np.int64)
    if first.ndim == 0 or first.shape[-1] != 64:
        raise UsageError(f"bank_cycles wants addresses of 64 lanes in the last axis, got shape {first.shape}")
    pairs = row.access.startswith(("read2", "write2"))
    if pairs != (second is not None):
        raise UsageError(f"{row.access} has {'two addresses' if pairs else 'one address'} a lane", hint="second=...")
    lead = first.shape[:-1]
    parts = [first] if second is None else [first, np.asarray(second, dtype=np.int64)]
    lanes = np.array(row.phases)
    active = None if mask is None else np.broadcast_to(np.asarray(mask, dtype=bool), first.shape)
    served = None if active is None else active.reshape(-1, 64)[:, lanes]
    by_phase = [part.reshape(-1, 64)[:, lanes] for part in parts]
    degree = _degrees(by_phase, served, row)
    degree = np.maximum(degree, 1).reshape(*lead, len(row.phases))
    return BankResult(degree.sum(axis=-1), len(row.phases), degree, row.mark, row.source)


def _degrees(parts: list[IntArray], served: NDArray[np.bool_] | None, row: BankRow) -> IntArray:
    """Return the conflict degree [accesses, phases] of byte addresses [accesses, phases, lanes] (one or two a lane)."""
    unit, banks = _unit(parts, row)
    words = row.dwords // unit
    cells = [part // (unit * BANK_BYTES) for part in parts]
    if words > 1:
        cells = [cell + step for cell in cells for step in range(words)]
    wanted = np.concatenate(cells, axis=-1)
    if served is not None:
        # Inactive lanes repeat a cell that nobody else can want and that counts for no bank.
        wanted = np.where(np.concatenate([served] * len(cells), axis=-1), wanted, -1)
    accesses, phases, _ = wanted.shape
    ordered = np.sort(wanted, axis=-1)
    fresh = np.ones(ordered.shape, dtype=bool)
    fresh[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    fresh &= ordered >= 0
    slot = np.arange(accesses * phases).reshape(accesses, phases, 1) * banks + ordered % banks
    counts = np.bincount(slot[fresh], minlength=accesses * phases * banks)
    degree: IntArray = counts.reshape(accesses, phases, banks).max(axis=-1).astype(np.int64)
    return degree


def _unit(parts: list[IntArray], row: BankRow) -> tuple[int, int]:
    """Return the number of dwords that may be counted as one cell, and how many cells the banks make.

    Lanes aligned to their own width touch whole aligned runs of banks: counting runs instead of dwords gives the
    same degree.
    """
    width = row.dwords * BANK_BYTES
    if row.dwords in (2, 4) and all(not np.any(part % width) for part in parts):
        return row.dwords, row.banks // row.dwords
    return 1, row.banks


def describe_rows(arch: str) -> list[dict[str, Any]]:
    """Return the table of a chip as plain data, one dict a row, for documentation and listings."""
    return [
        {
            "access": row.access, "banks": row.banks, "phases": len(row.phases), "lanes": len(row.phases[0]),
            "mark": row.mark, "source": row.source,
        }
        for row in BANK_ROWS[arch].values()
    ]  # fmt: skip

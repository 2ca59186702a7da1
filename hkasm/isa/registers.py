"""Registers: immutable, typed, named slices of the scalar, vector and accumulator files.

Two slice conventions meet here and are kept apart. Python indexing is Python's: ``xs[0:2]`` is two registers. Assembler
text is the assembler's: ``v[0:1]`` is the same two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hkasm.errors import RegisterError

SPECIAL_NAMES: dict[int, tuple[str, str]] = {
    102: ("flat_scratch_lo", "flat_scratch"),
    103: ("flat_scratch_hi", ""),
    104: ("xnack_mask_lo", "xnack_mask"),
    105: ("xnack_mask_hi", ""),
    106: ("vcc_lo", "vcc"),
    107: ("vcc_hi", ""),
    124: ("m0", ""),
    126: ("exec_lo", "exec"),
    127: ("exec_hi", ""),
    235: ("src_shared_base", "src_shared_base"),
    236: ("src_shared_limit", "src_shared_limit"),
    237: ("src_private_base", "src_private_base"),
    238: ("src_private_limit", "src_private_limit"),
    239: ("src_pops_exiting_wave_id", "src_pops_exiting_wave_id"),
    251: ("src_vccz", "src_vccz"),
    252: ("src_execz", "src_execz"),
    253: ("src_scc", "src_scc"),
    254: ("src_lds_direct", "src_lds_direct"),
}
TTMP_FIRST, TTMP_LAST = 108, 123
FIRST_SPECIAL = 102
FILES = {"s": "SGPR", "v": "VGPR", "a": "AGPR"}


@dataclass(frozen=True, slots=True, init=False)
class Register:
    """A run of 32-bit registers of one file.

    ``file`` is ``'s'``, ``'v'`` or ``'a'``. Special scalars live in file ``'s'`` at the code that the encodings use for
    them (VCC 106, M0 124, EXEC 126, SCC 253), so that one number space serves operands, liveness and the emulator.
    ``reg[i]`` is one register, ``reg[a:b]`` the Python slice: ``v[0:4]`` prints as ``v[0:3]``. The name says who owns
    it; it takes no part in comparison. ``kind`` is all that decides where one register may stand: file, width and
    parity of a vector register, width and number of a scalar one.
    """

    file: str
    index: int
    count: int = 1
    name: str = field(default="", compare=False)
    kind: tuple[object, ...] = field(default=(), init=False, repr=False, compare=False)

    def __init__(self, file: str, index: int, count: int = 1, name: str = "") -> None:
        # Slot by slot: registers are made by the thousand, and a frozen dataclass takes twice as long.
        _set_file(self, file)
        _set_index(self, index)
        _set_count(self, count)
        _set_name(self, name)
        _set_kind(self, (count, index) if file == "s" else (file, count, index & 1))

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Register]:
        return (self[i] for i in range(self.count))

    def __getitem__(self, key: int | slice) -> Register:
        if isinstance(key, slice):
            start, stop, step = key.indices(self.count)
            if stop - start == self.count and step == 1:
                return self
            if step != 1 or stop <= start:
                raise RegisterError(
                    f"empty or strided slice of {self}", hint="slice like a Python list, with step 1: xs[0:2]"
                )
            suffix = f"[{start}:{stop}]" if self.name else ""
            return Register(self.file, self.index + start, stop - start, self.name + suffix)
        position = key + self.count if key < 0 else key
        if not 0 <= position < self.count:
            has = "1 register" if self.count == 1 else f"{self.count} registers"
            raise RegisterError(f"register {key} of {self}, which has {has}", hint="numbers begin at 0")
        if self.count == 1:
            return self
        return Register(self.file, self.index + position, 1, f"{self.name}[{position}]" if self.name else "")

    @property
    def end(self) -> int:
        """First number behind the slice."""
        return self.index + self.count

    def overlaps(self, other: Register) -> bool:
        return self.file == other.file and self.index < other.end and other.index < self.end

    def covers(self, other: Register) -> bool:
        return self.file == other.file and self.index <= other.index and other.end <= self.end

    @property
    def is_special(self) -> bool:
        return self.file == "s" and self.index >= FIRST_SPECIAL

    @property
    def text(self) -> str:
        """Assembler text: ``v4``, ``s[0:1]``, ``vcc``, ``m0``."""
        if self.is_special:
            return _special_text(self.index, self.count)
        if self.count == 1:
            return f"{self.file}{self.index}"
        return f"{self.file}[{self.index}:{self.end - 1}]"

    def __str__(self) -> str:
        return f"{self.name}={self.text}" if self.name else self.text

    def named(self, name: str) -> Register:
        return Register(self.file, self.index, self.count, name)


_set_file, _set_index, _set_count, _set_name, _set_kind = (
    getattr(Register, name).__set__ for name in ("file", "index", "count", "name", "kind")
)


def _special_text(index: int, count: int) -> str:
    if TTMP_FIRST <= index <= TTMP_LAST:
        first = index - TTMP_FIRST
        return f"ttmp{first}" if count == 1 else f"ttmp[{first}:{first + count - 1}]"
    single, double = SPECIAL_NAMES.get(index, ("", ""))
    if count == 1 and single:
        return single
    if count == 2 and double:
        return double
    return f"s[{index}:{index + count - 1}]" if count > 1 else f"s{index}"


class _File:
    """``v[4]`` is one register, ``v[0:4]`` four of them (Python's slice)."""

    def __init__(self, letter: str, size: int) -> None:
        self._letter, self._size = letter, size
        self._known: dict[tuple[int, int], Register] = {}

    def __getitem__(self, key: int | slice) -> Register:
        if isinstance(key, slice):
            start = key.start or 0
            stop = self._size if key.stop is None else key.stop
            if key.step not in (None, 1) or not 0 <= start < stop <= self._size:
                raise RegisterError(
                    f"{self._letter}[{key.start}:{key.stop}] is outside the file ({self._size} registers)",
                    hint="Python slices: v[0:4] is v0 to v3",
                )
        else:
            if not 0 <= key < self._size:
                raise RegisterError(f"{self._letter}{key} is outside the file ({self._size} registers)")
            start, stop = key, key + 1
        found = self._known.get((start, stop))
        if found is None:
            found = self._known[start, stop] = Register(self._letter, start, stop - start)
        return found


s = _File("s", 102)
v = _File("v", 256)
a = _File("a", 256)

FLAT_SCRATCH = Register("s", 102, 2)
XNACK_MASK = Register("s", 104, 2)
VCC = Register("s", 106, 2)
VCC_LO, VCC_HI = VCC[0], VCC[1]
M0 = Register("s", 124)
EXEC = Register("s", 126, 2)
EXEC_LO, EXEC_HI = EXEC[0], EXEC[1]
SHARED_BASE = Register("s", 235, 2)
PRIVATE_BASE = Register("s", 237, 2)
VCCZ = Register("s", 251)
EXECZ = Register("s", 252)
SCC = Register("s", 253)
MODE = Register("s", 256)
"""A pseudo register for the MODE hardware register: no operand names it, hazards and meanings do."""

_BY_NAME: dict[str, Register] = {}
for _code, (_single, _double) in SPECIAL_NAMES.items():
    if _double:
        _BY_NAME[_double] = Register("s", _code, 2)
    if _single:
        _BY_NAME.setdefault(_single, Register("s", _code))
_BY_NAME.update(scc=SCC, vccz=VCCZ, execz=EXECZ, mode=MODE)


def special_register(name: str) -> Register | None:
    """Find a special scalar by its assembler name (``vcc``, ``exec_lo``, ``ttmp3``), or None."""
    if name.startswith("ttmp") and name[4:].isdigit() and int(name[4:]) <= TTMP_LAST - TTMP_FIRST:
        return Register("s", TTMP_FIRST + int(name[4:]))
    return _BY_NAME.get(name)

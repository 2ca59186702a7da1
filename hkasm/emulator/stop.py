"""The live state of one wave at a stop: its registers as bits, numbers, tiles, addresses and text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.instruction import Instruction
from hkasm.emulator.batch import Batch, iterate_bits
from hkasm.emulator.op import SCC_INDEX, VECTOR_BASE, Op
from hkasm.emulator.run import GroupId
from hkasm.emulator.views import View, bits_of_type, codes_of, elements, find_tile, parse_view, resolve, tiles_of
from hkasm.errors import HkasmError, UsageError
from hkasm.isa.numerics import unpack_bits
from hkasm.isa.registers import EXEC, SCC, Register

if TYPE_CHECKING:
    from hkasm.emulator.probes import Probe

__all__ = ["Stop"]

PER_ROW: Final = 8
UNDEFINED: Final = "?"
U32 = NDArray[np.uint32]


class Stop:
    """One wave before one instruction. Arrays are copies: nothing that is done with them changes the launch.

    `probe` is the probe that stopped it; its `show`, `watch` and `step` may be changed.
    """

    def __init__(self, batch: Batch, row: int, op: Op, probe: Probe) -> None:
        self._batch, self._row, self._op = batch, row, op
        self.probe = probe
        self.reason = ""

    # ---- where ------------------------------------------------------------------------------------------------------

    @property
    def instruction(self) -> Instruction:
        """The instruction that comes next."""
        return self._op.inst

    @property
    def offset(self) -> int:
        """Its byte offset in the kernel's code."""
        return self._op.index

    @property
    def wave(self) -> int:
        """The wave's number in its workgroup."""
        return int(self._batch.wave[self._row])

    @property
    def workgroup(self) -> GroupId:
        return self._batch.run.group_id(self._batch, self._row)

    @property
    def group_number(self) -> int:
        """The workgroup's dispatch number."""
        return int(self._batch.run.group_numbers()[self._batch.group[self._row]])

    @property
    def title(self) -> str:
        """Place, instruction and wave in one line."""
        inst = self._op.inst
        code = self._batch.run.code
        place = f"{code.kernel.name}+{self.offset:#x}"
        where = str(inst.origin) if inst.origin is not None and inst.origin.file else ""
        return f"{where or place}: {inst}  [{place + ', ' if where else ''}wave {self.wave} of {self.workgroup}]"

    def lines(self, around: int = 4) -> list[str]:
        """Return the instructions round the next one, which is marked."""
        code = self._batch.run.code
        number = code.number(self.offset)
        if number < 0:
            return [f"> {self.instruction}"]
        listed = code.straight_line[max(number - around, 0) : number + around + 1]
        return [f"{'>' if inst.offset == self.offset else ' '} +{inst.offset:#06x} {inst}" for inst in listed]

    # ---- values -----------------------------------------------------------------------------------------------------

    def register(self, name: str | Register) -> U32:
        """Return registers as bits: uint32 [count, 64] for vector registers, [count] for scalar ones.

        Raises:
            UsageError: there are none of that name here.
        """
        return self._words(self._resolve(name))

    def undefined(self, name: str | Register) -> U32:
        """Return which bits nobody has written, in the shape of `register`."""
        register, batch = self._resolve(name), self._batch
        rows = [batch.undefined(bit)[self._row] for bit in self._bits(register)]
        return np.array(rows, dtype=np.uint32)

    def numbers(self, view: str) -> NDArray[Any]:
        """Return registers as numbers of the view's type: [elements, 64], or [elements] for scalar ones."""
        chosen = parse_view(view)
        return elements(self.register(chosen.registers), chosen.type, self._batch.run.code.arch.name)

    def tile(self, view: str) -> NDArray[Any]:
        """Return registers as matrices [tiles, rows, columns] of a view with a shape, `acc:16x16`."""
        chosen = parse_view(view)
        if chosen.shape is None:
            raise UsageError(f"'{view}' has no shape", hint=f"{chosen.registers}:16x16")
        code = self._batch.run.code
        register = self._resolve(chosen.registers)
        return tiles_of(find_tile(code, register, chosen.shape, chosen.type), self._words(register), code.arch.name)

    def address(self, name: str | Register) -> str:
        """Return what a pair of scalar registers points to: `x + 0x40`, or the bare address."""
        low, high = self.register(name)[:2]
        return self._place(int(low) | int(high) << 32)

    def words(self, view: str) -> U32 | None:
        """Return a view's registers as bits, None where nobody of that name holds any here."""
        try:
            return self.register(parse_view(view).registers).copy()
        except UsageError as error:
            if "holds no registers" in error.message:
                return None
            raise

    def _resolve(self, name: str | Register) -> Register:
        return name if isinstance(name, Register) else resolve(self._batch.run.code, name, self.offset)

    def _bits(self, register: Register) -> list[int]:
        mask = self._batch.run.code.registers.mask(register)
        if not mask:
            raise UsageError(f"{register.text} is no register that can be shown")
        return iterate_bits(mask)

    def _words(self, register: Register) -> U32:
        batch, bits = self._batch, self._bits(register)
        batch.settle(batch.run.code.registers.mask(register))
        if register.file != "s":
            first = bits[0] - VECTOR_BASE
            return batch.v[first : first + register.count, self._row].copy()
        if bits == [SCC_INDEX]:
            return batch.scc[self._row : self._row + 1].astype(np.uint32)
        return batch.s[bits[0] : bits[0] + register.count, self._row].copy()

    # ---- text -------------------------------------------------------------------------------------------------------

    def text(self, view: str) -> str:
        """Return what a view shows, or why it shows nothing."""
        try:
            return self._text(parse_view(view))
        except HkasmError as error:
            return f"{view}: {error.message}" + (f"; {error.hint}" if error.hint else "")

    def _text(self, view: View) -> str:
        register = self._resolve(view.registers)
        title = str(register) if register.name else register.text
        owner = self._batch.run.code.owner(register, self.offset)
        if owner and not register.name:
            title += f" ({owner})"
        notes = self._flight(register)
        if register.file == "s":
            return "\n".join([f"{title}: {self._scalar(register, view.type)}", *notes])
        if view.shape is not None:
            return "\n".join([*self._tiles(register, view, title), *notes])
        return "\n".join([*self._vector(register, view.type, title), *notes])

    def _flight(self, register: Register) -> list[str]:
        """Say which loads have yet to write the registers."""
        batch = self._batch
        mask = batch.run.code.registers.mask(register)
        return [
            f"  in flight: {pending.op.title} of {pending.op.inst.origin}"
            for pending in batch.board
            if pending.mask & mask
        ]

    def _scalar(self, register: Register, kind: str) -> str:
        words, unknown = self._words(register), self.undefined(register)
        if unknown.any():
            return " ".join(UNDEFINED if bits else f"{int(word):#x}" for word, bits in zip(words, unknown, strict=True))
        if register == SCC:
            return str(int(words[0]))
        if register == EXEC or register.text == "vcc":
            lanes = int(words[0]) | int(words[1]) << 32
            return f"{lanes:#018x} ({lanes.bit_count()} lanes)"
        if kind in ("", "ptr", "hex"):
            text = " ".join(f"{int(word):#x}" for word in words)
            return text + ("" if kind == "hex" else self._meaning(words, kind))
        return " ".join(map(_number, elements(words, kind, self._batch.run.code.arch.name).tolist()))

    def _meaning(self, words: U32, kind: str) -> str:
        """Return what the words of scalar registers may be: an address, or a buffer descriptor."""
        if len(words) < 2:
            return ""
        address = int(words[0]) | int(words[1]) << 32
        base = address & (1 << 48) - 1
        if kind != "ptr" and len(words) == 4 and self._batch.run.memory.find(base) is not None:
            stride = int(words[1]) >> 16 & 0x3FFF
            return f" = descriptor of {self._place(base)}, {int(words[2]):#x} records, stride {stride}"
        if kind == "ptr" or (len(words) == 2 and self._batch.run.memory.find(address) is not None):
            return f" = {self._place(address)}"
        return ""

    def _place(self, address: int) -> str:
        buffer = self._batch.run.memory.find(address)
        if buffer is None:
            return f"{address:#x}, in no buffer"
        return f"{buffer.name} + {address - buffer.address:#x}"

    def _vector(self, register: Register, kind: str, title: str) -> list[str]:
        words, unknown = self._words(register), self.undefined(register)
        kind = kind or ("ptr" if self._are_addresses(register, words) else "hex")
        arch = self._batch.run.code.arch.name
        shown = words if kind == "hex" else elements(words, kind, arch)
        doubt = unknown if kind == "hex" else unpack_bits(unknown, bits_of_type(kind))
        lines = [f"{title} as {kind}"]
        per_register = len(shown) / register.count
        for number, (row, bad) in enumerate(zip(shown, doubt, strict=True)):
            if len(shown) > 1:
                lines.append(f"  {register[int(number / per_register)].text}" + _part(number, per_register))
            cells = [UNDEFINED if no else self._cell(value, kind) for value, no in zip(row, bad, strict=True)]
            if len(set(cells)) == 1:
                lines.append(f"  all lanes: {cells[0]}")
                continue
            width = max(map(len, cells))
            for first in range(0, len(cells), PER_ROW):
                part = " ".join(cell.rjust(width) for cell in cells[first : first + PER_ROW])
                lines.append(f"  lane {first:2}: {part}")
        return lines

    def _are_addresses(self, register: Register, words: U32) -> bool:
        if register.count != 2:
            return False
        lanes = self._batch.active()[self._row]
        addresses = (words[0].astype(np.uint64) | words[1].astype(np.uint64) << np.uint64(32))[lanes]
        return bool(addresses.size) and all(
            self._batch.run.memory.find(int(a)) is not None for a in np.unique(addresses)
        )

    def _cell(self, value: Any, kind: str) -> str:
        if kind == "hex":
            return f"{int(value):#010x}"
        return self._place(int(value)) if kind == "ptr" else _number(value)

    def _tiles(self, register: Register, view: View, title: str) -> list[str]:
        if view.shape is None:
            raise UsageError(f"'{view.text}' has no shape")
        code = self._batch.run.code
        tile = find_tile(code, register, view.shape, view.type)
        matrices = tiles_of(tile, self._words(register), code.arch.name)
        doubt = codes_of(tile, self.undefined(register)) != 0
        lines = [f"{title}: {len(matrices)} x {view.shape[0]}x{view.shape[1]} {tile.title}"]
        for number, (matrix, bad) in enumerate(zip(matrices, doubt, strict=True)):
            if len(matrices) > 1:
                lines.append(f"  tile {number}: {_share(register, number, len(matrices)).text}")
            cells = [
                [UNDEFINED if no else _number(value) for value, no in zip(row, marks, strict=True)]
                for row, marks in zip(matrix, bad, strict=True)
            ]
            if len({cell for row in cells for cell in row}) == 1:
                lines.append(f"    all: {cells[0][0]}")
                continue
            width = max(len(cell) for row in cells for cell in row)
            lines += [f"  {place:3}: " + " ".join(cell.rjust(width) for cell in row) for place, row in enumerate(cells)]
        return lines


def _number(value: Any) -> str:
    return f"{float(value):.5g}" if isinstance(value, (float, np.floating)) else str(int(value))


def _share(register: Register, number: int, parts: int) -> Register:
    """Return the registers of one of several tiles; blocks of one instruction may share theirs."""
    first = number * register.count // parts
    return register[first : max((number + 1) * register.count // parts, first + 1)]


def _part(number: int, per_register: float) -> str:
    """Name the part of a register that a row is, where a register holds several."""
    count = int(per_register)
    return f" element {number % count}" if count > 1 else ""

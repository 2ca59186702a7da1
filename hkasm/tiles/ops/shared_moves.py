"""LDS to registers and back: whole tiles or single base tiles, by the widest instruction that the two layouts allow.

What an instruction moves for each lane follows from the maps of both tiles (`hkasm.tiles.access`). Addresses are one
register and immediates where the tile's parts are constants apart, more registers where a swizzle or the immediates'
16 bits part them. They depend on the lane alone: write them once (`SharedMove.write_bases`) and use them in every
step.

Six registers of 6-bit elements are two runs of 96 bits, of which the second starts at an odd register, as no tuple may:
it moves in two instructions.

Elements below a dword come in registers of their own and are put together afterwards, because a load of half a register
leaves the other half undefined here; for that an operation waits for what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.tiles.access import LDS_READS, LDS_WRITES, LdsAccess, Table, lds_accesses, legal_instructions
from hkasm.tiles.lanes import DS_OFFSET_MAX, Bases, share_bases, write_bases
from hkasm.tiles.layout import TileForm
from hkasm.tiles.ops.common import refuse, temporaries
from hkasm.tiles.ops.elements import join_elements, store_elements
from hkasm.tiles.register import RegTile
from hkasm.tiles.shared import SharedTile

PAIR_OFFSET_MAX = 255
DWORD = 4
ODD_RUN = 3
"""Registers of a 96-bit move, the only one that may meet an odd register: the second half of six."""


@dataclass(frozen=True, eq=False)
class SharedMove:
    """How a shared tile and register tiles of one form exchange elements by one instruction.

    `bases` are the tables of lane addresses, a VGPR each; `slots` the buffers of the shared tile that they reach.
    """

    shared: SharedTile
    form: TileForm
    instruction: str
    write: bool
    accesses: tuple[LdsAccess, ...]
    slots: tuple[int, ...]
    bases: Bases

    @classmethod
    def plan(
        cls,
        arch: str,
        shared: SharedTile,
        form: TileForm,
        *,
        write: bool = False,
        instruction: str | None = None,
        slots: Sequence[int] = (0,),
    ) -> SharedMove:
        """Plan a load (or a store, with `write`) by the widest legal instruction, or by the one that is named.

        Raises:
            UsageError: tiles of different size or element, no legal instruction, or one that the arch lacks.
        """
        legal = legal_instructions(arch, shared, form, write=write)
        what = "store" if write else "load"
        if instruction is None:
            if not legal:
                raise refuse(
                    what,
                    f"{form} and {shared.shape.name}: no LDS instruction moves it",
                    "elements of 8 bits up, in rows of whole dwords",
                )
            instruction = legal[0]
        elif instruction not in legal:
            raise refuse(
                what, f"{instruction} does not move {form} in {shared.shape.name} on {arch}", ", ".join(legal) or "none"
            )
        accesses = lds_accesses(shared, form, instruction)
        one = (LDS_WRITES if write else LDS_READS)[instruction]
        wanted = [_lower(access) + shared.start(slot) for slot in slots for access in accesses]
        if not one.pair:
            bases = share_bases(wanted, DS_OFFSET_MAX - 2 * DWORD)
        else:
            apart = max(
                int(abs(access.second - access.address).max()) for access in accesses if access.second is not None
            )
            bases = share_bases(wanted, PAIR_OFFSET_MAX * one.unit - apart)
            if any(offset % one.unit for _, offset in bases.uses):
                bases = share_bases(wanted, 0)
        return cls(shared, form, instruction, write, accesses, tuple(slots), bases)

    @property
    def registers(self) -> int:
        """Return how many VGPRs hold addresses."""
        return len(self.bases.tables)

    @property
    def temporaries(self) -> int:
        """Return how many more VGPRs a base tile's move wants: elements below a dword."""
        one = (LDS_WRITES if self.write else LDS_READS)[self.instruction]
        if not one.element:
            return 0
        return 1 if self.write else self.form.shape.elements

    def write_bases(self, k: Builder, registers: Register, lane: Register, free: Register) -> None:
        """Write the address registers; `lane` is the lane's number, `free` may be overwritten."""
        write_bases(k, list(registers), lane, self.bases, free)

    def emit(
        self, k: Builder, tile: RegTile, registers: Register, *, slot: int = 0, temps: Register | None = None
    ) -> None:
        """Emit the move of a whole tile. Raises UsageError for a tile of another form, a buffer that is not planned."""
        for i in range(self.form.height):
            for j in range(self.form.width):
                self.emit_base(k, tile, i, j, registers, slot=slot, temps=temps)

    def emit_base(
        self,
        k: Builder,
        tile: RegTile,
        i: int,
        j: int,
        registers: Register,
        *,
        slot: int = 0,
        temps: Register | None = None,
    ) -> None:
        """Emit the move of base tile (i, j), one register to a base tile of `form` at most."""
        if tile.form != self.form:
            raise refuse(self.instruction, f"{tile.name} is {tile.form}", str(self.form))
        if slot not in self.slots:
            raise refuse(self.instruction, f"buffer {slot}", f"planned for {', '.join(map(str, self.slots))}")
        each = len(self.accesses)
        first = self.slots.index(slot) * each
        chosen = [
            (access, *self.bases.uses[first + number])
            for number, access in enumerate(self.accesses)
            if (access.i, access.j) == (i, j)
        ]
        one = (LDS_WRITES if self.write else LDS_READS)[self.instruction]
        piece = tile[i, j]
        if one.element:
            self._elements(k, piece, chosen, registers, temps)
            return
        emit = getattr(k, self.instruction)
        for access, base, offset in chosen:
            data = piece[access.first : access.first + access.count]
            where = _offsets(access, offset, one.unit)
            if data.count == ODD_RUN and data.index % 2 and "_tr_" not in self.instruction:
                self._odd(k, data, registers[base], offset)
            elif not self.write:
                emit(data, registers[base], **where)
            elif one.pair:
                half = access.count // 2
                emit(registers[base], data[0:half], data[half : 2 * half], **where)
            else:
                emit(registers[base], data, **where)

    def _odd(self, k: Builder, data: Register, address: Register, offset: int) -> None:
        """Move three registers from an odd one on, where no tuple may start: the first, then the other two."""
        first, second = offset // DWORD + 1, offset // DWORD + 2
        near = second <= PAIR_OFFSET_MAX and offset % DWORD == 0
        if self.write:
            k.ds_write_b32(address, data[0], offset=offset)
            if near:
                k.ds_write2_b32(address, data[1], data[2], offset0=first, offset1=second)
                return
            for number in (1, 2):
                k.ds_write_b32(address, data[number], offset=offset + DWORD * number)
            return
        k.ds_read_b32(data[0], address, offset=offset)
        if near:
            k.ds_read2_b32(data[1:3], address, offset0=first, offset1=second)
            return
        for number in (1, 2):
            k.ds_read_b32(data[number], address, offset=offset + DWORD * number)

    def _elements(
        self,
        k: Builder,
        piece: Register,
        chosen: Sequence[tuple[LdsAccess, int, int]],
        registers: Register,
        temps: Register | None,
    ) -> None:
        bits = self.shared.shape.bits
        with temporaries(k, self.instruction, self.temporaries, temps) as work:
            if self.write:
                stores = {16: (k.ds_write_b16, k.ds_write_b16_d16_hi), 8: (k.ds_write_b8, k.ds_write_b8_d16_hi)}[bits]
                places = [(registers[base], offset) for _, base, offset in chosen]

                def store(number: int, value: Register, high: bool) -> None:
                    stores[high](places[number][0], value, offset=places[number][1])

                store_elements(k, piece, bits, len(chosen), store, work[0])
                return
            read = k.ds_read_u16 if bits == 16 else k.ds_read_u8
            for number, (_, base, offset) in enumerate(chosen):
                read(work[number], registers[base], offset=offset)
            join_elements(k, piece, work[0 : len(chosen)], bits)


def _lower(access: LdsAccess) -> Table:
    """Return the addresses of the lower run."""
    if access.second is None or int(access.second[0]) > int(access.address[0]):
        return access.address
    return access.second


def _offsets(access: LdsAccess, offset: int, unit: int) -> dict[str, int]:
    """Return the immediates of an access."""
    if access.second is None:
        return {"offset": offset}
    apart = int(access.second[0] - access.address[0]) // unit
    first = offset // unit + max(-apart, 0)
    return {"offset0": first, "offset1": first + apart}


def load_shared(
    k: Builder,
    d: RegTile,
    shared: SharedTile,
    *,
    slot: int = 0,
    instruction: str | None = None,
    lane: Register | None = None,
    temps: Register | None = None,
) -> None:
    """Read a register tile from LDS, addresses included; a loop writes them once with `SharedMove` instead.

    `lane` holds the lane's number in the wave (written anew if not given). The caller waits for `d`.

    Raises:
        UsageError: tiles that no LDS instruction of the arch moves, or not the one named; the hint names those that do.
    """
    _move(k, d, shared, False, slot, instruction, lane, temps)


def store_shared(
    k: Builder,
    shared: SharedTile,
    s: RegTile,
    *,
    slot: int = 0,
    instruction: str | None = None,
    lane: Register | None = None,
    temps: Register | None = None,
) -> None:
    """Write a register tile to LDS, addresses included. Raises UsageError as `load_shared`."""
    _move(k, s, shared, True, slot, instruction, lane, temps)


def _move(
    k: Builder,
    tile: RegTile,
    shared: SharedTile,
    write: bool,
    slot: int,
    instruction: str | None,
    lane: Register | None,
    temps: Register | None,
) -> None:
    move = SharedMove.plan(k.arch.name, shared, tile.form, write=write, instruction=instruction, slots=(slot,))
    if move.temporaries and any(piece.file != "v" for piece in tile.pieces):
        raise refuse(move.instruction, f"{tile.name} is in AGPRs", "VGPRs for elements below a dword")
    count = move.registers + 2
    with temporaries(k, move.instruction, count + count % 2 + move.temporaries, temps) as work:
        free, number = work[move.registers], work[move.registers + 1]
        if lane is None:
            write_lane_number(k, number)
        move.write_bases(k, work[0 : move.registers], lane or number, free)
        rest = work[count + count % 2 :] if move.temporaries else None
        move.emit(k, tile, work[0 : move.registers], slot=slot, temps=rest)


def write_lane_number(k: Builder, target: Register) -> None:
    """Write the lane's number in its wave, 0 to 63."""
    k.v_mbcnt_lo_u32_b32(target, -1, 0)
    k.v_mbcnt_hi_u32_b32(target, -1, target)


__all__ = ["SharedMove", "load_shared", "store_shared", "write_lane_number"]

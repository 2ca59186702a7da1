"""A batch: waves at one place with one history, their registers, and what is known about these.

Registers are stored [register][wave][lane], so that a batch is a slice of its store and every access to a register is
one contiguous block. Waves start ordered by number inside the workgroup, then by workgroup: kernels split by wave
number (producer and consumer, ping and pong), and such a split is two slices of one store, without a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.memory import POISON_PATTERN
from hkasm.emulator.op import SCC_INDEX, VECTOR_BASE
from hkasm.emulator.scoreboard import Pending, Scoreboard, Selection
from hkasm.isa.registers import EXEC

if TYPE_CHECKING:
    from hkasm.emulator.mfma import Fragments
    from hkasm.emulator.run import Run

__all__ = ["HIDDEN_REGISTERS", "Batch", "History", "Store", "iterate_bits", "pack_lanes", "unpack_lanes"]

U32 = NDArray[np.uint32]
Mask = NDArray[np.bool_]
History = frozenset[int]
NO_HISTORY: History = frozenset((0,))
"""The tail of nothing executed yet."""
ALL_ONES = 0xFFFFFFFF
EXEC_LO, EXEC_HI = EXEC.index, EXEC.index + 1
HIDDEN_REGISTERS = 40
"""Vector registers behind a store's own, where indexed instructions work; memory only once they are used."""


class Store:
    """Registers of a set of waves.

    `vgpr` [registers and hidden ones, waves, 64], `sgpr` [128, waves], `scc` and `mode` [waves].
    """

    __slots__ = ("group", "mode", "scc", "sgpr", "vgpr", "wave")

    def __init__(
        self, vgpr: U32, sgpr: U32, scc: Mask, mode: U32, wave: NDArray[np.int64], group: NDArray[np.int64]
    ) -> None:
        self.vgpr, self.sgpr, self.scc, self.mode, self.wave, self.group = vgpr, sgpr, scc, mode, wave, group

    @staticmethod
    def fresh(registers: int, mode: int, wave: NDArray[np.int64], group: NDArray[np.int64]) -> Store:
        """Make a store whose registers hold the poison pattern, EXEC all ones."""
        waves = len(wave)
        vgpr = np.empty((registers + HIDDEN_REGISTERS, waves, 64), dtype=np.uint32)
        vgpr[:registers] = POISON_PATTERN
        sgpr = np.full((128, waves), POISON_PATTERN, dtype=np.uint32)
        sgpr[EXEC_LO : EXEC_HI + 1] = ALL_ONES
        modes = np.full(waves, mode, dtype=np.uint32)
        return Store(vgpr, sgpr, np.zeros(waves, dtype=np.bool_), modes, wave, group)

    def take(self, waves: NDArray[np.intp] | slice) -> Store:
        vgpr, sgpr = self.vgpr[:, waves], self.sgpr[:, waves]
        return Store(vgpr, sgpr, self.scc[waves], self.mode[waves], self.wave[waves], self.group[waves])

    @staticmethod
    def join(parts: list[Store]) -> Store:
        return Store(
            np.concatenate([part.vgpr for part in parts], axis=1),
            np.concatenate([part.sgpr for part in parts], axis=1),
            np.concatenate([part.scc for part in parts]),
            np.concatenate([part.mode for part in parts]),
            np.concatenate([part.wave for part in parts]),
            np.concatenate([part.group for part in parts]),
        )


class Batch:
    """Waves that run as one.

    Attributes:
        pc: byte offset of the next instruction; `code` is compiled for the batch's MODE.
        v, v_f32, v_i32, v_u16: the vector registers as uint32, float32, int32 [r, W, 64] and halves [r, W, 64, 2].
        s, s_f32, s_i32: the scalar registers [128, W]; scc: bool [W].
        full: EXEC is all ones in every wave; `lanes` is EXEC as bool [W, 64], None when full.
        busy, poison, stale, copied: bits of registers that a load in flight will write, that hold undefined values,
            whose value is only in the matrix cache, and of which the matrix cache has a copy. `watch` is their union.
        history: numbers of the last instructions, as `hkasm.emulator.checks.hazards` numbers them.
        executed: instructions that the wave that executed most has.
        partial: undefined bits of poisoned registers that are defined elsewhere: uint32 [W, 64] for vector registers,
            [W] for scalar ones, 0 or 1 for SCC; a poisoned register without an entry is undefined altogether.
    """

    __slots__ = (
        "barriers", "board", "busy", "code", "copied", "executed", "fragments", "full", "group", "hi", "history",
        "lanes", "lds_base", "lo", "mode", "partial", "pc", "poison", "run", "s", "s_f32", "s_i32", "scc", "stale",
        "state", "store", "turn", "v", "v_f32", "v_i32", "v_u16", "watch", "wave", "waves",
    )  # fmt: skip

    def __init__(self, run: Run, store: Store, lo: int, hi: int, pc: int) -> None:
        self.run = run
        self.code = run.code
        self.pc = pc
        self.board = Scoreboard()
        self.busy = self.poison = self.stale = self.copied = self.watch = 0
        self.partial: dict[int, U32] = {}
        self.fragments: Fragments | None = None
        self.turn = 0
        self.state = 0  # of `hkasm.emulator.run`: ready, waiting at a barrier, or gone
        self.barriers = 0
        self.executed = 0
        self.history = NO_HISTORY
        self._bind(store, lo, hi)
        self.refresh_exec()

    def _bind(self, store: Store, lo: int, hi: int) -> None:
        self.store, self.lo, self.hi = store, lo, hi
        self.waves = hi - lo
        self.v: U32 = store.vgpr[:, lo:hi]
        self.v_f32: NDArray[np.float32] = self.v.view(np.float32)
        self.v_i32: NDArray[np.int32] = self.v.view(np.int32)
        self.v_u16: NDArray[np.uint16] = self.v.view(np.uint16).reshape(*self.v.shape, 2)
        self.s: U32 = store.sgpr[:, lo:hi]
        self.s_f32: NDArray[np.float32] = self.s.view(np.float32)
        self.s_i32: NDArray[np.int32] = self.s.view(np.int32)
        self.scc: Mask = store.scc[lo:hi]
        self.mode: U32 = store.mode[lo:hi]
        self.wave: NDArray[np.int64] = store.wave[lo:hi]
        self.group: NDArray[np.int64] = store.group[lo:hi]
        self.lds_base: NDArray[np.int64] = (self.group * self.run.lds_stride)[:, None]

    # ---- EXEC -------------------------------------------------------------------------------------------------------

    def refresh_exec(self) -> None:
        """Take EXEC from its registers; to be called by whatever writes them."""
        self.lanes: Mask | None = None
        self.full = bool((self.s[EXEC_LO : EXEC_HI + 1] == ALL_ONES).all())
        if not self.full:
            self.lanes = unpack_lanes(self.s[EXEC_LO], self.s[EXEC_HI])

    def active(self) -> Mask:
        """Return EXEC as bool [W, 64]."""
        return np.ones((self.waves, 64), dtype=np.bool_) if self.lanes is None else self.lanes

    # ---- registers --------------------------------------------------------------------------------------------------

    def put_vector(self, first: int, data: U32, lanes: Mask | None, mask: int) -> None:
        """Write vector registers from `first` on with data [k, W, 64]; `mask` has their bits."""
        if self.watch & mask:
            self.settle(mask)
            if self.poison & mask:
                self.define(mask, lanes)
        if lanes is None:
            self.v[first : first + len(data)] = data
            return
        for number, row in enumerate(data, first):
            np.copyto(self.v[number], row, where=lanes)

    def put_scalar(self, first: int, data: U32, mask: int) -> None:
        """Write scalar registers from `first` on with data [k, W]."""
        if self.poison & mask:
            self.define(mask, None)
        self.s[first : first + len(data)] = data

    def settle(self, mask: int) -> None:
        """Make registers true before they are read or overwritten: flush and drop what the matrix cache has."""
        if (self.stale | self.copied) & mask and self.fragments is not None:
            self.fragments.settle(self, mask)

    # ---- undefined values -------------------------------------------------------------------------------------------

    def update_watch(self) -> None:
        self.watch = self.busy | self.poison | self.stale | self.copied

    def define(self, mask: int, lanes: Mask | None) -> None:
        """Note that registers were written whole with defined values, vector ones in `lanes` only."""
        for bit in iterate_bits(self.poison & mask):
            if lanes is None or bit < VECTOR_BASE:
                self.partial.pop(bit, None)
                self.poison &= ~(1 << bit)
            else:
                self.set_undefined(bit, np.where(lanes, np.uint32(0), self.undefined(bit)))
        self.update_watch()

    def undefined(self, bit: int) -> U32:
        """Return the undefined bits of a register: uint32 [W, 64], or [W] for a scalar one."""
        shape = (self.waves, 64) if bit >= VECTOR_BASE else (self.waves,)
        if not self.poison >> bit & 1:
            return np.zeros(shape, dtype=np.uint32)
        known = self.partial.get(bit)
        if known is not None:
            return known
        return np.full(shape, 1 if bit == SCC_INDEX else ALL_ONES, dtype=np.uint32)

    def set_undefined(self, bit: int, bits: U32) -> None:
        """Set the undefined bits of a register; the caller updates `watch`."""
        if bits.any():
            self.partial[bit] = bits
            self.poison |= 1 << bit
        else:
            self.partial.pop(bit, None)
            self.poison &= ~(1 << bit)

    # ---- memory in flight -------------------------------------------------------------------------------------------

    def issue(self, pending: Pending) -> None:
        """Put an operation in flight (or land it at once, if the run is eager).

        A counter that is full holds the next operation up until an older one is done.
        """
        self.board.issue(pending)
        if pending.mask:
            self.settle(pending.mask)
            self.busy |= pending.mask
            self.watch |= pending.mask
        self.run.landing(self, pending)
        arch = self.code.arch
        if len(self.board.vm) > arch.vmcnt_max or len(self.board.lds) > arch.lgkmcnt_max:
            self.wait(arch.vmcnt_max, arch.lgkmcnt_max)

    def land(self, pending: Pending) -> None:
        """Move an operation's data, once."""
        if not pending.landed:
            pending.landed = True
            pending.land(self, pending)

    def take_reads(self) -> None:
        """Take the values of LDS reads in flight for good: the next instruction writes LDS, and comes behind them."""
        for pending in self.board.lds:
            if pending.take is not None and not pending.landed:
                pending.take(self, pending)

    def retire(self, done: list[Pending]) -> None:
        """Take operations that are proven done out of flight, landing those that still wait."""
        if not done:
            return
        for pending in done:
            self.land(pending)
        self.busy = self.board.mask() if any(pending.mask for pending in done) else self.busy
        self.update_watch()
        for listener in self.run.on_retire:
            listener.retire(self, done)

    def wait(self, vmcnt: int | None, lgkmcnt: int | None) -> None:
        """Do an `s_waitcnt`; None does not wait."""
        if vmcnt is not None and len(self.board.vm) > vmcnt:
            self.retire(self.board.wait_vm(vmcnt))
        if lgkmcnt is not None and (self.board.lds or self.board.scalar):
            self.retire(self.board.wait_lgkm(lgkmcnt))

    # ---- splitting and joining --------------------------------------------------------------------------------------

    def select(self, waves: Mask) -> Batch:
        """Return a batch of some of the waves (bool [W]); this one must not be used after all its parts are taken."""
        self.settle(-1)
        numbers = np.flatnonzero(waves)
        first, last = int(numbers[0]), int(numbers[-1])
        index: Selection
        if last - first + 1 == len(numbers):
            part = Batch(self.run, self.store, self.lo + first, self.lo + last + 1, self.pc)
            index = slice(first, last + 1)
        else:
            part = Batch(self.run, self.store.take(self.lo + numbers), 0, len(numbers), self.pc)
            index = numbers
        part.code = self.code
        part.board = self.board.select(index)
        part.busy, part.poison, part.turn, part.barriers = self.busy, self.poison, self.turn, self.barriers
        part.executed, part.history = self.executed, self.history
        for bit, bits in self.partial.items():
            part.set_undefined(bit, bits[index])
        part.update_watch()
        return part

    def can_join(self, other: Batch) -> bool:
        return self.pc == other.pc and self.code is other.code and self.board.matches(other.board)

    def join(self, other: Batch) -> Batch:
        """Return one batch of both, whose boards match; a copy unless they lie side by side in one store."""
        self.settle(-1)
        other.settle(-1)
        one, two = (self, other) if (self.store is not other.store or self.lo < other.lo) else (other, self)
        if one.store is two.store and one.hi == two.lo:
            whole = Batch(self.run, one.store, one.lo, two.hi, self.pc)
        else:
            store = Store.join([batch.store.take(slice(batch.lo, batch.hi)) for batch in (one, two)])
            whole = Batch(self.run, store, 0, one.waves + two.waves, self.pc)
        whole.code = one.code
        whole.board = one.board.join(two.board, (one.waves, two.waves))
        whole.busy = one.busy | two.busy
        whole.turn, whole.barriers = max(one.turn, two.turn), max(one.barriers, two.barriers)
        whole.executed, whole.history = max(one.executed, two.executed), one.history | two.history
        for bit in iterate_bits(one.poison | two.poison):
            whole.set_undefined(bit, np.concatenate((one.undefined(bit), two.undefined(bit))))
        whole.update_watch()
        return whole


def iterate_bits(mask: int) -> list[int]:
    """Return the numbers of the set bits, ascending."""
    numbers = []
    while mask:
        low = mask & -mask
        numbers.append(low.bit_length() - 1)
        mask ^= low
    return numbers


def unpack_lanes(low: U32, high: U32) -> Mask:
    """Turn a lane mask in two registers [W] into bool [W, 64]."""
    pairs = np.stack((low, high), axis=-1).view(np.uint8)
    return np.unpackbits(pairs, axis=-1, bitorder="little").view(np.bool_)


def pack_lanes(lanes: Mask) -> U32:
    """Turn bool [W, 64] into the two registers of a lane mask, uint32 [2, W]."""
    packed = np.packbits(lanes, axis=-1, bitorder="little").view(np.uint32)
    return packed.T

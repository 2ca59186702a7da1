"""Tickets: workgroups that stay, and take tile after tile until none is left.

Every XCD has a share of an order's ranks, one contiguous range, in proportion to its weight (`weighted`). A workgroup
reads which XCD it is on and takes the next ticket of its share; where that is used up it goes on with the next XCD's.
So each tile is computed once, whatever number of workgroups there is and wherever they run: a slower XCD, or one whose
CUs are kept for something else, leaves its last tiles to others.

What is counted stands in memory, a dword each: the tickets given out of each XCD's share, and behind them the
workgroups that are done (`counters`). It starts as zeros, and the last workgroup leaves zeros, so that any launch may
use it next, of other shapes too. What a launch's order says stands with its arguments (`ticket_numbers`).

Atomics of the device's scope need no other bits than "return" on gfx942 and gfx950 (LLVM's memory model for gfx942).
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.errors import UsageError
from hkasm.grids.order import Order, weighted
from hkasm.isa.hwregs import hwreg
from hkasm.isa.registers import EXEC, Register

__all__ = ["XCDS", "TicketLoop", "counters", "ticket_numbers"]

XCDS = 8
DWORD_BYTES, SHARE_BYTES = 4, 8
XCC_ID_BITS = 4
WAVE = 64
NONE_LEFT = -1


def counters(xcds: int) -> int:
    """Return the dwords that tickets and workgroups are counted in: zeros before a launch and behind it."""
    return xcds + 1


def ticket_numbers(order: Order, workgroups: int) -> list[int]:
    """Return first rank and share of each XCD in turn, of the order's shares or even ones, and the workgroups in all.

    Raises:
        UsageError: no workgroups.
    """
    if workgroups < 1:
        raise UsageError(f"{workgroups} workgroups take no tickets")
    shared = order if order.shares else weighted(order, (1.0,) * order.xcds)
    return [*shared.share_table(), workgroups]


class TicketLoop:
    """Makes a loop over tickets of the code between `begin` and `end`.

    `table` (2 SGPRs) is the address of the counters, and `offset` bytes behind the address `numbers` (2 SGPRs) stand
    the `ticket_numbers`. `lds_byte` is the first of four bytes of LDS that nobody uses when a tile is done. `rank`,
    `die` and `temporaries` (3) are SGPRs, `vectors` 3 VGPRs; `rank`, `die`, `table` and `numbers` must keep their
    values while a tile is computed, and `lane` (the work-item's number) must too.
    """

    def __init__(
        self,
        k: Builder,
        table: Register,
        numbers: Register,
        rank: Register,
        die: Register,
        temporaries: Register,
        vectors: Register,
        *,
        offset: int = 0,
        lds_byte: int = 0,
        xcds: int = XCDS,
    ) -> None:
        self.k, self.table, self.rank, self.die = k, table, rank, die
        self.numbers, self.offset = numbers, offset
        self.temporaries, self.vectors, self.lds_byte, self.xcds = temporaries, vectors, lds_byte, xcds
        self._top, self._done = k.label("next_tile"), k.label("no_tile_left")

    def begin(self) -> None:
        """Write what a workgroup does once, and the top of the loop: it takes a ticket and tells its waves the rank.

        Waves may still have to read the rank behind it: nobody may write LDS before another barrier.
        """
        k = self.k
        k.s_getreg_b32(self.die, hwreg("XCC_ID", 0, XCC_ID_BITS))
        self._wrap_die()
        k.place(self._top)
        k.s_barrier(comment="LDS has room for the rank")
        others = k.label("ticket_is_taken")
        self._skip_unless_first_wave(others)
        self._take()
        k.place(others)
        k.s_barrier(comment="the rank is told")
        address, got, _ = self.vectors
        k.v_mov_b32(address, self.lds_byte)
        k.ds_read_b32(got, address)
        k.wait(got, reason="the rank")
        k.v_readfirstlane_b32(self.rank, got)
        k.s_cmp_eq_u32(self.rank, NONE_LEFT)
        k.s_cbranch_scc1(self._done)

    def end(self) -> None:
        """Write the end of the loop, and what the last workgroup does: it counts back to 0. All lanes are on."""
        k = self.k
        k.s_branch(self._top)
        k.place(self._done)
        finished = k.label("all_done")
        self._skip_unless_first_wave(finished)
        before, whole, _ = self.temporaries
        address, one, got = self.vectors
        k.s_load_dword(whole, self.numbers, self.offset + self.xcds * SHARE_BYTES)
        k.s_mov_b64(EXEC, 1)
        k.v_mov_b32(address, self.xcds * DWORD_BYTES)
        k.v_mov_b32(one, 1)
        k.global_atomic_add(got, address, one, self.table, sc0=True)
        k.wait(got, whole, reason="workgroups that are done")
        k.v_readfirstlane_b32(before, got)
        k.s_add_u32(before, before, 1)
        k.s_cmp_lg_u32(before, whole)
        k.s_cbranch_scc1(finished)
        k.s_mov_b64(EXEC, (1 << counters(self.xcds)) - 1)
        k.v_and_b32(address, WAVE - 1, k.lane)
        k.v_lshlrev_b32(address, DWORD_BYTES.bit_length() - 1, address)
        k.v_mov_b32(one, 0)
        k.global_atomic_and(address, one, self.table)
        k.place(finished)

    def _skip_unless_first_wave(self, label: Label) -> None:
        k, first = self.k, self.temporaries[0]
        k.v_readfirstlane_b32(first, k.lane)
        k.s_cmp_lg_u32(first, 0)
        k.s_cbranch_scc1(label)

    def _wrap_die(self) -> None:
        """Bring the number of a die into range; a partition's dies may be counted with the whole chip's."""
        k = self.k
        if self.xcds & (self.xcds - 1) == 0:
            k.s_and_b32(self.die, self.die, self.xcds - 1)
            return
        k.s_cmp_lt_u32(self.die, self.xcds)
        k.s_cselect_b32(self.die, self.die, 0)

    def _take(self) -> None:
        """Take a ticket of this XCD, or of the next that has one, and write the rank to LDS; by one lane."""
        k, (tried, place, share), (address, one, got) = self.k, self.temporaries, self.vectors
        pair = k.sgpr("share of an XCD", 2)
        again, found, tell = k.label("ask_again"), k.label("ticket_found"), k.label("tell_the_rank")
        k.s_mov_b64(EXEC, 1)
        k.s_mov_b32(tried, 0)
        k.place(again)
        k.s_lshl_b32(place, self.die, DWORD_BYTES.bit_length() - 1)
        k.v_mov_b32(address, place)
        k.v_mov_b32(one, 1)
        k.global_atomic_add(got, address, one, self.table, sc0=True)
        k.s_lshl3_add_u32(share, self.die, self.offset)
        k.s_load_dwordx2(pair, self.numbers, share)
        k.wait(got, pair, reason="a ticket")
        k.v_readfirstlane_b32(self.rank, got)
        k.s_cmp_lt_u32(self.rank, pair[1])
        k.s_cbranch_scc1(found)
        k.s_add_u32(self.die, self.die, 1)
        self._wrap_die()
        k.s_add_u32(tried, tried, 1)
        k.s_cmp_lt_u32(tried, self.xcds)
        k.s_cbranch_scc1(again)
        k.s_mov_b32(self.rank, NONE_LEFT)
        k.s_branch(tell)
        k.place(found)
        k.s_add_u32(self.rank, self.rank, pair[0])
        k.place(tell)
        k.v_mov_b32(address, self.lds_byte)
        k.v_mov_b32(one, self.rank)
        k.ds_write_b32(address, one, tokens=("rank",))
        k.wait("rank", reason="the rank is told")
        k.s_mov_b64(EXEC, -1)
        k.free(pair)

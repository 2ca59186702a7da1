"""Random orders, and the emitted code run on the emulator for many of them at once."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.toolchain import build_hsaco, build_text
from hkasm.emulator.machine import Machine
from hkasm.emulator.options import Options
from hkasm.grids.emit import NUMBERS, emit_order, emit_reserved, emit_shares
from hkasm.grids.order import Order, weighted
from hkasm.grids.tickets import TicketLoop, counters, ticket_numbers
from hkasm.isa.hwregs import hwreg
from hkasm.isa.registers import EXEC

TABLE_BYTE = 4 * (NUMBERS + 1)
NOTHING = 0xFFFF_FFFF
WAVE = 64


def machine(xcds: int, longest_first: bool = False, *, unequal: bool = False) -> Machine:
    """Return a machine with a kernel that finds the tile of one case a workgroup.

    A case is the numbers, the workgroup id that is asked for, and first rank and share of every XCD, dwords all. With
    `unequal` shares a workgroup that pads them stores -1 and -1.
    """
    k = Builder("gfx950", "order")
    pointers, numbers = k.sgpr("pointers", 4), k.sgpr("numbers", NUMBERS)
    asked, row, column = k.sgpr("asked"), k.sgpr("row"), k.sgpr("column")
    temporaries, place = k.sgpr("temporaries", 4), k.sgpr("place")
    values, offset = k.vgpr("values", 2), k.vgpr("offset")
    k.arg("out", "u32", pointer=True, access="write")
    k.arg("cases", "u32", pointer=True)
    k.s_load_dwordx4(pointers, k.kernarg, 0)
    k.wait(pointers)
    k.s_mul_i32(place, k.group_id, TABLE_BYTE + 8 * xcds)
    k.s_add_u32(pointers[2], pointers[2], place)
    k.s_addc_u32(pointers[3], pointers[3], 0)
    k.s_load_dwordx16(numbers, pointers[2:4], 0)
    k.s_load_dword(asked, pointers[2:4], 4 * NUMBERS)
    k.wait(numbers, asked)
    padding = k.label("padding")
    if unequal:
        k.s_mov_b32(row, -1)
        k.s_mov_b32(column, -1)
        emit_shares(
            k, asked, pointers[2:4], numbers, row, column, temporaries, padding, offset=TABLE_BYTE, xcds=xcds,
            longest_first=longest_first,
        )  # fmt: skip
    else:
        emit_order(k, asked, numbers, row, column, temporaries, xcds=xcds, longest_first=longest_first)
    k.place(padding)
    k.v_mov_b32(values[0], row)
    k.v_mov_b32(values[1], column)
    k.s_lshl_b32(place, k.group_id, 3)
    k.v_mov_b32(offset, place)
    k.s_mov_b64(EXEC, 1)
    k.global_store_dwordx2(offset, values, pointers[0:2])
    k.s_endpgm()
    k.fix_hazards()
    text, origins = k.finish().text_with_origins()
    return Machine(CodeObject.from_bytes(build_text(text, "gfx950", origins)[0]))


def shares_machine(xcds: int, reserved: int) -> Machine:
    """Return a machine with a kernel in which every workgroup stores row and column of its tile, or 7 and 7.

    Its arguments are the output, the table of shares and the numbers; reserved and padding workgroups store 7.
    """
    k = Builder("gfx950", "order")
    pointers, numbers = k.sgpr("pointers", 4), k.sgpr("numbers", NUMBERS)
    row, column, place = k.sgpr("row"), k.sgpr("column"), k.sgpr("place")
    temporaries, more = k.sgpr("temporaries", 4), k.sgpr("more", 2)
    values, offset = k.vgpr("values", 2), k.vgpr("offset")
    for name in ("out", "shares", "numbers"):
        k.arg(name, "u32", pointer=True, access="write" if name == "out" else "read")
    k.s_load_dwordx4(pointers, k.kernarg, 0)
    k.s_load_dwordx2(more, k.kernarg, 16)
    k.wait(pointers, more)
    k.s_load_dwordx16(numbers, more, 0)
    k.s_lshl_b32(place, k.group_id, 3)
    k.s_mov_b32(row, 7)
    k.s_mov_b32(column, 7)
    k.wait(numbers)
    store = k.label("store")
    emit_reserved(k, k.group_id, reserved, store, xcds=xcds)
    emit_shares(k, k.group_id, pointers[2:4], numbers, row, column, temporaries, store, xcds=xcds)
    k.place(store)
    k.v_mov_b32(values[0], row)
    k.v_mov_b32(values[1], column)
    k.v_mov_b32(offset, place)
    k.s_mov_b64(EXEC, 1)
    k.global_store_dwordx2(offset, values, pointers[0:2])
    k.s_endpgm()
    k.fix_hazards()
    text, origins = k.finish().text_with_origins()
    return Machine(CodeObject.from_bytes(build_text(text, "gfx950", origins)[0]))


def launch_shares(order: Order) -> npt.NDArray[np.int64]:
    """Return row and column [workgroups, 2] that the code with unequal shares and reserved workgroups finds."""
    run = shares_machine(order.xcds, order.reserved)
    table = np.array(order.share_table(), dtype=np.uint32)
    numbers = np.array(list(order.numbers().values()), dtype=np.uint32)
    buffers = [run.memory.allocate(size, "buffer") for size in (8 * order.workgroups, table.nbytes, numbers.nbytes)]
    for buffer, array in zip(buffers[1:], (table, numbers), strict=True):
        buffer.u8[: array.nbytes] = array.reshape(-1).view(np.uint8)
    kernarg = struct.pack("<QQQ", *(buffer.address for buffer in buffers))
    run.launch("order", (order.workgroups,), (64,), kernarg, options=Options())
    return buffers[0].u8[: 8 * order.workgroups].view(np.uint32).astype(np.int64).reshape(-1, 2)


def random_cases(
    random: np.random.Generator, count: int, xcds: int, longest_first: bool, *, unequal: bool = False
) -> tuple[list[Order], npt.NDArray[np.int64]]:
    """Return random orders, with `unequal` shares of random weights, and for each a workgroup to ask for."""
    orders = []
    for _ in range(count):
        bits = random.integers(1, 12, 2)
        rows, columns = (int(random.integers(1, 1 << b)) for b in bits)
        window = int(random.integers(1, min(rows, 300) + 2))
        chunk = int(random.choice([0, 1, int(random.integers(2, 300)), int(random.integers(1, rows * columns + 1))]))
        order = Order(rows, columns, xcds, window, chunk, longest_first)
        orders.append(weighted(order, tuple(random.uniform(0.05, 1, xcds))) if unequal else order)
    return orders, np.array([random.integers(order.workgroups) for order in orders])


def emulated(run: Machine, orders: list[Order], asked: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return row and column [cases, 2] that the emitted code finds, -1 and -1 for padding."""
    shares = [order.share_table() or [0] * (2 * order.xcds) for order in orders]
    table = np.array(
        [[*order.numbers().values(), w, *own] for order, w, own in zip(orders, asked, shares, strict=True)],
        dtype=np.uint32,
    )
    cases = run.memory.allocate(table.nbytes, "cases")
    out = run.memory.allocate(8 * len(orders), "out")
    cases.u8[: table.nbytes] = table.reshape(-1).view(np.uint8)
    kernarg = struct.pack("<QQ", out.address, cases.address)
    run.launch("order", (len(orders),), (64,), kernarg, options=Options())
    found = out.u8[: 8 * len(orders)].view(np.uint32).astype(np.int64).reshape(-1, 2)
    found[found == NOTHING] = -1
    run.memory.free(cases)
    run.memory.free(out)
    return found


def ticket_machine(arch: str, xcds: int, waves: int) -> Machine:
    """Return a machine with a kernel whose workgroups add one to a counter of each rank that they take, a wave each.

    Its arguments are the counters, the XCD that took each rank, the table of tickets, and the numbers of these.
    """
    k = Builder(arch, "tickets", block=waves * WAVE)
    k.lds("rank", 4)
    for name in ("count", "taker", "tickets"):
        k.arg(name, "u32", pointer=True, access="readwrite")
    first, *_ = [k.arg(f"number{n}", "u32") for n in range(2 * xcds + 1)]
    pointers, table = k.sgpr("pointers", 4), k.sgpr("tickets", 2)
    k.s_load_dwordx4(pointers, k.kernarg, 0)
    k.s_load_dwordx2(table, k.kernarg, 16)
    k.wait(pointers, table)
    rank, die, temporaries = k.sgpr("rank"), k.sgpr("die"), k.sgpr("temporaries", 3)
    vectors, offset, value, wave = k.vgpr("vectors", 3), k.vgpr("offset"), k.vgpr("value"), k.sgpr("wave")
    loop = TicketLoop(k, table, k.kernarg, rank, die, temporaries, vectors, offset=first.offset, xcds=xcds)
    loop.begin()
    k.s_mov_b64(EXEC, 1)
    k.s_lshl_b32(temporaries[0], rank, 2)
    k.v_mov_b32(offset, temporaries[0])
    k.v_mov_b32(value, 1)
    k.global_atomic_add(offset, value, pointers[0:2])
    k.v_readfirstlane_b32(wave, k.lane)
    k.s_getreg_b32(temporaries[1], hwreg("XCC_ID", 0, 4))
    k.v_mov_b32(value, temporaries[1])
    other = k.label("other_wave")
    k.s_cmp_lg_u32(wave, 0)
    k.s_cbranch_scc1(other)
    k.global_store_dword(offset, value, pointers[2:4])
    k.place(other)
    k.s_mov_b64(EXEC, -1)
    loop.end()
    k.s_endpgm()
    k.fix_hazards()
    return Machine(CodeObject.from_bytes(build_hsaco(k.finish())))


def take_tickets(
    run: Machine, order: Order, workgroups: int, waves: int, launches: int = 1
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], bool]:
    """Return how often each rank was computed, by which XCD last, and whether the table is zeros again."""
    sizes = (4 * order.count, 4 * order.count, 4 * counters(order.xcds))
    buffers = [run.memory.allocate(size, name) for size, name in zip(sizes, ("count", "taker", "tickets"), strict=True)]
    for buffer in buffers:
        buffer.u8[:] = 0
    numbers = ticket_numbers(order, workgroups)
    kernarg = struct.pack(f"<QQQ{len(numbers)}I", *(buffer.address for buffer in buffers), *numbers)
    for _ in range(launches):
        run.launch("tickets", (workgroups,), (waves * WAVE,), kernarg, options=Options())
    count, taker = (buffer.u8[: 4 * order.count].view(np.uint32).copy() for buffer in buffers[:2])
    renewed = not buffers[2].u8.any()
    for buffer in buffers:
        run.memory.free(buffer)
    return count, taker, renewed

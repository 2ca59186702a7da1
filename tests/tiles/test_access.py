"""LDS accesses of tiles: what the emulator moves by them is the tile, at exactly the addresses said on paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.emulate import Kit, run, zeros

from hkasm.emulator.batch import Batch
from hkasm.emulator.listener import Listener
from hkasm.emulator.scoreboard import Pending
from hkasm.errors import UsageError
from hkasm.isa.numerics import pack_bits, unpack_bits
from hkasm.isa.registers import Register
from hkasm.tiles.access import LDS_READS, LdsAccess, lds_accesses, legal_instructions
from hkasm.tiles.conflicts import conflicts
from hkasm.tiles.lanes import share_bases, write_table
from hkasm.tiles.layout import DTYPE_BITS, TileForm, base_shape
from hkasm.tiles.shared import Padding, SharedShape, SharedTile, shared_shape
from hkasm.tiles.swizzle import Swizzle

MINE = {
    "padded": SharedShape("padded", 1, 64, 16, padding=Padding(512, 16)),
    "dense6": SharedShape("dense6", 16, 128, 6),
    "fp4": SharedShape("fp4", 32, 128, 4, Swizzle(((8, 2, 4),))),
    "rows8": SharedShape("rows8", 32, 64, 8),
    "wide": SharedShape("wide", 16, 64, 32),
    "rows64": SharedShape("rows64", 16, 16, 64),
}
# arch, dtype, size, register shape, layout, shared shape, instruction
READS = (
    ("gfx950", "bf16", (32, 64), "rt_16x32", "row", "st_16x32", "ds_read_b128"),
    ("gfx950", "bf16", (32, 64), "rt_16x32", "row", "st_16x32", "ds_read2_b64"),
    ("gfx950", "bf16", (32, 64), "rt_16x32", "col", "st_16x32", "ds_read_b64_tr_b16"),
    ("gfx950", "bf16", (32, 64), "rt_32x32", "col", "st_32x32", "ds_read_b64_tr_b16"),
    ("gfx950", "f16", (32, 32), "rt_32x16_4", "col", "st_16x16_swizzled", "ds_read_b64_tr_b16"),
    ("gfx950", "bf16", (32, 64), "rt_32x16", "row", "st_32x16", "ds_read_b128"),
    ("gfx950", "bf16", (32, 64), "rt_16x16", "col", "st_16x32", "ds_read_u16"),
    ("gfx950", "fp8", (32, 128), "rt_16x128", "row", "st_16x128", "ds_read_b128"),
    ("gfx950", "fp8", (64, 64), "rt_32x16_4", "col", "rows8", "ds_read_u8"),
    ("gfx950", "i8", (64, 64), "rt_32x16", "col", "rows8", "ds_read_b64_tr_b8"),
    ("gfx950", "fp6", (32, 128), "rt_16x128_32", "row", "st_16x128", "ds_read_b96"),
    ("gfx950", "bf6", (16, 128), "rt_16x128_32", "row", "dense6", "ds_read_b96"),
    ("gfx950", "fp6", (128, 128), "rt_128x16_32", "col", "st_16x128", "ds_read_b96_tr_b6"),
    ("gfx950", "fp4", (32, 128), "rt_16x128_32", "row", "fp4", "ds_read_b128"),
    ("gfx950", "fp4", (128, 128), "rt_128x16_32", "col", "fp4", "ds_read_b64_tr_b4"),
    ("gfx942", "bf16", (32, 64), "rt_16x16", "row", "st_16x16_swizzled", "ds_read_b64"),
    ("gfx942", "bf16", (32, 64), "rt_16x32", "row", "padded", "ds_read_b128"),
    ("gfx942", "f32", (32, 32), "rt_16x16", "row", "st_16x16", "ds_read_b128"),
    ("gfx942", "f32", (32, 32), "rt_16x16", "row", "st_16x16", "ds_read2_b32"),
    ("gfx942", "f32", (32, 32), "rt_16x16", "col", "st_16x16", "ds_read_b32"),
    ("gfx942", "f32", (16, 64), "rt_16x16", "col", "wide", "ds_read2st64_b32"),
    ("gfx942", "f64", (16, 16), "rt_16x16_1", "col", "rows64", "ds_read_b64"),
)
WRITES = (
    ("gfx950", "bf16", (32, 64), "rt_16x16", "row", "st_16x16_swizzled", "ds_write_b64"),
    ("gfx950", "bf16", (32, 64), "rt_16x32", "row", "st_16x32", "ds_write_b128"),
    ("gfx950", "f32", (32, 32), "rt_32x32", "col", "st_16x16", "ds_write_b32"),
    ("gfx942", "bf16", (32, 64), "rt_32x32", "row", "padded", "ds_write2_b64"),
    ("gfx942", "bf16", (32, 32), "rt_16x16", "col", "st_16x32", "ds_write_b16"),
    ("gfx942", "fp8", (32, 64), "rt_16x16", "col", "rows8", "ds_write_b8"),
)


def stored_tile(dtype: str, size: tuple[int, int], shape: str) -> SharedTile:
    chosen = MINE.get(shape) or shared_shape(shape, dtype)
    return SharedTile("A", dtype, *size, chosen, 256)


def image(tile: SharedTile, codes: np.ndarray) -> np.ndarray:
    """The dwords of LDS from the buffer's start on that hold a matrix."""
    row, col = np.meshgrid(np.arange(tile.rows), np.arange(tile.cols), indexing="ij")
    bit, width = tile.bit(row, col), tile.shape.bits
    bits = np.zeros(-(-tile.bytes // 256) * 2048, np.uint8)
    for step in range(width):
        bits[bit + step] = codes >> np.uint64(step) & np.uint64(1)
    return np.packbits(bits, bitorder="little").view(np.uint32)


def matrix(tile: SharedTile, words: np.ndarray) -> np.ndarray:
    row, col = np.meshgrid(np.arange(tile.rows), np.arange(tile.cols), indexing="ij")
    bit = tile.bit(row, col)
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    codes = np.zeros(bit.shape, np.uint64)
    for step in range(tile.shape.bits):
        codes |= bits[bit + step].astype(np.uint64) << np.uint64(step)
    return codes


class Addresses(Listener):
    """Keep the LDS addresses of every access, counted from the workgroup's LDS on."""

    name = "addresses"

    def __init__(self) -> None:
        self.seen: list[tuple[str, np.ndarray]] = []

    def lds_read(self, batch: Batch, pending: Pending, index: Any, size: int, lanes: Any) -> None:
        self.seen.append((pending.op.inst.mnemonic, (index - batch.lds_base)[0].copy()))

    def lds_write(self, batch: Batch, pending: Pending, index: Any, size: int, lanes: Any, atomic: bool) -> None:
        self.seen.append((pending.op.inst.mnemonic, (index - batch.lds_base)[0].copy()))


def paper(accesses: tuple[LdsAccess, ...], start: int) -> list[list[int]]:
    return [
        (part + start).tolist() for access in accesses for part in (access.address, access.second) if part is not None
    ]


def offsets(access: LdsAccess, base: np.ndarray, start: int) -> dict[str, int]:
    """The instruction's own offsets from a base that is nowhere above the access."""
    one = LDS_READS.get(access.instruction)
    if access.second is None:
        return {"offset": int((access.address - base)[0]) + start}
    unit = one.unit if one else (8 if access.instruction.endswith("64") else 4)
    return {
        "offset0": int((access.address - base)[0]) // unit,
        "offset1": int((access.second - base)[0]) // unit,
    }


def move(k: Kit, accesses: tuple[LdsAccess, ...], start: int, emit: Any) -> None:
    """Emit every access with base registers as they are shared."""
    lowest = [
        access.address if access.second is None else np.minimum(access.address, access.second) + start
        for access in accesses
    ]
    bases = share_bases(lowest, limit=0 if accesses[0].second is not None else 0xFFFF)
    free = k.vgpr("free")
    base = k.vgpr("base")
    known = -1
    for access, (number, _) in zip(accesses, bases.uses, strict=True):
        if number != known:
            write_table(k, base, k.lane, bases.tables[number], free)
            known = number
        shift = start if access.second is not None else 0
        emit(access, base, offsets(access, bases.tables[number] - shift, start))


def element_of(register: Register, access: LdsAccess) -> Register:
    return register[0 : access.count] if access.count > 1 else register[0]


@pytest.mark.parametrize("case", READS, ids=lambda case: "-".join(map(str, case)))
def test_reads_bring_the_tile(case: Any) -> None:
    arch, dtype, size, shape, layout, stored, instruction = case
    tile = stored_tile(dtype, size, stored)
    form = TileForm(dtype, *size, base_shape(shape), layout)
    accesses = lds_accesses(tile, form, instruction)
    assert instruction in legal_instructions(arch, tile, form)
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 1 << DTYPE_BITS[dtype], size, dtype=np.uint64)
    content = image(tile, codes)
    count = sum(access.count for access in accesses)
    listener = Addresses()

    def body(k: Kit) -> None:
        out, source = k.pointers("out", "source")
        k.lds("A", 256 + 4 * content.size)
        lane, value, target = k.lane_bytes(), k.vgpr("value"), k.vgpr("target", 4, align=4)
        for step in range(content.size // 64):
            k.v_add_u32(value, 256 * step, lane)
            k.global_load_dword(value, value, source)
            k.wait(value)
            k.ds_write_b32(lane, value, offset=256 + 256 * step)
        k.wait()
        done = 0

        def emit(access: LdsAccess, base: Register, where: dict[str, int]) -> None:
            nonlocal done
            place = element_of(target, access)
            getattr(k, access.instruction)(place, base, **where)
            k.wait(place)
            for register in place:
                k.v_add_u32(value, 256 * done, lane)
                k.global_store_dword(value, register, out)
                done += 1
            k.wait()

        move(k, accesses, tile.start(), emit)

    arrays = {"out": zeros(64 * count), "source": content}
    outcome = run(body, arrays, arch=arch, listeners=[listener])
    seen = [address.tolist() for mnemonic, address in listener.seen if mnemonic == instruction]
    assert seen == paper(accesses, tile.start())
    words = outcome.arrays["out"].reshape(count, 64)
    held = np.zeros((form.height, form.width, form.shape.registers(dtype), 64), np.uint32)
    done = 0
    for access in accesses:
        for step in range(access.count):
            word = words[done] & np.uint32(
                (1 << DTYPE_BITS[dtype]) - 1 if access.bit or "_u" in instruction else ~0 & 0xFFFFFFFF
            )
            held[access.i, access.j, access.first + step] |= word << np.uint32(access.bit)
            done += 1
    for i in range(form.height):
        for j in range(form.width):
            row, col = form.shape.map(layout)
            found = unpack_bits(held[i, j], DTYPE_BITS[dtype])
            expected = codes[i * form.shape.rows + row, j * form.shape.cols + col]
            assert (found == expected).all()
    paper_cost = conflicts(arch, tile, form, instruction)
    assert outcome.report.counters["SQ_LDS_BANK_CONFLICT"] == paper_cost.lost


@pytest.mark.parametrize("case", WRITES, ids=lambda case: "-".join(map(str, case)))
def test_writes_put_the_tile(case: Any) -> None:
    arch, dtype, size, shape, layout, stored, instruction = case
    tile = stored_tile(dtype, size, stored)
    form = TileForm(dtype, *size, base_shape(shape), layout)
    accesses = lds_accesses(tile, form, instruction)
    assert instruction in legal_instructions(arch, tile, form, write=True)
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 1 << DTYPE_BITS[dtype], size, dtype=np.uint64)
    row, col = form.shape.map(layout)
    source = np.concatenate(
        [
            pack_bits(codes[i * form.shape.rows + row, j * form.shape.cols + col], DTYPE_BITS[dtype])
            for i in range(form.height)
            for j in range(form.width)
        ]
    )
    registers = form.shape.registers(dtype)
    length = -(-tile.bytes // 256) * 64
    listener = Addresses()

    def body(k: Kit) -> None:
        out, held = k.pointers("out", "source")
        k.lds("A", 256 + 4 * length)
        lane, value, data = k.lane_bytes(), k.vgpr("value"), k.vgpr("data", 4, align=4)
        for step in range(length // 64):
            k.v_mov_b32(value, 0)
            k.ds_write_b32(lane, value, offset=256 + 256 * step)
        k.wait()

        def emit(access: LdsAccess, base: Register, where: dict[str, int]) -> None:
            place = element_of(data, access)
            first = (access.i * form.width + access.j) * registers + access.first
            for number, register in enumerate(place):
                k.v_add_u32(value, 256 * (first + number), lane)
                k.global_load_dword(register, value, held)
            k.wait(place)
            if access.bit:
                k.v_lshrrev_b32(place, access.bit, place)
            if access.second is None:
                getattr(k, access.instruction)(base, place, **where)
            else:
                half = access.count // 2
                low = place[0:half] if half > 1 else place[0]
                high = place[half : 2 * half] if half > 1 else place[1]
                getattr(k, access.instruction)(base, low, high, **where)
            k.wait()

        move(k, accesses, tile.start(), emit)
        for step in range(length // 64):
            k.ds_read_b32(value, lane, offset=256 + 256 * step)
            k.wait(value)
            address = data[0]
            k.v_add_u32(address, 256 * step, lane)
            k.global_store_dword(address, value, out)
            k.wait()

    arrays = {"out": zeros(length), "source": source.astype(np.uint32)}
    outcome = run(body, arrays, arch=arch, listeners=[listener])
    assert (matrix(tile, outcome.arrays["out"]) == codes).all()
    seen = [address.tolist() for mnemonic, address in listener.seen if mnemonic == instruction]
    expected = paper(accesses, tile.start())
    assert [line for line in seen if line in expected] == expected
    assert outcome.report.counters["SQ_LDS_BANK_CONFLICT"] == conflicts(arch, tile, form, instruction).lost


def test_what_is_not_legal_says_what_is() -> None:
    tile = stored_tile("bf16", (32, 64), "st_16x16_swizzled")
    row = TileForm("bf16", 32, 64, base_shape("rt_16x32"), "row")
    with pytest.raises(UsageError) as caught:
        lds_accesses(tile, row, "ds_read_b128")
    assert str(caught.value) == (
        "ds_read_b128: rt_16x32 row layout of bf16 in st_16x16_swizzled: "
        "16 bytes of a lane are not side by side in LDS\n"
        "  hint: legal: ds_read_b64, ds_read2_b32, ds_read_b32, ds_read_u16"
    )
    with pytest.raises(UsageError, match="it exchanges elements of 8 bits, these have 16"):
        lds_accesses(tile, row, "ds_read_b64_tr_b8")
    with pytest.raises(UsageError, match="4 lanes side by side do not hold neighbours in LDS"):
        lds_accesses(tile, row, "ds_read_b64_tr_b16")
    with pytest.raises(UsageError, match="a base tile of 4 registers is no whole number of 3"):
        lds_accesses(tile, row, "ds_read_b96")
    with pytest.raises(UsageError, match="A is 32x64, the register tile 32x32"):
        lds_accesses(tile, TileForm("bf16", 32, 32, base_shape("rt_16x32"), "row"), "ds_read_b128")
    with pytest.raises(UsageError, match=r"A holds bf16 \(16 bits\), the register tile fp8"):
        lds_accesses(tile, TileForm("fp8", 32, 64, base_shape("rt_16x32"), "row"), "ds_read_b128")
    with pytest.raises(UsageError, match="ds_add_u32 moves no tile"):
        lds_accesses(tile, row, "ds_add_u32")
    assert "ds_read_b64_tr_b16" not in legal_instructions(
        "gfx942", tile, TileForm("bf16", 32, 64, base_shape("rt_16x32"), "col")
    )

"""One instruction on given operands: what its destination holds afterwards, for results worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from support.emulate import Kit, run, zeros

from hkasm.isa.registers import Register

Emit = Callable[[Kit, Register, Sequence[Register]], object]


def vector(emit: Emit, *sources: int, old: int = 0xAAAAAAAA, width: int = 1) -> list[int]:
    """D of a vector instruction on sources of one dword in VGPRs; D began as `old`."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        d = k.vgpr("d", width)
        for part in d:
            k.v_mov_b32(part, old)
        values = []
        for number, value in enumerate(sources):
            register = k.vgpr(f"x{number}")
            k.v_mov_b32(register, value)
            values.append(register)
        emit(k, d, values)
        k.s_nop(5)
        for number, part in enumerate(d):
            at = k.vgpr("at")
            k.v_add_u32(at, 256 * number, k.lane_bytes())
            k.store(part, out, at)

    words = run(body, {"out": zeros(64 * width)}).arrays["out"].reshape(width, 64)
    assert (words == words[:, :1]).all()
    return [int(word) for word in words[:, 0]]


def scalar(emit: Emit, *sources: int, old: int = 0, width: int = 2) -> list[int]:
    """D of a scalar instruction on sources of 64 bits, then SCC."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        d = k.sgpr("d", width)
        for part in d:
            k.s_mov_b32(part, old)
        values = []
        for number, value in enumerate(sources):
            pair = k.sgpr(f"x{number}", 2)
            k.s_mov_b32(pair[0], value & 0xFFFFFFFF)
            k.s_mov_b32(pair[1], value >> 32)
            values.append(pair)
        k.s_cmp_eq_u32(k.kernarg[0], k.kernarg[0])  # SCC has a value before
        emit(k, d, values)
        flag = k.sgpr("flag")
        k.s_cselect_b32(flag, 1, 0)
        for number, part in enumerate((*d, flag)):
            at = k.vgpr("at")
            k.v_add_u32(at, 256 * number, k.lane_bytes())
            k.store(part, out, at)

    words = run(body, {"out": zeros(64 * (width + 1))}).arrays["out"].reshape(width + 1, 64)
    return [int(word) for word in words[:, 0]]


def lds(emit: Emit, word: int, old: int, width: int = 1) -> list[int]:
    """D of an LDS instruction at address 0 of each lane's own 16 bytes, which hold `word`, its complement, 0 and 0."""

    def body(k: Kit) -> None:
        (out,) = k.pointers("out")
        region = k.lds("own", 64 * 16)
        assert region is not None
        d, at, data = k.vgpr("d", width), k.lane_bytes(16), k.vgpr("data", 4, align=2)
        for number, value in enumerate((word, ~word & 0xFFFFFFFF, 0, 0)):
            k.v_mov_b32(data[number], value)
        for part in d:
            k.v_mov_b32(part, old)
        k.ds_write_b128(at, data)
        emit(k, d, [at])
        k.wait(d)
        for number, part in enumerate(d):
            place = k.vgpr("place")
            k.v_add_u32(place, 256 * number, k.lane_bytes())
            k.store(part, out, place)

    words = run(body, {"out": zeros(64 * width)}).arrays["out"].reshape(width, 64)
    assert (words == words[:, :1]).all()
    return [int(each) for each in words[:, 0]]

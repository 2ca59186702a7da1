"""The interleaver keeps every dependence, deals by rule or by slots, and says what it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.asm.builder import Builder
from hkasm.asm.hazards import find_hazards
from hkasm.asm.instruction import Instruction
from hkasm.errors import ScheduleError
from hkasm.isa.arch import get_arch
from hkasm.isa.registers import EXEC, M0, VCC
from hkasm.schedules.interleaver import Stream, weave

ARCH = get_arch("gfx950")


def written(write: Callable[[Builder], None]) -> tuple[Instruction, ...]:
    k = Builder("gfx950")
    k.files["s"].allocate("all", 60, align=4, now=0, where="")
    write(k)
    return tuple(item for item in k.items if isinstance(item, Instruction))


def registers() -> Builder:
    return Builder("gfx950")


K = registers()
V = K.vgpr("v", 64)
A = K.agpr("a", 64)
S = K.sgpr("s", 16)


def products(count: int) -> tuple[Instruction, ...]:
    def write(k: Builder) -> None:
        for i in range(count):
            k.v_mfma_f32_16x16x32_bf16(A[4 * i : 4 * i + 4], V[0:4], V[4:8], A[4 * i : 4 * i + 4])

    return written(write)


def names(order: list[Instruction]) -> str:
    letters = {"v_mfma_f32_16x16x32_bf16": "M", "ds_read_b128": "R", "buffer_load_dwordx4": "L", "s_mov_b32": "m"}
    return "".join(letters.get(inst.mnemonic, "x") for inst in order)


def reads(*firsts: int) -> tuple[Instruction, ...]:
    return written(lambda k: [k.ds_read_b128(V[first : first + 4], V[60]) for first in firsts] and None)


def loads(*bases: int) -> tuple[Instruction, ...]:
    def write(k: Builder) -> None:
        for base in bases:
            k.s_mov_b32(M0, base)
            for part in (0, 1):
                k.buffer_load_dwordx4(V[61], S[0:4], 0, offset=part * 1024, lds=True)

    return written(write)


def test_a_stream_is_dealt_evenly_and_keeps_its_order() -> None:
    side = reads(16, 20, 24, 28)
    order = weave([Stream("products", products(8)), Stream("reads", side)], ARCH)
    assert names(order) == "MRMMRMMRMMRM"
    assert [inst for inst in order if inst in side] == list(side)


def test_slack_start_and_rate_move_the_slots() -> None:
    side = reads(16, 20)
    beat = Stream("products", products(8))
    assert names(weave([beat, Stream("reads", side, slack=4)], ARCH)) == "MRMMRMMMMM"
    assert names(weave([beat, Stream("reads", side, start=4)], ARCH)) == "MMMMMRMMRM"
    assert names(weave([beat, Stream("reads", side, rate=3, start=1)], ARCH)) == "MRMMMRMMMM"


def test_explicit_slots_are_taken_as_they_are() -> None:
    beat = Stream("products", products(4))
    assert names(weave([beat, Stream("reads", reads(16, 20, 24), slots=(0, 3, 3))], ARCH)) == "RMMMRRM"
    with pytest.raises(ScheduleError, match="2 slots for 3 instructions"):
        weave([beat, Stream("reads", reads(16, 20, 24), slots=(0, 3))], ARCH)
    with pytest.raises(ScheduleError, match="rising numbers, 0 to 4"):
        weave([beat, Stream("reads", reads(16, 20), slots=(3, 1))], ARCH)


def test_a_read_waits_for_the_products_that_take_what_it_overwrites() -> None:
    """The products use v[0:7] to the last one: the read of v[0:3] can only stand behind it."""
    order = weave([Stream("products", products(4)), Stream("reads", reads(0))], ARCH)
    assert names(order) == "MMMMR"
    with pytest.raises(ScheduleError) as error:
        weave([Stream("products", products(4)), Stream("reads", reads(0), slots=(1,))], ARCH)
    text = str(error.value)
    said = r"ds_read_b128 v\[2:5\].* cannot stand in slot 1, before v_mfma_f32_16x16x32_bf16 .*test_interleaver.py"
    assert re.search(said, text)
    assert re.search(r"it overwrites v\[0:4\].*, which that reads\n.*give it a later slot", text)


def test_what_the_carrier_needs_comes_before_it() -> None:
    moves = written(lambda k: [k.v_mov_b32(V[i], 0) for i in (0, 4)] and None)
    order = weave([Stream("moves", moves, start=3), Stream("products", products(4))], ARCH, carrier=1)
    assert [inst.mnemonic for inst in order[:2]] == ["v_mov_b32", "v_mov_b32"]
    with pytest.raises(ScheduleError, match=r"cannot stand in slot 2, after v_mfma.*it reads v"):
        weave([Stream("moves", moves, slots=(0, 2)), Stream("products", products(4))], ARCH, carrier=1)


def test_m0_stays_with_its_loads() -> None:
    beat = Stream("products", products(8))
    tokens = [frozenset({name}) for name in "ab"]
    order = weave([beat, Stream("a", loads(0), tokens[0]), Stream("b", loads(4096), tokens[1])], ARCH)
    held, seen = None, []
    for inst in order:
        if inst.mnemonic == "s_mov_b32":
            held = inst.operand("src0")
        elif inst.spec.memory is not None:
            seen.append(str(held))
    assert seen == ["0", "0", "0x1000", "0x1000"] or len(set(map(str, seen[:2]))) == 1 == len(set(map(str, seen[2:])))


def test_a_useful_instruction_takes_the_place_of_a_nop() -> None:
    """An M0 write and its load that are due in one slot get a product between them."""
    order = weave([Stream("products", products(8)), Stream("loads", loads(0), rate=0)], ARCH)
    assert names(order).startswith("mM")
    assert not find_hazards(order, ARCH)


def test_streams_that_may_meet_in_lds_keep_their_order() -> None:
    side = [Stream("loads", loads(0), slots=None, start=6), Stream("reads", reads(16))]
    assert names(weave([Stream("products", products(8)), *side], ARCH)).index("R") > 8
    apart = [Stream("loads", loads(0), frozenset("a"), start=6), Stream("reads", reads(16), frozenset("b"))]
    assert names(weave([Stream("products", products(8)), *apart], ARCH)).index("R") < 6


@pytest.mark.parametrize("special", [EXEC, VCC])
def test_masks_are_registers_like_any(special: object) -> None:
    write = written(lambda k: k.s_mov_b64(special, -1) and None)
    use = written(
        lambda k: (k.v_cndmask_b32(V[40], V[41], V[42], VCC) if special == VCC else k.v_mov_b32(V[40], V[41])) and None
    )
    order = weave([Stream("products", products(6)), Stream("mask", write, start=4), Stream("use", use)], ARCH)
    assert order.index(write[0]) < order.index(use[0])


def test_a_load_and_its_user_are_refused() -> None:
    use = written(lambda k: k.v_mov_b32(V[40], V[16]) and None)
    with pytest.raises(ScheduleError, match="a wait must stand between them"):
        weave([Stream("products", products(2)), Stream("reads", reads(16)), Stream("use", use)], ARCH)


@pytest.mark.parametrize("mnemonic", ["s_barrier", "s_nop"])
def test_what_nothing_may_pass_is_refused(mnemonic: str) -> None:
    side = written(lambda k: getattr(k, mnemonic)(*([0] if mnemonic == "s_nop" else [])) and None)
    with pytest.raises(ScheduleError, match=f"stream side: {mnemonic}.* cannot be interleaved"):
        weave([Stream("products", products(2)), Stream("side", side)], ARCH)


MOVES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=6)


@given(st.lists(MOVES, min_size=2, max_size=4), st.data())
def test_any_weaving_computes_the_same(streams: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    """Register moves give the same registers as when the streams run one after the other."""
    carrier = data.draw(st.integers(0, len(streams) - 1))
    made = [written(lambda k, s=s: [k.v_mov_b32(V[d], V[n]) for d, n in s] and None) for s in streams]
    woven = weave(
        [
            Stream(str(i), one, start=data.draw(st.integers(0, 3)), slack=data.draw(st.integers(0, 3)))
            for i, one in enumerate(made)
        ],
        ARCH,
        carrier,
    )
    assert sorted(map(id, woven)) == sorted(id(inst) for one in made for inst in one)
    results = []
    for order in (woven, [inst for one in made for inst in one]):
        state = list(range(8))
        for inst in order:
            d, n = inst.operand("vdst"), inst.operand("src0")
            state[d.index - V.index] = state[n.index - V.index]  # type: ignore[union-attr]
        results.append(state)
    assert results[0] == results[1]

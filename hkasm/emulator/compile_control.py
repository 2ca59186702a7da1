"""Control: branches, ends, barriers, waits, hardware registers, and lane reads that need EXEC."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hkasm.emulator.batch import Batch
from hkasm.emulator.code import MODE_KEY, VSKIP, Code, branch_target
from hkasm.emulator.compile_alu import values_of
from hkasm.emulator.compile_scalar import compile_cache, compile_time
from hkasm.emulator.guard import attend, guarded, judge_undefined
from hkasm.emulator.indexed import compile_move_relative
from hkasm.emulator.memory import PRIVATE_BASE, SHARED_BASE
from hkasm.emulator.op import Execute, Op
from hkasm.emulator.operands import fetch_scalar, put_scalar
from hkasm.errors import EmulatorError
from hkasm.isa.counters import unpack_waitcnt
from hkasm.isa.registers import M0, Register

__all__ = ["CONTROLS", "compile_control"]

Compile = Callable[[Code, Op], None]
U32 = NDArray[np.uint32]


def compile_control(code: Code, op: Op) -> None:
    """Compile an instruction whose declaration names a kind of control."""
    kind = op.inst.spec.control
    compile_kind = CONTROLS.get(kind or "")
    if compile_kind is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated ({kind})")
    compile_kind(code, op)


def _checked(op: Op, execute: Execute) -> Execute:
    """Put the check for loads in flight in front, and for undefined values that decide where waves go."""
    mask, reads = op.mask, op.reads

    def run(b: Batch) -> None:
        if b.watch & mask:
            attend(b, op)
            if b.poison & reads:
                judge_undefined(b, op, reads, "a branch", None)
        execute(b)

    return run


def _number(op: Op) -> int:
    return next((value for value in op.inst.operands if isinstance(value, int)), 0)


# ---- branches -------------------------------------------------------------------------------------------------------


def _branch(code: Code, op: Op) -> None:
    target = branch_target(op)
    if target is None:
        raise EmulatorError("a branch has no target")

    def run(b: Batch) -> None:
        b.pc = target

    op.run = run


def _cbranch(code: Code, op: Op) -> None:
    target = branch_target(op)
    meaning = op.inst.spec.meaning
    if target is None or meaning is None:
        raise EmulatorError(f"{op.inst.mnemonic} is not emulated")
    values = values_of(op)
    fetches = [
        fetch_scalar(code, values[operand.name], operand.type)
        for operand in op.inst.spec.reads
        if operand.fixed is not None
    ]

    def execute(b: Batch) -> None:
        taken = np.asarray(meaning(*[fetch(b) for fetch in fetches]))
        if taken.all():
            b.pc = target
        elif taken.any():
            b.run.split(b, taken, target)

    op.run = _checked(op, execute)


def _jump(code: Code, op: Op) -> None:
    """s_setpc, s_swappc, s_call: go to an address; waves that go to different ones part."""
    values = values_of(op)
    direct = branch_target_of_call(op)
    fetch = None if direct is not None else fetch_scalar(code, values["src0"], "b64")
    link = values.get("sdst")
    after = op.index + op.inst.size

    def execute(b: Batch) -> None:
        target = np.full(b.waves, direct, dtype=np.int64) if fetch is None else _places(b, fetch(b))
        if isinstance(link, Register):
            _put_pair(b, link, b.run.launch.code_address(b.run.code) + after)
            b.define(op.writes, None)
        _go(b, target)

    op.run = _checked(op, execute)


def branch_target_of_call(op: Op) -> int | None:
    """Return where s_call_b64 goes, None for jumps through registers."""
    if op.inst.mnemonic != "s_call_b64":
        return None
    distance = _number(op) & 0xFFFF
    return op.index + op.inst.size + 4 * (distance - 0x10000 if distance & 0x8000 else distance)


def _places(b: Batch, address: NDArray[np.uint64]) -> NDArray[np.int64]:
    base = b.run.launch.code_address(b.run.code)
    return np.broadcast_to(address.astype(np.int64) - base, (b.waves,))


def _go(b: Batch, target: NDArray[np.int64]) -> None:
    places = [int(place) for place in np.unique(target)]
    while len(places) > 1:
        away = target == places[-1]
        b, _ = b.run.split(b, away, places.pop())
        target = target[~away]
    b.pc = places[0]


def _put_pair(b: Batch, register: Register, value: int) -> None:
    b.s[register.index] = value & 0xFFFFFFFF
    b.s[register.index + 1] = value >> 32


def _getpc(code: Code, op: Op) -> None:
    link = values_of(op)["sdst"]
    after = op.index + op.inst.size

    def execute(b: Batch) -> None:
        if isinstance(link, Register):
            _put_pair(b, link, b.run.launch.code_address(b.run.code) + after)

    op.run = guarded(op, execute)


# ---- waves and workgroups -------------------------------------------------------------------------------------------


def _end(code: Code, op: Op) -> None:
    def run(b: Batch) -> None:
        b.run.end(b)

    op.run = run


def _barrier(code: Code, op: Op) -> None:
    def run(b: Batch) -> None:
        b.run.arrive(b)

    op.run = run


def _sleep(code: Code, op: Op) -> None:
    def run(b: Batch) -> None:
        b.turn += 1  # whoever waits for others lets them go first

    op.run = run


def _wait(code: Code, op: Op) -> None:
    counts = unpack_waitcnt(_number(op))
    arch = code.arch
    vmcnt = counts.vmcnt if counts.vmcnt < arch.vmcnt_max else None
    lgkmcnt = counts.lgkmcnt if counts.lgkmcnt < arch.lgkmcnt_max else None

    def run(b: Batch) -> None:
        b.wait(vmcnt, lgkmcnt)

    op.run = run


def _nothing(code: Code, op: Op) -> None:
    def run(b: Batch) -> None:
        """Take its place and do nothing."""

    op.run = run


def _trap(code: Code, op: Op) -> None:
    number = _number(op) & 0xFF

    def run(b: Batch) -> None:
        raise EmulatorError(
            f"wave {int(b.wave[0])} of workgroup {b.run.group_id(b, 0)} traps (s_trap {number}): "
            "an assertion or an unreachable place in the kernel",
            where=op.inst.origin,
        )

    op.run = run


# ---- hardware registers ---------------------------------------------------------------------------------------------

_HW_MODE, _HW_ID, _HW_LDS_ALLOC, _HW_SH_MEM_BASES, _HW_XCC_ID = 1, 4, 6, 15, 20


def _hwreg(simm16: int) -> tuple[int, int, int]:
    """Return (register id, offset, bits) of a hardware register field."""
    return simm16 & 63, simm16 >> 6 & 31, (simm16 >> 11 & 31) + 1


def _getreg(code: Code, op: Op) -> None:
    number, offset, bits = _hwreg(_number(op))
    put = put_scalar(_register(op, "sdst"), "b32")
    low = np.uint32((1 << bits) - 1)

    def execute(b: Batch) -> None:
        put(b, _hardware(b, number) >> np.uint32(offset) & low)

    if number not in (_HW_MODE, _HW_ID, _HW_LDS_ALLOC, _HW_SH_MEM_BASES, _HW_XCC_ID):
        raise EmulatorError(f"s_getreg of hardware register {number} is not emulated")
    op.run = guarded(op, execute)


def _hardware(b: Batch, number: int) -> NDArray[np.uint32]:
    """Return a hardware register [W]. Ids spread workgroups over XCCs, CUs and SIMDs round robin."""
    if number == _HW_MODE:
        return b.mode
    group: U32 = b.run.group_numbers()[b.group].astype(np.uint32)
    if number == _HW_XCC_ID:
        return group % np.uint32(8)
    if number == _HW_SH_MEM_BASES:
        return np.full(b.waves, PRIVATE_BASE >> 48 | (SHARED_BASE >> 48) << 16, dtype=np.uint32)
    if number == _HW_LDS_ALLOC:
        granules = -(-b.run.lds.bytes_per_group // 512)
        return np.full(b.waves, granules << 12, dtype=np.uint32)
    simd = b.wave.astype(np.uint32) & np.uint32(3)
    compute_unit = group // np.uint32(8) % np.uint32(16)
    slot = b.wave.astype(np.uint32) >> np.uint32(2)
    ids: U32 = slot | simd << np.uint32(4) | compute_unit << np.uint32(8)
    return ids


def _setreg(code: Code, op: Op) -> None:
    simm16, *more = (value for value in op.inst.operands if isinstance(value, int))
    number, offset, bits = _hwreg(simm16)
    if number != _HW_MODE:
        raise EmulatorError(f"s_setreg of hardware register {number} is not emulated")
    mask = np.uint32((((1 << bits) - 1) << offset) & 0xFFFFFFFF)
    value = more[0] if more else values_of(op)["sdst"]
    fetch = fetch_scalar(code, value, "b32")

    def execute(b: Batch) -> None:
        switch_mode(b, (b.mode & ~mask) | (fetch(b) << np.uint32(offset) & mask))

    op.run = guarded(op, execute)


def switch_mode(b: Batch, mode: U32) -> None:
    """Set MODE, [W]; waves whose code is now another part."""
    b.mode[...] = mode
    keys = b.mode & np.uint32(MODE_KEY)
    places = [int(key) for key in np.unique(keys)]
    while len(places) > 1:
        away = keys == places[-1]
        b, part = b.run.split(b, away, b.pc)
        part.code = part.code.with_mode(places.pop())
        keys = keys[~away]
    b.code = b.code.with_mode(places[0])


def _index_mode(code: Code, op: Op) -> None:
    """s_set_gpr_idx_on, _off, _mode: a meaning that gives M0 and MODE, or MODE alone."""
    spec = op.inst.spec
    meaning = spec.meaning
    if meaning is None:
        raise EmulatorError(f"{spec.mnemonic} is not emulated")
    values = values_of(op)
    fetches = [fetch_scalar(code, values[operand.name], operand.type) for operand in spec.reads]
    put_m0 = put_scalar(M0, "b32")
    sets_m0 = len(spec.writes) > 1
    op.reads &= ~(1 << M0.index)  # the rest of M0 is kept, and means nothing

    def execute(b: Batch) -> None:
        result = meaning(*[fetch(b) for fetch in fetches])
        if sets_m0:
            index, result = result
            put_m0(b, index)
        switch_mode(b, np.broadcast_to(result, (b.waves,)))

    op.run = guarded(op, execute)


def _vskip(code: Code, op: Op) -> None:
    values = values_of(op)
    bits, place = fetch_scalar(code, values["src0"], "b32"), fetch_scalar(code, values["src1"], "u32")

    def execute(b: Batch) -> None:
        on = (bits(b) >> (place(b) & np.uint32(31)) & np.uint32(1)).astype(np.bool_)
        kept = b.mode & ~np.uint32(VSKIP)
        switch_mode(b, np.where(on, kept | np.uint32(VSKIP), kept))

    op.writes = 0
    op.mask = op.reads
    op.run = guarded(op, execute)


def _register(op: Op, name: str) -> Register:
    value = values_of(op)[name]
    if not isinstance(value, Register):
        raise EmulatorError(f"operand {name} of {op.inst.mnemonic} is {value}")
    return value


def _kill(code: Code, op: Op) -> None:
    if _number(op) & 1:
        _end(code, op)
    else:
        _nothing(code, op)


CONTROLS: dict[str, Compile] = {
    "branch": _branch,
    "cbranch": _cbranch,
    "jump": _jump,
    "call": _jump,
    "getpc": _getpc,
    "end": _end,
    "barrier": _barrier,
    "sleep": _sleep,
    "wait": _wait,
    "nop": _nothing,
    "prio": _nothing,
    "message": _nothing,
    "debug_branch": _nothing,
    "trap": _trap,
    "kill": _kill,
    "getreg": _getreg,
    "setreg": _setreg,
    "gpr_idx_on": _index_mode,
    "gpr_idx_off": _index_mode,
    "gpr_idx_mode": _index_mode,
    "vskip": _vskip,
    "movrels": compile_move_relative,
    "movreld": compile_move_relative,
    "cache": compile_cache,
    "time": compile_time,
}
"""How each kind of control is compiled; what is missing is not emulated, and says so when it is reached."""

"""Messages of s_sendmsg: the 16-bit constant (message in bits 3:0, operation in 6:4, stream in 9:8) and its text.

Source: LLVM 22's names for gfx942 and gfx950 (`sendmsg(...)` operands).
"""

from __future__ import annotations

from typing import Final

from hkasm.errors import OperandError, did_you_mean

__all__ = ["MESSAGES", "message_text", "sendmsg"]

MESSAGES: Final = {
    1: "MSG_INTERRUPT", 2: "MSG_GS", 3: "MSG_GS_DONE", 4: "MSG_SAVEWAVE", 5: "MSG_STALL_WAVE_GEN", 6: "MSG_HALT_WAVES",
    7: "MSG_ORDERED_PS_DONE", 8: "MSG_EARLY_PRIM_DEALLOC", 9: "MSG_GS_ALLOC_REQ", 10: "MSG_GET_DOORBELL",
    15: "MSG_SYSMSG",
}  # fmt: skip
_GS, _GS_DONE, _SYSMSG = 2, 3, 15
_GS_OPS: Final = {0: "GS_OP_NOP", 1: "GS_OP_CUT", 2: "GS_OP_EMIT", 3: "GS_OP_EMIT_CUT"}
_SYSMSG_OPS: Final = {1: "SYSMSG_OP_ECC_ERR_INTERRUPT", 2: "SYSMSG_OP_REG_RD", 4: "SYSMSG_OP_TTRACE_PC"}
_FIELDS: Final = 0x37F


def _operations(message: int) -> dict[int, str]:
    if message == _GS:
        return {number: name for number, name in _GS_OPS.items() if number}
    if message == _GS_DONE:
        return _GS_OPS
    return _SYSMSG_OPS if message == _SYSMSG else {}


def sendmsg(message: int | str, operation: int | str = 0, stream: int = 0) -> int:
    """Return the constant of a message, given by numbers or names.

    Raises:
        OperandError: unknown name, or a number that does not fit its field.
    """
    code = _number(message, MESSAGES, "message")
    op = _number(operation, _operations(code), "operation")
    for what, value, top in (("message", code, 15), ("operation", op, 7), ("stream", stream, 3)):
        if not 0 <= value <= top:
            raise OperandError(f"sendmsg: {what} {value} is out of range (0 to {top})")
    return code | op << 4 | stream << 8


def _number(value: int | str, names: dict[int, str], what: str) -> int:
    if isinstance(value, int):
        return value
    numbers = {name: number for number, name in names.items()}
    if value not in numbers:
        raise OperandError(f"sendmsg: unknown {what} {value!r}", hint=did_you_mean(value, numbers))
    return numbers[value]


def message_text(simm16: int) -> str:
    """Write a message as the assembler does, by names, by three numbers, or as one number."""
    message, operation, stream = simm16 & 15, simm16 >> 4 & 7, simm16 >> 8 & 3
    name, operations = MESSAGES.get(message), _operations(message)
    if name is not None and operation in operations:
        if message in (_GS, _GS_DONE) and operation:
            return f"sendmsg({name}, {operations[operation]}, {stream})"
        if stream == 0:
            return f"sendmsg({name}, {operations[operation]})"
    if name is not None and not operations and operation == stream == 0:
        return f"sendmsg({name})"
    if simm16 & ~_FIELDS == 0:
        return f"sendmsg({message}, {operation}, {stream})"
    return str(simm16)

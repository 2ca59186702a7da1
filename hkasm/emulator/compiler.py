"""Compiles one instruction: picks the part that knows its kind, and says what cannot be emulated when it is reached."""

from __future__ import annotations

from hkasm.emulator.batch import Batch
from hkasm.emulator.code import GPR_INDEXING, VSKIP, Code, Compile
from hkasm.emulator.compile_alu import compile_salu, compile_valu
from hkasm.emulator.compile_atomic import compile_lds_atomic, compile_vector_atomic
from hkasm.emulator.compile_control import compile_control
from hkasm.emulator.compile_lanes import compile_lane_move, compile_own_address
from hkasm.emulator.compile_lds import compile_lds
from hkasm.emulator.compile_memory import compile_memory
from hkasm.emulator.compile_scalar import compile_scalar
from hkasm.emulator.compile_typed import compile_typed
from hkasm.emulator.indexed import compile_indexed, has_vector_operands
from hkasm.emulator.mfma import compile_mfma
from hkasm.emulator.op import Execute, Op
from hkasm.errors import EmulatorError, HkasmError
from hkasm.isa.spec import MemSpec

__all__ = ["compile_op"]

_VECTOR_UNITS = frozenset({"VALU", "TRANS", "MFMA", "VMEM", "LDS"})


def compile_op(code: Code, op: Op) -> None:
    """Give an instruction its `run`.

    What cannot be emulated raises an EmulatorError only when a wave gets there, for code may hold what it never runs.
    """
    try:
        _compile(code, op)
    except HkasmError as error:
        op.run = _refusal(op, error)


def _compile(code: Code, op: Op) -> None:
    spec = op.inst.spec
    if code.mode & VSKIP and spec.unit in _VECTOR_UNITS:
        op.run = _skipped
    elif spec.control is not None:
        compile_control(code, op)
    elif spec.mfma is not None:
        compile_mfma(code, op)
    elif spec.memory is not None:
        _memory_compiler(spec.memory)(code, op)
    elif spec.unit == "SALU":
        compile_salu(code, op)
    elif spec.unit in ("VALU", "TRANS"):
        if code.mode & GPR_INDEXING and has_vector_operands(op):
            compile_indexed(code, op, compile_valu)
        else:
            compile_valu(code, op)
    else:
        raise EmulatorError(f"{spec.mnemonic} is not emulated")


def _skipped(b: Batch) -> None:
    """Do nothing: MODE.VSKIP is on."""


def _memory_compiler(memory: MemSpec) -> Compile:
    if memory.space == "scalar":
        return compile_scalar
    if memory.space != "lds":
        return {"atomic": compile_vector_atomic, "load_format": compile_typed, "store_format": compile_typed}.get(
            memory.op, compile_memory
        )
    if memory.op == "atomic":
        return compile_lds_atomic
    if memory.op in ("permute", "bpermute", "swizzle"):
        return compile_lane_move
    return compile_own_address if memory.op not in ("load", "store") else compile_lds


def _refusal(op: Op, error: HkasmError) -> Execute:
    named = error.message.startswith(op.inst.mnemonic)
    message = error.message if named else f"{op.inst}: {error.message}"

    def run(b: Batch) -> None:
        raise EmulatorError(message, where=op.inst.origin, hint=error.hint)

    return run

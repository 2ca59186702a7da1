"""What memory instructions need beyond their operands' declarations: modes that follow from operands, registers that
must agree, ranges that LLVM does not check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hkasm.asm.fields import excluded_scalars
from hkasm.asm.instruction import OperandValue
from hkasm.asm.operands import RawOperand
from hkasm.errors import OperandError
from hkasm.isa.registers import Register
from hkasm.isa.spec import InstSpec

__all__ = ["check_memory", "memory_defaults"]

_SCALAR_OFFSET_LIMIT = 1 << 20


def memory_defaults(
    spec: InstSpec, mods: dict[str, int], operands: tuple[RawOperand, ...], given: Mapping[str, object]
) -> tuple[RawOperand, ...]:
    """Fill in the modes that the operands or the variant say; return the operands, a scalar immediate taken out.

    `mods` holds the modifiers so far and is changed; `given` is what the caller wrote, zeros included.

    Raises:
        OperandError: operands and modes contradict each other.
    """
    if spec.unit == "SMEM":
        return _scalar_defaults(spec, mods, operands, given)
    memory = spec.memory
    if memory is None:
        return operands
    if memory.op == "atomic" and spec.unit == "VMEM":
        if mods.get("sc0", 0) and not memory.returns:
            raise OperandError(f"{spec.mnemonic}: sc0 asks for the old value, which has no place", form=spec.form)
        if memory.returns:
            mods["sc0"] = 1
    if memory.space != "buffer":
        return operands
    if memory.to_lds:
        mods["lds"] = 1
    address = next((value for op, value in zip(spec.explicit, operands, strict=True) if op.name == "vaddr"), None)
    indexed = mods.get("offen") or mods.get("idxen")
    if isinstance(address, Register) and not indexed:
        mods["offen"] = 1
    if address is None and indexed:
        raise OperandError(f"{spec.mnemonic}: offen and idxen want an address, got vaddr off", form=spec.form)
    return operands


def _scalar_defaults(
    spec: InstSpec, mods: dict[str, int], operands: tuple[RawOperand, ...], given: Mapping[str, object]
) -> tuple[RawOperand, ...]:
    memory = spec.memory
    if memory is not None and memory.op == "atomic":
        if mods.get("glc") and not memory.returns:
            raise OperandError(f"{spec.mnemonic}: glc asks for the old value, which has no place", form=spec.form)
        if memory.returns:
            mods["glc"] = 1
    if not spec.explicit or spec.explicit[-1].name != "soffset":
        return operands
    last = operands[-1]
    if isinstance(last, int) and not isinstance(last, bool):
        # The last operand is an SGPR or the immediate itself, as in assembler text.
        if mods.get("offset"):
            raise OperandError(f"{spec.mnemonic}: two offsets, {last} and offset:{mods['offset']}", form=spec.form)
        if last:
            mods["offset"] = last
        operands = (*operands[:-1], None)
    elif isinstance(last, Register) and isinstance(given.get("offset"), int):
        mods["offset"] = int(str(given["offset"]))  # with an SGPR an offset of 0 is another encoding than none
    offset = mods.get("offset", 0)
    if "descriptor" in spec.flags and not 0 <= offset < _SCALAR_OFFSET_LIMIT:
        raise OperandError(
            f"{spec.mnemonic}: offset:{offset} is out of range (0 to {_SCALAR_OFFSET_LIMIT - 1})", form=spec.form
        )
    return operands


def check_memory(spec: InstSpec, values: Sequence[OperandValue], mods: Mapping[str, int]) -> None:
    """Check registers against each other and against what the address field can name.

    Raises:
        OperandError: data in both VGPRs and AGPRs, an odd register where LLVM wants an even one, M0 or EXEC where
            scalar memory cannot reach them.
    """
    files: dict[str, str] = {}
    for operand, value in zip(spec.explicit, values, strict=True):
        if not isinstance(value, Register):
            continue
        if value.file == "s":
            if value.index in excluded_scalars(spec, operand):
                raise OperandError(f"{spec.mnemonic}: operand '{operand.name}' cannot be {value}", form=spec.form)
        elif "a" in operand.files:
            files[operand.name] = value.file
            if "even" in spec.flags and value.index % 2:
                raise OperandError(
                    f"{spec.mnemonic}: operand '{operand.name}' wants an even register, got {value}", form=spec.form
                )
    if len(set(files.values())) > 1:
        names = " and ".join(files)
        raise OperandError(f"{spec.mnemonic}: {names} are both in VGPRs or both in AGPRs", form=spec.form)
    if "agpr_without_sc1" in spec.flags and "a" in files.values() and mods.get("sc1"):
        raise OperandError(
            f"{spec.mnemonic}: LLVM has no form with AGPRs and sc1 (it drops sc1 without a word)",
            form=spec.form,
            hint="use VGPRs",
        )

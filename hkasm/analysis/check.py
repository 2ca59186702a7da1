"""All static checks of a program in one list: waits, wait states, branches, and what the descriptor reserves for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from hkasm.analysis.finding import Finding
from hkasm.analysis.flow import Flow, flow_of, mask_of, registers_of
from hkasm.analysis.hazards import check_hazards
from hkasm.analysis.resources import check_resources
from hkasm.analysis.waits import check_waits
from hkasm.asm.descriptor import Descriptor
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.isa.constants import Const
from hkasm.isa.registers import FIRST_SPECIAL, Register

__all__ = ["check_program"]

_FILLERS: Final = frozenset({"s_nop", "s_code_end", "s_endpgm", "s_trap"})
"""What compilers and linkers put where nothing runs."""
_DWORD_BYTES: Final = 4


def check_program(program: Program, descriptor: Descriptor, level: str = "llvm") -> list[Finding]:
    """Return what is wrong with a program, in the order of its instructions.

    `level` is that of `check_hazards`. What depends on addresses, sizes and other waves is left to the emulator. With a
    jump through a register nothing is said of code that no path reaches.
    """
    flow = flow_of(program)
    instructions = program.instructions
    found = [
        *check_waits(program, flow),
        *check_hazards(program, level),
        *_branches(program, flow),
        *_unreached(program, flow),
        *_budget(program, descriptor),
        *_unset(program, flow, descriptor),
        *_memory(program, descriptor),
        *check_resources(program, flow),
    ]
    place: dict[object, int] = {}
    for index, inst in enumerate(instructions):
        place.setdefault((inst.origin, str(inst)) if inst.origin is not None else None, index)
    return sorted(found, key=lambda one: place.get((one.where, one.instruction), len(instructions)))


def _finding(rule: str, inst: Instruction, message: str, hint: str = "") -> Finding:
    return Finding(rule=rule, message=message, where=inst.origin, instruction=str(inst), hint=hint)


def _branches(program: Program, flow: Flow) -> Iterator[Finding]:
    instructions = program.instructions
    starts = [inst.offset for inst in instructions]
    for index in flow.strays:
        inst = instructions[index]
        operand = inst.operands[-1]
        distance = operand if isinstance(operand, int) else 0
        to = inst.offset + inst.size + _DWORD_BYTES * (distance - 0x10000 if distance >= 0x8000 else distance)
        at = instructions[max(bisect_right(starts, to) - 1, 0)]
        inside = at if at.offset < to < at.offset + at.size else None
        where = f"byte {to:#x}, in the middle of {inside}" if inside is not None else f"byte {to:#x}, outside the code"
        yield _finding("branch-target", inst, f"goes to {where}", "branch to a label")
    if flow.falls:
        last = instructions[-1]
        yield _finding("falls-off", last, "a path runs behind it, off the end of the code", "end it with s_endpgm")


def _unreached(program: Program, flow: Flow) -> Iterator[Finding]:
    instructions = program.instructions
    behind = -1
    for number, block in enumerate(flow.blocks):
        run = instructions[block.first : block.last]
        if number in flow.reached or all(inst.mnemonic in _FILLERS for inst in run):
            continue
        if block.first != behind:
            yield _finding("unreachable", run[0], "no path leads here")
        behind = block.last


def _budget(program: Program, descriptor: Descriptor) -> Iterator[Finding]:
    """Find the first instruction of each file that uses a register which the descriptor does not reserve."""
    vgprs = min(descriptor.accum_offset, descriptor.vgprs) if program.agprs else descriptor.vgprs
    limits = {
        "v": (vgprs, f"the descriptor reserves v0 to v{vgprs - 1}"),
        "a": (
            max(descriptor.vgprs - descriptor.accum_offset, 0),
            f"the descriptor reserves {descriptor.vgprs} unified registers, AGPRs from {descriptor.accum_offset}",
        ),
        "s": (min(descriptor.sgprs, FIRST_SPECIAL), f"the descriptor reserves {descriptor.sgprs} SGPRs"),
    }
    told: set[str] = set()
    for inst in program.instructions:
        for register in (*inst.reads(), *inst.writes()):
            if register.is_special or register.file in told:
                continue
            most, text = limits[register.file]
            if register.end > most:
                told.add(register.file)
                directive = "next_free_sgpr" if register.file == "s" else "next_free_vgpr and .amdhsa_accum_offset"
                yield _finding("register-budget", inst, f"uses {register.text}: {text}", f"raise .amdhsa_{directive}")


def _unset(program: Program, flow: Flow, descriptor: Descriptor) -> Iterator[Finding]:
    """Find SGPRs that are read and that nothing sets: no instruction of the program, and not the hardware.

    One that some path sets is left to the emulator: compilers read undefined values on purpose. A called function may
    set any.
    """
    if flow.indirect:
        return
    layout = descriptor.sgpr_layout()
    given = mask_of(Register("s", one.first, one.count) for one in layout)
    unset = ~(given | mask_of(register for inst in program.instructions for register in inst.writes()))
    for inst in program.instructions:
        for register in _scalars_read(inst):
            hit = mask_of([register]) & unset
            if hit:
                unset &= ~hit
                names = ", ".join(one.text for one in registers_of(hit))
                have = ", ".join(f"{one.name} in {Register('s', one.first, one.count).text}" for one in layout)
                yield _finding(
                    "sgpr-unset",
                    inst,
                    f"reads {names}, which nothing sets; a wave begins with {have or 'nothing'}",
                    "write it first, or ask for it in the descriptor",
                )


def _scalars_read(inst: Instruction) -> Iterator[Register]:
    """Yield the ordinary SGPRs that an instruction really reads: of a packed f32 source only the halves it selects."""
    if not (inst.mnemonic.startswith("v_pk_") and inst.mnemonic.endswith("_f32")):
        yield from (one for one in inst.reads() if one.file == "s" and not one.is_special)
        return
    sources = [value for one, value in zip(inst.spec.explicit, inst.operands, strict=True) if "r" in one.access]
    low, high = inst.mods.get("op_sel", 0), inst.mods.get("op_sel_hi", (1 << len(sources)) - 1)
    for number, value in enumerate(sources):
        if isinstance(value, Register) and value.file == "s" and not value.is_special:
            yield from (value[half] for half in {low >> number & 1, high >> number & 1})


def _memory(program: Program, descriptor: Descriptor) -> Iterator[Finding]:
    """Find constant addresses behind LDS and kernel arguments, scratch that is not reserved, and names behind LDS."""
    for region in program.lds_map:
        if region.offset + region.bytes > descriptor.lds_bytes:
            yield Finding(
                "lds-size",
                f"{program.name}: LDS region {region.name} ends at byte {region.offset + region.bytes}, the descriptor "
                f"reserves {descriptor.lds_bytes}",
                hint="raise .amdhsa_group_segment_fixed_size",
            )
    constants: dict[int, int] = {}
    pointer = next((one for one in descriptor.sgpr_layout() if one.name == "kernarg_ptr"), None)
    kernarg = Register("s", pointer.first, pointer.count) if pointer is not None else None
    own = bool(program.owners)  # the builder wrote it
    stated = own or descriptor.kernarg_bytes > 0  # in code by others 0 is a size that nobody stated
    told_scratch = False
    for inst in program.instructions:
        memory = inst.spec.memory
        if memory is not None and memory.space == "lds" and descriptor.lds_bytes:
            yield from _lds_access(inst, constants, descriptor.lds_bytes)
        elif memory is not None and memory.space == "scratch" and not told_scratch:
            if not (descriptor.scratch_bytes or descriptor.dynamic_stack):
                told_scratch = True
                yield _finding(
                    "scratch-size", inst, "uses scratch, the descriptor reserves none",
                    "raise .amdhsa_private_segment_fixed_size",
                )  # fmt: skip
        elif inst.spec.unit == "SMEM" and stated and kernarg is not None and kernarg in inst.operands:
            yield from _argument_access(inst, descriptor.kernarg_bytes, own)
        if inst.spec.control in ("branch", "cbranch", "call", "jump"):
            constants.clear()
        for register in inst.writes():
            if kernarg is not None and register.overlaps(kernarg):
                kernarg = None
            if register.file == "v":
                for number in range(register.index, register.end):
                    constants.pop(number, None)
        if inst.mnemonic == "v_mov_b32" and not inst.mods:
            dest, source = inst.operands
            value = source.value() if isinstance(source, Const) else None
            if isinstance(value, int) and isinstance(dest, Register):
                constants[dest.index] = value & 0xFFFFFFFF


def _lds_access(inst: Instruction, constants: dict[int, int], lds_bytes: int) -> Iterator[Finding]:
    """Judge an access by its offsets, and by its address where the block sets that to a constant."""
    memory = inst.spec.memory
    if memory is None or memory.op not in ("load", "store", "atomic"):
        return
    address = next((inst.operand(one.name) for one in inst.spec.explicit if one.name == "addr"), None)
    base = constants.get(address.index, 0) if isinstance(address, Register) else 0
    if memory.pair:
        element = memory.bytes // 2
        far = max(inst.mods.get("offset0", 0), inst.mods.get("offset1", 0))
        end = base + far * memory.pair * element + element
    else:
        end = base + inst.mods.get("offset", 0) + memory.bytes
    if end > lds_bytes:
        yield _finding(
            "lds-size", inst, f"reaches byte {end} of LDS, the descriptor reserves {lds_bytes}",
            "raise .amdhsa_group_segment_fixed_size",
        )  # fmt: skip


def _argument_access(inst: Instruction, kernarg_bytes: int, own: bool) -> Iterator[Finding]:
    memory, offset = inst.spec.memory, inst.mods.get("offset", 0)
    if memory is not None and offset + memory.bytes > kernarg_bytes:
        yield _finding(
            "kernarg-size", inst,
            f"reads kernel arguments up to byte {offset + memory.bytes}, the segment has {kernarg_bytes}",
            "declare it: k.arg(name, dtype)" if own else "raise .amdhsa_kernarg_size",
        )  # fmt: skip

"""Programs as LLVM's MIR, and what LLVM's own passes would put into them.

Only what the small GEMM consists of is translated. Memory operands say that a direct-to-LDS load writes LDS and that a
DS instruction reads or writes it, as clang's do, so that LLVM's waits see what may alias.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.program import Program
from hkasm.isa.constants import Const
from hkasm.isa.registers import M0, Register

LLC = "llc-22"


def _name(value: object) -> str:
    """A register or number as MIR writes it."""
    if isinstance(value, Register):
        if value == M0:
            return "$m0"
        word = {"s": "sgpr", "v": "vgpr", "a": "agpr"}[value.file]
        return "$" + "_".join(f"{word}{i}" for i in range(value.index, value.end))
    if isinstance(value, Const):
        bits = int(value.bits("u32"))
        return str(bits - (1 << 32) if bits >= 1 << 31 else bits)
    assert isinstance(value, int)
    return str(value)


def _ops(inst: Instruction) -> list[str]:
    return [_name(value) for value in inst.operands if not isinstance(value, Label) and value is not None]


def _scalar(opcode: str, flag: str = ", implicit-def $scc") -> Callable[[Instruction], str]:
    def text(inst: Instruction) -> str:
        target, *sources = _ops(inst)
        return f"{target} = {opcode} {', '.join(sources)}{flag}"

    return text


def _vector(opcode: str) -> Callable[[Instruction], str]:
    return _scalar(opcode, ", implicit $exec")


def _plain(opcode: str, tail: str = "") -> Callable[[Instruction], str]:
    return lambda inst: f"{opcode} {', '.join(_ops(inst))}{tail}".rstrip()


def _mfma(opcode: str) -> Callable[[Instruction], str]:
    return _scalar(opcode, ", 0, 0, 0, implicit $mode, implicit $exec")


def _buffer_load(inst: Instruction) -> str:
    offset = inst.mods.get("offset", 0)
    if inst.mods.get("lds"):
        return (
            f"BUFFER_LOAD_DWORDX4_LDS_OFFEN {', '.join(_ops(inst))}, {offset}, 0, 0, implicit $exec, implicit $m0 "
            ":: (load (s128), addrspace 8), (store (s128), addrspace 3)"
        )
    target, *sources = _ops(inst)
    tail = f"{offset}, 0, 0, implicit $exec :: (load (s128), addrspace 8)"
    return f"{target} = BUFFER_LOAD_DWORDX4_OFFEN {', '.join(sources)}, {tail}"


def _buffer_store(inst: Instruction) -> str:
    tail = f"{inst.mods.get('offset', 0)}, 0, 0, implicit $exec :: (store (s32), addrspace 8)"
    return f"BUFFER_STORE_DWORD_OFFEN {', '.join(_ops(inst))}, {tail}"


def _ds_read(inst: Instruction) -> str:
    target, address = _ops(inst)
    offset = inst.mods.get("offset", 0)
    return f"{target} = DS_READ_B128_gfx9 {address}, {offset}, 0, implicit $exec :: (load (s128), addrspace 3)"


def _ds_write(inst: Instruction) -> str:
    tail = f"{inst.mods.get('offset', 0)}, 0, implicit $exec :: (store (s128), addrspace 3)"
    return f"DS_WRITE_B128_gfx9 {', '.join(_ops(inst))}, {tail}"


def _load_arguments(inst: Instruction) -> str:
    return f"{_name(inst.operands[0])} = S_LOAD_DWORDX8_IMM $sgpr0_sgpr1, 0, 0 :: (load (s256), addrspace 4)"


TEXTS: dict[str, Callable[[Instruction], str]] = {
    "s_load_dwordx8": _load_arguments,
    "s_waitcnt": _plain("S_WAITCNT"),
    "s_nop": _plain("S_NOP"),
    "s_barrier": _plain("S_BARRIER"),
    "s_setprio": _plain("S_SETPRIO"),
    "s_endpgm": lambda inst: "S_ENDPGM 0",
    "s_mov_b32": _scalar("S_MOV_B32", ""),
    "s_cmp_eq_u32": _plain("S_CMP_EQ_U32", ", implicit-def $scc"),
    **{f"s_{name}": _scalar(f"S_{name.upper()}") for name in ("lshl_b32", "lshr_b32", "and_b32", "add_u32", "sub_u32")},
    "v_lshrrev_b32": _vector("V_LSHRREV_B32_e32"),
    "v_lshlrev_b32": _vector("V_LSHLREV_B32_e32"),
    "v_and_b32": _vector("V_AND_B32_e32"),
    "v_add_u32": _vector("V_ADD_U32_e32"),
    "v_mul_lo_u32": _vector("V_MUL_LO_U32_e64"),
    "v_lshl_add_u32": _vector("V_LSHL_ADD_U32_e64"),
    "v_lshl_or_b32": _vector("V_LSHL_OR_B32_e64"),
    "v_readfirstlane_b32": _vector("V_READFIRSTLANE_B32"),
    "v_accvgpr_write_b32": _vector("V_ACCVGPR_WRITE_B32_e64"),
    "v_accvgpr_read_b32": _vector("V_ACCVGPR_READ_B32_e64"),
    "v_mfma_f32_16x16x32_bf16": _mfma("V_MFMA_F32_16X16X32_BF16_e64"),
    "v_mfma_f32_16x16x16_bf16": _mfma("V_MFMA_F32_16X16X16BF16_1K_e64"),
    "buffer_load_dwordx4": _buffer_load,
    "buffer_store_dword": _buffer_store,
    "ds_read_b128": _ds_read,
    "ds_write_b128": _ds_write,
}

_BRANCHES = {"s_branch": "S_BRANCH", "s_cbranch_scc0": "S_CBRANCH_SCC0", "s_cbranch_scc1": "S_CBRANCH_SCC1"}


@dataclass(frozen=True)
class Line:
    """An instruction in MIR; `inst` is the program's."""

    text: str
    inst: Instruction


def _blocks(program: Program) -> tuple[list[list[Instruction]], dict[str, int]]:
    blocks: list[list[Instruction]] = [[]]
    labels: dict[str, int] = {}
    for item in program.body:
        if isinstance(item, Label):
            if blocks[-1]:
                blocks.append([])
            labels[item.name] = len(blocks) - 1
        else:
            blocks[-1].append(item)
            if item.mnemonic in _BRANCHES:
                blocks.append([])
    return blocks, labels


def run_pass(program: Program, name: str, without: str = "") -> list[tuple[Instruction, list[str]]]:
    """Every instruction with the lines of `S_WAITCNT` or `S_NOP` that stand before it once LLVM's pass has run.

    Those that are the program's own are among them; instructions of the mnemonic `without` are left out first.
    """
    blocks, labels = _blocks(program)
    lines: list[Line] = []
    body: list[str] = []
    for number, block in enumerate(blocks):
        kept = [inst for inst in block if inst.mnemonic != without]
        last = block[-1] if block else None
        after = []
        if last is not None and last.mnemonic in _BRANCHES:
            label = last.operands[-1]
            assert isinstance(label, Label)
            after.append(labels[label.name])
        if last is None or last.mnemonic not in ("s_branch", "s_endpgm"):
            after.append(number + 1)
        body.append(f"  bb.{number}:")
        if after:
            body.append(f"    successors: {', '.join(f'%bb.{to}' for to in dict.fromkeys(after))}")
        for inst in kept:
            if inst.mnemonic in _BRANCHES:
                flag = "" if inst.mnemonic == "s_branch" else ", implicit $scc"
                text = f"{_BRANCHES[inst.mnemonic]} %bb.{after[0]}{flag}"
            else:
                text = TEXTS[inst.mnemonic](inst)
            lines.append(Line(text, inst))
            body.append(f"    {text}")
    head = f"--- |\n  define amdgpu_kernel void @{program.name}() {{ ret void }}\n...\n---\nname: {program.name}\n"
    head += "tracksRegLiveness: false\nmachineFunctionInfo:\n  isEntryFunction: true\nbody: |\n"
    command = [LLC, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={program.arch.name}", "-mattr=-xnack", "-run-pass", name]
    run = subprocess.run(
        [*command, "-x", "mir", "-", "-o", "-"],
        input=head + "\n".join(body) + "\n...\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[:2000]
    return list(_align(lines, run.stdout))


def _align(lines: list[Line], output: str) -> Iterator[tuple[Instruction, list[str]]]:
    put = ("S_WAITCNT", "S_NOP")
    pending: list[str] = []
    code = [line.strip() for line in output.split("\nbody:", 1)[1].splitlines()[1:]]
    code = [line for line in code if line and not re.match(r"bb\.|\.\.\.|---|successors|liveins", line)]
    wanted = iter(line for line in lines if not line.text.startswith(put))
    for line in code:
        if line.startswith(put):
            pending.append(line)
            continue
        expected = next(wanted)
        opcode = re.sub(r"^.* = ", "", expected.text).split()[0]
        assert opcode in line, f"{expected.text} -> {line}"
        yield expected.inst, pending
        pending = []
    assert next(wanted, None) is None

"""Nops put in: LLVM's own for random sequences, loops and branches, the fewest possible, the cycle count."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.hazards import find_hazards, fix_hazards
from hkasm.asm.instruction import Instruction, Label, Origin
from hkasm.errors import UsageError
from hkasm.isa.arch import get_arch
from hkasm.isa.registers import Register, v
from hkasm.isa.spec import get_spec

ROOT = Path(__file__).parents[2]
ARCHS = ("gfx942", "gfx950")
GFX950 = get_arch("gfx950")


@cache
def fixture(arch: str) -> dict[str, np.ndarray]:
    with np.load(ROOT / "tests" / "data" / "hazards_llvm.npz") as archive:
        return {key.split("/")[1]: archive[key] for key in archive if key.startswith(arch)}


def decoded(arch: str, code: str) -> Instruction:
    inst = decode_instruction(arch, bytes.fromhex(code), 0, Origin("", 0, "sequence", 0))
    inst.offset = -1
    return inst


def nops_before(body: list[Instruction], fixed: list[Instruction | Label]) -> list[int]:
    """Wait states that were put in before each instruction of the body."""
    counts, pending, position = [], 0, 0
    for item in fixed:
        if item is body[position]:
            counts.append(pending)
            pending, position = 0, position + 1
        else:
            assert isinstance(item, Instruction)
            assert item.mnemonic == "s_nop"
            pending += int(item.operands[0]) + 1  # type: ignore[arg-type]
        if position == len(body):
            break
    return counts


@pytest.mark.parametrize("arch", ARCHS)
def test_sequences_get_the_nops_that_llvm_gives_them(arch: str) -> None:
    data = fixture(arch)
    wrong = []
    for sequence, states in zip(data["sequences"], data["sequence_states"], strict=True):
        body = [decoded(arch, str(data["code"][index])) for index in sequence]
        fixed = fix_hazards(body, get_arch(arch), "llvm")
        ours = nops_before(body, fixed)
        if ours != states.tolist():
            wrong.append(f"{[str(inst) for inst in body]}: LLVM {states.tolist()}, ours {ours}")
        assert not find_hazards(fixed, get_arch(arch), "llvm")
    assert len(data["sequences"]) == 800
    assert not wrong, "\n".join(wrong[:5])


@cache
def oracle() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hazard_oracle", ROOT / "tools" / "hazard_oracle.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.llvm
@pytest.mark.skipif(shutil.which("llc-22") is None, reason="no llc-22 here")
@pytest.mark.parametrize("arch", ARCHS)
def test_fresh_sequences_live(arch: str) -> None:
    """The same against the llc that is installed, on sequences that the fixture does not hold."""
    tool = oracle()
    rng = np.random.default_rng(99)
    known = [template for template in tool.templates(arch) if not template.asm.startswith("s_rfe")]
    texts, lines = [], []
    for _ in range(150):
        rendered = [known[i].render(tool._crowd(known[i], rng)) for i in rng.integers(0, len(known), 10)]
        texts.append([asm for asm, _ in rendered])
        lines.append([mir for _, mir in rendered])
    codes = iter(tool.assemble(arch, [asm for sequence in texts for asm in sequence]))
    for sequence, states in zip(texts, tool.wait_states(arch, lines), strict=True):
        body = [decoded(arch, next(codes)) for _ in sequence]
        assert nops_before(body, fix_hazards(body, get_arch(arch), "llvm")) == states, sequence


# ---- small programs --------------------------------------------------------------------------------------------


def emit(mnemonic: str, *operands: object, line: int = 1) -> Instruction:
    spec = get_spec(mnemonic, GFX950)
    return Instruction(spec, spec.encodings[0], operands, {}, Origin("kernel.py", line))  # type: ignore[arg-type]


def mfma(d: Register, a: Register = v[100:104], b: Register = v[104:108]) -> Instruction:
    return emit("v_mfma_f32_16x16x32_bf16", d, a, b, d)


def read(source: Register) -> Instruction:
    return emit("v_mov_b32", v[200], source)


def test_one_long_nop_and_its_reason() -> None:
    body = [mfma(v[0:4]), read(v[0])]
    fixed = fix_hazards(body, GFX950)
    assert [str(item) for item in fixed][1] == "s_nop 7"
    assert isinstance(fixed[1], Instruction)
    assert fixed[1].comment == "xdl-result-read"
    assert fixed[1].origin == body[1].origin


def test_more_than_one_nop_holds_is_split() -> None:
    spec = "v_mfma_f32_32x32x4_2b_f16"
    body = [emit(spec, v[0:32], v[100:102], v[102:104], v[0:32]), read(v[0])]
    fixed = fix_hazards(body, GFX950)
    assert [str(item) for item in fixed[1:3]] == ["s_nop 15", "s_nop 3"]


def test_other_work_counts_and_a_clean_program_stays() -> None:
    body = [mfma(v[0:4]), *(mfma(v[4 * i : 4 * i + 4]) for i in range(1, 9)), read(v[0])]
    assert fix_hazards(body, GFX950) == body
    body.insert(1, emit("s_nop", 3))
    del body[2:6]
    assert fix_hazards(body, GFX950) == body
    body[1] = emit("s_nop", 2)
    assert len(fix_hazards(body, GFX950)) == len(body) + 1


def test_the_worst_way_into_a_label_decides() -> None:
    """One branch multiplies, the other does not; both come to the reader."""
    join, other = Label("join"), Label("other")
    body = [
        emit("s_cbranch_scc0", other),
        mfma(v[0:4]),
        emit("s_branch", join),
        other,
        emit("s_nop", 0),
        join,
        read(v[0]),
    ]
    hazards = find_hazards(body, GFX950)
    assert [(hazard.producer, hazard.consumer, hazard.needed, hazard.found) for hazard in hazards] == [(1, 4, 8, 1)]
    fixed = fix_hazards(body, GFX950)
    assert [str(item) for item in fixed[5:]] == ["join", "s_nop 6", str(body[-1])]
    assert not find_hazards(fixed, GFX950)


def test_round_a_loop() -> None:
    """The body's first instruction reads what its last one multiplies; the nop for it is not needed twice."""
    loop = Label("loop")
    body = [loop, read(v[0]), mfma(v[4:8]), mfma(v[0:4]), emit("s_cbranch_scc1", loop), emit("s_endpgm", 0)]
    hazards = find_hazards(body, GFX950)
    assert [(hazard.producer, hazard.consumer, hazard.found) for hazard in hazards] == [(2, 0, 1)]
    fixed = fix_hazards(body, GFX950)
    assert [str(item) for item in fixed][:2] == ["loop", "s_nop 6"]
    assert not find_hazards(fixed, GFX950)


def test_nops_inside_a_loop_count_for_its_next_turn() -> None:
    loop = Label("loop")
    body = [loop, read(v[0]), mfma(v[0:4]), read(v[1]), emit("s_cbranch_scc1", loop), emit("s_endpgm", 0)]
    fixed = fix_hazards(body, GFX950)
    assert [str(item) for item in fixed].count("s_nop 7") == 1
    assert len(fixed) == len(body) + 1


def test_cycles_level_counts_a_busy_matrix_pipe() -> None:
    """Three more matrix instructions of 4 passes keep the issue for 12 slots: by cycles enough, by states not."""
    body = [mfma(v[0:4]), mfma(v[4:8]), mfma(v[8:12]), mfma(v[12:16]), read(v[0])]
    assert [hazard.found for hazard in find_hazards(body, GFX950, "llvm")] == [3]
    assert find_hazards(body, GFX950, "cycles") == []
    short = [mfma(v[0:4]), mfma(v[4:8]), read(v[3])]
    assert [hazard.found for hazard in find_hazards(short, GFX950, "cycles")] == [5]


def lacking(*body: Instruction, level: str = "cycles") -> list[tuple[int, int, int]]:
    """Place, needed and found of every hazard."""
    return [(hazard.consumer, hazard.needed, hazard.found) for hazard in find_hazards(body, GFX950, level)]


def test_by_cycles_the_registers_of_a_result_appear_one_after_the_other() -> None:
    """As AMD's attention kernels read them: four registers in four passes of gfx950, at 5, 6, 7 and 8 slots."""
    reads = [read(v[number]) for number in range(4)]
    assert lacking(mfma(v[0:4]), emit("s_nop", 4), *reads) == []
    assert lacking(mfma(v[0:4]), emit("s_nop", 3), *reads) == [(2, 5, 4), (3, 6, 5), (4, 7, 6), (5, 8, 7)]
    assert lacking(mfma(v[0:4]), emit("s_nop", 4), *reads, level="llvm") == [(2, 8, 5), (3, 8, 6), (4, 8, 7)]
    # 16 registers in 8 passes: two a pass.
    wide = emit("v_mfma_f32_32x32x16_bf16", v[0:16], v[100:104], v[104:108], v[0:16])
    pairs = [emit("v_pk_add_u16", v[120], v[number], v[number + 1]) for number in range(0, 16, 2)]
    assert lacking(wide, emit("s_nop", 4), *pairs) == []
    assert len(lacking(wide, emit("s_nop", 3), *pairs)) == 8


def test_by_cycles_a_register_is_overwritten_as_early_as_it_is_read() -> None:
    """v_cndmask of a causal mask reads and writes it."""
    masked = [emit("v_mul_f32", v[number], v[50], v[number]) for number in range(4)]
    assert lacking(mfma(v[0:4]), emit("s_nop", 4), *masked) == []
    assert len(lacking(mfma(v[0:4]), emit("s_nop", 3), *masked)) == 4


def test_by_cycles_memory_waits_for_the_whole_result() -> None:
    store = emit("ds_write_b32", v[50], v[0])
    assert lacking(mfma(v[0:4]), emit("s_nop", 6), store) == [(2, 8, 7)]
    assert lacking(mfma(v[0:4]), emit("s_nop", 7), store) == []


def test_by_cycles_a_valu_instruction_right_behind_a_product_waits_a_slot() -> None:
    assert lacking(mfma(v[0:4]), read(v[50]), emit("s_nop", 2), read(v[0])) == []
    assert lacking(mfma(v[0:4]), emit("s_nop", 0), emit("s_nop", 2), read(v[0])) == [(3, 5, 4)]


@pytest.mark.parametrize("op", ["v_pk_fma_f32", "v_pk_mul_f32", "v_pk_add_f32"])
def test_by_cycles_packed_floats_wait_for_the_end_of_a_product(op: str) -> None:
    """As AITER's fp8gemm_blockscale has it: its third and fourth packed instructions read the result."""

    def packed(d: int, a: int) -> Instruction:
        last = (v[d : d + 2],) if op == "v_pk_fma_f32" else ()
        return emit(op, v[d : d + 2], v[60:62], v[a : a + 2], *last)

    others = [packed(20, 30), packed(22, 32)]
    body = [mfma(v[0:4]), *others, packed(24, 0), packed(26, 2)]
    assert lacking(*body) == []
    assert len(lacking(*body, level="llvm")) == 2
    assert lacking(mfma(v[0:4]), read(v[30]), read(v[32]), read(v[1])) == [(3, 6, 3)]


def test_by_cycles_a_barrier_takes_its_time() -> None:
    """AITER's MLA decode reads the result of the product before a barrier behind it."""
    assert lacking(mfma(v[0:4]), emit("s_barrier"), read(v[3])) == []
    assert lacking(mfma(v[0:4]), emit("s_nop", 0), read(v[3])) == [(2, 8, 1)]


def test_by_cycles_a_lane_swap_takes_its_time() -> None:
    swaps = [emit("v_permlane32_swap_b32", v[0], v[1]), emit("v_permlane16_swap_b32", v[1], v[2])]
    assert lacking(*swaps) == []
    assert lacking(*swaps, level="llvm") == [(1, 2, 0)]
    assert lacking(emit("v_mov_b32", v[0], v[9]), swaps[0]) == [(1, 2, 0)]


def test_by_cycles_conversions_to_8_bits_take_their_time() -> None:
    """AITER's attention on fp8 has the product right behind the conversion, its MLA a swap one wait state behind."""
    narrow = emit("v_cvt_pk_fp8_f32", v[100], v[8], v[9])
    assert lacking(narrow, mfma(v[0:4])) == []
    assert lacking(narrow, emit("s_nop", 0), emit("v_permlane16_swap_b32", v[100], v[101])) == []
    assert lacking(narrow, mfma(v[0:4]), level="llvm") == [(1, 2, 0)]
    assert lacking(emit("v_mov_b32", v[100], v[8]), mfma(v[0:4])) == [(1, 2, 0)]


def test_by_cycles_a_move_of_64_bits_takes_two_slots() -> None:
    """AITER's attention clears accumulators with it, one wait state in front of the product."""
    cleared = emit("v_mov_b64", v[2:4], 0)
    assert lacking(cleared, emit("s_nop", 0), mfma(v[0:4])) == []
    assert lacking(cleared, mfma(v[0:4])) == [(1, 2, 1)]


def test_by_cycles_scalar_code_may_set_exec_back() -> None:
    """As Tensile divides: three instructions between v_cmpx and v_readfirstlane, the last of them sets EXEC."""
    compare = emit("v_cmpx_eq_u32", Register("s", 126, 2), v[7], v[8])
    others = [read(v[60]), read(v[61])]
    lane = emit("v_readfirstlane_b32", Register("s", 3), v[50])
    restored = emit("s_mov_b64", Register("s", 126, 2), -1)
    assert lacking(compare, *others, restored, lane) == []
    assert lacking(compare, *others, emit("s_nop", 0), lane) == [(4, 4, 3)]
    assert lacking(compare, *others, restored, lane, level="llvm") == [(4, 4, 3)]


def test_cycles_level_leaves_out_what_shipped_kernels_live_without() -> None:
    body = [emit("v_readfirstlane_b32", Register("s", 4), v[0]), emit("v_mov_b32", v[1], Register("s", 4))]
    assert len(find_hazards(body, GFX950, "llvm")) == 1
    assert find_hazards(body, GFX950, "cycles") == []


def test_unknown_level() -> None:
    with pytest.raises(UsageError, match="did you mean 'llvm'"):
        find_hazards([], GFX950, "llvmm")

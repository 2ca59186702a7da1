"""Count attention's hot loop beside Triton's flash attention of the same block: instructions a wave issues for 64 keys.

    python bench/attention_counts.py [HSACO ...]

Compares hkasm's kernels of head sizes 64 and 128 (bf16, no mask) with the code objects given, or with the fixtures
under tests/data/triton. A loop is walked once: branches forward inside it, over code for rare blocks (masks, the
rescale), are taken, exits are not. Loops of several blocks, and other tiles, are brought to the matrix work of one
wave's 32 queries and 64 keys.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from hkasm.analysis.flow import flow_of
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.program import Program
from hkasm.inspect.load import program_of
from hkasm.inspect.statistics import class_of, hot_loop, statistics
from hkasm.kernels import get_kernel

FIXTURES = Path(__file__).resolve().parent.parent / "tests" / "data" / "triton"
ROWS = (
    "MFMA", "matrix cycles", "VALU", "v_exp_f32", "LDS read", "LDS write", "global load", "direct to LDS", "SALU",
    "M0 write", "wait", "barrier", "branch", "nop", "accvgpr copy", "issued", "MFMA share", "matrix share",
)  # fmt: skip


MATRIX_CYCLES = 32
"""Cycles of one 32x32x16 (gfx950) or 32x32x8 (gfx942) product: the matrix share counts work in these."""


def walk(program: Program) -> list[int]:
    """Return the instructions of one turn of the hot loop, by index."""
    span = hot_loop(program)
    if span is None:
        raise SystemExit(f"{program.name}: no loop")
    targets, place, found = flow_of(program).targets, span[0], []
    while place < span[1]:
        found.append(place)
        target = targets.get(place, -1)
        inside = place < target < span[1]
        place = target if inside else place + 1
    return found


def counts(program: Program, cycles_a_block: int) -> dict[str, float]:
    """Return what a wave issues for a block with so many matrix cycles."""
    instructions = [program.instructions[index] for index in walk(program)]
    found: Counter[str] = Counter(map(class_of, instructions))
    whole = statistics(instructions, program.arch)
    found["v_exp_f32"] = whole.mnemonics.get("v_exp_f32", 0)
    found["matrix cycles"], found["issued"] = whole.matrix_cycles, whole.instructions
    blocks = whole.matrix_cycles / cycles_a_block
    row = {name: found[name] / blocks for name in ROWS}
    return row | {
        "MFMA share": found["MFMA"] / whole.instructions,
        "matrix share": whole.matrix_cycles / MATRIX_CYCLES / whole.instructions,
    }


def own(arch: str, d: int) -> Program:
    """Return hkasm's program, laid out."""
    program = get_kernel("attention").build(arch, d=d)
    program.layout()
    return program


def main() -> None:
    """Print one table for each code object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hsaco", nargs="*", type=Path, help="flash attention compiled by others")
    words = parser.parse_args()
    for path in words.hsaco or sorted(FIXTURES.glob("attention_*.hsaco")):
        other = program_of(CodeObject.from_bytes(path.read_bytes()).kernels["attention"])
        arch, d = other.arch.name, 128 if "d128" in path.name else 64
        program = own(arch, d)
        # 2 x 32 queries x 64 keys x d multiply-adds at 1024 (gfx950) or 512 (gfx942) a cycle and SIMD
        cycles = 2 * 32 * 64 * d // (512 if arch == "gfx950" else 256)
        sides = [counts(program, cycles), counts(other, cycles)]
        print(f"{arch}, head size {d}: hkasm | {path.stem}")
        for name in ROWS:
            digits = 3 if name.endswith("share") else 1
            print(f"  {name:15s}" + " |".join(f"{side[name]:9.{digits}f}" for side in sides))


if __name__ == "__main__":
    main()

"""Count the instructions of the GEMMs' hot loops, beside Triton's of the same tile and beside published counts.

    python bench/gemm_counts.py [--no-triton]

Triton (no GPU, no torch) is taken from the same environment; without it its column is empty. One row a kernel: the hot
loop is the loop with the most matrix instructions. Columns: all instructions, matrix instructions, their ratio; then
what stands beside the matrix instructions for every 16 cycles that the matrix unit is busy (passes times 4), the fair
measure between shapes; vector ALU, accvgpr copies, waits, barriers, bytes of code. Published: facts that others
measured by disassembly, see PUBLISHED.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hkasm.analysis.flow import flow_of
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.inspect.load import program_of
from hkasm.kernels import get_kernel

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Row:
    """A kernel of the family, its limit, and Triton's counterpart (element type, K of the tile, warps)."""

    name: str
    arch: str
    values: dict[str, str]
    limit: float
    triton: tuple[str, int, int] | None
    published: str = ""


PUBLISHED = {
    "bf16-4": "AITER 1.71, with preshuffled B 1.59; Mojo 2.00",
    "bf16-8": "TLX 2.16; Mojo 2.24",
    "fp8-8": "Mojo 3.39",
    "mxfp4-4": "AITER 1.79; FlyDSL 1.66",
}
"""Instructions a matrix instruction, 256x256 tiles on gfx950, by disassembly of what these projects ship."""


def _row(
    dtype: str, schedule: str, limit: float, triton: tuple[str, int, int] | None, arch: str = "gfx950", note: str = ""
) -> Row:
    values = {"dtype": dtype, "schedule": schedule, "tile": "256x256"}
    return Row(f"{dtype} {schedule}", arch, values, limit, triton, PUBLISHED.get(note, ""))


ROWS = (
    _row("bf16", "interleave", 1.60, ("bfloat16", 64, 4), note="bf16-4"),
    _row("bf16", "interleave-lean", 1.60, ("bfloat16", 64, 4), note="bf16-4"),
    _row("bf16", "pingpong", 2.05, ("bfloat16", 64, 8), note="bf16-8"),
    _row("f16", "interleave", 1.60, ("float16", 64, 4)),
    _row("fp8", "interleave", 2.0, ("float8_e4m3fn", 128, 4)),
    _row("fp8", "pingpong", 3.0, ("float8_e4m3fn", 128, 8), note="fp8-8"),
    _row("i8", "interleave", 1.60, ("int8", 128, 4)),
    _row("mxfp8", "interleave", 2.3, ("e4m3", 128, 4)),
    _row("mxfp6", "interleave", 2.3, None),
    _row("mxbf6", "interleave", 2.3, None),
    _row("mxfp8", "pingpong", 3.3, ("e4m3", 128, 8)),
    _row("mxfp6", "pingpong", 3.6, None),
    _row("mxfp4", "interleave", 1.62, ("e2m1", 256, 4), note="mxfp4-4"),
    _row("mxfp4", "pingpong", 2.3, ("e2m1", 256, 8)),
    _row("bf16", "pingpong", 1.60, ("bfloat16", 64, 8), arch="gfx942"),
    _row("bf16", "interleave", 1.60, ("bfloat16", 64, 4), arch="gfx942"),
)


@dataclass(frozen=True)
class Counts:
    """What a loop consists of."""

    total: int
    products: int
    cycles: int
    vector: int
    copies: int
    waits: int
    barriers: int
    code_bytes: int
    scratch: int

    @property
    def ratio(self) -> float:
        return self.total / self.products

    @property
    def beside(self) -> float:
        """Instructions other than matrix instructions for every 16 cycles of the matrix unit."""
        return (self.total - self.products) * 16 / self.cycles

    def __str__(self) -> str:
        counts = f"{self.total:5d} {self.products:5d} {self.ratio:6.3f} {self.beside:6.3f} {self.vector:5d}"
        return f"{counts} {self.copies:4d} {self.waits:4d} {self.barriers:4d} {self.scratch:4d} {self.code_bytes:6d}"


HEADER = "instr  mfma  ratio  per16  valu copy wait barr scra  bytes"


def count(loop: Iterable[Instruction], arch: str) -> Counts:
    """Count a loop's instructions."""
    loop = list(loop)
    names = Counter(inst.mnemonic for inst in loop)
    products = [inst for inst in loop if inst.spec.mfma is not None]
    cycles = sum(
        4 * inst.spec.mfma.passes_of(arch, inst.mods.get("cbsz", 0), inst.mods.get("blgp", 0))
        for inst in products
        if inst.spec.mfma is not None
    )
    copies = sum(number for name, number in names.items() if name.startswith("v_accvgpr"))
    return Counts(
        len(loop),
        len(products),
        cycles,
        sum(inst.spec.unit in ("VALU", "TRANS") for inst in loop),
        copies,
        names["s_waitcnt"],
        names["s_barrier"],
        sum(inst.size for inst in loop),
        sum(name.startswith("scratch_") for name in (inst.mnemonic for inst in loop)),
    )


def hottest(program: Program) -> list[Instruction]:
    """Return the innermost loop with the most matrix instructions."""
    loops = [program.instructions[first:last] for first, last in flow_of(program).loops]
    return max(loops, key=lambda loop: sum(inst.spec.mfma is not None for inst in loop), default=[])


def of_hkasm(row: Row) -> Counts:
    """Return the counts of the pipeline for aligned rows."""
    program = get_kernel("gemm").build(row.arch, **row.values)
    program.layout()
    mark = next(mark for mark in program.marks if (mark.kind, mark.name) == ("loop", "wide"))
    return count(program.instructions[mark.first : mark.last], row.arch)


def of_triton(row: Row) -> Counts | str:
    """Return the counts of Triton's kernel of the same tile, or why there are none."""
    assert row.triton is not None
    sys.path.insert(0, str(ROOT / "tools"))
    from triton_cases import _gemm, _scaled
    from triton_oracles import compile_case, load_kernels

    dtype, depth, warps = row.triton
    tile = (256, 256, depth)
    if dtype in ("e4m3", "e2m1"):
        case = _scaled(row.arch, dtype, dtype, tile, warps)
    else:
        out = {"int8": "int32", "float8_e4m3fn": "float32"}.get(dtype, dtype)
        case = _gemm(row.arch, dtype, True, tile, warps, (256, 256, 4 * depth), out=out, even=True)
    try:
        code = bytes(compile_case(load_kernels(ROOT), case).asm["hsaco"])
    except Exception as error:
        return f"does not compile: {type(error).__name__}"
    (image,) = CodeObject.from_bytes(code).kernels.values()
    loop = hottest(program_of(image))
    return count(loop, row.arch) if loop else "no loop in it"


def main() -> int:
    """Print the table; exit 1 if a loop is over its limit, has vector ALU, copies or scratch in it, or over 32 KiB."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-triton", action="store_true", help="hkasm's kernels only")
    words = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
        print(f"{'':26s}{HEADER}")
        for row in ROWS:
            counts = of_hkasm(row)
            fits = counts.ratio <= row.limit and counts.code_bytes <= 32 * 1024
            clean = not (counts.vector or counts.copies or counts.scratch)
            bad += not (fits and clean)
            verdict = f"limit {row.limit}" if fits and clean else f"OVER {row.limit}"
            print(f"{row.arch[3:]} {row.name:22s}{counts}  {verdict}", flush=True)
            if row.published:
                print(f"{'':26s}{row.published}")
            if row.triton is not None and not words.no_triton:
                try:
                    print(f"{'':4s}{'triton w' + str(row.triton[2]):22s}{of_triton(row)}", flush=True)
                except ModuleNotFoundError as error:
                    print(f"{'':4s}triton: {error}")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())

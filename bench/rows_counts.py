"""Count what kernels on rows move for aligned shapes, beside the least, and what a compute unit has in flight.

    python bench/rows_counts.py [--kernel quantise]

Bytes and 64-byte segments are the emulator's; bytes in flight are the loads (of all lanes) that a wave issues before
its first wait for memory, times the waves that fit on a compute unit. Exit code 1 where a row misses a goal: the least
bytes, at most 1.02 of the least segments loaded, at least 16 KiB in flight. Rope has as many tokens as give the chip
enough waves: with fewer, several waves share the heads of a token, and each reads its row of the tables, which the
least counts once.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.rows_runs import ARCHS, KERNELS, Values, run

from hkasm.asm.program import Program
from hkasm.emulator.checks.stores import SEGMENT
from hkasm.inspect.resources import resources_of
from hkasm.isa.counters import unpack_waitcnt
from hkasm.kernels import get_kernel
from hkasm.kernels.rows.quantise import BLOCK, SMALL
from hkasm.kernels.rows.rope import WAVES

ROWS, LENGTH = 64, 4096
DTYPES = ("f32", "bf16")
LINES, KIB = 1.02, 16


def variants(name: str, arch: str) -> list[Values]:
    """Return the configurations of a kernel that move different bytes."""
    if name == "rope":
        return [
            {"pairs": pairs, "rows": batch * WAVES, "batch": batch}
            for pairs, batch in (("half", 1), ("interleaved", 2))
        ]
    if name != "quantise":
        return [{}]
    small: list[Values] = [{"per": "block", "out": out} for out in ("fp8", *SMALL)]
    return [{"per": "row"}, {"per": "tensor"}, *(small if arch == "gfx950" else [])]


def in_flight(program: Program) -> float:
    """Return the KiB that the waves of a compute unit load before they wait: on the way that branches are not taken."""
    flying = 0
    for inst in program.instructions:
        memory = inst.spec.memory
        if memory is not None and memory.space == "buffer" and memory.op == "load":
            flying += memory.bytes * 64
        elif inst.mnemonic == "s_waitcnt" and flying:
            assert isinstance(inst.operands[0], int)
            if unpack_waitcnt(inst.operands[0]).vmcnt < program.arch.vmcnt_max:
                break
    return flying * resources_of(program).waves_per_simd * program.arch.simds_per_cu / 1024


def measure(name: str, arch: str, values: Values) -> bool:
    """Print one row; tells whether it reaches the goals."""
    report, comparisons, _ = run(name, arch, values)
    kernel, problem = get_kernel(name), get_kernel(name).problem_on(arch, values)
    read, written = problem.least_bytes
    if values.get("per") == "row":
        written += 4 * ROWS
    elif values.get("per") == "block":
        written += ROWS * LENGTH // BLOCK
    counts = report.counters
    loads, stores = counts["load_bytes"] / read, counts["store_bytes"] / written
    segments = counts["load_segments"] * SEGMENT / read
    flying = in_flight(kernel.build(arch, **values))
    least = loads == stores == 1 and segments <= LINES
    reached = all(one.passed for one in comparisons) and least and flying >= KIB
    title = " ".join(str(value) for key, value in values.items() if key not in ("n", "rows"))
    print(
        f"{name:10} {arch} {title:18} {loads:6.3f} {stores:7.3f} {segments:9.3f} {flying:10.0f}"
        + ("" if reached else "  missed"),
        flush=True,
    )
    return reached


def main() -> int:
    """Print all rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", choices=KERNELS, help="this one alone")
    words = parser.parse_args()
    print(
        f"{ROWS} rows of {LENGTH} (rope: {WAVES} tokens in 1 sequence or 2); bytes and segments over the least\n"
        f"{'kernel':38} loads  stores  segments  KiB flying"
    )
    reached = [
        measure(name, arch, {"n": LENGTH, "rows": ROWS, "dtype": dtype, **more})
        for name in ([words.kernel] if words.kernel else KERNELS)
        for arch in ARCHS
        for dtype in DTYPES
        for more in variants(name, arch)
    ]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    raise SystemExit(main())

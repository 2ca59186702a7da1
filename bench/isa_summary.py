"""Say in one page how hkasm's instruction set stands beside LLVM 22's.

    python bench/isa_summary.py                    # coverage, forms, LLVM's test lines; about four minutes
    python bench/isa_summary.py --fuzz 1000000     # and that many words for the decoder, on each arch
    python bench/isa_summary.py --quick            # a sample of the forms

Coverage: the mnemonics that LLVM's own tables have for an arch, and which of them no declaration covers. Forms: every
declared machine form at the edges of its operands and modifiers (`bench/isa_conformance.py`). Lines: what LLVM's
assembler tests hold (`tools/llvm_mc_lines.py`). Exit code 1 when anything differs that has no named reason.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "bench")]

import decode_fuzz  # noqa: E402
from support.conformance import KINDS, check  # noqa: E402
from support.isa_candidates import candidates, forms, strangers  # noqa: E402
from support.mc_lines import answer, read_rows, refused_on_purpose  # noqa: E402
from support.opcode_operands import differences  # noqa: E402

from hkasm.isa import VARIANTS  # noqa: E402
from hkasm.isa.arch import ARCHES  # noqa: E402

DATA = ROOT / "tests" / "data" / "llvm"
LEFT_OUT: dict[str, str] = {}
"""Mnemonics of LLVM's that are not declared, each with the reason; ten at most."""
QUICK_FORMS = 150


def stored(name: str, part: str = "data") -> Any:
    return json.loads(gzip.decompress((DATA / name).read_bytes()))[part]


def coverage(arch: str) -> int:
    """Print which of LLVM's mnemonics are declared; return how many are missing without a reason."""
    rows = stored(f"{arch}_opcodes.json.gz")
    names = {re.sub(r"_(e32|e64|dpp|sdwa)$", "", row["text"].split()[0]) for row in rows}
    missing = sorted(name for name in names if not any(arch in spec.archs for spec in VARIANTS.get(name, ())))
    unnamed = [name for name in missing if name not in LEFT_OUT]
    share = 100 * (len(names) - len(missing)) / len(names)
    left_out = [f"{name} ({LEFT_OUT.get(name, 'no reason')})" for name in missing]
    declared = len(names) - len(missing)
    print(f"  coverage: {declared} of {len(names)} mnemonics ({share:.1f} %), {len(rows)} LLVM opcodes")
    print(f"    left out: {', '.join(left_out) or 'none'}")
    compared, wrong = differences(rows, stored(f"{arch}_opcodes.json.gz", "classes"), arch)
    print(f"  operands: {compared} register classes of LLVM's compared with the declarations, {len(wrong)} differ")
    return len(unnamed) + len(wrong)


def conformance(arch: str, quick: bool) -> int:
    """Print how the forms agree; return how many samples do not."""
    chosen = Random(1).sample(forms(arch), QUICK_FORMS) if quick else forms(arch)
    report = check([*(c for form in chosen for c in candidates(form)), *strangers(arch)], arch)
    agreeing, refused = sum(report.accepted.values()), sum(report.refused.values())
    print(f"  forms: {len(report.forms)} of {len(forms(arch))} checked by {agreeing} samples: built, printed, read,")
    print(f"    encoded, decoded as llvm-mc and llvm-objdump do; {refused} wrong or impossible ones refused by both")
    print("    " + ", ".join(f"{name} {count}" for name, count in report.accepted.most_common()))
    reasons = {kind.name: kind.reason for kind in KINDS}
    for name, count in report.kinds.most_common():
        print(f"    {count:5} {name}: {reasons[name]}")
    for what, lines in report.failures.items():
        print(f"    {len(lines):5} FAILED: {what}: {lines[0]}")
    return sum(len(lines) for lines in report.failures.values())


def own_lines(arch: str) -> int:
    """Print how LLVM's own test lines fare; return how many differ."""
    same, refused, different = 0, 0, []
    on_purpose: Counter[str] = Counter()
    for name, line, answers in read_rows():
        found, _ = answer(line, arch)
        reason = refused_on_purpose(line)
        if reason and found is None:
            on_purpose[reason] += 1
        elif found != answers[arch]:
            different.append(f"{name}: {line}")
        elif found is None:
            refused += 1
        else:
            same += 1
    print(
        f"  LLVM's test lines: {same} give the same bytes, {refused} are refused by both, "
        f"{sum(on_purpose.values())} by hkasm alone, {len(different)} differ"
    )
    for reason, count in on_purpose.most_common():
        print(f"    {count:5} refused: {reason}")
    for line in different[:10]:
        print(f"    {line}")
    return len(different)


def fuzz(arch: str, count: int) -> int:
    """Print how the decoder fares on random and structured words; return the unexplained differences."""
    outcome = decode_fuzz.compare(arch, count, seed=1)
    print(
        f"  decoder: {outcome.words} words, {outcome.instructions} instructions by LLVM, "
        f"{len(outcome.kinds)} kinds of difference ({sum(outcome.kinds.values())} words), "
        f"{len(outcome.unknown)} unexplained"
    )
    return len(outcome.unknown)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_FORMS} forms of each arch instead of all")
    parser.add_argument("--fuzz", type=int, default=0, metavar="WORDS", help="words for the decoder on each arch")
    options = parser.parse_args()
    wrong = 0
    for arch in ARCHES:
        start = time.perf_counter()
        print(f"{arch}:")
        wrong += coverage(arch) + conformance(arch, options.quick) + own_lines(arch)
        if options.fuzz:
            wrong += fuzz(arch, options.fuzz)
        print(f"  {time.perf_counter() - start:.0f} s")
    print("everything agrees or has its reason" if not wrong else f"{wrong} differences without a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

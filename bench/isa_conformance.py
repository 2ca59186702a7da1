"""Take every form of every instruction to the edges of its operands and modifiers, in hkasm and in LLVM 22.

    python bench/isa_conformance.py
    python bench/isa_conformance.py --arch gfx950 --json

What is legal must be built, printed, assembled by llvm-mc to the encoder's bytes, decoded to llvm-objdump's text and to
the numbers that were given; what is wrong (width, file, alignment, range, literals, constant bus, arch) must be refused
with a message that names the instruction. Where LLVM takes what hkasm refuses the kind is listed with its reason;
anything else is a failure (exit code 1).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.conformance import KINDS, Report, check  # noqa: E402
from support.isa_candidates import candidates, forms, strangers  # noqa: E402

from hkasm.isa.arch import ARCHES  # noqa: E402


def run(arch: str) -> Report:
    """Check every candidate of an arch."""
    every = [candidate for form in forms(arch) for candidate in candidates(form)]
    return check([*every, *strangers(arch)], arch)


def summary(report: Report) -> dict[str, object]:
    """What the summary of the whole ISA takes from a run."""
    return {
        "arch": report.arch,
        "forms": len(report.forms),
        "declared_forms": len(forms(report.arch)),
        "agreeing": sum(report.accepted.values()),
        "by_format": dict(report.accepted.most_common()),
        "refused": dict(report.refused.most_common()),
        "kinds": dict(report.kinds.most_common()),
        "failures": {what: len(lines) for what, lines in report.failures.items()},
    }


def print_report(report: Report, seconds: float, show: int) -> None:
    agreeing, refused = sum(report.accepted.values()), sum(report.refused.values())
    print(
        f"{report.arch}: {agreeing} samples of {len(report.forms)} of {len(forms(report.arch))} forms agree with LLVM, "
        f"{refused} refused by both, {seconds:.0f} s"
    )
    for title, counts in (("agreeing", report.accepted), ("refused", report.refused)):
        print(f"  {title}: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    reasons = {kind.name: kind.reason for kind in KINDS}
    for name, count in report.kinds.most_common():
        print(f"  {count:6} {name}: {reasons[name]}")
        print(f"         {report.examples[name]}")
    print("  fields that LLVM cuts and hkasm checks:")
    for name, line in report.cut.items():
        print(f"         {name}: {line}")
    for what, lines in report.failures.items():
        print(f"  {len(lines):6} FAILED: {what}")
        for line in lines[:show]:
            print(f"         {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arch", choices=tuple(ARCHES), action="append", help="one arch; both when left out")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument("--show", type=int, default=20, help="failures of each sort to print")
    options = parser.parse_args()
    reports = []
    for arch in options.arch or ARCHES:
        start = time.perf_counter()
        reports.append(run(arch))
        if not options.json:
            print_report(reports[-1], time.perf_counter() - start, options.show)
    if options.json:
        print(json.dumps([summary(report) for report in reports], indent=1))
    return 1 if any(report.failures for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())

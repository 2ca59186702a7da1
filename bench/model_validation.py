"""The cycle model against published loop efficiencies: predicted, measured, error; fitted rows are marked.

Behind the rows stands each number that was fitted, to what, what it is scored on, and each that was assumed.

    python bench/model_validation.py [--json] [--spans]

Exits with 1 if the mean absolute error of the rows that nothing was fitted to exceeds 5 points, or if two rows of a
table that differ by more than 3 points as measured come out in the other order. `--spans` plays all rows again with
each constant at the least and the most that its source allows.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.model_loops import word
from support.model_rows import NOT_REBUILT, OUTSIDE, ROW_FITS, ROWS, Row

from hkasm.model.constants import TIMINGS, constants_of
from hkasm.model.fits import ASSUMED, FITS
from hkasm.model.latencies import load_latencies

BAR, CLOSE = 5.0, 3.0


def main() -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description="cycle model against published loops")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--spans", action="store_true")
    options = parser.parse_args()
    as_json = options.json
    found = [(row, row.play()) for row in (*ROWS, *OUTSIDE)]
    rows = [
        {
            "table": row.table, "loop": row.name, "measured": row.measured,
            "predicted": round(100 * cycles.loop_efficiency, 1),
            "range": [round(100 * one, 1) for one in cycles.loop_efficiency_range],
            "period_clk": round(cycles.period), "fitted": row.fitted, "counted": row in ROWS,
        }
        for row, cycles in found
    ]  # fmt: skip
    errors = {kind: [abs(r["predicted"] - r["measured"]) for r in rows if r["counted"] and r["fitted"] is fitted]
              for kind, fitted in (("scored", False), ("fitted", True))}  # fmt: skip
    wrong = wrong_order([(row, 100 * cycles.loop_efficiency) for row, cycles in found])
    summary = {kind: round(fmean(values), 2) for kind, values in errors.items()}
    if as_json:
        fits, assumed = [asdict(fit) for fit in (*FITS, *ROW_FITS)], [asdict(choice) for choice in ASSUMED]
        found_all = {
            "rows": rows,
            "mean_absolute_error": summary,
            "wrong_order": wrong,
            "fits": fits,
            "assumed": assumed,
        }
        print(json.dumps(found_all, indent=1))
    else:
        for r in rows:
            mark = "fitted" if r["fitted"] else "scored" if r["counted"] else "order only"
            print(f"{r['table']}  {r['loop']:34} {r['measured']:6.1f} {r['predicted']:6.1f} "
                  f"{r['predicted'] - r['measured']:+6.1f}  {mark}")  # fmt: skip
        print(f"mean absolute error: {summary['scored']} points of {len(errors['scored'])} scored rows, "
              f"{summary['fitted']} of {len(errors['fitted'])} fitted ones")  # fmt: skip
        print("pairs in the wrong order: " + (", ".join(wrong) or "none"))
        print_fits()
        for table, why in NOT_REBUILT.items():
            print(f"{table} not rebuilt: {why}")
    if options.spans:
        print_spans()
    return 1 if summary["scored"] > BAR or wrong else 0


def print_fits() -> None:
    """Print what each fitted number was fitted to and scored on, and what was assumed."""
    for fit in (*FITS, *ROW_FITS):
        print(f"fitted: {fit.name} = {fit.value}, to {'; '.join(fit.fitted_to)}; scored on {fit.scored_on}")
    for choice in ASSUMED:
        print(f"assumed: {choice.name} = {choice.value}: {choice.why}")


def print_spans() -> None:
    """Print the mean error of the scored rows with each constant at both ends of its span."""
    for arch in TIMINGS:
        table = TIMINGS[arch]
        for name, constant in constants_of(arch).items():
            if constant.span is None:
                continue
            errors = []
            for value in constant.span:
                TIMINGS[arch] = replace(table, **{name: replace(constant, value=value)})
                word.cache_clear()
                load_latencies.cache_clear()
                found = [abs(100 * row.play().loop_efficiency - row.measured) for row in ROWS if not row.fitted]
                errors.append(fmean(found))
            TIMINGS[arch] = table
            least, most = constant.span
            print(f"{arch} {name} {constant.value:g}: at {least:g} {errors[0]:.2f}, at {most:g} {errors[1]:.2f} points")


def wrong_order(found: list[tuple[Row, float]]) -> list[str]:
    """Return pairs of rows of one table whose predicted order is not the measured one."""
    return [
        f"{one.label} / {other.name}"
        for (one, a), (other, b) in combinations(found, 2)
        if one.table == other.table and abs(one.measured - other.measured) > CLOSE
        and (a - b) * (one.measured - other.measured) <= 0
    ]  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())

"""Collect rows of `hkasm bench --json` into best_known.json: the best time a kernel, chip and problem was seen at.

    hkasm bench gemm --device hip:0 -p m=8192 -p n=8192 -p k=8192 --json | python bench/best_known.py
    python bench/best_known.py rows/*.json
    python bench/best_known.py --show

A row of a wrong answer, of no GPU or without a time is refused. The file beside this script is replaced in one step;
a row stays until a faster one for the same kernel, arch, chip, problem, configuration and caches comes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

STORE = Path(__file__).with_name("best_known.json")
KEY = ("kernel", "arch", "chip", "problem", "config", "cold")

Row = dict[str, Any]


def refusal(row: object) -> str:
    """Return why a row cannot be kept, or nothing."""
    if not isinstance(row, dict) or not all(name in row for name in (*KEY, "passed", "seconds")):
        return "not a row of `hkasm bench --json`"
    if row["passed"] is not True:
        return "its answer was wrong"
    if not row["seconds"].get("median", 0) > 0 or not row["chip"]:
        return "no GPU was timed"
    return ""


def merge(rows: list[Row], new: list[Row]) -> tuple[list[Row], int]:
    """Return the rows with the new ones that are first of their kind or faster, and how many those were."""

    def key(row: Row) -> str:
        return json.dumps([row[name] for name in KEY], sort_keys=True)

    best = {key(row): row for row in rows}
    taken = 0
    for row in new:
        old = best.get(key(row))
        if old is None or row["seconds"]["median"] < old["seconds"]["median"]:
            best[key(row)] = row
            taken += 1
    return [best[name] for name in sorted(best)], taken


def read_rows(text: str, where: str) -> list[Row]:
    """Return the rows of one JSON document, or of one a line."""
    try:
        found = json.loads(text)
        rows = found if isinstance(found, list) else [found]
    except ValueError:
        try:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            sys.exit(f"{where}: no JSON ({error})")
    for number, row in enumerate(rows):
        why = refusal(row)
        if why:
            sys.exit(f"{where}: row {number}: {why}; nothing was changed")
    return rows


def write(rows: list[Row]) -> None:
    handle, name = tempfile.mkstemp(dir=STORE.parent, suffix=".json")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1, sort_keys=True)
        file.write("\n")
    Path(name).replace(STORE)


def show(rows: list[Row]) -> None:
    if not rows:
        print("no row yet: nobody with a GPU has sent one")
    for row in rows:
        median = row["seconds"]["median"]
        rate = f"{row['tflops']:.1f} TFLOPS" if row.get("tflops") else f"{row['gb_per_s']:.0f} GB/s"
        beside = ", ".join(
            f"{peer['name']} {peer['seconds']['median'] / median:.2f}x"
            for peer in row.get("peers", [])
            if peer["seconds"]
        )
        print(f"{row['chip']}  {row['kernel']} {row['problem']}  {1e6 * median:.2f} us  {rate}  {beside}".rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="JSON files; standard input without any")
    parser.add_argument("--show", action="store_true", help="print what is known and stop")
    options = parser.parse_args()
    known = json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else []
    if options.show:
        show(known)
        return
    new = []
    for path in options.files:
        new += read_rows(path.read_text(encoding="utf-8"), str(path))
    if not options.files:
        new = read_rows(sys.stdin.read(), "standard input")
    rows, taken = merge(known, new)
    write(rows)
    print(f"{len(new)} rows read, {taken} are the best of their kind, {len(rows)} known")


if __name__ == "__main__":
    main()

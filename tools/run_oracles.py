"""Run every kernel of an oracle folder on the emulator and compare with NumPy: one line a kernel.

    python tools/run_oracles.py tests/data/triton
    python tools/triton_oracles.py OUT && python tools/run_oracles.py OUT [--only gemm]

The folder is one that `tools/triton_oracles.py` or `tools/clang_oracles.py` made; those kept in the repository are
also run by the tests.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / "tests")]

from support.oracles import Oracle, load_folder  # noqa: E402

import hkasm  # noqa: E402
from hkasm.errors import HkasmError  # noqa: E402


def run_one(oracle: Oracle, full: bool) -> str:
    """Run one kernel; returns 'ok' or what went wrong."""
    before = oracle.arrays()
    try:
        after, report = oracle.launch(hkasm.device("emulator"), before)
        oracle.check(before, after)
    except (AssertionError, HkasmError) as error:
        text = str(error) or type(error).__name__
        return text if full else text.splitlines()[0]
    except Exception as error:  # a crash of the emulator is a result too
        if full:
            return traceback.format_exc()
        return f"CRASH {type(error).__name__}: {error}"
    if report.findings:
        texts = [str(finding) for finding in report.findings]
        return "\n".join(texts) if full else f"{len(texts)} findings, the first: {texts[0].splitlines()[0]}"
    return "ok"


def main() -> int:
    """Run the chosen kernels; exit 1 when one is not as its reference says."""
    parser = argparse.ArgumentParser(description="run foreign code objects on the emulator, against NumPy")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only labels that contain this text")
    parser.add_argument("--full", action="store_true", help="whole messages, findings and tracebacks")
    options = parser.parse_args()
    bad = 0
    chosen = [oracle for oracle in load_folder(options.folder) if options.only in oracle.label]
    for oracle in chosen:
        began = time.perf_counter()
        outcome = run_one(oracle, options.full)
        bad += outcome != "ok"
        print(f"{oracle.label:48s} {time.perf_counter() - began:7.2f} s  {outcome}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} as the reference says")
    return 0 if not bad else 1


if __name__ == "__main__":
    raise SystemExit(main())

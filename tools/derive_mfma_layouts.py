"""Pack a dump of AMD's matrix instruction calculator into the fixture that the layout tests read.

Source: github.com/ROCm/amd_matrix_instruction_calculator 1.3.2 (MIT), `--architecture cdna3`, one JSON a mnemonic with
`info`, `A` and `B` and `D` as [i, j, block, register, low bit, high bit, lane], `K` (index sets of SMFMAC),
`A_cbsz_abid` and `B_blgp` (lane broadcasts).

    python tools/derive_mfma_layouts.py DUMP_DIRECTORY tests/data/mfma_layouts_cdna3.npz
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np


def columns(rows: list[list[int]]) -> np.ndarray:
    """Return element rows as seven columns of bytes, which compress far better than rows of words."""
    return np.ascontiguousarray(np.array(rows, dtype=np.uint8).T)


def main(dump: Path, target: Path) -> None:
    """Write every element row, index set and broadcast map of the dump as small integer arrays."""
    arrays: dict[str, np.ndarray] = {}
    for path in sorted(dump.glob("v_*.json")):
        data = json.loads(path.read_text())
        name = path.stem
        for operand in ("A", "B", "D"):
            arrays[f"{name}/{operand}"] = columns(data[operand])
        for number, rows in data.get("K", {}).items():
            arrays[f"{name}/K{number}"] = columns(rows)
        for control, blocks in data.get("A_cbsz_abid", {}).items():
            arrays[f"{name}/cbsz_abid {control}"] = np.array(blocks, dtype=np.uint8)
        for control, lanes in data.get("B_blgp", {}).items():
            arrays[f"{name}/blgp {control}"] = np.array(lanes, dtype=np.uint8)
        info = data["info"]
        facts = [info[key] for key in ("m", "n", "k", "blocks", "cycles", "sparse")]
        arrays[f"{name}/info"] = np.array(facts, dtype=np.uint8)
    np.savez_compressed(target, **arrays)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Pack MMA-Sim's vectors into the fixture that the tests of the CDNA3 bit model read.

Source: github.com/microsoft/MMA-Sim (MIT), unmodified simulator run on random inputs, one .npz an instruction with
`A` [cases, m, k], `B` [cases, k, n], `C`, `D` [cases, m, n] as raw bits and `modes` (normal, wide, bits, denorm: how
the inputs were drawn). Two cases of each mode are kept.

    python tools/derive_mma_sim_vectors.py DIRECTORY tests/data/mma_sim_cdna3.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def main(source: Path, target: Path, cases_per_mode: int = 2) -> None:
    """Write the chosen cases of every instruction, arrays named `mnemonic/operand`."""
    arrays: dict[str, np.ndarray] = {}
    for path in sorted(source.glob("*.npz")):
        with np.load(path) as data:
            modes = data["modes"]
            chosen = np.concatenate([np.flatnonzero(modes == mode)[:cases_per_mode] for mode in dict.fromkeys(modes)])
            for operand in "ABCD":
                arrays[f"v_mfma_{path.stem}/{operand}"] = data[operand][chosen]
    np.savez_compressed(target, **arrays)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""bench/best_known.py keeps the best row of a kind and refuses what proves nothing."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "bench" / "best_known.py"
ROW = {
    "kernel": "gemm", "arch": "gfx950", "chip": "MI355X", "problem": "m=1", "config": {}, "cold": False,
    "passed": True, "seconds": {"median": 2e-6}, "tflops": 1.0,
}  # fmt: skip


@pytest.fixture
def script(tmp_path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("best_known", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.STORE = tmp_path / "best_known.json"
    return module


def test_the_faster_row_stays(script: Any) -> None:
    faster, other = ROW | {"seconds": {"median": 1e-6}}, ROW | {"problem": "m=2"}
    rows, taken = script.merge([ROW], [faster, other, ROW])
    assert (taken, sorted(row["seconds"]["median"] for row in rows)) == (2, [1e-6, 2e-6])
    script.write(rows)
    assert json.loads(script.STORE.read_text()) == rows


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (ROW | {"passed": False}, "its answer was wrong"),
        (ROW | {"chip": ""}, "no GPU was timed"),
        (ROW | {"seconds": {}}, "no GPU was timed"),
        ({"kernel": "gemm"}, "not a row of `hkasm bench --json`"),
    ],
)
def test_what_proves_nothing_is_refused(script: Any, row: dict[str, Any], why: str) -> None:
    assert script.refusal(row) == why
    assert script.refusal(ROW) == ""
    with pytest.raises(SystemExit, match="nothing was changed"):
        script.read_rows(json.dumps(ROW) + "\n" + json.dumps(row), "here")

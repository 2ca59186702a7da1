"""Run code objects that other compilers made, as their manifest says, and judge them by NumPy.

A manifest (``tests/data/*/manifest.json``, made by ``tools/*_oracles.py``) names for every kernel its launch, how
its inputs are filled, its reference here and the tolerance.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
from support.references import REFERENCES

DATA = Path(__file__).resolve().parents[1] / "data"

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Oracle:
    """One kernel of a foreign code object with everything that its manifest says of it."""

    folder: Path
    entry: dict[str, Any]

    @property
    def label(self) -> str:
        """Unique name of the case."""
        return str(self.entry["label"])

    @property
    def path(self) -> Path:
        """Path of the code object."""
        return self.folder / str(self.entry["file"])

    def arrays(self) -> dict[str, Array]:
        """Inputs and cleared outputs by argument name, the same in every run."""
        rng = np.random.default_rng(zlib.crc32(self.label.encode()))
        return {
            arg["name"]: fill(rng, arg["fill"], tuple(arg["shape"]), arg["dtype"])
            for arg in self.entry["args"]
            if arg["kind"] == "pointer"
        }

    def values(self) -> dict[str, int | float]:
        """Values of the arguments that are no pointers."""
        return {arg["name"]: arg["value"] for arg in self.entry["args"] if arg["kind"] == "value"}

    def launch(self, device: Any, arrays: dict[str, Array], **settings: Any) -> tuple[dict[str, Array], Any]:
        """Launch on a device; returns what every buffer holds afterwards, and the device's report."""
        buffers = {name: device.buffer(array) for name, array in arrays.items()}
        values = self.values()
        args: list[Any] = []
        for arg in self.entry["args"]:
            name = arg["name"]
            args.append(buffers[name] if name in buffers else np.dtype(arg["dtype"]).type(values[name]))
        args += [0] * self.entry["trailing_pointers"]
        kernel = device.load(self.path).kernels[self.entry["kernel"]]
        report = kernel.launch(
            grid=tuple(self.entry["grid"]),
            block=tuple(self.entry["block"]),
            args=args,
            lds_bytes=self.entry["lds_bytes"],
            **settings,
        )
        return {name: buffer.numpy() for name, buffer in buffers.items()}, report

    def check(self, before: dict[str, Array], after: dict[str, Array]) -> None:
        """Compare every buffer with the reference; inputs must be as they were."""
        expected = REFERENCES[self.entry["reference"]](before, self.values(), self.entry)
        tolerance = self.entry["tolerance"]
        for arg in self.entry["args"]:
            name = arg["name"]
            if arg["kind"] != "pointer":
                continue
            if arg["role"] == "in":
                assert before[name].tobytes() == after[name].tobytes(), f"{name} was written"
            else:
                compare(name, after[name], expected[name], **tolerance)


def load_oracles(kind: str) -> list[Oracle]:
    """All oracles of ``tests/data/<kind>``."""
    return load_folder(DATA / kind)


def load_folder(folder: Path) -> list[Oracle]:
    """All oracles that a folder's manifest names."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [Oracle(folder, entry) for entry in manifest["kernels"]]


def dtype_of(name: str) -> np.dtype[Any]:
    """NumPy's or ml_dtypes' type of that name."""
    return np.dtype(getattr(ml_dtypes, name, name))


def fill(rng: np.random.Generator, how: str, shape: tuple[int, ...], dtype: str) -> Array:
    """Make one input array.

    ``zeros``, ``bytes``, ``normal[:scale]``, ``uniform:low:high``, ``int:low:high`` (high excluded), ``divisor:limit``
    (never zero, both signs).
    """
    word, *numbers = how.split(":")
    kind = dtype_of(dtype)
    if word == "zeros":
        return np.zeros(shape, kind)
    if word == "bytes":
        return rng.integers(0, 256, shape, np.uint8).astype(kind)
    if word == "normal":
        scale = float(numbers[0]) if numbers else 1.0
        return (scale * rng.standard_normal(shape)).astype(kind)
    if word == "uniform":
        return rng.uniform(float(numbers[0]), float(numbers[1]), shape).astype(kind)
    if word == "int":
        return rng.integers(int(numbers[0]), int(numbers[1]), shape, np.int64).astype(kind)
    if word == "divisor":
        size = rng.integers(1, int(numbers[0]), shape, np.int64)
        return (size * rng.choice(np.array([-1, 1]), shape)).astype(kind)
    raise ValueError(f"no such fill: {how}")


def compare(name: str, got: Array, expected: Array, *, rtol: float, atol: float) -> None:
    """Assert |got - expected| <= atol + rtol |expected|, or equal bits where both are 0 (any NaN equals any NaN)."""
    if rtol == 0.0 and atol == 0.0:
        wanted = expected.astype(got.dtype)
        same = (got == wanted) | ((got != got) & (wanted != wanted))
    else:
        a, e = got.astype(np.float64), expected.astype(np.float64)
        same = np.abs(a - e) <= atol + rtol * np.abs(e)
    if not same.all():
        where = tuple(int(i) for i in np.argwhere(~same)[0])
        raise AssertionError(
            f"{name}: {int((~same).sum())} of {same.size} differ, first at {where}: "
            f"got {got[where]}, expected {expected[where]}"
        )

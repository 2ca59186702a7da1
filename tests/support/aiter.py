"""Launches of AITER's hand-written kernels on the emulator, each judged by NumPy.

The code objects are AMD's and are not kept here: a case names one below the `hsa` folder of an AITER checkout. What its
arguments are is known from the host code that launches it, not from the object. A module of cases has `cases(hsa)`.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import hkasm
from hkasm.asm.toolchain import build_text
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.errors import HkasmError

__all__ = ["Array", "Case", "Data", "Row", "find_hsa", "packed_bytes", "run", "slot_bytes"]

Array = npt.NDArray[Any]
SLOT = 16
"""Bytes between the starts of two kernel arguments, as most of these kernels want them."""


@dataclass(frozen=True)
class Data:
    """The arrays of a launch by name: what is read, what is written (as it is before), what must be there afterwards.

    An output without an expectation is scratch memory; rows past those of the expectation are not looked at. `scale` is
    what an error is relative to, by default 1 + |expected|: name it where larger numbers were rounded on the way.
    `made` makes further arrays of the outputs to compare, as another kernel would that puts partial results together.
    `tables` are further inputs, each with the addresses of the arrays that are named.
    """

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]
    expected: Mapping[str, Array]
    scale: Mapping[str, Array] = field(default_factory=dict)
    made: Callable[[Mapping[str, Array]], Mapping[str, Array]] = dict
    tables: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One launch: which code object, what it is given, what must come out.

    Attributes:
        kind: family, a folder below `hsa/ARCH` (bf16gemm, pa, ...).
        file: the code object, relative to `hsa`.
        label: shape and what else sets this launch apart from others of its kernel.
        data: makes the arrays, the same in every run.
        args: kernel arguments in order: the name of an array, None for a null pointer, an integer or a float (4 bytes).
        tolerance: largest |got - expected| / scale.
        undefined: outputs whose bytes nobody has written before the launch.
        slot: bytes of each argument's place, 0 for arguments without padding.
        known: rules that the kernel breaks, and in a line what shows that it does. Such a case is launched with
            `order`, and every finding must be of one of these rules.
        order: order of waves in which a kernel with a race gives the right numbers.
    """

    kind: str
    arch: str
    file: str
    label: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    data: Callable[[], Data]
    args: Sequence[str | int | float | None]
    tolerance: float
    undefined: tuple[str, ...] = ()
    slot: int = SLOT
    lds_bytes: int = 0
    kernel: str = ""
    known: Mapping[str, str] = field(default_factory=dict)
    order: str = "batch"

    @property
    def name(self) -> str:
        """Arch, code object and label."""
        return f"{self.arch} {self.kind} {Path(self.file).stem} {self.label}"


@dataclass
class Row:
    """What came of a case: `result` is `ok`, or in one line what is wrong."""

    case: Case
    result: str = "ok"
    error: float = 0.0
    findings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    instructions: int = 0
    arrays: dict[str, Array] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """The numbers are right, and nothing was found but what is known of the kernel."""
        return self.result == "ok" and all(found.split(":")[0] in self.case.known for found in self.findings)

    def __str__(self) -> str:
        rules = [found.split(":")[0] for found in self.findings]
        found = "; ".join(
            (
                *(f"{rule} {rules.count(rule)} times" for rule in self.case.known if rule in rules),
                *(text for rule, text in zip(rules, self.findings, strict=True) if rule not in self.case.known),
            )
        )
        return (
            f"{self.case.name}: {self.result}, error {self.error:.1e} of {self.case.tolerance:.0e}, "
            f"findings {found or 'none'}, {self.instructions} wave-instructions, {self.seconds:.1f} s"
        )


def find_hsa(path: Path) -> Path:
    """Return the folder of code objects of an AITER checkout, or `path` itself if it is that folder.

    Raises:
        FileNotFoundError: neither.
    """
    for folder in (path / "hsa", path):
        if any((folder / arch).is_dir() for arch in ("gfx942", "gfx950")):
            return folder
    raise FileNotFoundError(f"{path} is no AITER checkout and no hsa folder: no gfx942 or gfx950 in it")


def slot_bytes(values: Sequence[bytes], slot: int) -> bytes:
    """Return arguments one after the other, each in a place of `slot` bytes; with 0 there is no padding."""
    return b"".join(value.ljust(slot, b"\0") for value in values)


def packed_bytes(value: int | float | None, address: int | None = None) -> bytes:
    """Return an argument's bytes: 8 of an address or of None, 4 of an integer or a float."""
    if address is not None or value is None:
        return struct.pack("<Q", address or 0)
    return struct.pack("<f", value) if isinstance(value, float) else struct.pack("<I", value & 0xFFFFFFFF)


def run(hsa: Path, case: Case, options: Options | None = None) -> Row:
    """Launch a case on a fresh emulator and compare every output; an error of the launch is the row's result.

    Without options: strict, unless the kernel is known to break a rule.
    """
    row = Row(case)
    options = options or Options(strict=not case.known, order=case.order)
    begun = time.perf_counter()
    data = case.data()
    inputs, outputs = data.inputs, data.outputs
    with hkasm.device("emulator") as device:
        buffers = {name: device.buffer(array) for name, array in {**inputs, **outputs}.items()}
        for name, parts in data.tables.items():
            buffers[name] = device.buffer(np.array([buffers[part].address for part in parts], np.uint64))
        for name, buffer in buffers.items():
            buffer.stand_for(name)
            if name in case.undefined:
                buffer.forget()
        values = [
            packed_bytes(None, buffers[arg].address) if isinstance(arg, str) else packed_bytes(arg) for arg in case.args
        ]
        try:
            kernels = device.load(_code_object(hsa / case.file, case.arch)).kernels
            kernel = kernels[case.kernel or next(iter(kernels))]
            report = kernel.launch(
                case.grid,
                case.block,
                kernarg=slot_bytes(values, case.slot),
                lds_bytes=case.lds_bytes,
                options=options,
            )
            _note(row, report)
        except HkasmError as error:
            row.result = str(error).replace("\n", " ")
        row.arrays = {name: buffers[name].numpy().copy() for name in outputs}
        changed = [name for name in inputs if buffers[name].numpy().tobytes() != inputs[name].tobytes()]
    row.seconds = time.perf_counter() - begun
    if row.result == "ok":
        if changed:
            row.result = f"wrote to {', '.join(changed)}"
        row.arrays |= data.made(row.arrays)
        for name, wanted in data.expected.items():
            row.arrays[name] = row.arrays[name][: len(wanted)]
            _compare(row, name, row.arrays[name], wanted, data.scale.get(name))
    return row


def _code_object(path: Path, arch: str) -> bytes:
    """Return a code object, assembled if the file is a source."""
    return build_text(path.read_text(), arch)[0] if path.suffix == ".s" else path.read_bytes()


def _note(row: Row, report: RunReport) -> None:
    row.findings = [f"{finding.rule}: {finding.message}" for finding in report.errors]
    row.instructions = report.instructions


def _compare(row: Row, name: str, got: Array, wanted: Array, scale: Array | None) -> None:
    have, want = got.astype(np.float64), wanted.astype(np.float64)
    error = np.abs(have - want) / (1 + np.abs(want) if scale is None else scale)
    error[have == want] = 0  # infinities
    worst = float(np.nanmax(error, initial=0.0)) if not np.isnan(error).any() else float("nan")
    row.error = max(row.error, worst) if worst == worst else worst
    wrong = ~(error <= row.case.tolerance)
    if wrong.any():
        where = tuple(int(index) for index in np.argwhere(wrong)[0])
        row.result = (
            f"{name}: {int(wrong.sum())} of {wrong.size} wrong, first at {where}: "
            f"{have[where]:.6g}, expected {want[where]:.6g}"
        )

"""Launches on disk: the object, the arguments and the memory behind them, as a folder that the emulator can run again.

The folder holds `launch.json`, `object.hsaco`, and for each run of memory `NAME.before.bin` and, if the launch came to
its end, `NAME.after.bin`. `launch.json` is there before the launch, so that one that hangs the machine is kept too. A
folder may come from anybody: names, sizes and numbers in it are checked before they are used.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.asm.elf import MAX_FILE_BYTES
from hkasm.emulator.listener import Listener
from hkasm.emulator.machine import Machine
from hkasm.emulator.memory import Memory
from hkasm.emulator.options import Options
from hkasm.emulator.report import RunReport
from hkasm.errors import LaunchError, UsageError
from hkasm.runtime.arguments import Bound
from hkasm.runtime.tensors import numpy_dtype

__all__ = ["Difference", "Recorder", "Replay", "replay"]

FORMAT: Final = 1
_LAUNCH, _OBJECT = "launch.json", "object.hsaco"
_MAX_JSON_BYTES: Final = 16 << 20
_MAX_MEMORY_BYTES: Final = 1 << 36
_MAX_PIECES: Final = 4096

Read = Callable[[int, int], bytes]
Extent = Callable[[int], "tuple[int, int] | None"]


@dataclass
class _Piece:
    """A run of memory that pointers of the launch lie in."""

    name: str
    address: int
    nbytes: int
    dtype: str
    writes: bool

    def document(self) -> dict[str, object]:
        return {"name": self.name, "nbytes": self.nbytes, "dtype": self.dtype, "writes": self.writes}


class Recorder:
    """Writes one launch into a folder: `before` it and, when it has ended, `after`.

    Raises:
        UsageError: the folder cannot be written.
        LaunchError: a pointer lies in no buffer that the device knows, so that nobody can say what to save.
    """

    def __init__(
        self,
        folder: str | Path,
        kernel: KernelImage,
        code: bytes,
        device: str,
        grid: Sequence[int],
        block: Sequence[int],
        lds_bytes: int,
    ) -> None:
        if not isinstance(folder, (str, os.PathLike)):
            raise UsageError(f"record is the path of a folder, got {folder!r}")
        self._folder, self._kernel, self._code = Path(folder), kernel, code
        self._pieces: list[_Piece] = []
        self._document: dict[str, object] = {
            "format": FORMAT,
            "kernel": kernel.name,
            "arch": kernel.arch.name,
            "device": device,
            "grid": [int(n) for n in grid],
            "block": [int(n) for n in block],
            "lds_bytes": lds_bytes,
            "object_sha256": hashlib.sha256(code).hexdigest(),
        }

    def before(self, bound: Bound, read: Read, extent: Extent) -> None:
        """Save the object, the arguments and the memory as it is."""
        pointers = []
        spans = []
        for pointer in bound.pointers:
            span = (pointer.address, pointer.nbytes) if pointer.nbytes is not None else extent(pointer.address)
            if span is None and pointer.address:
                raise LaunchError(
                    f"{self._kernel.name}: argument {pointer.arg.name!r} points to {pointer.address:#x}, "
                    "which is no buffer of this device and cannot be recorded",
                    hint="pass a buffer or an array",
                )
            if span is not None:
                spans.append(_Piece(pointer.arg.name, *span, pointer.dtype, pointer.arg.access != "read"))
        self._pieces = _merged(spans)
        for pointer in bound.pointers:
            for number, piece in enumerate(self._pieces):
                if piece.address <= pointer.address <= piece.address + piece.nbytes and pointer.address:
                    offset = pointer.address - piece.address
                    pointers.append({"kernarg_offset": pointer.arg.offset, "memory": number, "offset": offset})
                    break
        self._document |= {"kernarg": bound.segment.hex(), "pointers": pointers, "ended": False}
        files = {f"{piece.name}.before.bin": read(piece.address, piece.nbytes) for piece in self._pieces}
        self._write({_OBJECT: self._code, **files})

    def after(self, read: Read) -> None:
        """Save the memory that the launch may have changed."""
        self._document["ended"] = True
        self._write({f"{one.name}.after.bin": read(one.address, one.nbytes) for one in self._pieces if one.writes})

    def _write(self, files: dict[str, bytes]) -> None:
        self._document["memory"] = [piece.document() for piece in self._pieces]
        text = json.dumps(self._document, indent=2) + "\n"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for name, data in files.items():
                (self._folder / name).write_bytes(data)
            part = self._folder / f"{_LAUNCH}.part"
            part.write_text(text)
            part.replace(self._folder / _LAUNCH)
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror or error}", where=str(self._folder)) from None


@dataclass(frozen=True)
class Difference:
    """Memory after the replay against what was recorded: elements that differ, and by how much at most."""

    name: str
    count: int
    wrong: int
    max_abs: float

    @property
    def equal(self) -> bool:
        return self.wrong == 0

    def __str__(self) -> str:
        if self.equal:
            return f"{self.name}: {self.count} elements, bit by bit as recorded"
        return f"{self.name}: {self.wrong} of {self.count} elements are not as recorded, by {self.max_abs:.3g} at most"


@dataclass(frozen=True)
class Replay:
    """What a launch was, and what came of it here; no differences where the recorded one never ended."""

    kernel: str
    arch: str
    device: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    ended: bool
    report: RunReport
    differences: tuple[Difference, ...] = field(default=())


def replay(
    folder: str | Path,
    options: Options | None = None,
    watch: Callable[[KernelImage], Iterable[Listener]] = lambda image: (),
) -> Replay:
    """Run a recorded launch on the emulator and compare the memory that it wrote; `watch` gives listeners for a kernel.

    Raises:
        UsageError: the folder is no recording, or is damaged.
        HkasmError: what the emulator finds in the kernel.
    """
    place = Path(folder)
    said = _Document(place)
    code = said.file(_OBJECT, None)
    if hashlib.sha256(code).hexdigest() != said.text("object_sha256"):
        raise said.damaged(f"{_OBJECT} is not the object of the launch")
    memory = Memory()
    machine = Machine(CodeObject.from_bytes(code), memory, _OBJECT)
    pieces = said.pieces()
    buffers = []
    for piece in pieces:
        before = np.frombuffer(said.file(f"{piece.name}.before.bin", piece.nbytes), np.uint8)
        buffer = memory.allocate(piece.nbytes, piece.name)
        buffer.u8[: piece.nbytes] = before
        buffers.append(buffer)
    segment = bytearray(said.segment())
    for offset, number, inside in said.pointers(len(segment), pieces):
        segment[offset : offset + 8] = (buffers[number].address + inside).to_bytes(8, "little")
    grid, block = said.extent("grid"), said.extent("block")
    report = machine.launch(
        said.text("kernel"),
        grid,
        block,
        bytes(segment),
        lds_bytes=said.number("lds_bytes", 1 << 20),
        options=options,
        listeners=watch(machine.kernel(said.text("kernel"))),
    )
    ended = said.raw.get("ended") is True
    differences = [
        _difference(piece, buffer.u8[: piece.nbytes].tobytes(), said.file(f"{piece.name}.after.bin", piece.nbytes))
        for piece, buffer in zip(pieces, buffers, strict=True)
        if ended and piece.writes
    ]
    return Replay(
        said.text("kernel"), said.text("arch"), said.text("device"), grid, block, ended, report, tuple(differences)
    )


def _difference(piece: _Piece, here: bytes, there: bytes) -> Difference:
    kind = numpy_dtype(piece.dtype) or np.dtype(np.uint8)
    if piece.nbytes % kind.itemsize:
        kind = np.dtype(np.uint8)
    bits = np.dtype(f"u{kind.itemsize}")
    differs = np.frombuffer(here, bits) != np.frombuffer(there, bits)
    got, want = (np.frombuffer(data, kind)[differs].astype(np.float64) for data in (here, there))
    with np.errstate(invalid="ignore"):
        most = float(np.max(np.nan_to_num(np.abs(got - want), nan=np.inf), initial=0.0))
    return Difference(piece.name, differs.size, int(differs.sum()), most)


def _merged(spans: Iterable[_Piece]) -> list[_Piece]:
    """Return runs of memory by address, those that overlap as one, each with a name of its own that can be a file's."""
    found: list[_Piece] = []
    for one in sorted(spans, key=lambda piece: (piece.address, -piece.nbytes)):
        last = found[-1] if found else None
        if last is not None and (one.address < last.address + last.nbytes or one.address == last.address):
            last.nbytes = max(last.nbytes, one.address + one.nbytes - last.address)
            last.writes = last.writes or one.writes
            last.dtype = last.dtype if last.dtype == one.dtype else ""
            continue
        found.append(one)
    taken: set[str] = set()
    for number, piece in enumerate(found):
        plain = "".join(letter if letter.isalnum() else "_" for letter in piece.name)[:64]
        piece.name = plain if plain and plain.lower() not in taken else f"{plain}_{number}"
        taken.add(piece.name.lower())
    return found


class _Document:
    """A recording's `launch.json`, read with suspicion."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            with (folder / _LAUNCH).open("rb") as file:
                text = file.read(_MAX_JSON_BYTES + 1)
        except OSError as error:
            raise UsageError(
                f"is no recorded launch: {_LAUNCH} cannot be read ({error.strerror})", where=str(folder)
            ) from None
        try:
            self.raw: dict[str, Any] = json.loads(text[:_MAX_JSON_BYTES])
        except (ValueError, RecursionError):
            raise self.damaged(f"{_LAUNCH} is not JSON") from None
        if not isinstance(self.raw, dict) or self.raw.get("format") != FORMAT:
            raise self.damaged(f"{_LAUNCH} is not of format {FORMAT}")

    def damaged(self, what: str) -> UsageError:
        return UsageError(f"the recorded launch is damaged: {what}", where=str(self._folder))

    def text(self, key: str) -> str:
        value = self.raw.get(key)
        if not isinstance(value, str) or not value.isprintable():
            raise self.damaged(f"{key} is not text")
        return value

    def number(self, key: str, limit: int, source: dict[str, Any] | None = None) -> int:
        value = (self.raw if source is None else source).get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= limit:
            raise self.damaged(f"{key} is no number from 0 to {limit}")
        return value

    def extent(self, key: str) -> tuple[int, ...]:
        value = self.raw.get(key)
        if not isinstance(value, list) or not all(type(n) is int and 0 < n < 1 << 32 for n in value):
            raise self.damaged(f"{key} is no extent")
        return tuple(value)

    def segment(self) -> bytes:
        try:
            return bytes.fromhex(self.text("kernarg"))
        except ValueError:
            raise self.damaged("kernarg is not hexadecimal") from None

    def _list(self, key: str) -> list[dict[str, Any]]:
        value = self.raw.get(key)
        if not isinstance(value, list) or len(value) > _MAX_PIECES or not all(isinstance(one, dict) for one in value):
            raise self.damaged(f"{key} is no list of maps")
        return value

    def pieces(self) -> list[_Piece]:
        found = []
        for one in self._list("memory"):
            name, dtype = one.get("name"), one.get("dtype")
            if not isinstance(name, str) or not name.replace("_", "a").isalnum() or not isinstance(dtype, str):
                raise self.damaged("memory has a name that is none")
            nbytes = self.number("nbytes", _MAX_MEMORY_BYTES, one)
            found.append(_Piece(name, 0, nbytes, dtype, one.get("writes") is True))
        return found

    def pointers(self, segment_bytes: int, pieces: Sequence[_Piece]) -> list[tuple[int, int, int]]:
        """Return (offset in the segment, number of the memory, offset in it) of each pointer."""
        found = []
        for one in self._list("pointers"):
            number = self.number("memory", len(pieces) - 1, one)
            inside = self.number("offset", pieces[number].nbytes, one)
            found.append((self.number("kernarg_offset", segment_bytes - 8, one), number, inside))
        return found

    def file(self, name: str, size: int | None) -> bytes:
        """Return a file's bytes, which must be `size` many if that is stated."""
        try:
            with (self._folder / name).open("rb") as file:
                there = os.fstat(file.fileno()).st_size
                if there != size if size is not None else there > MAX_FILE_BYTES:
                    raise self.damaged(f"{name} has {there} bytes, which is not its size")
                return file.read(there)
        except OSError as error:
            raise self.damaged(f"{name} cannot be read ({error.strerror})") from None

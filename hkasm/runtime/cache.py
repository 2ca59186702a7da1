"""Built code objects on disk, under names that are digests of everything that decides their bytes.

An entry is one file: a line of JSON with the payload's size and SHA-256 and a word on what it is, then the payload. It
is written beside its place and renamed, so that it is there whole or not at all, whoever else writes or whenever the
process is killed; an entry that does not fit its digest is dropped and built again. A cache that cannot be written to
is no error: things are then built each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import hkasm
from hkasm.asm.program import Program
from hkasm.asm.toolchain import Toolchain, build_text, candidates
from hkasm.errors import UsageError

__all__ = ["Cache", "Entry", "build_key", "cached_hsaco", "default_folder"]

DEFAULT_LIMIT_BYTES: Final = 1 << 30
_FORMAT: Final = 1
_SUFFIX, _PART = ".hkasm", ".part"
_MAX_HEADER_BYTES: Final = 4096
_ABANDONED_SECONDS: Final = 3600
"""A part that nobody finished for so long belongs to a process that was killed."""


def default_folder() -> Path:
    """Return hkasm's folder among the user's caches, as the platform has them."""
    from platformdirs import user_cache_path

    return user_cache_path("hkasm", appauthor=False) / "objects"


@dataclass(frozen=True)
class Entry:
    """One file of the cache: `label` says what it is, `used` when it was last taken (seconds since 1970)."""

    key: str
    label: str
    nbytes: int
    used: float


class Cache:
    """A folder of built things; safe under many processes, bounded in bytes.

    What was used longest ago goes first when more than `limit_bytes` are there.
    """

    def __init__(self, folder: str | Path | None = None, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self.folder = default_folder() if folder is None else Path(folder)
        self.limit_bytes = limit_bytes

    def get(self, key: str) -> bytes | None:
        """Return what is kept under a key, or None; a damaged entry is taken away."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        payload = _payload(data)
        with contextlib.suppress(OSError):
            if payload is None:
                path.unlink()
            else:
                os.utime(path)
        return payload

    def put(self, key: str, payload: bytes, label: str = "") -> None:
        """Keep something under a key, and bound the folder; a folder that cannot be written to keeps nothing."""
        header = {
            "format": _FORMAT,
            "sha256": hashlib.sha256(payload).hexdigest(),
            "nbytes": len(payload),
            "label": label[:200],
        }
        part: str | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(suffix=_PART, dir=self.folder)
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(header).encode() + b"\n" + payload)
                file.flush()
                os.fsync(file.fileno())
            Path(part).replace(self._path(key))
            part = None
        except OSError:
            return
        finally:
            if part is not None:
                with contextlib.suppress(OSError):
                    Path(part).unlink()
        self._bound(key)

    def take(self, key: str, build: Callable[[], bytes], label: str = "") -> bytes:
        """Return what is kept under a key, or build and keep it."""
        kept = self.get(key)
        if kept is None:
            kept = build()
            self.put(key, kept, label)
        return kept

    def entries(self) -> list[Entry]:
        """Return what is there, the last used first."""
        found = [
            Entry(path.name.removesuffix(_SUFFIX), _label(path), size, used)
            for path, size, used in self._files(_SUFFIX)
        ]
        return sorted(found, key=lambda entry: (-entry.used, entry.key))

    def clear(self) -> int:
        """Take everything away and return how many entries that were. Raises UsageError if a file cannot be removed."""
        count = 0
        for suffix in (_SUFFIX, _PART):
            for path, _, _ in list(self._files(suffix)):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise UsageError(f"cannot be removed: {error.strerror}", where=str(path)) from None
                count += suffix == _SUFFIX
        return count

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def _files(self, suffix: str) -> Iterator[tuple[Path, int, float]]:
        """Yield the cache's own files with size and time; one that goes away meanwhile is left out."""
        try:
            with os.scandir(self.folder) as found:
                files = [file for file in found if file.name.endswith(suffix)]
        except OSError:
            return
        for file in files:
            with contextlib.suppress(OSError):
                said = file.stat(follow_symlinks=False)
                yield Path(file.path), said.st_size, said.st_mtime

    def _bound(self, kept: str) -> None:
        """Drop abandoned parts, and entries from the one used longest ago until the limit holds; never `kept`."""
        files = sorted(self._files(_SUFFIX), key=lambda file: file[2], reverse=True)
        total = 0
        for path, size, _ in sorted(files, key=lambda file: file[0] != self._path(kept)):
            total += size
            if total > self.limit_bytes and path != self._path(kept):
                with contextlib.suppress(OSError):
                    path.unlink()
        for path, _, written in self._files(_PART):
            if time.time() - written > _ABANDONED_SECONDS:
                with contextlib.suppress(OSError):
                    path.unlink()


def build_key(text: str, arch: str, toolchains: Sequence[Toolchain]) -> str:
    """Return the digest of all that decides a code object's bytes.

    That is hkasm's version, the assembler text, the arch, and the toolchains that may be taken, in their order, each by
    its programs' paths, sizes and times: an upgraded or another clang is another key, and none has to be started.
    """
    digest = hashlib.sha256()
    for part in (str(_FORMAT), hkasm.__version__, arch, text, *(_identity(one) for one in toolchains)):
        raw = part.encode()
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


def cached_hsaco(program: Program, cache: Cache, *, clang: str | None = None, rocm_path: str | None = None) -> bytes:
    """Return a program's code object from the cache, or assemble and keep it. Raises ToolchainError."""
    text, origins = program.text_with_origins()
    arch = program.arch.name
    key = build_key(text, arch, list(candidates(clang, rocm_path=rocm_path)))
    label = f"{program.name} {arch} " + ",".join(f"{name}={value}" for name, value in program.config.items())
    return cache.take(key, lambda: build_text(text, arch, origins, clang=clang, rocm_path=rocm_path)[0], label.strip())


def _identity(toolchain: Toolchain) -> str:
    words = []
    for program in (toolchain.clang, toolchain.lld):
        path = Path(program[0]).resolve()
        said = path.stat()
        words.append(f"{' '.join((str(path), *program[1:]))} {said.st_size} {said.st_mtime_ns}")
    return " ".join(words)


def _payload(data: bytes) -> bytes | None:
    """Return an entry's payload, or None if its header or digest says that it is damaged."""
    head, newline, _ = data[:_MAX_HEADER_BYTES].partition(b"\n")
    if not newline:
        return None
    payload = data[len(head) + 1 :]
    header = _header(head)
    good = header.get("nbytes") == len(payload) and header.get("sha256") == hashlib.sha256(payload).hexdigest()
    return payload if good and header.get("format") == _FORMAT else None


def _header(line: bytes) -> dict[str, object]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _label(path: Path) -> str:
    try:
        with path.open("rb") as file:
            label = _header(file.readline(_MAX_HEADER_BYTES)).get("label")
    except OSError:
        return ""
    return label if isinstance(label, str) and label.isprintable() else "damaged"

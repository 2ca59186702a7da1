"""Find clang and lld, and let them turn assembler text into an HSACO code object.

This is the only file of hkasm that starts another program. It starts it directly (no shell), in a private folder that
is gone afterwards, with a time limit, and in a way that makes equal text give equal bytes wherever it is built.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hkasm.errors import ToolchainError

__all__ = ["SourceProgram", "Toolchain", "build_hsaco", "build_text", "candidates", "find_toolchain"]

TIME_LIMIT_SECONDS = 20.0
"""What a program may take, besides `BYTES_A_SECOND` for the text that it is given."""
BYTES_A_SECOND = 100_000
"""clang 22 assembles 3.5 million a second on one idle core."""

_TRIPLE = "amdgcn-amd-amdhsa"
_ROCM_PARENT = Path("/opt")
_SOURCE, _OBJECT, _LINKED = "kernel.s", "kernel.o", "kernel.hsaco"
_HOW_TO_GET_ONE = (
    "install the wheel that carries clang and lld (pip install 'hkasm[clang]'), "
    "or ROCm, or clang and lld 20 or newer (Debian: apt install clang-22 lld-22)"
)

_NAME_ANOTHER = "give the path of one, or leave --clang and HKASM_CLANG out and hkasm looks for one"

_ODD_DATA = re.compile(r"^[^;#/]*\.(?:byte|short|hword|2byte|ascii|asciz|string|space|zero|skip)\b", re.MULTILINE)
_ALIGNS = re.compile(r"^[^;#/]*\.(?:p2align|balign|align)\b", re.MULTILINE)

# kernel.s:12:3: error: invalid operand for instruction
_DIAGNOSTIC = re.compile(rf"^{re.escape(_SOURCE)}:(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.MULTILINE)
_VERSIONED_CLANG = re.compile(r"^clang-(\d+)$")
_VERSIONED_LLD = re.compile(r"^ld\.lld-(\d+)$")


class SourceProgram(Protocol):
    """What a program must offer to be built: its arch's name and its text, each line with the place that wrote it."""

    @property
    def arch(self) -> object:
        """Return the architecture; its `str` is what clang's `-mcpu` takes."""

    def text_with_origins(self) -> tuple[str, Sequence[object | None]]:
        """Return the assembler text and, for each of its lines, the `Origin` that wrote it or None."""


class _CannotTargetError(ToolchainError):
    """This clang does not take the target at all; another one may."""


class _EndlessError(ToolchainError):
    """A program was ended because it took too long."""


@dataclass(frozen=True)
class Toolchain:
    """A clang and an lld, each as the words that start it, and where they were found.

    Nothing is known of them until they are used: `version` and `knows` start clang, once per process.
    """

    clang: tuple[str, ...]
    lld: tuple[str, ...]
    origin: str

    @property
    def version(self) -> str:
        """Return clang's own version line; raises ToolchainError if it does not run."""
        return _version(self.clang)

    def knows(self, arch: str) -> bool:
        """Ask clang whether it assembles for `arch`."""
        return _knows(self.clang, arch)

    def assemble(self, text: str, arch: str, origins: Sequence[object | None] | None = None) -> bytes:
        """Assemble `text` for `arch` and return the relocatable object.

        `origins[i]` is the place that wrote line `i + 1` of the text; an error of the assembler is then said of that
        place. Raises ToolchainError.
        """
        with tempfile.TemporaryDirectory(prefix="hkasm-") as folder:
            _assemble(self, Path(folder), text, arch, origins)
            return (Path(folder) / _OBJECT).read_bytes()

    def link(self, obj: bytes) -> bytes:
        """Link one relocatable object to a code object that a GPU's loader takes. Raises ToolchainError."""
        with tempfile.TemporaryDirectory(prefix="hkasm-") as folder:
            (Path(folder) / _OBJECT).write_bytes(obj)
            return _link(self, Path(folder))

    def build(self, text: str, arch: str, origins: Sequence[object | None] | None = None) -> bytes:
        """Assemble and link `text`; the same as `link(assemble(...))`."""
        with tempfile.TemporaryDirectory(prefix="hkasm-") as folder:
            _assemble(self, Path(folder), text, arch, origins)
            return _link(self, Path(folder))


def candidates(clang: str | None = None, *, rocm_path: str | None = None) -> Iterator[Toolchain]:
    """Yield every clang with an lld that this machine has, best first, without starting any.

    `clang` (a path, or a name on PATH) is the user's own choice and then the only candidate; otherwise ROCm's come
    first (`rocm_path`, then /opt/rocm*), then clang-NN on PATH from the newest down, then clang, then the ziglang
    wheel. Raises ToolchainError if the user's choice is not there, or has no lld to go with it.
    """
    if clang is not None:
        yield _chosen(clang)
        return
    seen: set[tuple[str, ...]] = set()
    for found in _places(rocm_path):
        if found.clang not in seen:
            seen.add(found.clang)
            yield found


def find_toolchain(clang: str | None = None, *, arch: str | None = None, rocm_path: str | None = None) -> Toolchain:
    """Return the first candidate that knows `arch`, or simply the first if no arch is named.

    Raises ToolchainError, naming the ways to get one, if there is none.
    """
    passed_over: list[Toolchain] = []
    for found in candidates(clang, rocm_path=rocm_path):
        if arch is None or found.knows(arch):
            return found
        passed_over.append(found)
    raise _none_found(arch, passed_over)


def build_text(
    text: str,
    arch: str,
    origins: Sequence[object | None] | None = None,
    *,
    clang: str | None = None,
    rocm_path: str | None = None,
) -> tuple[bytes, Toolchain]:
    """Assemble and link `text` with the first of the `candidates` that takes `arch`; return the bytes and which it was.

    None is asked beforehand, since asking costs as much as assembling. Raises ToolchainError.
    """
    passed_over: list[Toolchain] = []
    for found in candidates(clang, rocm_path=rocm_path):
        try:
            return found.build(text, arch, origins), found
        except _CannotTargetError:
            passed_over.append(found)
    raise _none_found(arch, passed_over)


def build_hsaco(program: SourceProgram, toolchain: Toolchain | None = None) -> bytes:
    """Assemble and link `program` and return the HSACO's bytes, with `build_text` if no `toolchain` is given.

    Raises ToolchainError.
    """
    text, origins = program.text_with_origins()
    arch = str(program.arch)
    return toolchain.build(text, arch, origins) if toolchain else build_text(text, arch, origins)[0]


def _none_found(arch: str | None, passed_over: Sequence[Toolchain]) -> ToolchainError:
    wanted = f"for {arch}" if arch else "with the AMDGPU target"
    refused = "".join(f"; {' '.join(found.clang)} does not know it" for found in passed_over)
    return ToolchainError(f"no clang and lld {wanted} found{refused}", hint=_HOW_TO_GET_ONE)


def _assemble(
    toolchain: Toolchain, folder: Path, text: str, arch: str, origins: Sequence[object | None] | None
) -> None:
    (folder / _SOURCE).write_text(text, encoding="utf-8", newline="\n")
    # Relative names and a fixed compilation folder: the object must not say where it was made.
    words = [*toolchain.clang, *_target(arch), "-fdebug-compilation-dir=.", "-c", _SOURCE, "-o", _OBJECT]
    try:
        result = _run(words, folder, len(text))
    except _EndlessError as error:
        # LLVM makes the padding longer by the alignment until it is a number of s_nop.
        odd = _ODD_DATA.search(text)
        behind = _ALIGNS.search(text, odd.end()) if odd else None
        if behind is None:
            raise
        line = text.count("\n", 0, behind.end())
        raise ToolchainError(
            error.message,
            where=origins[line] if origins is not None and line < len(origins) else f"{_SOURCE}:{line + 1}",
            hint="it never ends at an alignment of code behind data that is no multiple of 4 bytes: pad the data, or "
            "align with a value (.p2align 6, 0)",
        ) from None
    if result.returncode == 0:
        if not (folder / _OBJECT).is_file():
            raise ToolchainError(f"{_name(toolchain.clang)} assembled nothing: it is no clang", hint=_NAME_ANOTHER)
        return
    said = _DIAGNOSTIC.findall(result.stderr)
    if not said:
        raise _CannotTargetError(f"{_name(toolchain.clang)} cannot assemble for {arch}: {_first_line(result.stderr)}")
    line, complaint = int(said[0][0]), said[0][1]
    lines = text.split("\n")
    written = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    origin = origins[line - 1] if origins is not None and 0 < line <= len(origins) else None
    more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
    raise ToolchainError(
        f"{written}: {complaint}{more}" if written else f"{complaint}{more}",
        where=f"{_SOURCE}:{line}" if origin is None else origin,
        hint=f"said by {_name(toolchain.clang)} ({toolchain.origin}) for {arch}",
    )


def _link(toolchain: Toolchain, folder: Path) -> bytes:
    # One thread: the work is nothing, and lld would start one for every core.
    result = _run([*toolchain.lld, "-shared", "--no-undefined", "--threads=1", _OBJECT, "-o", _LINKED], folder)
    if result.returncode != 0:
        raise ToolchainError(f"{_name(toolchain.lld)} cannot link the kernel: {_first_line(result.stderr)}")
    if not (folder / _LINKED).is_file():
        raise ToolchainError(f"{_name(toolchain.lld)} linked nothing: it is no lld", hint=_HOW_TO_GET_ONE)
    return (folder / _LINKED).read_bytes()


def _target(arch: str) -> list[str]:
    # A configuration file of the machine's must not change what is built.
    return ["--no-default-config", "-x", "assembler", f"--target={_TRIPLE}", f"-mcpu={arch}"]


def _run(words: Sequence[str], folder: Path, text_bytes: int = 0) -> subprocess.CompletedProcess[str]:
    limit = TIME_LIMIT_SECONDS + text_bytes / BYTES_A_SECOND
    try:
        return subprocess.run(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _EndlessError(f"{words[0]} did not end within {limit:.0f} s") from None
    except OSError as error:
        raise _CannotTargetError(f"{words[0]} cannot be started: {error.strerror or error}") from None


@functools.cache
def _version(clang: tuple[str, ...]) -> str:
    return _first_line(_run([*clang, "--version"], Path(tempfile.gettempdir())).stdout)


@functools.cache
def _knows(clang: tuple[str, ...], arch: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="hkasm-") as folder:
        try:
            return _run([*clang, *_target(arch), "-c", os.devnull, "-o", _OBJECT], Path(folder)).returncode == 0
        except ToolchainError:
            return False


def _places(rocm_path: str | None) -> Iterator[Toolchain]:
    for root in ([Path(rocm_path)] if rocm_path else []) + _newest_first(_ROCM_PARENT, "rocm*"):
        for folder in (root / "llvm" / "bin", root / "lib" / "llvm" / "bin"):
            clang, beside = _executable(folder / "clang"), _executable(folder / "ld.lld")
            if clang and beside:
                yield Toolchain((clang,), (beside,), "ROCm")
    on_path = _on_path()
    numbered: list[tuple[int | None, str]] = [(number, on_path.clangs[number]) for number in sorted(on_path.clangs)]
    plain: list[tuple[int | None, str]] = [(None, on_path.clang)] if on_path.clang else []
    for number, found in numbered[::-1] + plain:
        lld = _lld_beside(found) or on_path.lld(number)
        if lld:
            yield Toolchain((found,), lld, "PATH")
    zig = _zig_of_the_wheel()
    if zig:
        yield Toolchain((zig, "clang"), (zig, "ld.lld"), "ziglang wheel")


def _chosen(clang: str) -> Toolchain:
    path = clang if os.sep in clang else next(_named_on_path(clang), "")
    found = _executable(Path(path)) if path else None
    if found is None:
        raise ToolchainError(f"the clang that was asked for, '{clang}', is not a program here", hint=_NAME_ANOTHER)
    if Path(found).name == "zig":
        return Toolchain((found, "clang"), (found, "ld.lld"), "chosen")
    number = _VERSIONED_CLANG.match(Path(found).name)
    lld = _lld_beside(found) or _on_path().lld(int(number[1]) if number else None)
    if lld is None:
        raise ToolchainError(f"'{clang}' has no ld.lld beside it, and there is none on PATH", hint=_HOW_TO_GET_ONE)
    return Toolchain((found,), lld, "chosen")


@dataclass(frozen=True)
class _OnPath:
    """The clangs and llds on PATH: by version number, and the ones without a number."""

    clangs: dict[int, str]
    clang: str | None
    llds: dict[int, str]
    plain_lld: str | None

    def lld(self, number: int | None) -> tuple[str, ...] | None:
        """Return the lld of the same number, else the plain one, else the newest, else the wheel's."""
        newest = self.llds[max(self.llds)] if self.llds else None
        found = (self.llds.get(number) if number is not None else None) or self.plain_lld or newest
        if found:
            return (found,)
        zig = _zig_of_the_wheel()
        return (zig, "ld.lld") if zig else None


def _on_path() -> _OnPath:
    folders = os.get_exec_path()
    return _found_in(tuple((folder, _changed(folder)) for folder in folders))


def _changed(folder: str) -> int:
    """Return when a folder last changed, in nanoseconds; 0 if it is not there."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


@functools.lru_cache(maxsize=4)
def _found_in(folders: tuple[tuple[str, int], ...]) -> _OnPath:
    """Look through the folders of PATH, each with the time of its last change: thousands of names."""
    clangs: dict[int, str] = {}
    llds: dict[int, str] = {}
    for folder, _ in folders:
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if entry.name.startswith(("clang-", "ld.lld-"))]
        except OSError:
            continue
        for name in names:
            for pattern, found in ((_VERSIONED_CLANG, clangs), (_VERSIONED_LLD, llds)):
                match = pattern.match(name)
                path = _executable(Path(folder) / name) if match else None
                if match and path:
                    found.setdefault(int(match[1]), path)
    return _OnPath(clangs, next(_named_on_path("clang"), None), llds, next(_named_on_path("ld.lld"), None))


def _named_on_path(name: str) -> Iterator[str]:
    for folder in os.get_exec_path():
        path = _executable(Path(folder) / name)
        if path:
            yield path


def _lld_beside(clang: str) -> tuple[str, ...] | None:
    """Return the ld.lld in clang's own folder, links followed: Debian's clang-22 is a link into its LLVM's folder."""
    path = _executable(Path(clang).resolve().parent / "ld.lld")
    return (path,) if path else None


def _zig_of_the_wheel() -> str | None:
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        # Started directly: `python -m ziglang` costs a Python for nothing.
        path = _executable(Path(folder) / "zig")
        if path:
            return path
    return None


def _executable(path: Path) -> str | None:
    return str(path.absolute()) if path.is_file() and os.access(path, os.X_OK) else None


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    def numbers(path: Path) -> list[int]:
        return [int(word) for word in re.findall(r"\d+", path.name)]

    # The plain name (/opt/rocm, a link to the machine's default) goes before any numbered one.
    return sorted(folder.glob(pattern), key=lambda path: (not numbers(path), numbers(path)), reverse=True)


def _name(words: Sequence[str]) -> str:
    return " ".join([Path(words[0]).name, *words[1:]])


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "it said nothing")

"""What a command works on: a kernel of the library, a code object, or an assembly file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.options import (
    arch_option,
    chosen_arch,
    chosen_clang,
    clang_option,
    one_argument,
    parameter_option,
    parse_parameters,
)
from hkasm.cli.script import names_a_script, refuse_script, script_program
from hkasm.errors import ToolchainError, UsageError
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.asm.codeobject import CodeObject
    from hkasm.asm.program import Program
    from hkasm.asm.toolchain import Toolchain

__all__ = [
    "Choices",
    "assemble",
    "load_object",
    "load_program",
    "names_a_file",
    "names_assembly",
    "read_bytes",
    "refuse_kernel",
    "split_subject",
    "subject_options",
]

MAX_SOURCE_BYTES = 64 << 20
_ASSEMBLY = (".s", ".S", ".asm")
_SUFFIXES = (*_ASSEMBLY, ".hsaco", ".co", ".o", ".so")
_HAS_LINES = re.compile(r"^\s*\.(loc|file)\s", re.MULTILINE)
_INSTRUCTION = re.compile(r"(s|v|ds|global|flat|buffer|scratch)_\w+$")
_TARGET = re.compile(r'^\s*\.amdgcn_target\s+"amdgcn-amd-amdhsa--(\w+)', re.MULTILINE)


def names_a_file(subject: str) -> bool:
    """Tell whether a word stands for a code object or an assembly file: by its ending, or by a folder in front."""
    return not names_a_script(subject) and ("/" in subject or subject.endswith(_SUFFIXES))


def split_subject(subject: str) -> tuple[str, tuple[str, ...]]:
    """Split `gemm:m=1,n=2` into name and parameters, `a.hsaco:kernel=x` into the path and `kernel=x`."""
    path, mark, kernel = subject.rpartition(":kernel=")
    if mark and names_a_file(path):
        return path, (f"kernel={kernel}",)
    name, colon, rest = subject.partition(":")
    if not colon or names_a_file(subject) or names_a_script(subject):
        return subject, ()
    return name, tuple(pair for pair in rest.split(",") if pair)


def names_assembly(path: str) -> bool:
    """Tell whether a path is an assembly file's, by its ending."""
    return path.endswith(_ASSEMBLY)


@dataclass(frozen=True)
class Choices:
    """How a subject is read: which kernel of a file, the arch, a kernel's parameters, the user's clang."""

    kernel: str | None = None
    arch: str | None = None
    pairs: tuple[str, ...] = ()
    clang: str | None = None

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters by name. Raises UsageError."""
        return parse_parameters(self.pairs)


subject_options = one_argument(
    "choices",
    Choices,
    click.option("--kernel", "kernel", metavar="NAME", help="The kernel, where a file holds several."),
    arch_option,
    parameter_option,
    clang_option,
)
"""Adds the options that say how a subject is read; the command gets them as `choices`."""


def load_program(subject: str, choices: Choices) -> Program:
    """Return the program of a kernel's name, of a function in a Python file, or of a file. Raises HkasmError."""
    if names_a_file(subject):
        if choices.pairs:
            raise UsageError("parameters are for kernels of the library, not for files", where=subject)
        from hkasm.inspect.load import choose_kernel, program_of

        code = load_object(subject, arch=choices.arch, clang=choices.clang)
        return program_of(choose_kernel(code, choices.kernel))
    refuse_kernel(subject, choices)
    if names_a_script(subject):
        return script_program(subject, chosen_arch(choices.arch, Settings.from_environment()), choices.parameters)
    from hkasm.kernels import get_kernel, list_kernels

    if Path(subject).is_file() and subject not in list_kernels():
        raise UsageError("is not a file that can be shown", where=subject, hint="a .hsaco, .co, .o, .so or .s file")
    chosen = get_kernel(subject)
    values = choices.parameters
    return chosen.build(chosen_arch(choices.arch, Settings.from_environment(), values), **values)


def refuse_kernel(subject: str, choices: Choices) -> None:
    """Raise UsageError if one of a file's kernels was named: `subject` is none."""
    if choices.kernel is not None:
        raise UsageError("--kernel names a kernel of a file", where=subject)


def load_object(path: str, *, arch: str | None = None, clang: str | None = None, lines: bool = False) -> CodeObject:
    """Read a code object, or assemble an assembly file into one; with `lines` into one whose table names its lines.

    Raises CodeObjectError or ToolchainError.
    """
    from hkasm.asm.codeobject import CodeObject
    from hkasm.asm.disassembly import check_arch

    refuse_script(path)
    if not names_assembly(path):
        code_object = CodeObject.from_path(path)
        check_arch(code_object.arch, arch, path)
        return code_object
    settings = Settings.from_environment()
    try:
        text = read_bytes(path, MAX_SOURCE_BYTES).decode()
    except UnicodeDecodeError:
        raise UsageError("is no text", where=path) from None
    target = _TARGET.search(text)
    name = chosen_arch(target[1] if target and not arch else arch, settings)
    origins = [f"{path}:{number}" for number in range(1, text.count("\n") + 2)]
    if lines and not _HAS_LINES.search(text):
        try:
            return CodeObject(
                assemble(_with_lines(text, path), [], name, chosen_clang(clang, settings), settings)[0], path
            )
        except ToolchainError:
            pass  # the text as it is says better what is wrong with it
    code, _ = assemble(text, origins, name, chosen_clang(clang, settings), settings)
    return CodeObject(code, path)


def _with_lines(text: str, path: str) -> str:
    """Return assembly with a `.loc` before each line that may be an instruction."""
    found = [f'.file 1 "{Path(path).name}"']
    metadata = False
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        metadata = (metadata or words[:1] == [".amdgpu_metadata"]) and words[:1] != [".end_amdgpu_metadata"]
        if not metadata and words and _INSTRUCTION.match(words[0]):
            found.append(f".loc 1 {number}")
        found.append(line)
    return "\n".join(found)


def assemble(
    text: str, origins: Sequence[object | None], arch: str, clang: str | None, settings: Settings
) -> tuple[bytes, Toolchain]:
    """Return the code object of an assembly text, and the toolchain that made it. Raises ToolchainError."""
    from hkasm.asm.toolchain import build_text

    return build_text(text, arch, origins, clang=clang, rocm_path=settings.rocm_path)


def read_bytes(path: str, limit: int) -> bytes:
    """Read a file of at most `limit` bytes. Raises UsageError."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"cannot be read: {reason}", where=path) from None
    if len(data) > limit:
        raise UsageError(f"is larger than {limit} bytes", where=path)
    return data

"""The command's frame: help that fits a terminal, one line for every error, an exit code for every way to end."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner, Result

import hkasm
from hkasm.cli import main
from hkasm.errors import RaceError, ToolchainError, UsageError

COMMANDS = main.list_commands(click.Context(main))
COLUMNS = 80


def hkasm_says(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), prog_name="hkasm")


@pytest.mark.parametrize(
    "words", [(), *((name,) for name in COMMANDS), ("show", "registers"), ("show", "schedule")], ids=" ".join
)
def test_help_fits_a_terminal_and_ends_well(words: tuple[str, ...]) -> None:
    result = hkasm_says(*words, "-h")
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: {' '.join(('hkasm', *words))}")
    assert [line for line in result.output.splitlines() if len(line) > COLUMNS] == []
    assert hkasm_says(*words, "--help").output == result.output


def test_help_lists_every_command_with_a_line_that_is_not_cut() -> None:
    said = hkasm_says("-h").output
    listed = said[said.index("Commands:") :].splitlines()[1:]
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert not any(line.endswith("...") for line in listed)


def test_no_command_is_a_call_for_help() -> None:
    result = hkasm_says()
    assert (result.exit_code, result.output) == (0, hkasm_says("-h").output)


def test_version() -> None:
    assert hkasm_says("--version").output == f"hkasm {hkasm.__version__}\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("biuld", "gemm"), "unknown command 'biuld'; did you mean 'build'?"),
        (("x",), f"unknown command 'x'; one of {', '.join(COMMANDS)}"),
        (("build", "gemm", "--ark", "gfx950"), "no such option '--ark'; did you mean '--arch'?"),
        (("build", "gemm", "-x"), "no such option '-x'; see 'hkasm build -h'"),
        (("build",), "missing argument 'KERNEL'; see 'hkasm build -h'"),
        (("show", "register", "gemm"), "unknown command 'show register'; did you mean 'registers'?"),
        (("cache",), "cache wants to know what; one of clear, list, path"),
        (("show",), "show wants to know what; one of args, code, grid, lds, registers, schedule"),
        (
            ("run", "gemm", "--seed", "-1"),
            "invalid value for '--seed': -1 is not in the range 0<=x<=4294967295; see 'hkasm run -h'",
        ),
        (
            ("run", "gemm", "--seed", "x"),
            "invalid value for '--seed': 'x' is not a valid integer range; see 'hkasm run -h'",
        ),
    ],
)
def test_usage_errors_are_one_line(words: tuple[str, ...], line: str) -> None:
    result = hkasm_says(*words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"hkasm: {line}\n")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """`hkasm kernels` raises what is put into the list."""
    what: list[BaseException] = []

    def fail() -> list[str]:
        raise what[0]

    monkeypatch.setattr("hkasm.kernels.list_kernels", fail)
    return what


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("bad", where="x.s:3", hint="good", form="a b"), 2, "hkasm: x.s:3: bad; form: a b; good\n"),
        (ToolchainError("no clang"), 2, "hkasm: no clang\n"),
        (
            RaceError("ds_read\n  two waves", where="k.py:9", hint="wait"),
            2,
            "hkasm: k.py:9: ds_read\n  two waves\n  hint: wait\n",
        ),
        (FileNotFoundError(2, "No such file or directory", "x"), 2, "hkasm: x: No such file or directory\n"),
        (click.ClickException("clicked"), 2, "hkasm: clicked\n"),
        (MemoryError(), 2, "hkasm: out of memory\n"),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
    ],
)
def test_every_end_has_its_code(failing: list[BaseException], error: BaseException, code: int, said: str) -> None:
    failing.append(error)
    result = hkasm_says("kernels")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", said)


def test_a_fault_of_hkasms_own_is_one_line_unless_all_of_it_is_wanted(failing: list[BaseException]) -> None:
    failing.append(ZeroDivisionError("division\nby zero"))
    result = hkasm_says("kernels")
    assert result.exit_code == 70
    assert result.stderr.startswith("hkasm: internal error, a fault of hkasm: ZeroDivisionError: division by zero at ")
    assert result.stderr.endswith("; 'hkasm --traceback ...' shows all of it\n")
    assert result.stderr.count("\n") == 1
    assert isinstance(hkasm_says("--traceback", "kernels").exception, ZeroDivisionError)

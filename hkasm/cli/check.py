"""`hkasm check`: the static checks, and on request the emulator's, over anybody's code, one finding a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.options import (
    arch_option,
    chosen_arch,
    chosen_clang,
    clang_option,
    json_option,
    parameter_option,
    parse_parameters,
)
from hkasm.cli.output import print_json, write_files
from hkasm.cli.subject import MAX_SOURCE_BYTES, assemble, load_object, names_a_file, names_assembly, read_bytes
from hkasm.errors import UsageError
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.analysis.finding import Finding
    from hkasm.asm.codeobject import CodeObject
    from hkasm.asm.program import Program

_LEVELS = ("auto", "llvm", "cycles", "all")


@dataclass(frozen=True)
class _Checked:
    """One kernel and what was found in it."""

    kernel: str
    arch: str
    instructions: int
    findings: list[Finding]


@click.command("check", short_help="Look for faults in anybody's code.")
@click.argument("subject", metavar="X")
@click.option("--kernel", "kernel", metavar="NAME", help="Only this kernel of a file.")
@click.option(
    "--level",
    type=click.Choice(_LEVELS),
    default="auto",
    metavar="LEVEL",
    help="Of wait states: llvm (its table), cycles (what shipped kernels keep), all, or auto: llvm for hkasm's own.",
)
@click.option("--run", "run", is_flag=True, help="Launch a kernel of the library on the emulator too.")
@click.option("--sarif", "sarif", metavar="FILE", type=click.Path(path_type=Path), help="Write SARIF 2.1.0 there.")
@arch_option
@parameter_option
@clang_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    subject: str,
    kernel: str | None,
    level: str,
    run: bool,
    sarif: Path | None,
    arch: str | None,
    pairs: tuple[str, ...],
    clang: str | None,
    as_json: bool,
) -> None:
    """Check X, a kernel's name, a .hsaco or a .s file, hkasm's or anybody's:
    waits, wait states, branches, unreachable code, and registers, LDS, kernel
    arguments and scratch against what the descriptor reserves.

    A finding is one line, `file:line: rule: what`; exit code 1 when there is any.
    What depends on addresses and on other waves needs a run: --run for a kernel
    of the library, 'hkasm emulate' for a file.

    \b
    hkasm check triton.hsaco
    hkasm check gemm --arch gfx950 --run -p m=300
    """
    if names_a_file(subject):
        if pairs or run:
            raise UsageError(
                "parameters and --run are for kernels of the library", where=subject, hint="hkasm emulate runs files"
            )
        found = list(_check_file(subject, kernel, level, arch, clang))
    else:
        found = [_check_kernel(subject, level, run, arch, pairs, clang)]
    faults = [finding for one in found for finding in one.findings]
    if sarif is not None:
        import json

        from hkasm.inspect.sarif import sarif_log

        write_files(sarif.parent, {sarif.name: f"{json.dumps(sarif_log(faults), indent=1)}\n".encode()})
    if as_json:
        print_json({"kernels": [_as_dict(one) for one in found], "passed": not faults})
    else:
        _print(found)
    if faults:
        ctx.exit(EXIT_FAILED)


def _check_file(path: str, kernel: str | None, level: str, arch: str | None, clang: str | None) -> Iterator[_Checked]:
    from hkasm.analysis.check import check_program
    from hkasm.inspect.load import choose_kernel, program_of

    code = load_object(path, arch=arch, clang=clang)
    images = [choose_kernel(code, kernel)] if kernel else list(code.kernels.values())
    if not images:
        raise UsageError("holds no kernel", where=path)
    for image in images:
        program = program_of(image)
        if names_assembly(path):
            _take_lines(program, path, code)
        own = "llvm" if image.hkasm is not None else "cycles"
        findings = check_program(program, image.descriptor, own if level == "auto" else level)
        yield _Checked(image.name, code.arch.name, len(program.instructions), findings)


def _take_lines(program: Program, path: str, code: CodeObject) -> None:
    """Give the instructions the lines of the assembly file that they stand on."""
    from hkasm.asm.parser import parse_assembly

    parsed = parse_assembly(read_bytes(path, MAX_SOURCE_BYTES).decode(), arch=code.arch, path=path)
    written = parsed.programs.get(program.name)
    if written is not None and len(written.instructions) == len(program.instructions):
        for inst, line in zip(program.instructions, written.instructions, strict=True):
            inst.origin = line.origin


def _check_kernel(
    name: str, level: str, run: bool, arch: str | None, pairs: Sequence[str], clang: str | None
) -> _Checked:
    from hkasm.analysis.check import check_program
    from hkasm.asm.directives import kernel_descriptor
    from hkasm.kernels import get_kernel

    settings = Settings.from_environment()
    chosen, target, values = get_kernel(name), chosen_arch(arch, settings), parse_parameters(pairs)
    program = chosen.build(target, **values)
    findings = check_program(program, kernel_descriptor(program), "llvm" if level == "auto" else level)
    if run:
        findings = [*findings, *_run(program, chosen.problem(**values), chosen_clang(clang, settings), settings)]
    return _Checked(program.name, target, len(program.instructions), findings)


def _run(program: Program, problem: object, clang: str | None, settings: Settings) -> list[Finding]:
    """Launch a kernel's own problem on the emulator and return all that its checks found."""
    from hkasm.cli.progress import Progress
    from hkasm.emulator.options import Options
    from hkasm.kernels import Problem
    from hkasm.runtime.emulated import EmulatorDevice

    assert isinstance(problem, Problem)  # a kernel's problem is one
    text, origins = program.text_with_origins()
    with Progress(f"running {program.name} on the emulator"), EmulatorDevice() as device:
        code, _ = assemble(text, origins, program.arch.name, clang, settings)
        launch = problem.launch()
        buffers = {label: device.buffer(array) for label, array in (problem.inputs() | problem.outputs()).items()}
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        entry = device.load(code).kernels[program.name]
        return entry.launch(launch.grid, launch.block, args, options=Options(strict=False)).errors


def _print(found: Sequence[_Checked]) -> None:
    for one in found:
        for finding in one.findings:
            where = f"{finding.where}: " if finding.where is not None else ""
            what = f"{finding.instruction} {finding.message}" if finding.instruction else finding.message
            place = f" ({finding.place})" if finding.place else ""
            hint = f"; {finding.hint}" if finding.hint else ""
            click.echo(f"{where}{finding.rule}: {what}{place}{hint}")
    faults = sum(len(one.findings) for one in found)
    kernels = f"{len(found)} kernel{'s' if len(found) != 1 else ''}"
    code = sum(one.instructions for one in found)
    click.echo(f"{kernels}, {code} instructions: {faults or 'no'} finding{'s' if faults != 1 else ''}")


def _as_dict(one: _Checked) -> dict[str, object]:
    return {
        "kernel": one.kernel,
        "arch": one.arch,
        "instructions": one.instructions,
        "findings": [finding.as_dict() for finding in one.findings],
    }

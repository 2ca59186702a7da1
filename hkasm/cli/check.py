"""`hkasm check`: the static checks, and on request the emulator's, over anybody's code, one finding a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hkasm.cli.app import EXIT_FAILED
from hkasm.cli.file_launch import LaunchWords, launch_options, prepare_launch
from hkasm.cli.options import json_option
from hkasm.cli.output import print_json, write_files
from hkasm.cli.progress import Bar
from hkasm.cli.script import names_a_script, refuse_script
from hkasm.cli.subject import Choices, load_object, load_program, names_a_file, subject_options
from hkasm.errors import UsageError

if TYPE_CHECKING:
    from hkasm.analysis.finding import Finding
    from hkasm.asm.program import Program
    from hkasm.cli.file_launch import FileLaunch
    from hkasm.kernels import Problem

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
@click.option(
    "--level",
    type=click.Choice(_LEVELS),
    default="auto",
    metavar="LEVEL",
    help="Of wait states: llvm (its table), cycles (what shipped kernels keep), all, or auto: llvm for hkasm's own.",
)
@click.option("--run", "run", is_flag=True, help="Launch it on the emulator too.")
@launch_options
@click.option("--sarif", "sarif", metavar="FILE", type=click.Path(path_type=Path), help="Write SARIF 2.1.0 there.")
@subject_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    subject: str,
    level: str,
    run: bool,
    sarif: Path | None,
    launch: LaunchWords,
    choices: Choices,
    as_json: bool,
) -> None:
    """Check X, a kernel's name, a .hsaco or a .s file, hkasm's or anybody's:
    waits, wait states, branches, unreachable code, and registers, LDS, kernel
    arguments and scratch against what the descriptor reserves.

    A finding is one line, `file:line: rule: what`; exit code 1 when there is any.
    What depends on addresses and on other waves needs a run: --run launches the
    kernel with all of the emulator's checks, and proves from its first
    workgroup's course that LDS is free of races at any timing. A kernel of the
    library has its own launch; a file wants one, as for 'hkasm emulate'.

    \b
    hkasm check triton.hsaco
    hkasm check gemm --arch gfx950 --run -p m=300
    hkasm check axpy.hsaco --run --grid 4 --arg ptr:f32[1000]=normal:1 ...
    """
    if run or launch:
        refuse_script(subject)
    if not (run and names_a_file(subject)):
        launch.refuse(subject, "for files, with --run")
    if names_a_file(subject):
        if choices.pairs:
            raise UsageError("parameters are for kernels of the library, not for files", where=subject)
        found = list(_check_file(subject, choices, level, launch if run else None))
    else:
        found = [_check_kernel(subject, choices, level, run)]
    faults = [finding for one in found for finding in one.findings]
    if sarif is not None:
        import json

        from hkasm.inspect.sarif import sarif_log

        write_files(sarif.parent, {sarif.name: f"{json.dumps(sarif_log(faults), indent=1)}\n".encode()})
    if as_json:
        kernels = [_as_dict(one) for one in found]
        print_json({"kernels": kernels, "passed": not faults, "launched": run})
    else:
        more = "" if names_a_script(subject) else "; --run launches it too"
        _print(found, "in the code and in a launch" if run else f"in the code{more}")
    if faults:
        ctx.exit(EXIT_FAILED)


def _check_file(path: str, choices: Choices, level: str, launch: LaunchWords | None) -> Iterator[_Checked]:
    """Check a file's kernels; `launch` says how one of them is launched (None: no run)."""
    from hkasm.analysis.check import check_program
    from hkasm.inspect.load import choose_kernel, program_of

    code = load_object(path, arch=choices.arch, clang=choices.clang, lines=True)
    chosen = choices.kernel is not None or launch is not None
    images = [choose_kernel(code, choices.kernel)] if chosen else list(code.kernels.values())
    if not images:
        raise UsageError("holds no kernel", where=path)
    for image in images:
        program = program_of(image)
        for inst in program.instructions:
            # An assembly file's lines are told under the path that was given, as editors want it.
            if inst.origin is not None and inst.origin.file == Path(path).name:
                inst.origin = replace(inst.origin, file=path)
        own = "llvm" if image.hkasm is not None else "cycles"
        findings = check_program(program, image.descriptor, own if level == "auto" else level)
        if launch is not None:
            findings += _beyond(findings, _run_file(program, prepare_launch(code, image, launch), level, path))
        yield _Checked(image.name, code.arch.name, len(program.instructions), findings)


def _check_kernel(name: str, choices: Choices, level: str, run: bool) -> _Checked:
    """Check a kernel of the library, or a function of a Python file, which has no launch of its own."""
    from hkasm.kernels import get_kernel

    program = load_program(name, choices)
    if not run:
        return _checked(program, level, [])
    problem = get_kernel(name).problem_on(program.arch.name, choices.parameters)
    return _checked(program, level, _run(program, problem, choices.clang))


def _checked(program: Program, level: str, seen: list[Finding]) -> _Checked:
    """Check a program that hkasm built; `seen` are findings of a run."""
    from hkasm.analysis.check import check_program
    from hkasm.asm.directives import kernel_descriptor

    findings = check_program(program, kernel_descriptor(program), "llvm" if level == "auto" else level)
    return _Checked(program.name, program.arch.name, len(program.instructions), [*findings, *_beyond(findings, seen)])


def _run(program: Program, problem: Problem, clang: str | None) -> list[Finding]:
    """Launch a kernel's own problem on the emulator; return what its checks found, and what the verifier did."""
    from hkasm.analysis.verifier import verify_lds
    from hkasm.cli.launch import run_problem
    from hkasm.emulator.checks.wave_trace import WaveTrace
    from hkasm.emulator.options import Options

    trace = WaveTrace()
    report = run_problem(program, problem, clang, Options(strict=False), [trace])
    proof = verify_lds(program, {wave: steps for (_, wave), steps in trace.waves.items()})
    return [*report.errors, *proof.findings]


def _run_file(program: Program, launch: FileLaunch, level: str, path: str) -> list[Finding]:
    """Launch a file's kernel on the emulator; return what its checks found, and what the verifier did."""
    from hkasm.analysis.verifier import verify_lds
    from hkasm.emulator.checks.wave_trace import WaveTrace
    from hkasm.emulator.options import Options
    from hkasm.emulator.report import RunReport

    report, trace = RunReport(), WaveTrace()
    with Bar(f"{program.name} on the emulator", launch.waves, "waves") as bar:
        launch.run(Options(strict=False, hazards=level), report, progress=bar.update, listeners=[trace])
    proof = verify_lds(program, {wave: steps for (_, wave), steps in trace.waves.items()})
    return [_at_path(finding, path) for finding in report.errors] + list(proof.findings)


def _at_path(finding: Finding, path: str) -> Finding:
    """Return a finding of an assembly file's run with its place under the path that was given."""
    from hkasm.asm.instruction import Origin

    where = finding.where
    if not isinstance(where, Origin) or where.file != Path(path).name:
        return finding
    return replace(finding, where=replace(where, file=path))


def _beyond(known: Sequence[Finding], seen: Sequence[Finding]) -> list[Finding]:
    """Return what a run found beyond the static checks: one fault is told once."""
    told = {(finding.rule, str(finding.where)) for finding in known}
    return [finding for finding in seen if (finding.rule, str(finding.where)) not in told]


def _print(found: Sequence[_Checked], looked: str) -> None:
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
    click.echo(f"{kernels}, {code} instructions: {faults or 'no'} finding{'s' if faults != 1 else ''} {looked}")


def _as_dict(one: _Checked) -> dict[str, object]:
    return {
        "kernel": one.kernel,
        "arch": one.arch,
        "instructions": one.instructions,
        "findings": [finding.as_dict() for finding in one.findings],
    }

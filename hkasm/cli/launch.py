"""A kernel of the library launched with its own problem on the emulator, for commands that look at the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hkasm.cli.options import chosen_clang
from hkasm.cli.progress import Progress
from hkasm.cli.subject import assemble
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.asm.program import Program
    from hkasm.emulator.checks.wave_trace import WaveTrace
    from hkasm.emulator.listener import Listener
    from hkasm.emulator.options import Options
    from hkasm.emulator.report import RunReport
    from hkasm.kernels import Problem
    from hkasm.runtime.emulated import EmulatedModule

__all__ = ["run_problem", "trace_problem"]


def run_problem(
    program: Program, problem: Problem, clang: str | None, options: Options, probes: Sequence[Listener] = ()
) -> RunReport:
    """Build a program and launch it with its problem's inputs; `clang` is the user's choice. Raises HkasmError."""
    with Progress(f"running {program.name} on the emulator"), _loaded(program, problem, clang) as (module, args):
        launch = problem.launch()
        return module.kernels[program.name].launch(launch.grid, launch.block, args, options=options, probes=probes)


def trace_problem(program: Program, problem: Problem, clang: str | None) -> WaveTrace:
    """Build a program and run its problem's first workgroup alone; return what its waves did. Raises HkasmError."""
    from hkasm.model.traces import trace_group
    from hkasm.runtime.arguments import bind

    with Progress(f"tracing {program.name} on the emulator"), _loaded(program, problem, clang) as (module, args):
        launch, machine = problem.launch(), module.machine
        with bind(machine.kernel(program.name), args, module.device, allow_aliasing=True) as bound:
            return trace_group(machine, program.name, launch.grid, launch.block, bound.segment)


@contextmanager
def _loaded(program: Program, problem: Problem, clang: str | None) -> Iterator[tuple[EmulatedModule, list[object]]]:
    """Give a program in an emulator of its own, and its problem's arguments there."""
    from hkasm.runtime.emulated import EmulatorDevice

    settings = Settings.from_environment()
    text, origins = program.text_with_origins()
    with EmulatorDevice() as device:
        code, _ = assemble(text, origins, program.arch.name, chosen_clang(clang, settings), settings)
        buffers = {label: device.buffer(array) for label, array in (problem.inputs() | problem.outputs()).items()}
        yield device.load(code), [buffers[arg] if isinstance(arg, str) else arg for arg in problem.launch().args]

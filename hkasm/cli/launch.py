"""A kernel of the library launched with its own problem on the emulator, for commands that look at the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hkasm.cli.options import chosen_clang
from hkasm.cli.progress import Progress
from hkasm.cli.subject import assemble
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.asm.program import Program
    from hkasm.emulator.listener import Listener
    from hkasm.emulator.options import Options
    from hkasm.emulator.report import RunReport
    from hkasm.kernels import Problem

__all__ = ["run_problem"]


def run_problem(
    program: Program, problem: Problem, clang: str | None, options: Options, probes: Sequence[Listener] = ()
) -> RunReport:
    """Build a program and launch it with its problem's inputs; `clang` is the user's choice. Raises HkasmError."""
    from hkasm.runtime.emulated import EmulatorDevice

    settings = Settings.from_environment()
    text, origins = program.text_with_origins()
    with Progress(f"running {program.name} on the emulator"), EmulatorDevice() as device:
        code, _ = assemble(text, origins, program.arch.name, chosen_clang(clang, settings), settings)
        launch = problem.launch()
        buffers = {label: device.buffer(array) for label, array in (problem.inputs() | problem.outputs()).items()}
        args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
        kernel = device.load(code).kernels[program.name]
        return kernel.launch(launch.grid, launch.block, args, options=options, probes=probes)

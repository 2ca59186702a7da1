"""The machine: code objects loaded into memory, kernels compiled once, launches in order on memory that persists."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import numpy as np

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.emulator import parallel
from hkasm.emulator.checks import launch_listeners, make_listeners
from hkasm.emulator.code import Code
from hkasm.emulator.compiler import compile_op
from hkasm.emulator.counters import count_instructions
from hkasm.emulator.launch import Launch
from hkasm.emulator.listener import Listener
from hkasm.emulator.memory import Buffer, Memory
from hkasm.emulator.options import Options
from hkasm.emulator.report import Reporter, RunReport
from hkasm.emulator.run import Limits, Progress, Run
from hkasm.emulator.standstill import Standstill
from hkasm.errors import LaunchError, UsageError, did_you_mean

__all__ = ["Machine"]


class Machine:
    """A code object on an emulated device: `launch` runs one of its kernels to the end.

    Several machines may share one memory, as several modules share a device. An `image` is there already: the object's
    bytes in that memory.
    """

    def __init__(
        self,
        code_object: CodeObject,
        memory: Memory | None = None,
        name: str = "code",
        *,
        image: Buffer | None = None,
    ) -> None:
        self.code_object = code_object
        self.memory = memory if memory is not None else Memory()
        loaded = image is not None
        if image is None:
            image = self.memory.allocate(len(code_object.load_image(0)), f"the code object {name}")
        self.image = image
        self._bytes = bytes(code_object.load_image(self.image.address))
        if not loaded:
            self.image.u8[: len(self._bytes)] = np.frombuffer(self._bytes, dtype=np.uint8)
        self._codes: dict[tuple[str, str], Code] = {}

    def kernel(self, name: str) -> KernelImage:
        """Return a kernel by name.

        Raises:
            LaunchError: the object has none of that name.
        """
        kernel = self.code_object.kernels.get(name)
        if kernel is None:
            known = self.code_object.kernels
            raise LaunchError(f"no kernel {name!r}", hint=did_you_mean(name, known) or f"it has {', '.join(known)}")
        return kernel

    def code(self, kernel: KernelImage, options: Options) -> Code:
        """Return a kernel's compiled code, made once for each kind of arithmetic."""
        key = (kernel.name, options.arithmetic)
        if options.arithmetic == "cdna3" and kernel.arch.name != "gfx942":
            raise UsageError(
                f"arithmetic 'cdna3' is MI300X's, and {kernel.name} is for {kernel.arch.name}",
                hint="no bit model of that is published: use 'exact'",
            )
        if key not in self._codes:
            d = kernel.descriptor
            mode = d.round_mode_32 | d.round_mode_16_64 << 2 | d.denorm_mode_32 << 4 | d.denorm_mode_16_64 << 6
            mode |= d.dx10_clamp << 8 | d.ieee_mode << 9 | d.fp16_overflow << 23
            self._codes[key] = Code(kernel, self._bytes, compile_op, mode, arithmetic=options.arithmetic)
        return self._codes[key]

    def launch(
        self,
        name: str,
        grid: Sequence[int],
        block: Sequence[int],
        kernarg: bytes = b"",
        *,
        lds_bytes: int = 0,
        options: Options | None = None,
        listeners: Iterable[Listener] = (),
        report: RunReport | None = None,
        progress: Progress | None = None,
    ) -> RunReport:
        """Run a kernel: `grid` in workgroups, `block` in work-items, `lds_bytes` of dynamic LDS.

        A `report` of the caller's is filled while the launch runs, so that it is there when an error ends it.

        Raises:
            LaunchError: the launch makes no sense.
            HkasmError: the run found a fault (strict), or could not go on.
        """
        options = Options() if options is None else options
        if not isinstance(options, Options):
            raise LaunchError(
                f"options are the emulator's Options, got {options!r}", where=name, hint="options=Options(strict=False)"
            )
        others = _listeners(name, listeners)
        kernel = self.kernel(name)
        code = self.code(kernel, options)
        report = report if report is not None else RunReport()
        report.kernel = name
        reporter = Reporter(report, strict=options.strict, limit=options.max_findings)
        limits = Limits(options, progress)
        before = {id(made): made.executed for member in code.family for made in member.blocks}
        launch = Launch(kernel, self.code_object, self.image, self.memory, grid, block, kernarg, lds_bytes, options)
        report.count("SQ_WAVES", launch.groups * launch.waves_per_group)
        try:
            at_once = groups_at_once(launch, code)
            if options.jobs > 1 and not others and not options.trace:
                shares = parallel.shares(launch.groups, at_once, options.jobs)
                if len(shares) > 1 and parallel.run(self, launch, shares, at_once, reporter, limits):
                    return report
            with launch:
                watching = run_groups(launch, code, range(launch.groups), at_once, reporter, limits, others)
            for listener in watching:
                listener.finish(report)
        finally:
            for member in code.family:
                count_instructions(report, member, before)
            report.instructions = limits.instructions
            report.seconds = time.perf_counter() - limits.begun
        return report


def _listeners(kernel: str, listeners: object) -> list[Listener]:
    """Return what is to watch a launch, or raise LaunchError."""
    found: list[Listener] = []
    for listener in listeners if isinstance(listeners, Iterable) else [listeners]:
        if not isinstance(listener, Listener):
            raise LaunchError(
                f"probes are listeners, got {listener!r}",
                where=kernel,
                hint='probes=[Probe(at="kernel.py:12", show=["v12"])], or objects of a class of Listener',
            )
        found.append(listener)
    return found


WORKING_BYTES = 16 << 20
"""Registers, LDS and shadows that one run is given: more fall out of the processor's caches."""
WORKING_WAVES = 128
"""Waves below which the price of an instruction in Python counts more than caches."""
PATIENCE = 16
"""Turns after which a run that goes on lets another begin beside it, in case it waits for later workgroups."""


def groups_at_once(launch: Launch, code: Code) -> int:
    """Return how many workgroups one run is given."""
    each = launch.bytes_per_group(code.registers.total)
    return min(max(WORKING_BYTES // each, -(-WORKING_WAVES // launch.waves_per_group), 1), _most(launch, code))


def _most(launch: Launch, code: Code) -> int:
    return max(launch.options.resident_bytes // launch.bytes_per_group(code.registers.total), 1)


def run_groups(
    launch: Launch,
    code: Code,
    groups: range,
    at_once: int,
    reporter: Reporter,
    limits: Limits,
    listeners: list[Listener],
) -> list[Listener]:
    """Run workgroups of a launch, some at a time; returns the listeners that watched."""
    most = _most(launch, code)
    shared = [*launch_listeners(launch.options), *listeners]
    watching = list(shared)
    active: list[Run] = []
    next_group = groups.start
    standstill = Standstill()
    while active or next_group < groups.stop:
        resident = sum(run.groups for run in active)
        if next_group < groups.stop and (not active or resident + at_once <= most):
            numbers = range(next_group, min(next_group + at_once, groups.stop))
            own = make_listeners(launch.options)
            watching += own
            active.append(Run(launch, code, numbers, [*own, *shared], reporter, limits))
            next_group = numbers.stop
        going = [run for run in active if not run.advance(PATIENCE)]
        if len(going) == len(active) and (next_group == groups.stop or resident + at_once > most):
            found = standstill.look(going)
            if found is not None:
                reporter.add(found)
                raise found.error()
        active = going
    return watching

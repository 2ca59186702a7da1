"""Several processes for one launch, where its workgroups have nothing to do with each other.

Each process runs a share of the workgroups on shared memory and notes every byte that it reads and writes. If no byte
that one wrote was read or written by another, then no order of workgroups can matter, and the shares together are the
launch: same bits, same findings, same counts as from one process. In any other case (or if a process ends in an error,
finds that nobody can go on, or reads the clock) all is forgotten and one process runs the launch from the beginning.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.shared_memory import SharedMemory
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.analysis.finding import Finding
from hkasm.emulator.memory import Buffer, Memory, padded
from hkasm.emulator.options import Options
from hkasm.emulator.report import Reporter, RunReport
from hkasm.errors import EmulatorError

if TYPE_CHECKING:
    from hkasm.emulator.launch import Launch
    from hkasm.emulator.machine import Machine
    from hkasm.emulator.run import Limits

__all__ = ["run", "shares"]

GRANULE_BITS: Final = 4
"""Reads are noted by granules of 16 bytes: what is near a write by another process counts as touched by it."""
SPARE_BYTES: Final = 64 << 20
"""Shared memory that is left alone."""
SHARED_FOLDER: Final = "/dev/shm"
BEAT_SECONDS: Final = 0.25
Bits = NDArray[np.uint8]


class NotedBuffer(Buffer):
    """A buffer on shared memory that notes which bytes were read and written."""

    def __init__(self, address: int, size: int, name: str, store: NDArray[np.uint8]) -> None:
        super().__init__(address, 0, name)
        self.size = size
        self.look_at(store)
        self._written = np.zeros(padded(size), dtype=np.bool_)
        self._read = np.zeros(padded(size) >> GRANULE_BITS, dtype=np.bool_)

    def gather(self, index: NDArray[np.int64], size: int) -> NDArray[np.uint32]:
        self._read[index >> GRANULE_BITS] = True
        if size > 1:
            self._read[(index + (size - 1)) >> GRANULE_BITS] = True
        return super().gather(index, size)

    def scatter(self, index: NDArray[np.int64], data: NDArray[np.uint32], size: int) -> None:
        self._note(index, size)
        super().scatter(index, data, size)

    def touch(self, index: NDArray[np.int64], size: int) -> None:
        self._read[index >> GRANULE_BITS] = True
        self._note(index, size)

    def _note(self, index: NDArray[np.int64], size: int) -> None:
        for byte in range(size):
            self._written[index + byte] = True

    @property
    def notes(self) -> tuple[Bits, Bits] | None:
        """Bits of the bytes written and of the granules read, None where there were neither."""
        if not (self._written.any() or self._read.any()):
            return None
        return np.packbits(self._written), np.packbits(self._read)


@dataclass(frozen=True)
class _Place:
    """One buffer of the launch's memory: `shared` names the shared memory of one that waves may write to."""

    address: int
    size: int
    name: str
    shared: str
    data: bytes = b""


@dataclass(frozen=True)
class _Task:
    """What a process needs to run its share."""

    object_bytes: bytes
    image_address: int
    places: tuple[_Place, ...]
    next_address: int
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    kernarg: bytes
    dynamic_lds: int
    options: Options
    groups: range
    at_once: int


@dataclass
class _Share:
    """What came of one share."""

    report: RunReport
    findings: list[tuple[tuple[object, ...], Finding]]
    instructions: int
    notes: dict[int, tuple[Bits, Bits]] = field(default_factory=dict)


def shares(groups: int, at_once: int, jobs: int) -> list[range]:
    """Return contiguous ranges of workgroups for at most so many processes, cut where one process begins a new run."""
    runs = -(-groups // at_once)
    count = min(jobs, runs)
    cuts = [min(runs * number // count * at_once, groups) for number in range(count + 1)]
    return [range(first, last) for first, last in itertools.pairwise(cuts) if first < last]


# ---- the launching process -------------------------------------------------------------------------------------------


def run(
    machine: Machine, launch: Launch, parts: Sequence[range], at_once: int, reporter: Reporter, limits: Limits
) -> bool:
    """Run the parts of a launch in processes of their own.

    Returns False, with nothing changed, if one process has to run the launch.
    """
    memory = machine.memory
    if not _room(memory) or any(buffer.undefined is not None for buffer in memory.buffers):
        return False
    with ExitStack() as stack:
        stores = {}
        for buffer in memory.buffers:
            if buffer.writable:
                stores[buffer.address] = stack.enter_context(_Shared(buffer))
        places = tuple(_place(buffer, stores) for buffer in memory.buffers)
        tasks = [
            _Task(
                machine.code_object.data,
                machine.image.address,
                places,
                memory.next_address,
                launch.kernel.name,
                launch.grid,
                launch.block,
                launch.given,
                launch.dynamic_lds,
                launch.options.but(jobs=1, max_seconds=limits.remaining_seconds()),
                groups,
                at_once,
            )
            for groups in parts
        ]
        found = _gather(tasks, limits)
        if found is None or not _independent([share.notes for share in found]):
            limits.instructions = limits.waves_ended = 0
            return False
        total = sum(share.instructions for share in found)
        if limits.max_instructions and total > limits.max_instructions:
            limits.instructions = limits.waves_ended = 0
            return False
        for buffer in memory.buffers:
            if buffer.writable and any(buffer.address in share.notes for share in found):
                buffer.u8[...] = _bytes_of(stores[buffer.address], len(buffer.u8))
    with launch:
        pass  # its own buffers have taken their addresses
    limits.instructions = total
    for share in found:
        for name, count in share.report.counters.items():
            reporter.report.count(name, count)
        for identity, finding in share.findings:
            reporter.add(finding, *identity)
    return True


class _Shared:
    """Shared memory with a buffer's bytes, gone after the `with` block."""

    def __init__(self, buffer: Buffer) -> None:
        self._memory = SharedMemory(create=True, size=len(buffer.u8))
        _bytes_of(self._memory, len(buffer.u8))[...] = buffer.u8

    def __enter__(self) -> SharedMemory:
        return self._memory

    def __exit__(self, *_: object) -> None:
        self._memory.close()
        self._memory.unlink()


def _bytes_of(store: SharedMemory, size: int) -> NDArray[np.uint8]:
    """Return the bytes of shared memory, which may be longer by its page."""
    if store.buf is None:
        raise EmulatorError("shared memory was closed")
    return np.frombuffer(store.buf, dtype=np.uint8, count=size)


def _room(memory: Memory) -> bool:
    """Tell whether shared memory can hold the buffers: writing to more of it than there is ends a process."""
    wanted = sum(len(buffer.u8) for buffer in memory.buffers if buffer.writable)
    try:
        there = os.statvfs(SHARED_FOLDER)
    except (AttributeError, OSError):
        return True  # no such folder: another system, where such memory is the pager's
    return wanted + SPARE_BYTES <= there.f_bavail * there.f_frsize


def _place(buffer: Buffer, stores: dict[int, SharedMemory]) -> _Place:
    store = stores.get(buffer.address)
    data = b"" if store is not None else buffer.u8[: buffer.size].tobytes()
    return _Place(buffer.address, buffer.size, buffer.name, store.name if store is not None else "", data)


def _gather(tasks: Sequence[_Task], limits: Limits) -> list[_Share] | None:
    """Run tasks in processes; returns their shares, or None as soon as one cannot give its own."""
    context = multiprocessing.get_context("spawn")
    processes: list[SpawnProcess] = []
    pipes: dict[Connection, int] = {}
    done: dict[int, _Share] = {}
    counts = [(0, 0)] * len(tasks)
    try:
        for number, task in enumerate(tasks):
            mine, its = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(its, task), daemon=True)
            process.start()
            its.close()
            processes.append(process)
            pipes[mine] = number
        while pipes:
            for pipe in wait(list(pipes)):
                if not isinstance(pipe, Connection):
                    continue
                try:
                    message: Any = pipe.recv()
                except EOFError:  # the process died
                    return None
                if isinstance(message, tuple):
                    counts[pipes[pipe]] = message
                    if limits.progress is not None:
                        limits.progress(sum(count for count, _ in counts), sum(ended for _, ended in counts))
                    continue
                if message is None:
                    return None
                done[pipes.pop(pipe)] = message
        return [done[number] for number in range(len(tasks))]
    finally:
        for process in processes:
            if len(done) < len(tasks):
                process.terminate()
            process.join()


def _independent(notes: Sequence[dict[int, tuple[Bits, Bits]]]) -> bool:
    """Tell whether no byte that one share wrote was read or written by another."""
    for address in {address for one in notes for address in one}:
        touched = [one[address] for one in notes if address in one]
        written = np.zeros_like(touched[0][0])
        for wrote, _ in touched:
            if (written & wrote).any():
                return False
            written |= wrote
        if not written.any():
            continue
        granules = [np.packbits(wrote.view(np.uint16) != 0) for wrote, _ in touched]
        for number, (_, read) in enumerate(touched):
            if any((read & granule).any() for other, granule in enumerate(granules) if other != number):
                return False
    return True


# ---- a working process -----------------------------------------------------------------------------------------------


def _work(pipe: Connection, task: _Task) -> None:
    """Run a share and send what came of it, or None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the launching process ends this one
    stores: list[SharedMemory] = []
    try:
        pipe.send(_run_share(pipe, task, stores))
    except Exception:  # one process runs the launch again and says what is wrong
        pipe.send(None)
    finally:
        pipe.close()
        for store in stores:
            # Arrays may still look at it; the process ends here, and the launching one takes the memory away.
            store._buf = None  # type: ignore[attr-defined]
            store._mmap = None  # type: ignore[attr-defined]


class _Teller:
    """Sends how far a share is, a few times a second."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._next = pipe, time.monotonic() + BEAT_SECONDS

    def tell(self, instructions: int, ended: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + BEAT_SECONDS
            self._pipe.send((instructions, ended))


def _run_share(pipe: Connection, task: _Task, stores: list[SharedMemory]) -> _Share | None:
    from hkasm.asm.codeobject import CodeObject
    from hkasm.emulator.counters import count_instructions
    from hkasm.emulator.launch import Launch
    from hkasm.emulator.machine import Machine, run_groups
    from hkasm.emulator.run import Limits

    memory = Memory()
    noted: list[NotedBuffer] = []
    for place in task.places:
        if place.shared:
            store = SharedMemory(place.shared)
            stores.append(store)
            one = NotedBuffer(place.address, place.size, place.name, _bytes_of(store, padded(place.size)))
            noted.append(one)
            memory.place(one)
        else:
            buffer = Buffer(place.address, place.size, place.name, writable=False)
            buffer.u8[: place.size] = np.frombuffer(place.data, dtype=np.uint8)
            memory.place(buffer)
    memory.begin_at(task.next_address)
    image = memory.find(task.image_address)
    machine = Machine(CodeObject.from_bytes(task.object_bytes), memory, image=image)
    kernel = machine.kernel(task.kernel)
    code = machine.code(kernel, task.options)
    report = RunReport()
    reporter = Reporter(report, strict=task.options.strict, limit=task.options.max_findings)
    limits = Limits(task.options, _Teller(pipe).tell)
    with Launch(
        kernel, machine.code_object, machine.image, memory, task.grid, task.block, task.kernarg, task.dynamic_lds,
        task.options,
    ) as launch:  # fmt: skip
        watching = run_groups(launch, code, task.groups, task.at_once, reporter, limits, [])
    if any(block.executed and op.inst.spec.control == "time" for member in code.family for block in member.blocks
           for op in block.ops):  # fmt: skip
        return None
    for listener in watching:
        listener.finish(report)
    for member in code.family:
        count_instructions(report, member, {})
    return _Share(
        report,
        reporter.taken,
        limits.instructions,
        {buffer.address: notes for buffer in noted if (notes := buffer.notes) is not None},
    )

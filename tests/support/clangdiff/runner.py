"""Compile generated programs for the host and for a GPU, run both, compare the bits of everything they wrote."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from support.clangdiff.data import inputs
from support.clangdiff.model import BITS, OWN_BYTES, Program

import hkasm
from hkasm.emulator.options import Options
from hkasm.errors import HkasmError
from hkasm.runtime.emulated import EmulatedModule

HERE = Path(__file__).parent
COMMON = ["-w", "-std=gnu23", "-fno-strict-aliasing", "-ffp-contract=off", "-I", str(HERE)]
HOST = ["-O0", "-Xclang", "-ffloat16-excess-precision=none", "-Xclang", "-fbfloat16-excess-precision=none"]
LIMITS = Options(strict=False, max_instructions=5_000_000, max_seconds=1000.0, max_findings=5)
Expected = tuple[bytes, bytes]


class CompileError(Exception):
    """clang refused a program, or the host's build of it failed: the generator's fault."""


@dataclass
class Outcome:
    """What became of one program on one arch.

    `ok`, `differs`, `clang` (it differs by a fault of clang's that is told by itself), `finding`, `error` (a house
    error) or `crash`.
    """

    seed: int
    arch: str
    level: str
    kind: str
    detail: str = ""
    mnemonics: frozenset[str] = field(default=frozenset())
    instructions: int = 0


def find_clang() -> str | None:
    """A clang that builds for the host and for gfx950."""
    for name in ("clang-22", "clang"):
        path = shutil.which(name)
        if path is None:
            continue
        cpus = subprocess.run(
            [path, "-target", "amdgcn-amd-amdhsa", "-print-supported-cpus"], capture_output=True, text=True
        )
        if "gfx950" in cpus.stdout + cpus.stderr:
            return path
    return None


def host_text(programs: Sequence[Program]) -> str:
    """The source of the host's executable: all programs and a table of them."""
    rows = ", ".join(f"{{{p.name}, {p.groups}, {p.block}}}" for p in programs)
    return "\n".join(
        [
            "#define GFX950 1", '#include "common.h"', '#include "host.h"', '#include "models.h"',
            *(program.text() for program in programs),
            f"static const struct hk_row rows[] = {{{rows}}};",
            f"int main(int count, char **words) {{ hk_gfx950 = count > 1; return hk_serve(rows, {len(programs)}); }}\n",
        ]
    )  # fmt: skip


def device_text(programs: Sequence[Program], arch: str) -> str:
    """The source of the code object."""
    head = f'#define GFX950 {int(arch == "gfx950")}\n#include "common.h"\n#include "device.h"\n'
    return head + "\n".join(program.text() for program in programs)


def _compile(command: list[str], text: str, folder: Path, name: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    done = subprocess.run([*command, name], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(done.stderr[:2000])


def run_host(clang: str, programs: Sequence[Program], archs: Sequence[str]) -> dict[str, list[Expected]]:
    """Output and memory of every program after its run on the host, by the arch whose small floats it uses."""
    with tempfile.TemporaryDirectory(prefix="clangdiff") as name:
        folder = Path(name)
        _compile([clang, *HOST, *COMMON, "-o", "host", "-lm"], host_text(programs), folder, "host.c")
        feed = bytearray()
        for program in programs:
            data, memory, k0, k1, k2 = inputs(program)
            feed += struct.pack("<IIIIQf", len(data), program.output_bytes, len(memory), k0, k1, k2) + data + memory
        return {arch: _host_results(folder / "host", arch, bytes(feed), programs) for arch in archs}


def _host_results(path: Path, arch: str, feed: bytes, programs: Sequence[Program]) -> list[Expected]:
    command = [str(path), "gfx950"] if arch == "gfx950" else [str(path)]
    try:
        done = subprocess.run(command, input=feed, capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise CompileError("the host's build does not end") from None
    if done.returncode:
        raise CompileError(f"the host's build ended with {done.returncode}: {done.stderr.decode()[:200]}")
    results, at = [], 0
    for program in programs:
        middle, end = at + program.output_bytes, at + program.output_bytes + program.memory_bytes
        results.append((done.stdout[at:middle], done.stdout[middle:end]))
        at = end
    return results


def compile_device(clang: str, text: str, arch: str, level: str, features: Sequence[str] = ()) -> bytes:
    """Code object of a source; `features` as LLVM names them, with + or -."""
    target = ["-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", f"-{level}"]
    asked = [word for feature in features for word in ("-Xclang", "-target-feature", "-Xclang", feature)]
    with tempfile.TemporaryDirectory(prefix="clangdiff") as name:
        folder = Path(name)
        command = [clang, *target, *asked, *COMMON, "-o", "device"]
        _compile(command, text, folder, "device.c")
        return (folder / "device").read_bytes()


def run_device(module: EmulatedModule, program: Program, expected: Expected, arch: str, level: str) -> Outcome:
    """Run one program of a loaded code object and compare with the host's results."""
    outcome = Outcome(program.seed, arch, level, "ok")
    data, memory, k0, k1, k2 = inputs(program)
    device = module.device
    buffers = [
        device.buffer(np.frombuffer(raw, np.uint8), label)
        for raw, label in ((data, "in"), (bytes(program.output_bytes), "out"), (memory, "mem"))
    ]
    kernel = module.kernels[program.name]
    try:
        report = kernel.launch(
            (program.groups,),
            (program.block,),
            [*buffers, np.uint32(k0), np.uint64(k1), np.float32(k2)],
            options=LIMITS,
        )
        outcome.instructions = report.instructions
        if report.errors:
            outcome.kind, outcome.detail = "finding", str(report.errors[0])
        differences = compare(program, buffers[1].numpy(), buffers[2].numpy(), expected)
        if differences:
            outcome.kind, outcome.detail = "differs", differences
    except HkasmError as error:
        outcome.kind, outcome.detail = "error", str(error)
    except Exception as error:  # whatever else: a crash of the emulator is a result
        outcome.kind, outcome.detail = "crash", _last_frames(error)
    finally:
        for buffer in buffers:
            buffer.free()
    code = module.machine.code(kernel.image, LIMITS)
    outcome.mnemonics = frozenset(op.inst.spec.mnemonic for block in code.blocks if block.executed for op in block.ops)
    return outcome


def _last_frames(error: Exception) -> str:
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__}: {error} ({' '.join(frames[-3:])})"


def compare(program: Program, out: NDArray[np.uint8], memory: NDArray[np.uint8], expected: Expected) -> str:
    """Say which variables differ in which lanes, or an empty string."""
    notes = []
    rows = out.reshape(program.lanes, program.row_bytes)
    wanted = np.frombuffer(expected[0], np.uint8).reshape(rows.shape)
    for index, variable in enumerate(program.variables):
        part = slice(8 * index, 8 * index + BITS[variable.type] // 8)
        bad = np.flatnonzero((rows[:, part] != wanted[:, part]).any(axis=1))
        if bad.size:
            lane = int(bad[0])
            got, want = (int.from_bytes(it[lane, part].tobytes(), "little") for it in (rows, wanted))
            notes.append(f"{variable.name}: {bad.size} lanes, first {lane}: got {got:#x}, host {want:#x}")
    other = np.frombuffer(expected[1], np.uint8)
    bad = np.flatnonzero(memory != other)
    if bad.size:
        at = int(bad[0])
        place = f"lane {at // OWN_BYTES} byte {at % OWN_BYTES}" if at < program.lanes * OWN_BYTES else "the common part"
        notes.append(f"memory: {bad.size} bytes, first {place}: got {memory[at]:#x}, host {other[at]:#x}")
    return "; ".join(notes)


def run_unit(
    clang: str,
    programs: Sequence[Program],
    arch: str,
    level: str,
    expected: Sequence[Expected],
    *,
    features: Sequence[str] = (),
) -> list[Outcome]:
    """Build one code object of those programs that the arch has, and run them all."""
    chosen = [(program, wanted) for program, wanted in zip(programs, expected, strict=True) if arch in program.archs]
    if not chosen:
        return []
    text = device_text([program for program, _ in chosen], arch)
    binary = compile_device(clang, text, arch, level, features)
    try:
        module = hkasm.device("emulator").load(binary)
    except HkasmError as error:
        return [Outcome(program.seed, arch, level, "error", str(error)) for program, _ in chosen]
    outcomes = [run_device(module, program, wanted, arch, level) for program, wanted in chosen]
    if arch == "gfx950" and not features:
        for (program, wanted), outcome in zip(chosen, outcomes, strict=True):
            if outcome.kind == "differs" and _agrees_without_bitop3(clang, program, level, wanted):
                outcome.kind, outcome.detail = "clang", f"{WRONG_TABLE}: {outcome.detail}"
    return outcomes


WRONG_TABLE = "v_bitop3 with a wrong truth table (LLVM's pull request 198556)"


def _agrees_without_bitop3(clang: str, program: Program, level: str, expected: Expected) -> bool:
    """Tell whether a program gives the host's bits where clang may not join operations into v_bitop3.

    The emulator's own v_bitop3 is held against all tables by tests/isa. A program that asks for the instruction
    itself does not build that way, and so is never excused.
    """
    try:
        (again,) = run_unit(clang, [program], "gfx950", level, [expected], features=("-bitop3-insts",))
    except CompileError:
        return False
    return again.kind == "ok"

"""Running the library's attention on the emulator: one strict launch, and random cases."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import hkasm
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.report import RunReport
from hkasm.errors import HkasmError
from hkasm.isa.arch import Arch
from hkasm.isa.counters import pack_waitcnt, unpack_waitcnt
from hkasm.kernels import Comparison, get_kernel

Case = dict[str, int | str]
HEADS = ((1, 1), (2, 1), (4, 4), (8, 1), (7, 1), (6, 3))
LENGTHS = (1, 2, 31, 63, 64, 65, 127, 128, 129, 190, 257, 300)
DATA = ("normal", "late", "dominant", "equal", "huge")


@cache
def built_attention(arch: str, dtype: str, d: int, mask: str, lengths: str = "equal") -> bytes:
    """Return the code object of one configuration."""
    return build_hsaco(get_kernel("attention").build(arch, dtype=dtype, d=d, mask=mask, lengths=lengths))


def run_attention(
    arch: str, case: Case, seed: int = 0, hsaco: bytes | None = None
) -> tuple[RunReport, list[Comparison]]:
    """Launch one case with every check of the emulator."""
    problem = get_kernel("attention").problem(**case)
    inputs, outputs = problem.inputs(seed), problem.outputs()
    device = hkasm.device("emulator")
    buffers = {name: device.buffer(array, name) for name, array in {**inputs, **outputs}.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    code = hsaco or built_attention(arch, problem.dtype, problem.d, problem.mask, problem.lengths)
    kernel = device.load(code).kernels["attention"]
    report = kernel.launch(launch.grid, launch.block, args)
    return report, problem.check(inputs, {name: buffers[name].numpy() for name in outputs})


NO_OPERATION = 0xBF80_0000
"""s_nop 0, of the size of a wait or a barrier."""
WAITCNT = 0xBF8C_0000
PROBE: Case = {"d": 64, "mask": "full", "hq": 1, "hkv": 1, "q": 128, "data": "late"}
PROBE_BLOCKS = (3, 4, 2, 1)
"""Blocks of keys that together run every copy of a step: the loop in both parities, drains, the short course."""


@cache
def probed_program(arch: str) -> Program:
    """Return the program whose mutants are tried, laid out."""
    program = get_kernel("attention").build(arch, d=PROBE["d"])
    program.layout()
    return program


def mutants(arch: str, kind: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and code object of every mutant that lacks one of the ``waits`` or one of the ``barriers``.

    Of the kind ``loosened``, one counter of one wait is looser by one.
    """
    program = probed_program(arch)
    hsaco = build_hsaco(program)
    code = bytes(CodeObject.from_bytes(hsaco).kernels["attention"].code)
    start = hsaco.find(code)
    for index, inst in enumerate(program.instructions):
        place = start + inst.offset
        words = _loosened(inst, program.arch) if kind == "loosened" else [NO_OPERATION]
        if inst.mnemonic == ("s_barrier" if kind == "barriers" else "s_waitcnt"):
            for word in words:
                changed = hsaco[:place] + word.to_bytes(4, "little") + hsaco[place + 4 :]
                yield f"{index} {inst} ({inst.comment}) {word:#x}", changed


def _loosened(inst: Instruction, arch: Arch) -> list[int]:
    """Return the words of a wait with one of its counters looser by one, where that counts."""
    if inst.mnemonic != "s_waitcnt" or not isinstance(inst.operands[0], int):
        return []
    counts, found = unpack_waitcnt(inst.operands[0]), []
    if counts.vmcnt < arch.vmcnt_max:
        found.append(WAITCNT | pack_waitcnt(arch, counts.vmcnt + 1, counts.lgkmcnt))
    if counts.lgkmcnt < arch.lgkmcnt_max:
        found.append(WAITCNT | pack_waitcnt(arch, counts.vmcnt, counts.lgkmcnt + 1))
    return found


def verdict(arch: str, hsaco: bytes) -> str:
    """Return how a mutant is found out: ``reported``, ``wrong`` or ``missed``."""
    result = "missed"
    for blocks in PROBE_BLOCKS:
        try:
            _, comparisons = run_attention(arch, PROBE | {"kv": 64 * blocks - 1}, hsaco=hsaco)
        except HkasmError:
            return "reported"
        if not all(one.passed for one in comparisons):
            result = "wrong"
    return result


def random_case(random: np.random.Generator, sizes: tuple[int, ...] = (64, 128, 256)) -> Case:
    """Draw a case: small, of every kind; head sizes are few, because each of them is a build."""
    hq, hkv = HEADS[random.integers(len(HEADS))]

    def length() -> int:
        return int(LENGTHS[random.integers(len(LENGTHS))] if random.random() < 0.7 else random.integers(1, 400))

    return {
        "dtype": str(random.choice(["bf16", "f16"])),
        "d": int(random.choice(sizes)),
        "mask": str(random.choice(["full", "causal", "window"])),
        "batch": int(random.choice([1, 1, 2, 3])),
        "hq": hq,
        "hkv": hkv,
        "q": length(),
        "kv": length(),
        "window": int(random.integers(1, 200)),
        "layout": str(random.choice(["bshd", "bhsd"])),
        "gap": int(random.choice([0, 0, 8, 24, 64])),
        "data": str(random.choice(DATA)),
        "lengths": str(random.choice(["equal", "equal", "cu_seqlens"])),
    }

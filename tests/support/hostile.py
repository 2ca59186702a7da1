"""Damaged and lying code objects by seed, and what must come of them: a result or a house error, in bounds.

Every case starts from a code object that clang or Triton made and does one kind of harm to it; then it is loaded and
its kernels are launched with buffers that may overlap, be tiny or be missing.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.asm.elf import ElfFile
from hkasm.asm.program import KernelArg
from hkasm.emulator.options import Options
from hkasm.errors import HkasmError
from hkasm.runtime.emulated import EmulatedKernel, EmulatorDevice

DATA = Path(__file__).resolve().parents[1] / "data"
MAX_SECONDS = 2.0
EXTREMES = (
    0,
    1,
    3,
    0x7F,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    1 << 40,
    (1 << 63) - 1,
    (1 << 64) - 1,
)


@dataclass(frozen=True)
class Base:
    """A sound code object with the places that are worth harming."""

    name: str
    data: bytes
    code: tuple[tuple[int, int], ...]
    descriptors: tuple[int, ...]


@lru_cache(maxsize=1)
def bases() -> tuple[Base, ...]:
    """The code objects of the test data that are not large."""
    found = []
    for path in sorted([*DATA.glob("clang/*.hsaco"), *DATA.glob("triton/*.hsaco")]):
        data = path.read_bytes()
        if len(data) > 40_000:
            continue
        kernels = CodeObject.from_bytes(data).kernels.values()
        code = tuple((data.find(kernel.code), len(kernel.code)) for kernel in kernels)
        rodata = ElfFile(data).section(".rodata")
        first = rodata.offset if rodata is not None else 0
        found.append(Base(path.stem, data, code, tuple(first + 64 * number for number in range(len(code)))))
    return tuple(found)


# ---- harm ------------------------------------------------------------------------------------------------------------


def truncate(rng: random.Random, base: Base) -> bytes:
    """Cut the file anywhere, often in its headers; or take a piece out of the middle."""
    data = base.data
    cut = rng.choice(
        (rng.randrange(64), rng.randrange(1024), rng.randrange(len(data)), len(data) - rng.randrange(1, 64))
    )
    if rng.random() < 0.3:
        return data[:cut] + data[cut + rng.randrange(1, 256) :]
    return data[:cut]


def flip(rng: random.Random, base: Base) -> bytes:
    """Flip bits: anywhere, or close together in one place."""
    data = bytearray(base.data)
    where = rng.randrange(len(data))
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        place = (where + rng.randrange(32)) % len(data) if rng.random() < 0.5 else rng.randrange(len(data))
        data[place] ^= 1 << rng.randrange(8)
    return bytes(data)


def absurd_elf(rng: random.Random, base: Base) -> bytes:
    """Put extreme numbers into the ELF header, the program headers, the section headers or the dynamic tables."""
    data = bytearray(base.data)
    sections, segments = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<Q", data, 32)[0]
    counts = struct.unpack_from("<H", data, 60)[0], struct.unpack_from("<H", data, 56)[0]
    for _ in range(rng.choice((1, 1, 2, 4))):
        size = rng.choice((1, 2, 4, 8))
        start, length = rng.choice(((0, 64), (sections, 64 * counts[0]), (segments, 56 * counts[1]), (0x200, 0x800)))
        place = min(start + rng.randrange(length) // size * size, len(data) - 8)
        value = rng.choice((*EXTREMES, len(data), len(data) - 1, rng.getrandbits(64))) & ((1 << 8 * size) - 1)
        data[place : place + size] = value.to_bytes(size, "little")
    return bytes(data)


def lying_descriptor(rng: random.Random, base: Base) -> bytes:
    """Let a kernel descriptor claim other registers, LDS, scratch, arguments, modes or entry."""
    data = bytearray(base.data)
    for at in base.descriptors:
        for _ in range(rng.choice((1, 1, 2, 3))):
            place, size = rng.choice(((0, 4), (4, 4), (8, 4), (16, 8), (44, 4), (48, 4), (52, 4), (56, 2), (58, 2)))
            old = int.from_bytes(data[at + place : at + place + size], "little")
            value = rng.choice((old ^ 1 << rng.randrange(8 * size), rng.choice(EXTREMES), rng.getrandbits(8 * size)))
            data[at + place : at + place + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return bytes(data)


def random_words(rng: random.Random, base: Base) -> bytes:
    """Replace code by random words, by words that begin like instructions, or by words from elsewhere in the code."""
    data = bytearray(base.data)
    words = _opening_words()
    for start, size in base.code:
        first = rng.randrange(0, size, 4) if rng.random() < 0.5 else 0
        for place in range(start + first, min(start + first + 4 * rng.choice((1, 2, 8, 64)), start + size - 4), 4):
            dice = rng.random()
            if dice < 0.3:
                word = rng.getrandbits(32)
            elif dice < 0.8:
                word = rng.choice(words) | (rng.getrandbits(32) & rng.getrandbits(32) & 0x01FFFFFF)
            else:
                other = start + rng.randrange(0, size, 4)
                word = int.from_bytes(data[other : other + 4], "little")
            data[place : place + 4] = word.to_bytes(4, "little")
    return bytes(data)


@lru_cache(maxsize=1)
def _opening_words() -> tuple[int, ...]:
    """First words of instructions of every kind, all operands zero."""
    top = (0x7E000000, 0x00000000, 0x7C000000, 0xD0000000, 0xD1000000, 0xD3800000, 0xBE800000, 0x80000000, 0xB0000000)
    rest = (0xBF000000, 0xBF800000, 0xC0000000, 0xD8000000, 0xDC000000, 0xE0000000, 0xD3C00000, 0x7E0000F9, 0x7E0000FA)
    return tuple(
        word | number << shift for word in (*top, *rest) for shift in (9, 16, 17, 23, 25) for number in range(16)
    )


def wild_branches(rng: random.Random, base: Base) -> bytes:
    """Put branches into the code: to themselves, backwards, far outside; or indirect ones."""
    data = bytearray(base.data)
    for start, size in base.code:
        for _ in range(rng.choice((1, 2, 5))):
            place = start + rng.randrange(0, min(size, rng.choice((64, 1 << 20))), 4)
            distance = rng.choice((0xFFFF, 0xFFF0, 0x7FFF, 0x8000, rng.randrange(1 << 16), rng.randrange(64)))
            opcode = rng.choice((2, 2, 4, 5, 6, 7, 8, 9, 10))
            word = 0xBF800000 | opcode << 16 | distance
            if rng.random() < 0.2:  # s_setpc_b64, s_swappc_b64, s_getpc_b64, s_call_b64
                word = rng.choice((0xBE801D00, 0xBE801E00, 0xBE801C00, 0xBA800000)) | rng.getrandbits(7)
            data[place : place + 4] = word.to_bytes(4, "little")
    return bytes(data)


def unharmed(rng: random.Random, base: Base) -> bytes:
    """Leave the file alone: only the launch is hostile."""
    return base.data


HARMS: tuple[Callable[[random.Random, Base], bytes], ...] = (
    truncate, flip, absurd_elf, lying_descriptor, lying_descriptor, random_words, random_words, wild_branches, unharmed,
)  # fmt: skip


# ---- running ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What became of a case: `ran`, `refused` (at load), `stopped` (at launch), or `crash` with its text."""

    kind: str
    harm: str
    detail: str = ""


def run_case(seed: int) -> Verdict:
    """Make the case of a seed, load it and launch its kernels."""
    rng = random.Random(seed)
    base = rng.choice(bases())
    harm = rng.choice(HARMS)
    data = harm(rng, base)
    name = harm.__name__
    try:
        device = EmulatorDevice()
        try:
            module = device.load(data)
        except HkasmError as error:
            return Verdict("refused", name, _text(error))
        kernels = list(module.kernels.values())
        rng.shuffle(kernels)
        verdict = Verdict("refused", name, "no kernels")
        for kernel in kernels[:2]:
            try:
                _launch(rng, device, kernel)
                verdict = Verdict("ran", name)
            except HkasmError as error:
                verdict = Verdict("stopped", name, _text(error))
        return verdict
    except Exception as error:  # anything else is what this looks for
        trace, frames = error.__traceback__, []
        while trace is not None:
            frames.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
            trace = trace.tb_next
        return Verdict("crash", name, f"{base.name}: {type(error).__name__}: {error} ({' '.join(frames[-4:])})")


def _text(error: HkasmError) -> str:
    text = str(error)
    if not text.strip() or "Traceback" in text:
        raise ValueError(f"a house error without a message: {text!r}")
    return text.splitlines()[0]


def _launch(rng: random.Random, device: EmulatorDevice, kernel: EmulatedKernel) -> None:
    options = Options(
        strict=rng.random() < 0.5, max_instructions=20_000, max_seconds=MAX_SECONDS, resident_bytes=1 << 26,
        landing=rng.choice(("late", "late", "eager", "random")),
        order=rng.choice(("batch", "batch", "reversed", "random")),
    )  # fmt: skip
    size = rng.choice((0, 4, 64, 4096, 65536))
    buffers = [device.buffer(np.random.default_rng(seed).integers(0, 256, size, np.uint8)) for seed in range(3)]
    addresses = [buffer.address for buffer in buffers]
    grid = rng.choice(((1,), (2,), (3, 2), (1, 1, 2)))
    block = rng.choice(((64,), (256,), (1,), (37,), (16, 4), (8, 8, 4), (1024,)))
    if rng.random() < 0.1:
        grid = rng.choice(((0,), (1 << 40,), (), (-1,), (1, 2, 3, 4)))
    if rng.random() < 0.1:
        block = rng.choice(((0,), (2048,), (-1,), (), (64, 64, 64)))
    lds = rng.choice((0, 0, 0, 1, 4096, 65536, 1 << 20, -4))
    if rng.random() < 0.3:
        words = [
            rng.choice((*addresses, addresses[0] + 4, rng.getrandbits(64), 0, 100)) for _ in range(rng.randrange(12))
        ]
        kernel.launch(grid, block, kernarg=struct.pack(f"<{len(words)}Q", *words), lds_bytes=lds, options=options)
        return
    args = [_argument(rng, arg.size, addresses) for arg in _arguments(kernel.image)]
    kernel.launch(grid, block, args, lds_bytes=lds, options=options)


def _arguments(image: KernelImage) -> list[KernelArg]:
    return [arg for arg in image.args if not arg.kind.startswith("hidden_")]


def _argument(rng: random.Random, size: int, addresses: list[int]) -> int:
    if size != 8:
        return rng.choice((0, 1, 16, 600, 4096, rng.getrandbits(8 * size))) & ((1 << 8 * size) - 1)
    base = rng.choice(addresses)
    return rng.choice((base, base, base, base + 4, base + 1, base - 8, rng.getrandbits(64), 0))

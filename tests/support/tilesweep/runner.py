"""Run many cases in one launch: a case loads its operands into registers, does its operation and stores what came out.

Each workgroup is one wave with data of its own (`numbers.FLAVOURS`). Operands travel as raw registers, 4 of a lane
side by side, so that nothing but the operation under test touches tiles.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from support.tilesweep.numbers import FLAVOURS, code_type, differences, draw, to_values

from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.machine import Machine
from hkasm.errors import HkasmError, UsageError
from hkasm.isa.registers import Register
from hkasm.tiles.layout import DTYPE_BITS, LANES
from hkasm.tiles.register import RegTile, RegVec

Array = npt.NDArray[Any]
WAVES = len(FLAVOURS)


@dataclass(frozen=True)
class Case:
    """One point of the sweep; `form` says which operands, which mode."""

    group: str
    op: str
    arch: str
    dtype: str
    shape: str
    layout: str
    file: str
    form: str = ""

    def __str__(self) -> str:
        return " ".join((self.op, self.arch, self.dtype, self.shape, self.layout, self.file, self.form)).rstrip()

    @property
    def seed(self) -> int:
        return zlib.crc32(str(self).encode())


@dataclass
class Output:
    """What a case leaves behind: where its registers are stored, and how to judge them."""

    operand: RegTile | RegVec | None
    word: int
    judge: Callable[[Array], Array]
    """Takes codes [waves, ...] and tells which are wrong."""
    want: Array | None = None


class Bench(Builder):
    """A builder whose kernel runs cases one after the other."""

    def __init__(self, arch: str, *, dry: bool = False) -> None:
        """Begin a kernel; a `dry` one is for cases that are to be refused, and holds no data."""
        super().__init__(arch, "sweep")
        self.dry = dry
        self.words: list[Array] = []
        self.loaded = 0
        self.stored = 0
        self.outputs: list[tuple[Case, Output]] = []
        self.case: Case | None = None
        self._pending: list[Register] = []
        pointers = [self.arg(name, "u32", pointer=True, rank=1, access="readwrite") for name in ("inputs", "outputs")]
        sizes = [self.arg(f"{name}_bytes", "u32") for name in ("inputs", "outputs")]
        self.buffers = [self.sgpr(f"buffer {number}", 4) for number in (0, 1)]
        self.soffset = self.sgpr("soffset")
        self.offset = self.vgpr("lane bytes")
        bytes_each = [self.sgpr("bytes"), self.sgpr("bytes")]
        for pointer, size, buffer, amount in zip(pointers, sizes, self.buffers, bytes_each, strict=True):
            self.s_load_dwordx2(buffer[0:2], self.kernarg, pointer.offset)
            self.s_load_dword(amount, self.kernarg, size.offset)
        self.wait()
        for buffer, amount in zip(self.buffers, bytes_each, strict=True):
            high = self.soffset
            self.s_mul_i32(buffer[2], self.group_id, amount)
            self.s_mul_hi_u32(high, self.group_id, amount)
            self.s_add_u32(buffer[0], buffer[0], buffer[2])
            self.s_addc_u32(buffer[1], buffer[1], high)
            self.s_mov_b32(buffer[2], amount)
            self.s_mov_b32(buffer[3], 0x0002_0000)
        self.v_lshlrev_b32(self.offset, 4, self.lane)
        self._held = {letter: file.in_use for letter, file in self.files.items()}

    def rng(self, what: str) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(f"{self.case} {what}".encode()))

    # Operands.

    def tile(self, name: str, dtype: str, rows: int, cols: int, shape: Any, layout: Any, file: str = "v") -> RegTile:
        return RegTile.allocate(self, name, dtype, rows, cols, shape, layout, file=file)

    def data(self, name: str, dtype: str, *shape: int) -> Array:
        """Draw codes [waves, ...], a flavour for each wave."""
        if self.dry:
            return np.zeros((WAVES, *shape), code_type(dtype))
        rng, arch = self.rng(name), self.arch.name
        return np.stack([draw(rng, flavour, dtype, arch, shape) for flavour in FLAVOURS])

    def fill(self, operand: RegTile | RegVec, codes: Array) -> None:
        """Load codes [waves, ...] into a tile or vector."""
        if self.dry:
            return
        words = operand.pack(codes) if isinstance(operand, RegTile) else pack_vector(operand, codes)
        self.load_words(operand.pieces, words)

    def load_words(self, pieces: Sequence[Register], words: Array) -> None:
        """Load raw registers [waves, registers, 64] into register slices, in order."""
        first = 0
        for register in _runs(pieces) if not self.dry else ():
            part = words[:, first : first + register.count].swapaxes(1, 2)
            first += register.count
            self.s_mov_b32(self.soffset, self.loaded * 4)
            load = getattr(self, "buffer_load_dword" + ("" if register.count == 1 else f"x{register.count}"))
            load(register, self.offset, self.buffers[0], self.soffset, offen=True)
            padded = np.zeros((WAVES, LANES, 4), np.uint32)
            padded[:, :, : register.count] = part
            self.words.append(padded.reshape(WAVES, -1))
            self.loaded += LANES * 4
            self._pending.append(register)

    def ready(self) -> None:
        """Wait for the operands."""
        self.wait(*self._pending)
        self._pending.clear()

    def expect(
        self,
        operand: RegTile | RegVec,
        want: Array,
        *,
        ulp: int = 0,
        judge: Callable[[Array, Array], Array] | None = None,
    ) -> None:
        """Store a tile or vector and say which codes [waves, ...] must come out."""
        dtype, arch = operand.dtype, self.arch.name
        check = judge or (lambda got, wanted: differences(got, wanted, dtype, arch, ulp))
        word = self.stored
        for register in _runs(operand.pieces):
            self.s_mov_b32(self.soffset, self.stored * 4)
            store = getattr(self, "buffer_store_dword" + ("" if register.count == 1 else f"x{register.count}"))
            store(register, self.offset, self.buffers[1], self.soffset, offen=True)
            self.stored += LANES * 4
        assert self.case is not None
        self.outputs.append((self.case, Output(operand, word, lambda got: check(got, want), want)))

    def expect_memory(self, word: int, want: Array) -> None:
        """Say which codes [waves, ...] must stand in the output from a word on."""
        assert self.case is not None
        self.outputs.append((self.case, Output(None, word, lambda got: np.asarray(got != want), want)))

    def end_case(self) -> None:
        """Give back every register; an operation that kept one is at fault."""
        for letter, file in self.files.items():
            for owner in list(file.history):
                if owner.last < 0 and owner.register.count and file.owner_of(owner.register.index) is owner:
                    if owner.name.endswith(("temporaries", "scalars", "constant")):
                        raise AssertionError(f"{self.case}: kept {owner.register} ({owner.name})")
                    if owner not in self._base[letter]:
                        self.free(owner.register)

    def begin(self, case: Case) -> None:
        self.case = case
        if not hasattr(self, "_base"):
            self._base = {
                letter: [owner for owner in file.history if owner.last < 0] for letter, file in self.files.items()
            }


def _runs(pieces: Sequence[Register]) -> list[Register]:
    """Cut register slices into runs of up to four, from even registers on."""
    runs = []
    for piece in pieces:
        at = 0
        while at < piece.count:
            width = 1 if (piece.index + at) % 2 else min(4, piece.count - at)
            runs.append(piece[at : at + width])
            at += width
    return runs


# ---- vectors ---------------------------------------------------------------------------------------------------------


def vector_index(vec: RegVec) -> Array:
    """Return which element a lane holds, [parts, slots, 64]."""
    parts = [
        [[vec.element(lane, slot, part) for lane in range(LANES)] for slot in range(vec.slots)]
        for part in range(len(vec.pieces))
    ]
    return np.array(parts)


def pack_vector(vec: RegVec, codes: Array) -> Array:
    """Return registers [waves, registers, 64] of an f32 vector."""
    index = vector_index(vec).reshape(-1, LANES)
    return codes[:, index]


def unpack_vector(vec: RegVec, words: Array) -> Array:
    """Return the copies that the lanes hold, [waves, registers, 64]."""
    return words


# ---- running ---------------------------------------------------------------------------------------------------------

Emit = Callable[[Bench, Case], None]


@dataclass
class Outcome:
    """What became of cases: the failures in words."""

    run: list[Case] = field(default_factory=list)
    refused: list[Case] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


TOGETHER = 48
"""Cases of a launch."""


def run_cases(cases: Sequence[tuple[Case, Emit]], arch: str, outcome: Outcome, *, together: int = TOGETHER) -> None:
    """Run cases of one arch, many to a launch; a launch that cannot go on is repeated case by case."""
    for first in range(0, len(cases), together):
        batch = list(cases[first : first + together])
        try:
            _launch(batch, arch, outcome)
        except (HkasmError, AssertionError, ValueError, TypeError, AttributeError) as error:
            if len(batch) == 1:
                outcome.run.append(batch[0][0])
                outcome.failures.append(f"{batch[0][0]}: {type(error).__name__} {str(error).splitlines()[0:3]}")
            else:
                for single in batch:
                    run_cases([single], arch, outcome, together=1)


def refuse_case(case: Case, emit: Emit, outcome: Outcome) -> None:
    """Require that a case which is not declared legal raises one of hkasm's own errors with a hint."""
    k = Bench(case.arch, dry=True)
    k.begin(case)
    try:
        emit(k, case)
    except UsageError as error:
        outcome.refused.append(case)
        if not error.hint:
            outcome.failures.append(f"{case}: refused without a hint: {error.message}")
    except Exception as error:
        outcome.failures.append(f"{case}: not declared legal, raised {type(error).__name__} {error}")
    else:
        outcome.failures.append(f"{case}: not declared legal, yet it was taken")


def _launch(batch: Sequence[tuple[Case, Emit]], arch: str, outcome: Outcome) -> None:
    k = Bench(arch)
    for case, emit in batch:
        k.begin(case)
        emit(k, case)
        k.end_case()
    k.s_endpgm()
    k.fix_hazards()
    hsaco = build_hsaco(k.finish())
    machine = Machine(CodeObject.from_bytes(hsaco))
    inputs = np.concatenate(k.words, axis=1) if k.words else np.zeros((WAVES, 64), np.uint32)
    buffers = [
        machine.memory.allocate(max(size, 256) * WAVES * 4, name)
        for name, size in (("in", inputs.shape[1]), ("out", k.stored))
    ]
    buffers[0].u8[: inputs.nbytes] = np.ascontiguousarray(inputs).view(np.uint8).reshape(-1)
    kernarg = b"".join(int(buffer.address).to_bytes(8, "little") for buffer in buffers)
    kernarg += b"".join((size * 4).to_bytes(4, "little") for size in (inputs.shape[1], k.stored))
    machine.launch("sweep", (WAVES,), (64,), kernarg)
    results = buffers[1].u8[: k.stored * 4 * WAVES].view(np.uint32).reshape(WAVES, k.stored)
    failed: dict[Case, str] = {}
    for case, output in k.outputs:
        got = _found(output, results)
        wrong = output.judge(got)
        if wrong.any() and case not in failed:
            failed[case] = f"{case}: {int(wrong.sum())} of {wrong.size} wrong, {_example(output, got, wrong, arch)}"
    outcome.run += [case for case, _ in batch]
    outcome.failures += failed.values()


def _found(output: Output, results: Array) -> Array:
    """Return the codes that an output left behind."""
    if output.operand is None:
        assert output.want is not None
        words = output.want.nbytes // 4 // WAVES
        return np.ascontiguousarray(results[:, output.word : output.word + words]).view(output.want.dtype)
    return _codes(output.operand, _registers(output.operand, output.word, results))


def _registers(operand: RegTile | RegVec, word: int, results: Array) -> Array:
    """Return the registers [waves, registers, 64] that were stored from a word on."""
    found = []
    for register in _runs(operand.pieces):
        block = results[:, word : word + LANES * 4].reshape(WAVES, LANES * 4)
        width = register.count
        lanes = block.reshape(WAVES, LANES, 4)[:, :, :width]
        found.append(lanes.swapaxes(1, 2))
        word += LANES * 4
    return np.concatenate(found, axis=1)


def _codes(operand: RegTile | RegVec, words: Array) -> Array:
    if isinstance(operand, RegVec):
        return words
    return operand.unpack(words)


def _example(output: Output, got: Array, wrong: Array, arch: str) -> str:
    where = tuple(int(axis[0]) for axis in np.nonzero(wrong))
    if output.operand is None:
        assert output.want is not None
        return f"first at {where}: got {int(got[where]):#x}, want {int(output.want[where]):#x}"
    dtype = output.operand.dtype
    text = f"first at {where}: got {to_values(got[where][None], dtype, arch)[0]!r}"
    if output.want is not None and output.want.shape == got.shape:
        text += f", want {to_values(output.want[where][None].astype(code_type(dtype)), dtype, arch)[0]!r}"
    return f"{text} ({DTYPE_BITS[dtype]} bits {int(got[where]):#x})"

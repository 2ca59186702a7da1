"""Small kernels, each of which asks the machine one thing that documents leave open or that only readings support.

Every probe is one wave. It gets `source`, dwords made from a seed, and writes `words` dwords for each lane to `out`.
What the emulator writes is what hkasm assumes; a GPU's dwords are the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.isa.arch import get_arch
from hkasm.isa.registers import EXEC, M0, Register

__all__ = ["PROBES", "SOURCE_DWORDS", "Probe", "arch_probes", "source_words"]

LANES: Final = 64
SOURCE_DWORDS: Final = 8192
_DWORD_BYTES: Final = 4
_PATTERN: Final = 0x5EEDED
"""What LDS and registers hold before the act that is asked about."""
_RAW_BUFFER: Final = 0x00020000
"""Word 3 of a buffer resource: raw, 32-bit data format (LLVM's default for gfx9)."""
_FIELD_MAXIMUM: Final = 63
"""The largest count of vmcnt."""

Words = npt.NDArray[np.uint32]
Body = Callable[["Kit"], None]


class Kit(Builder):
    """A builder with a probe's beginning and end."""

    def begin(self) -> None:
        """Declare and load the two pointers."""
        self.arg("out", "u32", pointer=True, rank=1, access="write")
        self.arg("source", "u32", pointer=True, rank=1)
        self.out, self.source = self.sgpr("out", 2), self.sgpr("source", 2)
        self.s_load_dwordx2(self.out, self.kernarg, 0)
        self.s_load_dwordx2(self.source, self.kernarg, 8)
        self.lane_bytes = self.vgpr("lane bytes")
        self.v_lshlrev_b32(self.lane_bytes, 2, self.lane)
        self.wait(self.out, self.source)

    def load(self, name: str, count: int, start: int) -> Register:
        """Return `count` dwords a lane from dword `start` of the source on, lane after lane."""
        found = self.vgpr(name, count)
        where = self.vgpr(f"where {name} is")
        self.v_mul_lo_u32(where, self.lane, count * _DWORD_BYTES)
        self.v_add_u32(where, start * _DWORD_BYTES, where)
        for number in range(count):
            self.global_load_dword(found[number], where, self.source, offset=number * _DWORD_BYTES)
        self.wait(found)
        return found

    def store(self, values: Register) -> None:
        """Write registers to the output, register after register, lanes side by side."""
        for number in range(len(values)):
            self.global_store_dword(self.lane_bytes, values[number], self.out, offset=number * LANES * _DWORD_BYTES)

    def resource(self, nbytes: int) -> Register:
        """Return a buffer resource of the source's first bytes."""
        buffer = self.sgpr("buffer", 4, align=4)
        self.s_mov_b64(buffer[0:2], self.source)
        self.s_and_b32(buffer[1], buffer[1], 0xFFFF)
        self.s_mov_b32(buffer[2], nbytes)
        self.s_mov_b32(buffer[3], _RAW_BUFFER)
        return buffer

    def fill_lds(self, dwords: int) -> None:
        """Reserve LDS for so many dwords a lane and fill it with the pattern."""
        self.lds("probed", dwords * LANES * _DWORD_BYTES)
        pattern = self.vgpr("pattern")
        self.v_mov_b32(pattern, _PATTERN)
        for number in range(dwords):
            self.ds_write_b32(self.lane_bytes, pattern, offset=number * LANES * _DWORD_BYTES)
        self.wait_counts(lgkmcnt=0)
        self.s_mov_b32(M0, 0)
        self.s_nop(0)

    def store_lds(self, dwords: int) -> None:
        """Write LDS to the output as it lies."""
        values = self.vgpr("what LDS holds", dwords)
        for number in range(dwords):
            self.ds_read_b32(values[number], self.lane_bytes, offset=number * LANES * _DWORD_BYTES)
        self.wait(values)
        self.store(values)


@dataclass(frozen=True)
class Probe:
    """One question: what is asked, what hkasm takes for the answer, and the kernel that asks.

    `varies` marks a probe whose answer depends on time: it is recorded and not compared.
    """

    name: str
    question: str
    assumed: str
    words: int
    archs: tuple[str, ...]
    body: Body
    varies: bool = False

    def program(self, arch: str) -> Program:
        """Write the kernel."""
        k = Kit(arch, self.name, block=LANES)
        k.begin()
        self.body(k)
        k.s_endpgm()
        k.fix_hazards()
        return k.finish(checked=False)  # some ask what comes of a wait that lacks


def source_words(seed: int = 0) -> Words:
    """Return the source: dwords whose halves and bytes are ordinary numbers of every format that a probe reads."""
    random = np.random.default_rng(seed)
    words = random.integers(0, 1 << 32, SOURCE_DWORDS, dtype=np.uint32)
    # No half is an infinity, NaN or denormal of bf16 or f16; no byte is a NaN of an 8-bit format (0x80 is FNUZ's).
    words = (words & np.uint32(0xB7B7B7B7)) | np.uint32(0x30003000)
    octets = words.view(np.uint8)
    octets[octets == 0x80] = 0
    return words


def _out_of_range(k: Kit) -> None:
    k.fill_lds(1)
    k.buffer_load_dword(k.lane_bytes, k.resource(40 * _DWORD_BYTES), lds=True)
    k.wait_counts(vmcnt=0)
    k.store_lds(1)


def _inactive(k: Kit) -> None:
    k.fill_lds(1)
    buffer, saved = k.resource(LANES * _DWORD_BYTES), k.sgpr("saved", 2)
    k.v_cmp_gt_u32(saved, 50, k.lane)
    k.s_and_saveexec_b64(saved, saved)
    k.buffer_load_dword(k.lane_bytes, buffer, lds=True)
    k.s_mov_b64(EXEC, saved)
    k.wait_counts(vmcnt=0)
    k.store_lds(1)


def _three_dwords(k: Kit) -> None:
    k.fill_lds(4)
    where = k.vgpr("where")
    k.v_mul_u32_u24(where, k.lane, 12)
    k.buffer_load_dwordx3(where, k.resource(LANES * 12), lds=True)
    k.wait_counts(vmcnt=0)
    k.store_lds(4)


def _largest_wait(k: Kit) -> None:
    """70 loads, then a wait for at most 63 in flight; a register that was not waited for may hold the pattern."""
    count = _FIELD_MAXIMUM + 7
    loaded, kept = k.vgpr("loaded", count), k.vgpr("kept", 7)
    where = k.vgpr("where")
    k.v_lshlrev_b32(where, 2, k.lane)
    for number in range(count):
        k.v_mov_b32(loaded[number], _PATTERN)
    for number in range(count):
        k.global_load_dword(loaded[number], where, k.source, offset=number * 16)
    k.wait_counts(vmcnt=_FIELD_MAXIMUM)
    for number in range(7):
        k.v_mov_b32(kept[number], loaded[number])
    k.wait_counts(vmcnt=0)
    k.store(kept)


def _product(mnemonic: str, a: int, b: int, d: int, **mods: int) -> Body:
    def body(k: Kit) -> None:
        left, right, total = k.load("a", a, 0), k.load("b", b, 1024), k.load("c", d, 2048)
        getattr(k, mnemonic)(total, left, right, total, **mods)
        k.store(total)

    return body


def _scaled(element: int, registers: int) -> Body:
    def body(k: Kit) -> None:
        left, right, total = k.load("a", 8, 0), k.load("b", 8, 1024), k.load("c", 4, 2048)
        scale_a, scale_b = k.vgpr("scale of a"), k.vgpr("scale of b")
        # A scale of its own for every lane: 2^(lane - 32) and 2^(16 - lane).
        k.v_add_u32(scale_a, 127 - 32, k.lane)
        k.v_sub_u32(scale_b, 127 + 16, k.lane)
        used = slice(0, registers)
        k.v_mfma_scale_f32_16x16x128_f8f6f4(
            total, left[used], right[used], total, scale_a, scale_b, cbsz=element, blgp=element
        )
        k.store(total)

    return body


def _banks(read: str, dwords: int, stride: int) -> Body:
    """Shader clocks of 16 reads whose lanes stand `stride` bytes apart, a power of two."""

    def body(k: Kit) -> None:
        size = k.arch.lds_bytes // 4
        k.lds("probed", size)
        where, values = k.vgpr("where"), k.vgpr("values", dwords)
        start, stop, took = k.sgpr("start", 2), k.sgpr("stop", 2), k.vgpr("took")
        k.v_lshlrev_b32(where, stride.bit_length() - 1, k.lane)
        k.v_and_b32(where, size - 16, where)
        zero = k.vgpr("zero", 4)
        for number in range(4):
            k.v_mov_b32(zero[number], 0)
        k.ds_write_b128(where, zero)
        k.wait_counts(lgkmcnt=0)
        k.s_memtime(start)
        k.wait_counts(lgkmcnt=0)
        for _ in range(16):
            getattr(k, read)(values, where)
        k.wait_counts(lgkmcnt=0)
        k.s_memtime(stop)
        k.wait_counts(lgkmcnt=0)
        k.s_sub_u32(stop[0], stop[0], start[0])
        k.v_mov_b32(took, stop[0])
        k.store(took)

    return body


_BOTH: Final = ("gfx942", "gfx950")
_NEW: Final = ("gfx950",)
_BITS = "gfx942: the published bit model of MI300X; gfx950: products and C summed exactly, rounded once to f32"


def _all() -> tuple[Probe, ...]:
    found = [
        Probe(
            "direct_out_of_range",
            "What does a direct load write to LDS for lanes beyond the buffer's end?",
            "zeros",
            1,
            _BOTH,
            _out_of_range,
        ),
        Probe(
            "direct_inactive",
            "What does a direct load write to LDS for lanes that are off?",
            "nothing; the others keep their places",
            1,
            _BOTH,
            _inactive,
        ),
        Probe(
            "direct_dwordx3_stride",
            "How far apart in LDS does a direct load of three dwords put its lanes?",
            "12 bytes",
            4,
            _NEW,
            _three_dwords,
        ),
        Probe(
            "wait_at_maximum",
            "Does a wait for vmcnt 63 with 70 loads in flight wait for the first 7?",
            "yes",
            7,
            _BOTH,
            _largest_wait,
        ),
        Probe(
            "bits_bf16_cdna3", "Bits of 16x16x16 bf16?", _BITS, 4, _BOTH, _product("v_mfma_f32_16x16x16_bf16", 2, 2, 4)
        ),
        Probe("bits_f16_cdna3", "Bits of 16x16x16 f16?", _BITS, 4, _BOTH, _product("v_mfma_f32_16x16x16_f16", 2, 2, 4)),
        Probe("bits_fp8", "Bits of 16x16x32 fp8?", _BITS, 4, _BOTH, _product("v_mfma_f32_16x16x32_fp8_fp8", 2, 2, 4)),
        Probe("bits_bf16", "Bits of 16x16x32 bf16?", _BITS, 4, _NEW, _product("v_mfma_f32_16x16x32_bf16", 4, 4, 4)),
        Probe("bits_f16", "Bits of 16x16x32 f16?", _BITS, 4, _NEW, _product("v_mfma_f32_16x16x32_f16", 4, 4, 4)),
        Probe(
            "scales_fp8",
            "Which lane's scale goes with which k for 8-bit elements?",
            "lane i + 16 * (k / 32) holds row i's",
            4,
            _NEW,
            _scaled(0, 8),
        ),
        Probe(
            "scales_fp4",
            "Which lane's scale goes with which k for 4-bit elements?",
            "lane i + 16 * (k / 32) holds row i's",
            4,
            _NEW,
            _scaled(4, 4),
        ),
    ]
    for read, dwords in (("ds_read_b32", 1), ("ds_read_b64", 2), ("ds_read_b128", 4)):
        found += [
            Probe(
                f"clocks_{read}_{stride}",
                f"Clocks of 16 {read} with lanes {stride} bytes apart?",
                "the emulator has no clock",
                1,
                _BOTH,
                _banks(read, dwords, stride),
                varies=True,
            )
            for stride in (4 * dwords, 64, 128, 256, 512)
        ]
    return tuple(found)


PROBES: Final[tuple[Probe, ...]] = _all()


def arch_probes(arch: str) -> list[Probe]:
    """Return the probes of an arch. Raises ArchError."""
    name = get_arch(arch).name
    return [probe for probe in PROBES if name in probe.archs]

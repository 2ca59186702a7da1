"""The kernel that brings decode's partial results together: O and LSE from those of every split, in f32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.attention.reference import ARRAYS, BLANK, F32_STEP, TINY, UNIT
from hkasm.kernels.attention.softmax import LOG2E, MINUS_INFINITY
from hkasm.kernels.decode.declared import HEAD_STEP, MOST_SPLITS
from hkasm.kernels.decode.launch import Shape, combine_launch
from hkasm.kernels.kernel import Arrays, Comparison, Kernel, Launch, Problem, compare
from hkasm.kernels.parameters import ParameterSet, parameter
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER
from hkasm.tiles.layout import LANES
from hkasm.tiles.ops.crosslane import Combine, reduce_lanes, temporaries_for
from hkasm.tiles.ops.packing import rounder

F32_BYTES = 4
WIDTH = 4
"""Elements of a row in a lane."""
FLYING = 8
"""Splits whose partial rows are loaded at once."""
ALL = tuple(range(6))
NUMBERS = ("splits", "q", "hq", "rows", "o_batch", "o_head", "o_row")
"""The u32 arguments: ``rows`` counts queries of all heads and sequences, strides are elements."""


@dataclass(frozen=True)
class CombineConfig(ParameterSet):
    """What the code depends on."""

    dtype: str = parameter("bf16", "elements of O", choices=("bf16", "f16"))
    d: int = parameter(128, "head size, a multiple of 8", low=32, high=256)

    def __post_init__(self) -> None:
        if self.d % HEAD_STEP:
            raise UsageError(f"d={self.d}: no multiple of {HEAD_STEP}", hint="head sizes from 32 to 256 in steps of 8")


@dataclass(frozen=True)
class CombineProblem(CombineConfig, Problem):
    """O = sum over splits of exp(L - LSE) P, LSE = log of the sum of exp(L); P [splits, batch, hq, q, d] in f32."""

    batch: int = parameter(2, "sequences", low=1, high=65535)
    hq: int = parameter(8, "query heads", low=1, high=65535)
    q: int = parameter(1, "queries of a sequence", low=1, high=4096)
    splits: int = parameter(8, "partial results", low=1, high=MOST_SPLITS)

    @property
    def _rows(self) -> int:
        return self.batch * self.hq * self.q

    def inputs(self, seed: int = 0) -> Arrays:
        """Return random partial results; some splits of every row, and all of some rows, are without a key."""
        random = np.random.default_rng(seed)
        sums = random.normal(0, 8, (self.splits, self._rows)).astype(np.float32)
        parts = random.standard_normal((self.splits, self._rows, self.d), dtype=np.float32)
        empty = random.random(sums.shape) < 0.2
        empty[:, random.random(self._rows) < 0.1] = True
        sums[empty], parts[empty] = -np.inf, 0
        return {"P": parts.ravel(), "L": sums.ravel()}

    def outputs(self) -> Arrays:
        """Return O [batch, q, hq, d] and LSE, filled with what no result leaves."""
        o = np.full(self._rows * self.d, BLANK[self.dtype], np.uint16).view(ARRAYS[self.dtype])
        return {"O": o, "LSE": np.full(self._rows, 0x7FC0_5A5A, np.uint32).view(np.float32)}

    def launch(self) -> Launch:
        """Return one wave a row."""
        row = self.hq * self.d
        strides = (self.q * row, self.d, row)
        return combine_launch(Shape(self.batch, self.hq, self.hq, self.q, 0), self.splits, strides)

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare with float64: a few f32 steps of weights as far apart as the sums are, f32 sums, one rounding."""
        sums = inputs["L"].reshape(self.splits, -1).astype(np.float64)
        parts = inputs["P"].reshape(self.splits, self._rows, self.d).astype(np.float64)
        top = sums.max(axis=0)
        safe = np.where(np.isfinite(top), top, 0)
        weights = np.exp(sums - safe)
        total = weights.sum(axis=0)
        some = np.where(total > 0, total, 1)
        with np.errstate(divide="ignore"):
            lse = np.where(total > 0, np.log(total) + safe, -np.inf)
        share = weights / some
        want = np.einsum("sr,srd->rd", share, parts)
        apart = np.where(weights > 0, np.abs(sums - safe), 0)
        error = (share * (3 * apart + 8 + self.splits) * F32_STEP)[..., None] * np.abs(parts)
        bound = error.sum(axis=0) + (self.splits * F32_STEP + UNIT[self.dtype]) * np.abs(want) + TINY[self.dtype]
        bound += (share * (3 * apart + 8) * F32_STEP).sum(axis=0)[:, None] * np.abs(want)
        got = outputs["O"].reshape(self.batch, self.q, self.hq, self.d).transpose(0, 2, 1, 3).reshape(want.shape)
        off = (self.splits + 8 + np.abs(safe) + np.abs(np.where(total > 0, lse, 0))) * F32_STEP
        return [
            compare("O", got, want, bound + 1e-30, f"one rounding to {self.dtype}, f32 weights and sums"),
            compare("LSE", outputs["LSE"], lse.ravel(), off, "f32 sums"),
        ]

    @property
    def least_bytes(self) -> tuple[int, int]:
        """Return the bytes that must be read and written: partial sums are read twice."""
        return self.splits * self._rows * (self.d + 2) * F32_BYTES, self._rows * (2 * self.d + F32_BYTES)

    @property
    def bytes(self) -> int:
        return self.splits * self._rows * (self.d + 1) * F32_BYTES + self._rows * (2 * self.d + F32_BYTES)

    @property
    def flops(self) -> int:
        return 2 * self.splits * self._rows * self.d


class CombineKernel(Kernel[CombineConfig, CombineProblem]):
    """O and LSE of decode attention from the partial ones of its splits, summed in f32, rounded once."""

    name = "decode_combine"
    archs = ("gfx942", "gfx950")
    grid_rule = ("q", "hq", "batch")
    config_type = CombineConfig
    problem_type = CombineProblem

    def write(self, arch: str, config: CombineConfig) -> Program:
        """Write the program: the largest sum, then the partial rows by their weights, some in flight at once."""
        k = Builder(arch, self.name, block=LANES)
        k.config.update(config=config.label)
        _Row(k, config).write()
        k.s_endpgm()
        k.fix_hazards()
        return k.finish()


class _Row:
    """One row of O, in one wave: lane t holds the four elements from 4 t on, and the sums of splits t, t + 64, ..."""

    def __init__(self, k: Builder, config: CombineConfig) -> None:
        self.k, self.config = k, config
        k.arg("O", config.dtype, pointer=True, rank=4, access="write")
        k.arg("LSE", "f32", pointer=True, rank=3, access="write")
        k.arg("P", "f32", pointer=True, rank=5)
        k.arg("L", "f32", pointer=True, rank=4)
        for name in NUMBERS:
            k.arg(name, "u32")

    def write(self) -> None:
        """Write the whole program but its last instruction."""
        k = self.k
        found = {}
        for arg in k.args:
            found[arg.name] = k.sgpr(arg.name, arg.size // 4)
            (k.s_load_dwordx2 if arg.kind == "pointer" else k.s_load_dword)(found[arg.name], k.kernarg, arg.offset)
        k.wait(*found.values(), reason="arguments")
        self.n = found
        query, head, batch = k.group_ids
        row, self.t = k.sgpr("row"), k.sgpr("place", 4)
        k.s_mul_i32(row, batch, found["hq"])
        k.s_add_u32(row, row, head)
        k.s_mul_i32(row, row, found["q"])
        k.s_add_u32(row, row, query)
        o = [(batch, found["o_batch"]), (head, found["o_head"]), (query, found["o_row"])]
        self.o = self._view("O", o, 2, self.config.d * 2)
        self.lse = self._view("LSE", [(row, 1)], F32_BYTES, F32_BYTES)
        self.p = self._view("P", [(row, self.config.d)], F32_BYTES, self.config.d * F32_BYTES)
        self.l = self._view("L", [(row, 1)], F32_BYTES, 0)
        self.lane_split = k.vgpr("offset of a lane's split")
        k.s_lshl_b32(self.t[0], found["rows"], 2)
        k.v_mul_lo_u32(self.lane_split, k.lane, self.t[0])
        self.sums, self.left, self.first = k.vgpr("sums"), k.sgpr("splits left"), k.sgpr("splits left at the start")
        top, total = self._find_top(), k.vgpr("total")
        self._add(top, total)

    def _view(self, name: str, strides: Sequence[tuple[Register, Register | int]], element: int, size: int) -> Register:
        """Return a descriptor of `size` bytes at the sum of products, in elements."""
        k, t, view = self.k, self.t, self.k.sgpr(f"{name} descriptor", 4)
        k.s_mov_b64(t[0:2], 0)
        for number, step in strides:
            k.s_mul_hi_u32(t[3], number, step)
            k.s_mul_i32(t[2], number, step)
            k.s_add_u32(t[0], t[0], t[2])
            k.s_addc_u32(t[1], t[1], t[3])
        k.s_lshl_b64(t[0:2], t[0:2], element.bit_length() - 1)
        k.s_add_u32(view[0], self.n[name][0], t[0])
        k.s_addc_u32(view[1], self.n[name][1], t[1])
        k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(view[2], size)
        k.s_mov_b32(view[3], RAW_BUFFER)
        return view

    def _load_sums(self, view: Register) -> None:
        """Load the sums of the next 64 splits, -inf where there are fewer, and move the view on."""
        k, left = self.k, self.t[0]
        k.s_min_u32(left, self.left, LANES)
        k.s_sub_u32(self.t[1], left, 1)
        k.s_mul_i32(self.t[1], self.t[1], self.n["rows"])
        k.s_lshl_b32(self.t[1], self.t[1], 2)
        k.s_add_u32(view[2], self.t[1], F32_BYTES)
        k.buffer_load_dword(self.sums, self.lane_split, view, 0)
        k.s_mov_b32(self.t[3], 0)
        k.s_mov_b32(self.t[2], self.n["rows"])
        k.s_lshl_b64(self.t[2:4], self.t[2:4], (LANES * F32_BYTES).bit_length() - 1)
        k.s_add_u32(view[0], view[0], self.t[2])
        k.s_addc_u32(view[1], view[1], self.t[3])
        k.s_sub_u32(self.left, self.left, left)
        k.v_cmp_gt_u32(VCC, left, k.lane)
        k.wait(self.sums, reason="sums of splits")
        lowest = k.vgpr("lowest")
        k.v_mov_b32(lowest, MINUS_INFINITY)
        k.v_cndmask_b32(self.sums, lowest, self.sums, VCC)
        k.free(lowest)

    def _find_top(self) -> Register:
        """Return the largest of all splits' sums, 0 where no split has a key."""
        k, top, view = self.k, self.k.vgpr("top"), self.k.sgpr("L descriptor, first turn", 4)
        k.s_mov_b64(view[0:2], self.l[0:2])
        k.s_mov_b64(view[2:4], self.l[2:4])
        k.s_mov_b32(self.left, self.n["splits"])
        k.v_mov_b32(top, MINUS_INFINITY)
        head = k.place(k.label("tops"))
        self._load_sums(view)
        k.v_max_f32(top, top, self.sums)
        k.s_cmp_lg_u32(self.left, 0)
        k.s_cbranch_scc1(head)
        self._over_lanes(k.v_max_f32, top)
        k.v_cmp_lg_f32(VCC, MINUS_INFINITY, top)
        k.v_cndmask_b32(top, 0, top, VCC)
        return top

    def _over_lanes(self, combine: Combine, value: Register) -> None:
        k = self.k
        work = k.vgpr("reduction", temporaries_for(k.arch.name, 1, ALL))
        reduce_lanes(k, combine, [value], ALL, work)
        k.free(work)

    def _add(self, top: Register, total: Register) -> None:
        """Add up the partial rows by their weights, exp(sum - top), and the weights; divide and store."""
        k = self.k
        offset, parts = k.vgpr("offset"), k.vgpr("partial rows", FLYING * WIDTH, align=4)
        rows = [parts[n : n + WIDTH] for n in range(0, FLYING * WIDTH, WIDTH)]
        o, step, split = k.vgpr("O", WIDTH, align=4), k.sgpr("bytes of a split", 2), k.sgpr("split of 64")
        weights, here, flying = k.sgpr("weights", FLYING), k.sgpr("splits of 64"), k.sgpr("splits in memory")
        k.v_lshlrev_b32(offset, (WIDTH * F32_BYTES).bit_length() - 1, k.lane)
        for register in (*o, total):
            k.v_mov_b32(register, 0)
        k.s_mul_i32(step[0], self.n["rows"], self.config.d * F32_BYTES)
        k.s_mul_hi_u32(step[1], self.n["rows"], self.config.d * F32_BYTES)
        k.s_mov_b32(self.left, self.n["splits"])
        k.s_mov_b32(flying, self.n["splits"])
        blocks = k.place(k.label("blocks_of_splits"))
        k.s_min_u32(here, self.left, LANES)
        self._load_sums(self.l)
        k.v_sub_f32(self.sums, self.sums, top)
        k.v_mul_f32(self.sums, LOG2E, self.sums)
        k.v_exp_f32(self.sums, self.sums)
        k.v_add_f32(total, total, self.sums)
        k.s_mov_b32(split, 0)
        some = k.place(k.label("splits"))
        for row in rows:
            k.buffer_load_dwordx4(row, offset, self.p, 0)
            k.s_add_u32(self.p[0], self.p[0], step[0])
            k.s_addc_u32(self.p[1], self.p[1], step[1])
            k.s_sub_u32(flying, flying, 1)
            k.s_cmp_gt_i32(flying, 0)
            k.s_cselect_b32(self.p[2], self.p[2], 0)
        for weight in weights:
            k.v_readlane_b32(weight, self.sums, split)
            k.s_add_u32(split, split, 1)
        for weight, row in zip(weights, rows, strict=True):
            k.wait(row, reason="a partial row")
            for target, value in zip(o, row, strict=True):
                k.v_fmac_f32(target, weight, value)
        k.s_cmp_lt_u32(split, here)
        k.s_cbranch_scc1(some)
        k.s_cmp_lg_u32(self.left, 0)
        k.s_cbranch_scc1(blocks)
        k.free(parts)
        self._over_lanes(k.v_add_f32, total)
        self._store(o, offset, top, total)

    def _store(self, o: Register, offset: Register, top: Register, total: Register) -> None:
        k, inverse = self.k, self.k.vgpr("inverse")
        k.v_rcp_f32(inverse, total)
        k.v_cmp_lg_f32(VCC, 0, total)
        k.v_cndmask_b32(inverse, 0, inverse, VCC)
        for value in o:
            k.v_mul_f32(value, inverse, value)
        with rounder(k, "O", self.config.dtype) as rounding:
            for word in (0, 1):
                rounding.pack(o[word], list(o[2 * word : 2 * word + 2]))
        k.v_lshrrev_b32(offset, 1, offset)
        k.buffer_store_dwordx2(o[0:2], offset, self.o, 0)
        k.v_log_f32(total, total)
        k.v_mul_f32(total, 1 / LOG2E, total)
        k.v_add_f32(total, top, total)
        # Of all lanes' stores that of the first alone is inside.
        k.buffer_store_dword(total, offset, self.lse, 0)

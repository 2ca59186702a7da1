"""One case of attention: its arrays, the right answer in float64, and how far off an answer may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from hkasm.errors import UsageError
from hkasm.kernels.attention.declared import BLOCK_KV, REACH, AttentionConfig
from hkasm.kernels.attention.heads import (
    blank_array,
    check_between,
    check_heads,
    score_scale,
    view_part,
    visible_keys,
)
from hkasm.kernels.attention.launch import Shape, clusters, dealing, make_launch, order_name, order_of
from hkasm.kernels.attention.reference import ARRAYS, DATA, Answer, answer, shape_scores
from hkasm.kernels.chips import with_arch
from hkasm.kernels.kernel import Array, Arrays, Comparison, Launch, Problem, compare
from hkasm.kernels.parameters import Parameter, parameter

if TYPE_CHECKING:
    from hkasm.grids.planner import Plan

SHORT_BLOCKS, SHORT_HEADS = 32, 8
"""Blocks of keys of shortened problems, enough for a steady loop, and key heads, enough workgroups to fill a CU."""


@dataclass(frozen=True)
class AttentionProblem(AttentionConfig, Problem):
    """Attention of `batch` sequences: `hq` query heads, `hkv` key heads, each of which hq / hkv query heads share."""

    batch: int = parameter(1, "sequences", low=1, high=65535)
    hq: int = parameter(4, "query heads", low=1, high=65535)
    hkv: int = parameter(2, "key and value heads, a divisor of hq", low=1, high=65535)
    q: int = parameter(256, "queries of a sequence", low=1, high=1 << 22)
    kv: int = parameter(256, "keys of a sequence", low=1, high=1 << 22)
    window: int = parameter(128, "keys that a query sees at most, where the mask is a window", low=1, high=1 << 22)
    layout: str = parameter("bshd", "order of batch, sequence, heads and head size", choices=("bshd", "bhsd"))
    gap: int = parameter(0, "elements behind each head's row and each sequence, a multiple of 8", low=0, high=1 << 16)
    data: str = parameter(
        "normal",
        "inputs: N(0, 1), row maxima that grow late, one key above all, equal scores, scores of +-3e4",
        choices=DATA,
    )
    arch: str = parameter("gfx950", "whose chip it is, where chip=auto", choices=("gfx942", "gfx950"))

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Self:
        return super().of(with_arch(values))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_heads(self.hq, self.hkv, self.gap)
        for name in "QK":
            if (reach := 2 * max(self.rows(name)) * self.strides(name)[2]) >= REACH:
                raise UsageError(f"one head of {name} spans {reach} bytes", hint=f"less than {REACH}")

    def _differs(self, one: Parameter) -> bool:
        """Tell whether the label names a parameter: the arch is that of the code, it changes the order alone."""
        return super()._differs(one) and one.name != "arch"

    @property
    def order(self) -> str:
        """Return the schedule, ``auto`` settled for the longest sequence."""
        return self.order_for(self.q)

    # Shapes.

    def _heads(self, name: str) -> int:
        return self.hq if name in "QO" else self.hkv

    def rows(self, name: str) -> tuple[int, ...]:
        """Return the length of every sequence: `q` or `kv`, or so many at most where they are packed, some maybe 0."""
        count, longest = self.batch, self.q if name in "QO" else self.kv
        if self.lengths == "equal":
            return (longest,) * count
        parts = range(count, 0, -1) if name in "QO" else range(1, count + 1)
        return tuple(longest * part // count for part in parts)

    def starts(self, name: str) -> Array:
        """Return the first row of every packed sequence, and that behind the last."""
        return np.concatenate([[0], np.cumsum(self.rows(name))]).astype(np.int32)

    def strides(self, name: str) -> tuple[int, int, int]:
        """Return the elements from sequence to sequence (0 where they are packed), head to head and row to row."""
        heads, row, packed = self._heads(name), self.d + self.gap, self.lengths != "equal"
        length = sum(self.rows(name)) if packed else self.rows(name)[0]
        if self.layout == "bshd":
            return 0 if packed else length * heads * row + self.gap, row, heads * row
        return 0 if packed else heads * length * row + self.gap, length * row, row

    def size(self, name: str) -> int:
        """Return the elements from the first to the last of an array."""
        batch, head, row = self.strides(name)
        length = sum(self.rows(name)) if self.lengths != "equal" else self.rows(name)[0]
        return (self.batch - 1) * batch + (self._heads(name) - 1) * head + (length - 1) * row + self.d

    def sequence(self, name: str, flat: Array, number: int) -> Array:
        """Return sequence `number` of an array as [heads, length, d]."""
        batch, head, row = self.strides(name)
        first = number * batch + (int(self.starts(name)[number]) * row if self.lengths != "equal" else 0)
        shape = (self._heads(name), self.rows(name)[number], self.d)
        return view_part(flat, first, shape, head, row)

    def _lse(self, flat: Array, number: int) -> Array:
        """Return the log-sum-exps of a sequence as [heads, length]: [batch, heads, q], or [heads, rows] if packed."""
        if self.lengths == "equal":
            whole: Array = flat.reshape(self.batch, self.hq, self.q)[number]
            return whole
        first, last = self.starts("Q")[number : number + 2]
        part: Array = flat.reshape(self.hq, -1)[:, first:last]
        return part

    @property
    def scale(self) -> float:
        """Return what scores are multiplied by."""
        return score_scale(self.d)

    # Arrays.

    def _blank(self, name: str) -> Array:
        return blank_array(self.size(name), self.dtype)

    def inputs(self, seed: int = 0) -> Arrays:
        """Return Q, K and V as flat arrays; what lies between their rows is NaN."""
        random = np.random.default_rng(seed)
        arrays = {name: self._blank(name) for name in "QKV"}
        for number in range(self.batch):
            drawn = {
                name: random.standard_normal((self._heads(name), self.rows(name)[number], self.d), dtype=np.float32)
                for name in "QKV"
            }
            shape_scores(self.data, self.scale, drawn["Q"], drawn["K"], random)
            for name, values in drawn.items():
                self.sequence(name, arrays[name], number)[:] = values.astype(ARRAYS[self.dtype])
        if self.lengths != "equal":
            arrays |= {"cu_q": self.starts("Q"), "cu_k": self.starts("K")}
        return arrays

    def outputs(self) -> Arrays:
        """Return O and LSE, filled with what no result leaves."""
        lse = np.full(self.hq * sum(self.rows("Q")), 0x7FC0_5A5A, np.uint32).view(np.float32)
        return {"O": self._blank("O"), "LSE": lse}

    def launch(self) -> Launch:
        """Return grid, block and arguments: one workgroup a block of queries of one head, behind reserved ones."""
        packed = self.lengths != "equal"
        lse = (0, sum(self.rows("Q"))) if packed else (self.hq * self.q, self.q)
        return make_launch(
            self,
            self.sizes,
            {name: self.strides(name) for name in "QKVO"},
            lse,
            self.scale,
            self.window,
            ("cu_q", "cu_k") if packed else (),
            arch=self.arch,
        )

    @property
    def sizes(self) -> Shape:
        """Return the sizes of the call."""
        return Shape(self.batch, self.hq, self.hkv, self.q, self.kv)

    @property
    def workgroups(self) -> int:
        """Return the workgroups of a launch that compute."""
        return self.hq * -(-self.q // self.block_q) * self.batch

    @property
    def first_workgroup(self) -> int:
        """Return the first workgroup that has a block of queries."""
        return order_of(self, self.sizes, self.arch).first_workgroup if self.uneven or self.reserve else 0

    def plan(self, order: str | None = None) -> Plan | None:
        """Return the order of the workgroups, or another, and what the cache model expects; None with grid=plain."""
        if self.grid == "plain":
            return None
        from hkasm.grids.planner import plan  # not for builds: it needs the cache model

        chip = self.chip_on(self.arch)
        return plan(chip, clusters(self, self.sizes), order_name(self) if order is None else order, dealing(self, chip))

    # The right answer.

    def visible(self, number: int = 0) -> npt.NDArray[np.bool_]:
        """Return which keys each query of a sequence sees, [q, kv]; lengths that differ end together."""
        return visible_keys(self.mask, self.rows("Q")[number], self.rows("K")[number], self.window)

    def reference(self, inputs: Arrays, batch: int, head: int) -> Answer:
        """Return O [q, d] and LSE [q] of one head in float64, and how far off each may be (`answer`)."""
        q, k, v = (
            self.sequence(name, inputs[name], batch)[head if name == "Q" else head // (self.hq // self.hkv)].astype(
                np.float64
            )
            for name in "QKV"
        )
        return answer(q, k, v, self.visible(batch), self.scale, self.dtype)

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare O and LSE with float64, and what lies between the rows of O with what lay there before."""
        parts = [
            (
                self.sequence("O", outputs["O"], number)[head], self._lse(outputs["LSE"], number)[head],
                *self.reference(inputs, number, head),
            )
            for number in range(self.batch)
            for head in range(self.hq)
        ]  # fmt: skip
        got, got_lse, want, lse, bound, lse_bound = (np.concatenate(column) for column in zip(*parts, strict=True))
        text = f"one rounding to {self.dtype} of each weight and of O, f32 scores and sums"
        results = [
            compare("O", got, want, bound + 1e-30, text),
            compare("LSE", got_lse, lse, lse_bound, "f32 scores and sums"),
        ]
        if self.gap:
            results.append(
                check_between(
                    outputs["O"], self.dtype, lambda o: (self.sequence("O", o, number) for number in range(self.batch))
                )
            )
        return results

    def traced(self) -> Self:
        """Return few heads and blocks of queries and keys, with the same rest behind whole blocks, for tracing."""
        queries, keys = self.block_q, SHORT_BLOCKS * BLOCK_KV
        kv = self.kv if self.kv <= 2 * keys else keys + self.kv % BLOCK_KV
        q = self.q if self.q <= 2 * queries else queries + self.q % queries
        hkv = min(self.hkv, SHORT_HEADS)
        return replace(self, batch=1, hq=hkv * (self.hq // self.hkv), hkv=hkv, q=q, kv=kv)

    @property
    def walk(self) -> int:
        """Return the keys that a workgroup goes over on average, in whole blocks."""
        blocks = 0
        for q, kv in zip(self.rows("Q"), self.rows("K"), strict=True):
            first = np.arange(0, q, self.block_q, dtype=np.int64)
            end = np.full(len(first), kv) if self.mask == "full" else np.minimum(first + self.block_q, q) + kv - q
            start = np.maximum(first + kv - q + 1 - self.window, 0) if self.mask == "window" else np.zeros(len(first))
            blocks += int(np.maximum(-(-end // BLOCK_KV) - start // BLOCK_KV, 0).sum())
        return round(blocks * BLOCK_KV / (-(-self.q // self.block_q) * self.batch))

    @property
    def written(self) -> int:
        return 2 * self.size("O") + 4 * self.hq * sum(self.rows("Q"))

    @property
    def bytes(self) -> int:
        """Bytes of Q, K, V, O and LSE."""
        return 2 * sum(self.size(name) for name in "QKVO") + 4 * self.hq * sum(self.rows("Q"))

    @property
    def flops(self) -> int:
        """Operations of both products over the keys that queries see."""
        pairs = 0
        for q, kv in zip(self.rows("Q"), self.rows("K"), strict=True):
            seen = np.clip(np.arange(q, dtype=np.int64) + kv - q + 1, 0, kv)
            if self.mask == "full":
                pairs += q * kv
            else:
                pairs += int((np.minimum(seen, self.window) if self.mask == "window" else seen).sum())
        return 4 * self.hq * pairs * self.d

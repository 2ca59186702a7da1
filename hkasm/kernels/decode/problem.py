"""One case of decode attention: its arrays, the right answer in float64, and how far off an answer may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from hkasm.errors import UsageError
from hkasm.kernels.attention.heads import (
    blank_array,
    check_between,
    check_heads,
    score_scale,
    view_part,
    visible_keys,
)
from hkasm.kernels.attention.reference import ARRAYS, DATA, Answer, Floats, answer, shape_scores
from hkasm.kernels.chips import chip_parameter, with_arch
from hkasm.kernels.decode.declared import (
    BLOCK_SIZES,
    MOST_KEYS,
    MOST_SPLITS,
    REACH,
    ROWS,
    STEP,
    STRIDE,
    TILE,
    DecodeConfig,
    choose_splits,
)
from hkasm.kernels.decode.launch import Shape, Strides, combine_launch, make_launch
from hkasm.kernels.kernel import Array, Arrays, Comparison, FollowUp, Launch, Problem, compare
from hkasm.kernels.parameters import parameter
from hkasm.model.chips import chip_of

F32_BLANK = 0x7FC0_5A5A
NO_BLOCKS = (0x7FFF_FFFF, -1, -(1 << 31), 0x4000_0000)
"""Entries that name no block of any cache."""
SHORT_STEPS, SHORT_HEADS, MOST_RESIDENT = 64, 8, 8
"""Steps of `STRIDE` keys and heads that are traced of longer ones, and workgroups that a compute unit has at most."""


@dataclass(frozen=True)
class DecodeProblem(DecodeConfig, Problem):
    """Attention of the last `q` tokens of `batch` sequences, each of hq / hkv query heads on a key head together."""

    batch: int = parameter(2, "sequences", low=1, high=65535)
    hq: int = parameter(8, "query heads", low=1, high=65535)
    hkv: int = parameter(2, "key and value heads, a divisor of hq", low=1, high=65535)
    q: int = parameter(1, "queries of a sequence", low=1, high=4096)
    kv: int = parameter(1000, "keys of the longest sequence", low=0, high=MOST_KEYS)
    lengths: str = parameter("equal", "keys of the others: as many, or fewer, some none", choices=("equal", "mixed"))
    window: int = parameter(128, "keys that a query sees at most, where the mask is a window", low=1, high=MOST_KEYS)
    page: int = parameter(64, "keys of a block of the cache, a power of two", low=BLOCK_SIZES[0], high=BLOCK_SIZES[-1])
    table: str = parameter(
        "shuffled",
        "block table: blocks in no order, some named twice, some entries that name none",
        choices=("shuffled", "repeated", "broken"),
    )
    splits: int = parameter(0, "workgroups that share a sequence's keys, 0: by shape and chip", low=0, high=MOST_SPLITS)
    layout: str = parameter("bshd", "order of batch (or block), keys, heads and head size", choices=("bshd", "bhsd"))
    gap: int = parameter(0, "elements behind each head's row and each sequence, a multiple of 8", low=0, high=1 << 16)
    data: str = parameter(
        "normal",
        "inputs: N(0, 1), row maxima that grow late, one key above all, equal scores, scores of +-3e4",
        choices=DATA,
    )
    arch: str = parameter("gfx950", "whose chip it is, where chip=auto", choices=("gfx942", "gfx950"))
    chip: str = chip_parameter()

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Self:
        return super().of(with_arch(values))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_heads(self.hq, self.hkv, self.gap)
        if self.page not in BLOCK_SIZES:
            raise UsageError(f"page={self.page}: no power of two", hint=", ".join(map(str, BLOCK_SIZES)))
        if self.parts == "no" and self.splits > 1:
            raise UsageError(f"splits={self.splits} with parts=no", hint="splits leave partial results: parts=auto")
        _, head, row = self.strides("Q")
        reach = 4 * ((self.hq // self.hkv - 1) * head + (self.q - 1) * row + self.d)
        if max(reach, 2 * TILE * self.strides("K")[2]) >= REACH:
            raise UsageError(f"rows of one key head span {reach} bytes", hint=f"less than {REACH}")

    # Shapes.

    @property
    def group(self) -> int:
        """Return the query heads of a key head."""
        return self.hq // self.hkv

    @property
    def paged(self) -> bool:
        """Tell whether keys and values lie in blocks that a table names."""
        return self.cache == "paged"

    @property
    def table_row(self) -> int:
        """Return the block table's entries of a sequence; one more than the longest needs."""
        return -(-self.kv // self.page) + 1

    @property
    def pages(self) -> int:
        """Return the blocks of the cache: those that the table can name, and some that it never does."""
        return self.batch * -(-self.kv // self.page) + 3

    @property
    def shape(self) -> Shape:
        """Return the sizes of the launch."""
        if self.paged:
            return Shape(self.batch, self.hq, self.hkv, self.q, self.table_row, self.pages, self.page)
        return Shape(self.batch, self.hq, self.hkv, self.q, self.kv)

    @property
    def partial(self) -> bool:
        """Tell whether results are partial."""
        return self.parts == "yes" or (self.parts == "auto" and self.split_count > 1)

    @cached_property
    def split_count(self) -> int:
        """Return the number of splits, chosen by shape and chip where it is not given."""
        if self.splits or self.parts == "no":
            return max(self.splits, 1)
        return choose_splits(self.shape.work, self.kv, chip_of(self.chip, self.arch).cus)

    @cached_property
    def keys(self) -> tuple[int, ...]:
        """Return every sequence's keys."""
        if self.lengths == "equal":
            return (self.kv,) * self.batch
        return (self.kv, *(self.kv * number // self.batch for number in range(self.batch - 1)))

    def _heads(self, name: str) -> int:
        return self.hq if name in "QOP" else self.hkv

    def _counts(self, name: str) -> tuple[int, int]:
        """Return sequences and rows of each, or blocks of the cache and keys of each."""
        if name in "QOP":
            return self.batch, self.q
        return (self.pages, self.page) if self.paged else (self.batch, self.kv)

    def strides(self, name: str) -> Strides:
        """Return the elements from sequence (or block) to sequence, head to head and row to row."""
        heads, length = self._heads(name), self._counts(name)[1]
        if name == "P":
            return heads * length * self.d, length * self.d, self.d
        row = self.d + self.gap
        if self.layout == "bshd":
            return length * heads * row + self.gap, row, heads * row
        return heads * length * row + self.gap, length * row, row

    def size(self, name: str) -> int:
        """Return the elements from the first to the last of an array."""
        (count, length), (batch, head, row) = self._counts(name), self.strides(name)
        return max((count - 1) * batch + (self._heads(name) - 1) * head + (length - 1) * row + self.d, 0) * (length > 0)

    def part(self, name: str, flat: Array, number: int) -> Array:
        """Return sequence or block `number` of an array as [heads, rows, d], a view."""
        batch, head, row = self.strides(name)
        shape = (self._heads(name), self._counts(name)[1], self.d)
        return view_part(flat, number * batch, shape, head, row)

    @property
    def scale(self) -> float:
        """Return what scores are multiplied by."""
        return score_scale(self.d)

    # Arrays.

    def _blank(self, name: str) -> Array:
        return blank_array(self.size(name), self.dtype)

    def inputs(self, seed: int = 0) -> Arrays:
        """Return Q, the cache, lengths and table; all that no sequence has is NaN, but its last block is finite."""
        random = np.random.default_rng(seed)
        arrays = {name: self._blank(name) for name in "QKV"}
        arrays["lengths"] = np.array(self.keys, np.int32)
        table = self._table(random) if self.paged else None
        for number, count in enumerate(self.keys):
            drawn = {
                name: random.standard_normal((self._heads(name), rows, self.d), dtype=np.float32)
                for name, rows in (("Q", self.q), ("K", count), ("V", count))
            }
            shape_scores(self.data, self.scale, drawn["Q"], drawn["K"], random)
            self.part("Q", arrays["Q"], number)[:] = drawn["Q"].astype(ARRAYS[self.dtype])
            for name in "KV" if count else "":
                values = drawn[name].astype(ARRAYS[self.dtype])
                if table is None:
                    self.part(name, arrays[name], number)[:, :count] = values
                    continue
                for place, first in enumerate(range(0, count, self.page)):
                    block = int(table[number, place])
                    if 0 <= block < self.pages:
                        rows = values[:, first : first + self.page]
                        self.part(name, arrays[name], block)[:, : rows.shape[1]] = rows
        return arrays if table is None else arrays | {"table": table.ravel()}

    def _table(self, random: np.random.Generator) -> npt.NDArray[np.int32]:
        """Return the block table; entries behind a sequence name no block."""
        used = self.table_row - 1
        blocks = random.permutation(self.pages - 1)[: self.batch * used].reshape(self.batch, used)
        if self.table == "repeated" and used > 1:
            # The last block of a sequence may be short, so it is no other's.
            for row, count in zip(blocks, self.keys, strict=True):
                whole = count // self.page
                row[:whole] = row[random.integers(0, max(whole // 2, 1), whole)]
        table = np.full((self.batch, self.table_row), NO_BLOCKS[0], np.int32)
        for number, count in enumerate(self.keys):
            there = -(-count // self.page)
            table[number, :there] = blocks[number, :there]
            if self.table == "broken" and there:
                table[number, random.integers(there)] = [*NO_BLOCKS, self.pages][random.integers(len(NO_BLOCKS) + 1)]
        return table

    def sequence(self, name: str, inputs: Arrays, number: int) -> Floats:
        """Return keys or values of a sequence in float64 as [heads, keys, d]; a block that is not there is zero."""
        count = self.keys[number]
        found = np.zeros((self.hkv, count, self.d))
        if not self.paged:
            if count:
                found[:] = self.part(name, inputs[name], number)[:, :count].astype(np.float64)
            return found
        table = inputs["table"].reshape(self.batch, self.table_row)
        for place, first in enumerate(range(0, count, self.page)):
            block, rows = int(table[number, place]), min(self.page, count - first)
            if 0 <= block < self.pages:
                found[:, first : first + rows] = self.part(name, inputs[name], block)[:, :rows].astype(np.float64)
        return found

    def outputs(self) -> Arrays:
        """Return what the launch writes, filled with what no result leaves."""
        if not self.partial:
            return self._answers()
        sizes = {"P": self.split_count * self.size("P"), "L": self.split_count * self.batch * self.hq * self.q}
        return {name: np.full(size, F32_BLANK, np.uint32).view(np.float32) for name, size in sizes.items()}

    def _answers(self) -> Arrays:
        """Return O and LSE, filled with what no result leaves."""
        lse = np.full(self.batch * self.hq * self.q, F32_BLANK, np.uint32).view(np.float32)
        return {"O": self._blank("O"), "LSE": lse}

    def launch(self) -> Launch:
        """Return grid, block and arguments: a workgroup for each block of rows and split of a key head."""
        strides = {name: self.strides(name) for name in "QKV"}
        strides["O"] = self.strides("P" if self.partial else "O")
        lse = (self.hq * self.q, self.q)
        parts = (self.size("P"), self.batch * self.hq * self.q) if self.partial else None
        return make_launch(self.shape, strides, lse, self.scale, self.window, self.split_count, parts)

    def follow_up(self) -> FollowUp | None:
        """Return the launch of `decode_combine` that brings partial results together."""
        if not self.partial:
            return None
        launch = combine_launch(self.shape, self.split_count, self.strides("O"))
        values = {"dtype": self.dtype, "d": self.d}
        return FollowUp("decode_combine", values, launch, self._answers(), self._check_answers)

    # The right answer.

    def visible(self, number: int) -> npt.NDArray[np.bool_]:
        """Return which keys each query of a sequence sees, [q, keys]; the last query sees the last key."""
        return visible_keys(self.mask, self.q, self.keys[number], self.window)

    def shares(self, number: int, block: int) -> list[slice]:
        """Return the keys of each split, for a block of rows of a sequence."""
        kv, group = self.keys[number], self.group
        first, last = block * ROWS // group, (min((block + 1) * ROWS, self.q * group) - 1) // group
        begin, end = 0, kv
        if self.mask != "full":
            end = max(last + kv - self.q + 1, 0)
        if self.mask == "window":
            begin = max(first + kv - self.q + 1 - self.window, 0) // STEP * STEP
        chunk = -(-max(-(-(end - begin) // STRIDE), 0) // self.split_count) * STRIDE
        starts = [begin + split * chunk for split in range(self.split_count)]
        return [slice(min(start, end), max(min(start + chunk, end), min(start, end))) for start in starts]

    @property
    def walk(self) -> int:
        """Return the keys of the first workgroup, in whole steps."""
        keys = self.shares(0, 0)[0]
        return int(-(-(keys.stop - keys.start) // STRIDE) * STRIDE)

    def traced(self) -> Self:
        """Return few sequences, heads and splits whose first workgroup does what the whole problem's does.

        Of more than `SHORT_STEPS` steps it has no more than these, and the same rest.
        """
        kv, splits, most = self.kv, self.split_count, SHORT_STEPS * STRIDE
        keys = self.shares(0, 0)[0]
        share = keys.stop - keys.start
        if self.mask == "window":  # it begins at the same place of a block
            kv -= max(kv - self.q - self.window, 0) // BLOCK_SIZES[-1] * BLOCK_SIZES[-1]
        elif splits == 1:
            kv -= max(share - most, 0) // STRIDE * STRIDE
        elif share % STRIDE == 0:  # keys that its rows do not see lie in other shares
            seen = self.q if self.mask == "full" else (min(ROWS, self.q * self.group) - 1) // self.group + 1
            two = 2 * min(share, most) + self.q - seen
            if two < kv:
                kv, splits = two, 2
        # Rows of all heads keep their place in a line of memory.
        heads = self.hkv if self.hkv <= 2 * SHORT_HEADS else SHORT_HEADS + self.hkv % SHORT_HEADS
        batch = min(self.batch, -(-MOST_RESIDENT // (heads * self.shape.row_blocks * splits)))
        return replace(self, batch=batch, hq=heads * self.group, hkv=heads, kv=kv, splits=splits)

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare what the launch wrote with float64: O and LSE, or those of every split's keys."""
        if not self.partial:
            return self._check_answers(inputs, outputs)
        count = self.split_count
        p, sums = outputs["P"].reshape(count, -1), outputs["L"].reshape(count, self.batch, self.hq, self.q)
        found: list[tuple[Array, Array, Answer]] = []
        for number in range(self.batch):
            q = self.part("Q", inputs["Q"], number).astype(np.float64)
            k, v = self.sequence("K", inputs, number), self.sequence("V", inputs, number)
            visible = self.visible(number)
            for row in range(self.q * self.group):
                query, own = divmod(row, self.group)
                for split, keys in enumerate(self.shares(number, row // ROWS)):
                    part = self.part("P", p[split], number)
                    for key_head in range(self.hkv):
                        head = key_head * self.group + own
                        want = answer(
                            q[head, query : query + 1], k[key_head, keys], v[key_head, keys],
                            visible[query : query + 1, keys], self.scale, self.dtype, rounded=False,
                        )  # fmt: skip
                        got = part[head, query : query + 1], sums[split, number, head, query : query + 1]
                        found.append((*got, want))
        return _judge(found, ("P", "L"), f"one rounding to {self.dtype} of each weight, f32 scores and sums")

    def _check_answers(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare O and LSE with float64, and what lies between the rows of O with what lay there before."""
        sums = outputs["LSE"].reshape(self.batch, self.hq, self.q)
        found: list[tuple[Array, Array, Answer]] = []
        for number in range(self.batch):
            q = self.part("Q", inputs["Q"], number).astype(np.float64)
            k, v = self.sequence("K", inputs, number), self.sequence("V", inputs, number)
            part, visible = self.part("O", outputs["O"], number), self.visible(number)
            for head in range(self.hq):
                own = head // self.group
                want = answer(q[head], k[own], v[own], visible, self.scale, self.dtype)
                found.append((part[head], sums[number, head], want))
        text = f"one rounding to {self.dtype} of each weight and of O, f32 scores and sums"
        results = _judge(found, ("O", "LSE"), text)
        if self.gap:
            results.append(
                check_between(
                    outputs["O"], self.dtype, lambda o: (self.part("O", o, number) for number in range(self.batch))
                )
            )
        return results

    @property
    def least_bytes(self) -> int:
        """Return the bytes of keys and values that are seen, each read once for every block of rows."""
        total = 0
        for number in range(self.batch):
            for block in range(self.shape.row_blocks):
                total += sum(keys.stop - keys.start for keys in self.shares(number, block))
        return total * 2 * self.hkv * self.d * 2

    @property
    def bytes(self) -> int:
        """Bytes of Q, O, LSE and of the keys and values of all sequences."""
        return 2 * (self.size("Q") + self.size("O") + 2 * sum(self.keys) * self.hkv * self.d) + 4 * self.batch * self.hq

    @property
    def flops(self) -> int:
        """Operations of both products over the keys that queries see."""
        pairs = 0
        for kv, sequences in Counter(self.keys).items():
            seen = np.full(self.q, kv) if self.mask == "full" else np.clip(np.arange(self.q) + kv - self.q + 1, 0, kv)
            pairs += sequences * int((np.minimum(seen, self.window) if self.mask == "window" else seen).sum())
        return 4 * self.hq * self.d * pairs


def _judge(found: list[tuple[Array, Array, Answer]], names: tuple[str, str], text: str) -> list[Comparison]:
    got, got_lse = (np.concatenate([one[place] for one in found]) for place in (0, 1))
    o, lse, o_off, lse_off = (np.concatenate([one[2][place] for one in found]) for place in range(4))
    return [
        compare(names[0], got, o, o_off + 1e-30, text),
        compare(names[1], got_lse, lse, lse_off, "f32 scores and sums"),
    ]

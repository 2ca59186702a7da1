"""One case of the GEMM: its arrays, the right answer in float64, and how far off an answer may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hkasm.errors import UsageError
from hkasm.grids.row_major import grid_shape
from hkasm.grids.tickets import counters, ticket_numbers
from hkasm.isa.arch import get_arch
from hkasm.kernels.chips import share_names, with_arch
from hkasm.kernels.gemm.arguments import COUNTED, SCRATCH, extra_arguments
from hkasm.kernels.gemm.declared import (
    PRODUCERS,
    ROW_BYTES,
    WAVES,
    GemmConfig,
    plan_of,
    resolved,
)
from hkasm.kernels.gemm.formats import F32_STEP, Floats, Format, activated, format_of
from hkasm.kernels.gemm.plan import DWORD_BYTES, WAVE_SIZE
from hkasm.kernels.gemm.scales import decoded, drawn_codes, shuffle_scales, unshuffle_scales
from hkasm.kernels.gemm.shares import Shares
from hkasm.kernels.kernel import Array, Arrays, Comparison, Launch, Problem, compare
from hkasm.kernels.parameters import Parameter, parameter

if TYPE_CHECKING:
    from hkasm.grids.order import Order
    from hkasm.grids.planner import Dealing, Plan
    from hkasm.grids.reuse import Rectangle
    from hkasm.kernels.gemm.choice import Choice

MAX_PITCH_BYTES = 1 << 23
"""Bytes a row: 255 rows of it and one more K stay below 2^31 bytes, where a buffer offset still compares right."""
MAX_SIDE = 1 << 24
SMALL_INTEGERS = 4
BLOCK = 32
"""Elements along K that share a scale."""
SLICE = 256
"""K of slices comes in multiples of this: whole K steps of every element type."""
RESIDENT = 2
"""Workgroups a CU that take tickets at most: accumulators and fragments of any tile leave registers for no more."""
SCALE_C = 0.125
"""What results are multiplied by before they are rounded to 8 bits."""


@dataclass(frozen=True)
class GemmProblem(GemmConfig, Problem):
    """C = A B (see `trans` for how A and B lie) with lines `lda`, `ldb`, `ldc` elements apart (0: no space between)."""

    m: int = parameter(512, "rows of C", low=1, high=MAX_SIDE)
    n: int = parameter(512, "columns of C", low=1, high=MAX_SIDE)
    k: int = parameter(256, "length of the sums", low=1, high=MAX_SIDE)
    lda: int = parameter(0, "elements from line to line of A, 0 for no space", low=0, high=MAX_PITCH_BYTES)
    ldb: int = parameter(0, "elements from line to line of B, 0 for no space", low=0, high=MAX_PITCH_BYTES)
    ldc: int = parameter(0, "elements from row to row of C, 0 for no space", low=0, high=MAX_PITCH_BYTES)
    alpha: int = parameter(2, "factor of the product, where combine has it", low=-64, high=64)
    beta: int = parameter(3, "factor of C0, where combine has it", low=-64, high=64)
    count: int = parameter(1, "products, where there is a batch", low=1, high=65535)
    gap: int = parameter(0, "elements between the products of a batch", low=0, high=1 << 20)
    workers: int = parameter(
        0, "workgroups, where work=stream or work=tickets; 0: as many as run at once", low=0, high=65535
    )
    data: str = parameter("normal", "inputs: N(0, 1) or small integers", choices=("normal", "integers"))
    arch: str = parameter(
        "gfx950", "whose fp8 it is: gfx950 OCP, gfx942 FNUZ; whose chip, where chip=auto", choices=("gfx942", "gfx950")
    )

    @classmethod
    def of(cls, values: Mapping[str, object]) -> GemmProblem:
        """Make a problem; tile and work are chosen for the shape where m or n is given."""
        values = with_arch(values)
        made, config = super().of(values), settled(GemmConfig.of(values), values)
        return replace(made, tile=config.tile, work=config.work)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in "ABC":
            columns, pitch = self.shape(name)[1], self.pitch(name)
            letter = f"ld{name.lower()}"
            if pitch < columns:
                raise UsageError(f"{letter}={pitch}: shorter than a row of {name}", hint=f"at least {columns}")
            if pitch * self.bits(name) // 8 > MAX_PITCH_BYTES:
                most = MAX_PITCH_BYTES * 8 // self.bits(name)
                raise UsageError(f"rows of {name} of {pitch} elements are too long", hint=f"at most {most} elements")
        if self.scaled:
            lengths = {"k": self.k, "lda": self.lda, "ldb": self.ldb, "gap": self.gap}
            for name, length in lengths.items():
                if length % BLOCK:
                    raise UsageError(f"{name}={length}: no whole blocks of {BLOCK}", hint="elements of an mx type")
        if self.count > 1 and self.batch == "none":
            raise UsageError(f"count={self.count}: there is no batch", hint="batch=strided or batch=split")
        if self.batch == "split" and (self.count - 1) * self.slice >= self.k:
            most = -(-self.k // SLICE)
            raise UsageError(f"count={self.count}: k={self.k} has no so many slices", hint=f"at most {most} of {SLICE}")

    def _differs(self, one: Parameter) -> bool:
        """Tell whether the label names a parameter: the arch only where number formats depend on it."""
        eight = {"fp8", "bf8"} & {self.dtype, self.b, self.c}
        return super()._differs(one) and (one.name != "arch" or bool(eight))

    # Shapes.

    def shape(self, name: str) -> tuple[int, int]:
        """Return rows and columns of ``A``, ``B`` or ``C`` (and ``C0``) as they lie in memory."""
        a_strided, b_strided = self.strided
        return {
            "A": (self.k, self.m) if a_strided else (self.m, self.k),
            "B": (self.k, self.n) if b_strided else (self.n, self.k),
        }.get(name, (self.m, self.n))

    def pitch(self, name: str) -> int:
        """Return the elements from row to row in memory."""
        given = {"A": self.lda, "B": self.ldb}.get(name, self.ldc)
        return given or self.shape(name)[1]

    def elements(self, name: str) -> int:
        """Return the elements from the first to the last of one product's ``A``, ``B`` or ``C``."""
        rows, columns = self.shape(name)
        return (rows - 1) * self.pitch(name) + columns

    def _units(self, name: str, elements: int) -> int:
        """Return the items of an array that elements take: less than 8 bits are packed in bytes."""
        bits = self.bits(name[0])
        return elements * bits // 8 if bits < 8 else elements

    def stride(self, name: str) -> int:
        """Return the elements from product to product of a batch, or from slice to slice of K."""
        if self.batch == "split" and name in "AB":
            return self.slice * (self.pitch(name) if self.strided["AB".index(name)] else 1)
        return self.elements(name) + self.gap

    @property
    def slice(self) -> int:
        """Return the K of every slice but the last, where K is split."""
        return -(-self.k // (self.count * SLICE)) * SLICE

    def size(self, name: str) -> int:
        """Return the elements from the first to the last of an array."""
        if self.batch == "split" and name in "AB":
            return self.elements(name)
        return (self.count - 1) * self.stride(name) + self.elements(name)

    def matrix(self, name: str, flat: Array, number: int = 0) -> Array:
        """Return product `number`'s matrix, as it lies in memory, of an array that ends with its last element."""
        if self.batch == "split" and name in "AB":
            number = 0
        step = flat.strides[0]
        part = flat[self._units(name, number * self.stride(name)) :].view(f"u{step}")  # NumPy strides no float8_e5m2
        rows, columns = self.shape(name)
        shape, pitch = (rows, self._units(name, columns)), self._units(name, self.pitch(name))
        return np.lib.stride_tricks.as_strided(part, shape, (pitch * step, step)).view(flat.dtype)

    def operand(self, name: str, flat: Array, number: int = 0) -> Floats:
        """Return A as [m, k], B as [n, k] or C0 as [m, n] in float64."""
        if name in "AB" and self.bits(name) < 8:
            return decoded(self.matrix(name, flat, number), self._dtype(name))
        matrix = self.matrix(name, flat, number).astype(np.float64)
        turned = name in "AB" and self.strided["AB".index(name)]
        matrix = matrix.T if turned else matrix
        if self.batch == "split" and name in "AB":
            return matrix[:, number * self.slice : (number + 1) * self.slice]
        return matrix

    # Arrays.

    def _dtype(self, name: str) -> str:
        return {"A": self.dtype, "B": self.b}.get(name, self.c)

    def _format(self, name: str) -> Format:
        return format_of(self._dtype(name), self.arch)

    def _blank(self, name: str) -> Array:
        kept = self._format(name)
        word = f"u{np.dtype(kept.array).itemsize}"
        return np.full(self._units(name, self.size(name)), kept.blank, word).view(kept.array)

    def inputs(self, seed: int = 0) -> Arrays:
        """Return A, B and what the variant takes besides as flat arrays; what lies between rows is NaN."""
        random = np.random.default_rng(seed)
        arrays = {name: self._filled(name, random, 1 if self.batch == "split" else self.count) for name in "AB"}
        names = [name for name, _, pointer in extra_arguments(self) if pointer and name not in SCRATCH]
        for name in names:
            if name == "C0":
                arrays[name] = self._filled(name, random, self.count)
                continue
            if self.scaled and name != "bias":
                shape = (self.count, self.m if name == "scale_a" else self.n, self.k // BLOCK)
                spread = 1 if self.data == "integers" else 3
                arrays[name] = shuffle_scales(random.integers(127 - spread, 128 + spread, shape).astype(np.uint8))
                continue
            counts = {"scale_a": self.m, "scale_b": self.n, "bias": self.m if self.bias == "row" else self.n}
            count = 1 if self.scale == "tensor" and name != "bias" else counts[name]
            if self.data == "integers":
                whole = random.integers(-1, 2, count) if name != "bias" else random.integers(-4, 5, count)
                values = np.exp2(whole) if name != "bias" else whole.astype(np.float64)
            else:
                values = random.standard_normal(count) if name == "bias" else random.uniform(0.5, 2, count)
            arrays[name] = values.astype(np.float32)
        return arrays

    def _filled(self, name: str, random: np.random.Generator, count: int) -> Array:
        flat = self._blank(name)
        for number in range(count):
            values = self.matrix(name, flat, number)
            drawn: Array
            if name in "AB" and self.bits(name) < 8:
                shape, most = self.shape(name), SMALL_INTEGERS if self.data == "integers" else None
                values[:] = drawn_codes(random, shape, self._dtype(name), most)
                continue
            if self.data == "integers":
                drawn = random.integers(-SMALL_INTEGERS, SMALL_INTEGERS + 1, values.shape)
            elif flat.dtype.kind == "i":
                most = 16 if self.c == "f16" else 128  # sums that f16 holds
                drawn = random.integers(-most, most, values.shape)
            else:
                drawn = random.standard_normal(values.shape, dtype=np.float32)
            values[:] = drawn.astype(flat.dtype)
            if self.dtype == "xf32" and name in "AB":
                values.view(np.uint32)[:] &= np.uint32(0xFFFF_E000)
        return flat

    def outputs(self) -> Arrays:
        """Return C, filled with what no result leaves, and what `scratch` has."""
        return {"C": self._blank("C")} | self.scratch()

    # Stream-K and tickets.

    def scratch(self) -> Arrays:
        """Return the workspace and counters, or the counts of tickets; a launch leaves them fit for the next one."""
        if self.work == "tickets":
            return {"tickets": np.zeros(self._counters, np.uint32)}
        if self.work != "stream":
            return {}
        kept = format_of("i32" if self.dtype == "i8" else "f32", self.arch)
        workspace = np.full(self.workspace_bytes // DWORD_BYTES - self._counters, kept.blank, np.uint32).view(
            kept.array
        )
        return {"workspace": workspace, "counters": np.zeros(self._counters, np.uint32)}

    @property
    def shares(self) -> Shares:
        """Return who computes which K steps of which tiles, where work=stream."""
        rows, columns = self.tile_shape
        workers = self.workers or self.chip_on(self.arch).cus
        steps = -(-self.k // plan_of(self.arch, self).depth)
        return Shares(-(-self.m // rows), -(-self.n // columns), self.count, steps, workers)

    @property
    def workspace_bytes(self) -> int:
        """Return the bytes of what `scratch` has: 0 where every workgroup computes a tile of its own."""
        if self.work == "tickets":
            return self._counters * DWORD_BYTES
        if self.work != "stream":
            return 0
        rows, columns = self.tile_shape
        return (self.shares.slots * rows * columns + self._counters) * DWORD_BYTES

    @property
    def _counters(self) -> int:
        """Return the counters of a launch: one for each tile that is split and wave that multiplies, or for tickets."""
        if self.work == "tickets":
            return counters(self.xcds) * self.count
        waves = WAVES[resolved(self).tile, resolved(self).schedule]
        return self.shares.split_tiles * waves.m * waves.n

    @property
    def walk(self) -> int:
        """Return the K that the longest workgroup goes through, of one tile or of several."""
        return self.shares.share * plan_of(self.arch, self).depth if self.work == "stream" else self.k

    @property
    def segments(self) -> int:
        """Return the tiles that the longest share has a part of."""
        if self.work != "stream":
            return 1
        share, steps = self.shares.share, self.shares.steps
        if share % steps and steps % share:
            return (share + steps - 2) // steps + 1
        return max(share // steps, 1)

    @property
    def part_bytes(self) -> int:
        share, steps = self.shares.share, self.shares.steps
        if self.work != "stream" or share % steps == 0:
            return 0
        parts = steps // share if steps % share == 0 else min(-(-steps // share) + 1, steps)
        rows, columns = self.tile_shape
        return parts * rows * columns * DWORD_BYTES

    @property
    def tile_bytes(self) -> int:
        rows, columns = self.tile_shape
        return rows * columns * self.bits("C") // 8

    @property
    def takers(self) -> int:
        return self._takers * self.count if self.work == "tickets" else 0

    @property
    def written(self) -> int:
        return self.size("C") * self.bits("C") // 8 + self.workspace_bytes

    @property
    def step(self) -> int:
        return plan_of(self.arch, self).depth

    def traced(self) -> GemmProblem:
        """Return the same problem with shares that end inside a tile, or with one tile to take."""
        if self.work == "tickets":
            rows, columns = self.tile_shape
            return replace(self, m=min(self.m, rows), n=min(self.n, columns))
        return replace(self, workers=self.shares.tiles + 1) if self.work == "stream" else self

    def traced_arrays(self) -> Arrays:
        """Return the arrays of a launch, with counters as the last to arrive at each tile finds them."""
        arrays = super().traced_arrays()
        if self.work == "stream" and self.shares.split_tiles:
            parts = [len(found) for tile in range(self.shares.tiles) if (found := self.shares.parts(tile))]
            counters = arrays["counters"]
            counters[:] = np.repeat(parts, len(counters) // len(parts)) - 1
        return arrays

    # Orders and tickets.

    @cached_property
    def _order(self) -> Order:
        """Return the order of the tiles of one product."""
        from hkasm.grids.planner import choose  # not for builds: it needs the cache model

        return choose(self.chip_on(self.arch), self.reuse, self.grid, self._dealing)

    def plan(self, order: str | None = None) -> Plan:
        """Return the order of the tiles of one product, or another, and what the cache model expects of it."""
        from hkasm.grids.planner import plan

        return plan(self.chip_on(self.arch), self.reuse, self.grid if order is None else order, self._dealing)

    @property
    def _dealing(self) -> Dealing:
        """Return how tiles are dealt to XCDs, as the planner wants to know it."""
        from hkasm.grids.planner import Dealing

        return Dealing(self.weights_on(self.chip_on(self.arch)), self.work == "tickets", self.reserve)

    @property
    def _takers(self) -> int:
        """Return the workgroups a product that take tickets: one or two a CU, as LDS has room, where nobody says."""
        room = get_arch(self.arch).lds_bytes // plan_of(self.arch, self).lds_bytes
        return self.workers or self.chip_on(self.arch).reserve(self.reserve).cus * min(room, RESIDENT)

    @property
    def workgroups(self) -> int:
        """Return the workgroups of a launch that compute, or the tiles that those which stay take."""
        return self.shares.workgroups if self.work == "stream" else self.shares.tiles

    @property
    def first_workgroup(self) -> int:
        """Return the first workgroup that has a tile."""
        return self._order.first_workgroup if self.ordered and self.work not in ("tickets", "stream") else 0

    @property
    def tile_shape(self) -> tuple[int, int]:
        """Return rows and columns of a tile."""
        rows, columns = map(int, resolved(self).tile.split("x"))
        return rows, columns

    @property
    def reuse(self) -> Rectangle:
        """Return the strips of A and B that the tiles of C share (of one product of a batch)."""
        from hkasm.grids.reuse import Rectangle  # not for builds

        rows, columns = self.tile_shape
        steps = -(-self.k * max(self.bits("A"), self.bits("B")) // (8 * ROW_BYTES))
        tiles = -(-self.m // rows), -(-self.n // columns)
        return Rectangle(*tiles, steps, rows * ROW_BYTES, columns * ROW_BYTES)

    def launch(self) -> Launch:
        """Return grid, block and arguments: a workgroup a tile, a share, or as many as run at once.

        z counts the products of a batch, but for shares, which run through all of them.
        """
        config = resolved(self)
        waves = WAVES[config.tile, config.schedule]
        x, y, _ = grid_shape(self.m, self.n, *self.tile_shape)
        z = self.count
        pitches = (self.pitch("A"), self.pitch("B"), self.pitch("C"))
        numbers: dict[str, int | float] = {"alpha": float(self.alpha), "beta": float(self.beta), "scale_c": SCALE_C}
        numbers["slice"] = self.slice
        for name in "ABC":
            numbers[f"stride_{name.lower()}"] = self.stride(name) * self.bits(name) // 8
        if self.work == "stream":
            x, y, z = self.shares.workgroups, 1, 1
            numbers |= self.shares.numbers()
            if self.ordered:
                dealt = self.shares.dealt(self._order)
                numbers |= {f"grid_{name}": number for name, number in dealt.items()}
        elif self.ordered:
            order = self._order
            x, y = self._takers if self.work == "tickets" else order.workgroups, 1
            numbers |= {f"grid_{name}": number for name, number in order.numbers().items()}
            if self.padded:
                numbers |= zip(share_names(order.xcds), order.share_table(), strict=True)
            elif self.work == "tickets":
                names = (*share_names(order.xcds), "takers")
                numbers |= zip(names, ticket_numbers(order, self._takers), strict=True)
        extras = [name if pointer else numbers[name] for name, _, pointer in extra_arguments(self)]
        producers = PRODUCERS if config.schedule == "specialised" else 0
        block = ((waves.m * waves.n + producers) * WAVE_SIZE, 1, 1)
        args = ("C", "A", "B", self.m, self.n, self.k, *pitches, *extras)
        return Launch((x, y, z), block, args, self.workspace_bytes)

    # The right answer.

    def reference(self, inputs: Arrays, number: int = 0) -> Floats:
        """Return product `number` in float64, with all that the variant does to it but the rounding."""
        want, _ = activated(self.act, self._terms(inputs, number))
        return want * SCALE_C if self.c in ("fp8", "bf8") else want

    def _terms(self, inputs: Arrays, number: int, *, absolute: bool = False) -> Floats:
        """Return what the activation is given, or the sum of the absolute values of all that is added up."""

        def seen(x: Any) -> Any:
            return np.abs(x) if absolute else x

        a, b = self.operand("A", inputs["A"], number), self.operand("B", inputs["B"], number)
        if self.scaled:
            a = a * self._scales(inputs["scale_a"], self.m, number)
            b = b * self._scales(inputs["scale_b"], self.n, number)
        found: Floats = seen(a) @ seen(b).T
        if self.scale == "tensor":
            found *= float(inputs["scale_a"][0]) * float(inputs["scale_b"][0])
        elif self.scale == "row":
            found *= np.outer(inputs["scale_a"].astype(np.float64), inputs["scale_b"].astype(np.float64))
        if self.combine != "product":
            found *= seen(self.alpha)
        if self.combine == "beta":
            found += seen(self.beta * self.operand("C0", inputs["C0"], number))
        if self.bias != "none":
            bias = inputs["bias"].astype(np.float64)
            found += seen(bias[:, None] if self.bias == "row" else bias[None, :])
        return found

    def _scales(self, shuffled: Array, rows: int, number: int) -> Floats:
        codes = unshuffle_scales(shuffled, self.count, rows, self.k // BLOCK)[number]
        return np.repeat(np.exp2(codes.astype(np.float64) - 127), BLOCK, axis=1)

    def _error(self, inputs: Arrays, number: int) -> Floats:
        """Return the bound of the error before the last rounding."""
        error = (self.k + self._operations) * F32_STEP * self._terms(inputs, number, absolute=True)
        if self.act != "none":
            _, error = activated(self.act, self._terms(inputs, number), error)
        return error * SCALE_C if self.c in ("fp8", "bf8") else error

    @property
    def _operations(self) -> int:
        return 1 if self.plain else 8

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare C with the float64 answer; the space between rows of C must be untouched.

        Tolerated is one rounding of the right answer to C's type, and for each element the error bound of float32
        arithmetic: an operation for each of k and for each term behind, each off by one f32 step at most, on the sum of
        the absolute terms.
        """
        kept = self._format("C")
        answers = [self.reference(inputs, number) for number in range(self.count)]
        want = np.clip(np.concatenate(answers), -kept.largest, kept.largest)
        if self.c == "f16":  # what rounds beyond its largest number is infinite
            with np.errstate(over="ignore"):
                want = np.where(np.isinf(want.astype(np.float16)), np.copysign(np.inf, want), want)
        error = np.concatenate([self._error(inputs, number) for number in range(self.count)])
        bound = kept.unit * (1 + kept.unit) * np.abs(want) + error * (1 + kept.unit) + kept.tiny
        if self.c == "i32":
            bound = np.zeros(want.shape)
        got = np.concatenate([self.matrix("C", outputs["C"], number) for number in range(self.count)])
        found = [compare("C", np.ascontiguousarray(got), want, bound, self._tolerance)]
        between = np.ones(outputs["C"].size, np.uint8)
        for number in range(self.count):
            self.matrix("C", between, number)[:] = 0
        if between.any():
            space = outputs["C"].view(f"u{outputs['C'].itemsize}")[between.view(bool)].astype(np.float64)
            untouched = np.full(space.shape, float(kept.blank))
            found.append(compare("between rows of C", space, untouched, np.zeros(space.shape), "no change"))
        for name in COUNTED:
            if name in outputs:
                zeros = np.zeros(outputs[name].size)
                found.append(compare(name, outputs[name], zeros, zeros, "zero, where they started"))
        return found

    @property
    def _tolerance(self) -> str:
        if self.c == "i32":
            return "no error"
        rounding = "" if self.c == "f32" else f"half a {self.c} step + "
        return f"{rounding}(k + {self._operations}) f32 steps of the absolute {'products' if self.plain else 'terms'}"

    @property
    def bytes(self) -> int:
        return sum(self.size(name) * self.bits(name) // 8 for name in "ABC") + self.workspace_bytes

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k * (1 if self.batch == "split" else self.count)


def settled(config: GemmConfig, values: Mapping[str, object]) -> GemmConfig:
    """Return the configuration with tile and work decided for the shape, where m or n is given.

    ``work=auto`` stays where a tile a workgroup is chosen, which is what it is without a shape, unless CUs are kept for
    communication.
    """
    if config.reserve and config.work == "auto":
        config = replace(config, work="tickets")
    if "auto" not in (config.tile, config.work) or not {"m", "n"} & values.keys():
        return config
    choice = choice_of(config, values)
    return replace(config, tile=choice.tile, work=config.work if choice.work == "tiles" else choice.work)


def choice_of(config: GemmConfig, values: Mapping[str, object]) -> Choice:
    """Return what is chosen for a shape, and why."""
    from hkasm.kernels.gemm.choice import choose  # not for builds without a shape: it needs the model

    wanted, values = ("m", "n", "k", "count", "workers", "arch"), with_arch(values)
    read = {
        one.name: one.read(values.get(one.name, one.default)) for one in GemmProblem.parameters() if one.name in wanted
    }
    return choose(config, {name: int(value) for name, value in read.items() if name != "arch"}, str(read["arch"]))

"""What becomes of the accumulators: scales, alpha and beta, bias, activation, and the rounding to C's type.

A lane holds runs of consecutive columns of one row. Terms of a row or a column are loaded once into registers that held
fragments; C0 is read element by element, as it may lie at any address. Results stand in registers that held fragments
where they fit there (plain products), else in the accumulators' own.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.kernels.gemm.arguments import Arguments
from hkasm.kernels.gemm.declared import GemmConfig
from hkasm.kernels.gemm.plan import DWORD_BYTES, HALVES, QUAD
from hkasm.kernels.gemm.registers import Registers
from hkasm.kernels.gemm.rounding import Rounding
from hkasm.tiles.array import RegArray
from hkasm.tiles.buffer import BufferView
from hkasm.tiles.lanes import write_table

LOG2_E = math.log2(math.e)
GELU_CUBIC = 0.044715
GELU_SCALE = -2 * LOG2_E * math.sqrt(2 / math.pi)
"""gelu(x) = x / (1 + exp2(GELU_SCALE (x + GELU_CUBIC x^3))), which is the tanh form."""
Values = list[Register]
Function = Callable[[Builder, Values, Values], None]
"""A function on accumulators: given the builder, registers to change in place and as many to use freely."""


class Finish:
    """Turns accumulators into elements of C, packed."""

    def __init__(
        self,
        k: Builder,
        registers: Registers,
        config: GemmConfig,
        arguments: Arguments,
        number: Register,
        function: Function | None,
    ) -> None:
        """`number` is the SGPR that counts the products of a batch; `function` takes the activation's place."""
        self.k, self.r, self.config, self.arguments, self.number = k, registers, config, arguments, number
        self.function = function or ACTIVATIONS.get(config.act)
        self.plain = config.plain and function is None
        self.plan = registers.plan
        self.values, self.free = list(registers.end[0:8]), list(registers.end[8:16])
        self.bits = config.bits("C")
        self.stride_c: Register | None = None
        self.run_registers = self.plan.run * self.bits // 32
        shape = (len(HALVES), len(HALVES), self.plan.a.fragments, self.plan.runs)
        count = math.prod(shape) * self.run_registers
        in_fragments = self.bits < 32 and self.plain and config.dtype != "i8" and count <= registers.fragments.count
        self._packed = (
            RegArray(registers.fragments[0:count].named("output"), shape, self.run_registers) if in_fragments else None
        )
        self.rounding = Rounding(k, config.c)
        self._columns: dict[tuple[str, int, int], Register] = {}
        self._rows: dict[tuple[str, int, int], Register] = {}
        self._room = 0

    def output(self, a_half: int, b_half: int, fragment: int, run: int) -> Register:
        """Return the packed elements of a run."""
        if self._packed is not None:
            return self._packed[a_half, b_half, fragment, run]
        return self._accumulators(a_half, b_half, fragment, run)[0 : self.run_registers]

    def _accumulators(self, a_half: int, b_half: int, fragment: int, run: int) -> Register:
        count = self.plan.columns_a_run
        first = self.r.accumulators[a_half, b_half, fragment, run * count].index
        offset = first - self.r.accumulators.register.index
        return self.r.accumulators.register[offset : offset + count * QUAD]

    def write(self) -> None:
        """Write all of it."""
        if (self.bits == 32 and self.plain and self.config.dtype != "i8") or self.config.c == "i32":
            return
        k, plan = self.k, self.plan
        with k.mark("section", "convert"):
            self._setup()
            for a_half in HALVES:
                for b_half in HALVES:
                    for fragment in range(plan.a.fragments):
                        for run in range(plan.runs):
                            self._finish_run(a_half, b_half, fragment, run)

    # Once.

    def _setup(self) -> None:
        k, config = self.k, self.config
        self.rounding.setup()
        self._alpha = self.arguments.load("alpha")[0] if config.combine != "product" else None
        self._beta = self.arguments.load("beta")[0] if config.combine == "beta" else None
        self._scale_c = self.arguments.load("scale_c")[0] if config.c in ("fp8", "bf8") else None
        self._scale: Register | None = None
        if config.scale == "tensor":
            self._load_scale()
        if config.scale == "row":
            self._load_rows("scale_a")
            self._load_columns("scale_b")
        if config.bias == "row":
            self._load_rows("bias")
        if config.bias == "column":
            self._load_columns("bias")
        if config.combine == "beta":
            self._place_addend()
        k.wait(*self._columns.values(), *self._rows.values(), reason="scales and bias")

    def _load_scale(self) -> None:
        """Load both scales of whole tensors and multiply them."""
        k = self.k
        pointers = self.arguments.load("scale_a", "scale_b")
        scales = [k.sgpr(f"scale {name}") for name in "AB"]
        for scale, pointer in zip(scales, pointers, strict=True):
            k.s_load_dword(scale, pointer, 0)
        k.wait(*scales, reason="scales")
        product = self.free[0]
        k.v_mov_b32(product, scales[0])
        k.v_mul_f32(product, scales[1], product)
        k.v_readfirstlane_b32(scales[0], product)
        self._scale = scales[0]

    def _vector_view(self, name: str, first: Register, count: Register) -> BufferView:
        """Return a view of this tile's part of an f32 vector."""
        k, s = self.k, self.r.scalars
        (pointer,) = self.arguments.load(name)
        view = BufferView(k.sgpr(f"buffer {name}", 4))
        k.s_movk_i32(s.other, DWORD_BYTES)
        view.place(k, pointer, first, s.other, s.temporary)
        view.limit(k, count, s.other, s.other, s.temporary)
        k.free(pointer)
        return view

    def _take(self, name: str) -> Register:
        """Return the next register of those that held fragments."""
        self._room += 1
        return self.r.fragments[self._room - 1].named(name)

    def _load_rows(self, name: str) -> None:
        k, plan, s, lane = self.k, self.plan, self.r.scalars, self.free[0]
        view = self._vector_view(name, s.row, s.rows)
        write_table(k, lane, self.r.thread, plan.row_base() * DWORD_BYTES, self.free[1])
        for half in HALVES:
            for fragment in range(plan.a.fragments):
                found = self._rows[name, half, fragment] = self._take(name)
                row = half * plan.a.half + plan.row_step(fragment)
                k.buffer_load_dword(found, lane, view.descriptor, 0, offset=row * DWORD_BYTES)
        k.free(view.descriptor)

    def _load_columns(self, name: str) -> None:
        k, plan, s, lane = self.k, self.plan, self.r.scalars, self.free[0]
        view = self._vector_view(name, s.column, s.columns)
        write_table(k, lane, self.r.thread, plan.column_base() * DWORD_BYTES, self.free[1])
        for half in HALVES:
            for run in range(plan.runs):
                for number in range(plan.run):
                    found = self._columns[name, half, run * plan.run + number] = self._take(name)
                    column = half * plan.b.half + plan.column_step(run) + number
                    k.buffer_load_dword(found, lane, view.descriptor, 0, offset=column * DWORD_BYTES)
        k.free(view.descriptor)

    def _place_addend(self) -> None:
        """Point a view at this tile of C0, which has the pitch of C."""
        k, s = self.k, self.r.scalars
        (pointer,) = self.arguments.load("C0")
        if self.stride_c is not None:
            s.move_pointer(k, pointer, self.stride_c, self.number)
        view = self._addend = BufferView(k.sgpr("buffer C0", 4))
        view.place(k, pointer, s.row, s.pitch("C"), s.temporary)
        k.free(pointer)
        k.s_mul_i32(s.temporary, s.column, self.bits // 8)
        view.move(k, s.temporary)
        k.s_mul_i32(s.other, s.columns, self.bits // 8)
        view.limit(k, s.rows, s.pitch("C"), s.other, s.temporary)
        self._addend_base, line = self.r.end[16], self.r.end[17]
        write_table(k, line, self.r.thread, self.plan.row_base(), self.free[0])
        k.v_mul_lo_u32(line, line, s.pitch("C"))
        write_table(k, self._addend_base, self.r.thread, self.plan.column_base() * (self.bits // 8), self.free[0])
        k.v_add_u32(self._addend_base, self._addend_base, line)

    # Run by run.

    def _finish_run(self, a_half: int, b_half: int, fragment: int, run: int) -> None:
        source = self._accumulators(a_half, b_half, fragment, run)
        if self._packed is not None and source.file == "a":
            # Four at a time: the registers of the others round.
            for quad in range(self.plan.columns_a_run):
                part = source[quad * QUAD : (quad + 1) * QUAD]
                self._pack(self._part(self.output(a_half, b_half, fragment, run), quad), self._read(part))
            return
        values = self._read(source)
        self._apply(values, a_half, b_half, fragment, run)
        output = self.output(a_half, b_half, fragment, run)
        for quad in range(self.plan.columns_a_run):
            self._pack(self._part(output, quad), values[quad * QUAD : (quad + 1) * QUAD])

    def _part(self, output: Register, quad: int) -> Register:
        count = self.run_registers // self.plan.columns_a_run
        return output[quad * count : (quad + 1) * count]

    def _read(self, source: Register) -> Values:
        """Return accumulators in VGPRs."""
        if source.file == "v":
            return list(source)
        values = self.values[0 : source.count]
        for value, register in zip(values, source, strict=True):
            self.k.v_accvgpr_read_b32(value, register)
        return values

    def _apply(self, values: Values, a_half: int, b_half: int, fragment: int, run: int) -> None:
        """Change a run of f32 (or i32) sums into what is stored, still f32."""
        k, config = self.k, self.config
        columns = range(run * self.plan.run, (run + 1) * self.plan.run)
        if config.dtype == "i8":
            for value in values:
                k.v_cvt_f32_i32(value, value)
        if config.scale == "row":
            for value, column in zip(values, columns, strict=True):
                k.v_mul_f32(value, value, self._columns["scale_b", b_half, column])
        for factor in (self._scale, self._alpha):
            if factor is not None:
                multiply(k, values, factor)
        if config.scale == "row":
            for value in values:
                k.v_mul_f32(value, self._rows["scale_a", a_half, fragment], value)
        if config.combine == "beta":
            self._add(values, a_half, b_half, fragment, run)
        if config.bias == "row":
            for value in values:
                k.v_add_f32(value, self._rows["bias", a_half, fragment], value)
        if config.bias == "column":
            for value, column in zip(values, columns, strict=True):
                k.v_add_f32(value, value, self._columns["bias", b_half, column])
        if self.function is not None:
            self.function(k, values, self.free[0 : len(values)])
        if self._scale_c is not None:
            multiply(k, values, self._scale_c)

    def _add(self, values: Values, a_half: int, b_half: int, fragment: int, run: int) -> None:
        """Add beta times the run's elements of C0."""
        k, plan, s, c = self.k, self.plan, self.r.scalars, self.config.c
        assert self._beta is not None
        load = {32: k.buffer_load_dword, 16: k.buffer_load_ushort, 8: k.buffer_load_ubyte}[self.bits]
        row = a_half * plan.a.half + plan.row_step(fragment)
        place = self.r.end[18]
        k.s_mul_i32(s.temporary, s.pitch("C"), row)
        k.v_add_u32(place, s.temporary, self._addend_base)
        loaded = self.free[0 : len(values)]
        for number, target in enumerate(loaded):
            column = b_half * plan.b.half + plan.column_step(run) + number
            load(target, place, self._addend.descriptor, 0, offset=column * self.bits // 8)
        k.wait(*loaded, reason="C0")
        for value, target in zip(values, loaded, strict=True):
            match c:
                case "bf16":
                    k.v_lshlrev_b32(target, 16, target)
                case "f16":
                    k.v_cvt_f32_f16(target, target)
                case "fp8":
                    k.v_cvt_f32_fp8(target, target)
                case "bf8":
                    k.v_cvt_f32_bf8(target, target)
            k.v_fmac_f32(value, self._beta, target)

    def _pack(self, target: Register, values: Values) -> None:
        """Round four f32 and pack them; AGPRs get them through free VGPRs."""
        room = list(target) if target.file == "v" and self.bits < 32 else self.free[4 : 4 + target.count]
        if self.bits == 32:
            room = values
        else:
            self.rounding.pack(room, values, self.free)
        for result, register in zip(target, room, strict=True):
            if result.file == "a":
                self.k.v_accvgpr_write_b32(result, register)


def multiply(k: Builder, values: Values, factor: Register) -> None:
    """Multiply by an SGPR."""
    for value in values:
        k.v_mul_f32(value, factor, value)


def relu(k: Builder, values: Values, free: Values) -> None:
    """Write max(x, 0), which is 0 for NaN."""
    for value in values:
        k.v_max_f32(value, 0, value)


def silu(k: Builder, values: Values, free: Values) -> None:
    """Write x / (1 + exp(-x))."""
    for value, other in zip(values, free, strict=True):
        k.v_mul_f32(other, -LOG2_E, value)
    _logistic(k, values, free)


def gelu(k: Builder, values: Values, free: Values) -> None:
    """Write x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))."""
    for value, other in zip(values, free, strict=True):
        k.v_mul_f32(other, value, value)
        k.v_mul_f32(other, GELU_CUBIC * GELU_SCALE, other)
        k.v_add_f32(other, GELU_SCALE, other)
        k.v_mul_f32(other, value, other)
    _logistic(k, values, free)


def _logistic(k: Builder, values: Values, exponents: Values) -> None:
    """Write x / (1 + 2^e)."""
    for other in exponents:
        k.v_exp_f32(other, other)
    for other in exponents:
        k.v_add_f32(other, 1.0, other)
    for other in exponents:
        k.v_rcp_f32(other, other)
    for value, other in zip(values, exponents, strict=True):
        k.v_mul_f32(value, value, other)


ACTIVATIONS: dict[str, Function] = {"relu": relu, "gelu": gelu, "silu": silu}

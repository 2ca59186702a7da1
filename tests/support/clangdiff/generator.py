"""Random programs by seed: statements, control flow, memory, and operations across lanes where all lanes agree."""

from __future__ import annotations

import random
from collections.abc import Iterable

from support.clangdiff.expressions import FLOATS, INTEGERS, PAIRS, Expressions, Scope
from support.clangdiff.model import BITS, OWN_BYTES, Program, Statement, Variable

LEVELS = ("O0", "O1", "O2", "O3", "Os")
BLOCKS = (64, 64, 64, 128, 128, 37, 100)
DPP_CONTROLS = (
    *range(0x101, 0x110), *range(0x111, 0x120), *range(0x121, 0x130), 0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142,
    0x143,     *range(0x150, 0x160), 0x00, 0x1B, 0x4E, 0xB1, 0xE4, 0xAA, 0x39,
)  # fmt: skip
SWIZZLES = (
    0x041F,
    0x081F,
    0x101F,
    0x201F,
    0x401F,
    0x001F,
    0x03E0,
    0x0018,
    0x801B,
    0x80B1,
    0x804E,
    0xC020,
    0xC420,
    0xC060,
)
REDUCTIONS = ("add_u32", "sub_u32", "and_b32", "or_b32", "xor_b32", "min_u32", "max_u32")
MEMORY_KINDS = (
    "private", "private", "record", "own", "own", "lds", "lds", "columns", "atomic", "atomic", "wide", "flat", "common",
    "vector", "halves", "pairs", "store_byte",
)  # fmt: skip
RECORD_FIELDS = {"a": "u8", "b": "i16", "c": "u32", "d": "f32", "e": "u64", "f": "f16", "g": "i8"}


class Generator:
    """Makes one program; everything follows from `seed`."""

    def __init__(self, seed: int, name: str) -> None:
        self.rng = random.Random(seed)
        self.seed, self.name = seed, name
        rng = self.rng
        self.gfx950 = rng.random() < 0.25
        self.block = rng.choice(BLOCKS)
        self.groups = rng.choice((1, 1, 2, 3))
        self.expressions = Expressions(rng, gfx950=self.gfx950)
        self.variables: list[Variable] = []
        self.loops = 0
        self.functions: list[str] = []
        types = ["u32", "i32", *rng.sample([*INTEGERS, *FLOATS, *PAIRS], rng.randint(3, 6))]
        self.varying = Scope({})
        self.fixed = Scope({}, uniform=True)
        for type_ in types:
            for _ in range(rng.randint(1, 2)):
                self._declare(type_, uniform=False)
        for slot, type_ in enumerate(("u32", "u32", "i32", rng.choice(("u64", "i64")), rng.choice((*INTEGERS, "f32")))):
            self._declare(type_, uniform=True, slot=slot)

    def _declare(self, type_: str, *, uniform: bool, slot: int = 0) -> None:
        number = len(self.variables)
        name = f"{'s' if uniform else 'v'}{number}_{type_}"
        self.variables.append(Variable(name, type_, slot if uniform else number, uniform))
        self.varying.variables.setdefault(type_, []).append(name)
        if uniform:
            self.fixed.variables.setdefault(type_, []).append(name)

    def empty(self, types: Iterable[str]) -> None:
        """Begin again with one varying variable of each type."""
        self.variables = []
        self.varying, self.fixed = Scope({}), Scope({}, uniform=True)
        for type_ in types:
            self._declare(type_, uniform=False)

    def program(self) -> Program:
        rng = self.rng
        if rng.random() < 0.2:
            self._function()
        statements = self.statements(rng.randint(6, 18), uniform=True, depth=0)
        archs = ("gfx950",) if self.gfx950 else ("gfx942", "gfx950")
        return Program(
            self.name, self.seed, self.block, self.groups, tuple(self.variables), statements, "\n".join(self.functions),
            volatile=rng.random() < 0.5, archs=archs,
        )  # fmt: skip

    # ---- statements -------------------------------------------------------------------------------------------------

    def statements(self, count: int, *, uniform: bool, depth: int) -> tuple[Statement, ...]:
        return tuple(self.statement(uniform=uniform, depth=depth) for _ in range(count))

    def statement(self, *, uniform: bool, depth: int) -> Statement:
        rng = self.rng
        dice = rng.random()
        if depth < 3 and dice < 0.18:
            return self.control(uniform=uniform, depth=depth)
        if uniform and dice < 0.36:
            return self.together(depth)
        if uniform and dice < 0.48:
            return self.assign(self.fixed, uniform=True)
        if dice < 0.68:
            return self.memory()
        if self.functions and dice < 0.72:
            return self.call()
        return self.assign(self.varying, uniform=False)

    def assign(self, scope: Scope, *, uniform: bool) -> Statement:
        variable = self.rng.choice([it for it in self.variables if it.uniform == uniform])
        depth = self.rng.choice((1, 2, 2, 3, 3, 4))
        return Statement(f"{variable.name} = {self.expressions.make(variable.type, scope, depth)};")

    def target(self, *types: str) -> Variable:
        return self.rng.choice([it for it in self.variables if not it.uniform and it.type in types])

    def value(self, type_: str, depth: int = 2) -> str:
        return self.expressions.make(type_, self.varying, depth)

    def control(self, *, uniform: bool, depth: int) -> Statement:
        rng = self.rng
        agree = uniform and rng.random() < 0.5
        scope = self.fixed if agree else self.varying
        size = rng.randint(1, 4)
        kind = rng.choice(("if", "if", "else", "for", "for", "switch", "while"))
        if kind in ("if", "else"):
            other = self.statements(rng.randint(1, 3), uniform=agree, depth=depth + 1) if kind == "else" else None
            test = self.expressions.condition(scope, 2)
            return Statement(f"if ({test})", self.statements(size, uniform=agree, depth=depth + 1), other)
        if kind == "switch":
            ways = rng.randint(2, 6)
            cases = [
                Statement(
                    f"case {way}:",
                    (*self.statements(rng.randint(1, 2), uniform=agree, depth=depth + 1), Statement("break;")),
                )
                for way in range(ways)
            ]
            return Statement(f"switch ({self.expressions.make('u32', scope, 2)} % {ways + 1}u)", tuple(cases))
        counter = f"at{self.loops}"
        self.loops += 1
        bound = (
            str(rng.randint(1, 5)) if rng.random() < 0.4 else f"({self.expressions.make('u32', scope, 1)} & 3u) + 1u"
        )
        for it in {id(scope): scope, id(self.varying): self.varying}.values():
            it.counters.append(counter)
        body = list(self.statements(size, uniform=agree, depth=depth + 1))
        if rng.random() < 0.4:
            leave = Statement(
                f"if ({self.expressions.condition(scope, 1)})", (Statement(rng.choice(("break;", "continue;"))),)
            )
            body.insert(rng.randint(0, len(body)), leave)
        for it in {id(scope): scope, id(self.varying): self.varying}.values():
            it.counters.remove(counter)
        if kind == "while":
            test = self.expressions.condition(scope, 1)
            return Statement(
                f"for (u32 {counter} = 0; {counter} < {rng.randint(2, 6)} && {test}; {counter}++)", tuple(body)
            )
        return Statement(
            f"for (u32 {counter} = 0, n{counter} = {bound}; {counter} < n{counter}; {counter}++)", tuple(body)
        )

    # ---- memory -----------------------------------------------------------------------------------------------------

    def memory(self) -> Statement:
        rng = self.rng
        kind = rng.choice(MEMORY_KINDS)
        return getattr(self, "_" + kind)()  # type: ignore[no-any-return]

    def _access(self, place: str, type_: str) -> Statement:
        """Write `place` (of a C type) or read it into a variable."""
        rng = self.rng
        if rng.random() < 0.5:
            return Statement(f"{place} = {self.value(type_)};")
        target = self.target(*{it.type for it in self.variables if not it.uniform and it.type not in PAIRS})
        inner = Scope({type_: [place]})
        return Statement(
            f"{target.name} = {self.expressions.converted(target.type, inner, 0) if target.type != type_ else place};"
        )

    def _private(self) -> Statement:
        name, type_, size = self.rng.choice(
            (("box", "u32", 8), ("wide", "u64", 4), ("small", "u16", 8), ("tiny", "i8", 8), ("reals", "f32", 4))
        )
        return self._access(f"{name}[{self.value('u32', 1)} & {size - 1}u]", type_)

    def _record(self) -> Statement:
        name = self.rng.choice(tuple(RECORD_FIELDS))
        return self._access(f"records[{self.value('u32', 1)} % 3u].{name}", RECORD_FIELDS[name])

    def _own(self) -> Statement:
        type_ = self.rng.choice(("u8", "i8", "u16", "i16", "u32", "i32", "u64"))
        count = OWN_BYTES * 8 // BITS[type_]
        index = (
            f"{self.rng.randrange(count)}" if self.rng.random() < 0.4 else f"({self.value('u32', 1)} & {count - 1}u)"
        )
        return self._access(f"((GLOBAL {type_} *)own)[{index}]", type_)

    def _lds(self) -> Statement:
        type_ = self.rng.choice(("u8", "i8", "u16", "i16", "u32", "u32", "i32", "u64"))
        count = 32 * 8 // BITS[type_]
        index = (
            f"{self.rng.randrange(count)}" if self.rng.random() < 0.5 else f"({self.value('u32', 1)} & {count - 1}u)"
        )
        place = f"((LDSPTR({type_}))({self.name}_s + 2 * THREAD))[{index}]"
        if self.rng.random() < 0.3 and type_ in ("u32", "u64"):
            a, b = self.rng.randrange(count), self.rng.randrange(count)
            base = f"((LDSPTR({type_}))({self.name}_s + 2 * THREAD))"
            target = self.target("u32", "i32")
            if self.rng.random() < 0.5:
                return Statement(f"{target.name} = ({target.type})ADD({type_}, {type_}, {base}[{a}], {base}[{b}] * 3);")
            return Statement(f"{{ {base}[{a}] = {self.value(type_)}; {base}[{b}] = {self.value(type_)}; }}")
        return self._access(place, type_)

    def _columns(self) -> Statement:
        place = f"{self.name}_e[%s * {self.block} + THREAD]"
        a, b = self.rng.randrange(8), self.rng.randrange(8)
        if self.rng.random() < 0.5:
            target = self.target("u32", "i32")
            return Statement(f"{target.name} = ({target.type})({place % a} - {place % b} * 5u);")
        return Statement(f"{{ {place % a} = {self.value('u32')}; {place % b} = {self.value('u32')}; }}")

    def _atomic(self) -> Statement:
        rng = self.rng
        space = rng.choice(("LDSPTR", "GLOBAL"))
        type_ = rng.choice(("u32", "u32", "i32", "u64", "i64", "f32", "f64"))
        index = rng.randrange(2) if BITS[type_] == 64 else rng.randrange(4)
        pointer = (
            f"(LDSPTR({type_}))({self.name}_s + 2 * THREAD) + {index}"
            if space == "LDSPTR"
            else f"(GLOBAL {type_} *)own + {index}"
        )
        floats = [it.type for it in self.variables if not it.uniform]
        target = self.target(*(t for t in floats if t in INTEGERS))
        scoped = rng.choice(("ATOMIC", "ATOMIC_DEVICE"))
        if type_ in FLOATS:
            start = "3.5" if type_ == "f64" else "3.5f"
            operand = f"({type_})(({self.value('u32', 1)} & 1023u) + 0.25f)"
            call = f"{scoped}({rng.choice(('add', 'add', 'min', 'max'))}, p_at, {operand})"
            got = f"bits_{type_}({call})" if rng.random() < 0.6 else call
            use = f"{target.name} ^= ({target.type}){got};" if got != call else f"{call};"
            return Statement(f"{{ __auto_type p_at = {pointer}; *p_at = {start}; {use} }}")
        dice = rng.random()
        if dice < 0.2 and type_ in ("u32", "u64"):
            suffix = "64" if type_ == "u64" else ""
            call = f"{rng.choice(('ATOMIC_INC', 'ATOMIC_DEC'))}{suffix}({pointer}, {self.value(type_, 1)})"
        elif dice < 0.3:
            call = f"EXCHANGE({pointer}, {self.value(type_, 1)})"
        elif dice < 0.42:
            body = f"{type_} seen = {self.value(type_, 1)}; "
            if rng.random() < 0.5:
                body += f"seen = *({pointer}); "
            body += f"(void)COMPARE_EXCHANGE({pointer}, &seen, {self.value(type_, 1)}); "
            body += f"{target.name} ^= ({target.type})seen;"
            return Statement(f"{{ {body} }}")
        else:
            op = rng.choice(("add", "sub", "and", "or", "xor", "min", "max"))
            call = f"{scoped}({op}, {pointer}, {self.value(type_, 1)})"
        return Statement(f"{target.name} ^= ({target.type}){call};" if rng.random() < 0.6 else f"(void){call};")

    def _wide(self) -> Statement:
        rng = self.rng
        type_ = rng.choice(("u32x4", "u32x3", "u32x2", "u64x2"))
        count = OWN_BYTES // 16
        in_lds = rng.random() < 0.4
        index = rng.randrange(2 if in_lds else count)
        base = (
            f"(LDSPTR({type_}))({self.name}_s + 2 * THREAD + {index})"
            if in_lds
            else f"(GLOBAL {type_} *)(own + {16 * index})"
        )
        element = "u64" if type_ == "u64x2" else "u32"
        size = {"u32x4": 4, "u32x3": 3}.get(type_, 2)
        if rng.random() < 0.5:
            return Statement(f"*({base}) = ({type_}){{{', '.join(self.value(element, 1) for _ in range(size))}}};")
        target = self.target("u32", "i32")
        total = " ^ ".join(f"w_.{'xyzw'[i]} * {2 * i + 1}u" for i in range(size))
        return Statement(f"{{ {type_} w_ = *({base}); {target.name} ^= ({target.type})({total}); }}")

    def _flat(self) -> Statement:
        rng = self.rng
        type_, bits = rng.choice((("u32", 32), ("u16", 16), ("u8", 8), ("u64", 64)))
        private = {"u32": "box", "u16": "small", "u8": "tiny", "u64": "wide"}[type_]
        size = 4 if type_ == "u64" else 8
        others = [f"({type_} *)((GLOBAL {type_} *)own + {rng.randrange(OWN_BYTES * 8 // bits)})"]
        others.append(f"({type_} *)((LDSPTR({type_}))({self.name}_s + 2 * THREAD) + {rng.randrange(4)})")
        target = self.target("u32", "i32")
        test, index = self.expressions.condition(self.varying, 1), self.value("u32", 1)
        pick = f"{test} ? ({type_} *)&{private}[{index} & {size - 1}u] : {rng.choice(others)}"
        tail = f"*at_ = {self.value(type_, 1)};" if rng.random() < 0.5 else f"{target.name} ^= ({target.type})*at_;"
        return Statement(f"{{ volatile {type_} *at_ = {pick}; {tail} }}")

    def _vector(self) -> Statement:
        """Elements of a vector in registers by an index that is known only at run time."""
        rng = self.rng
        scope = self.fixed if rng.random() < 0.6 else self.varying
        values = ", ".join(self.value("u32", 1) for _ in range(8))
        target = self.target("u32", "i32")
        index, other = (f"({self.expressions.make('u32', scope, 1)} & 7u)" for _ in range(2))
        change = f"w_[{index}] = {self.value('u32', 1)}; " if rng.random() < 0.6 else ""
        return Statement(f"{{ u32x8 w_ = {{{values}}}; {change}{target.name} ^= ({target.type})w_[{other}]; }}")

    def _place(self, type_: str) -> str:
        """A place of the lane's own in LDS or global memory, by a constant index."""
        if self.rng.random() < 0.5:
            return f"((LDSPTR({type_}))({self.name}_s + 2 * THREAD))[{self.rng.randrange(32 * 8 // BITS[type_])}]"
        return f"((GLOBAL {type_} *)own)[{self.rng.randrange(OWN_BYTES * 8 // BITS[type_])}]"

    def _halves(self) -> Statement:
        """Load into one half of a register, the other half kept."""
        rng = self.rng
        narrow = rng.choice(("u8", "i8", "u16", "i16"))
        target = self.target("u32", "i32")
        loaded, kept = f"(u16){self._place(narrow)}", rng.choice((self.value("u16", 1), f"(u16){target.name}"))
        low, high = (loaded, kept) if rng.random() < 0.5 else (kept, loaded)
        pair = f"pair_u16x2({low}, {high})"
        if rng.random() < 0.5:
            pair = f"({pair} + (u16x2){rng.choice((1, 7, 1000))})"
        return Statement(f"{target.name} ^= ({target.type})bits_u16x2({pair});")

    def _pairs(self) -> Statement:
        """Columns of 8 bytes, and additions to two halves in LDS."""
        rng = self.rng
        target = self.target("u32", "i32")
        if rng.random() < 0.3:
            place = f"(LDSPTR(f16x2))({self.name}_s + 2 * THREAD) + {rng.randrange(8)}"
            start = f"make_f16x2({rng.choice((0x3C004200, 0xC5003800, 0))}u)"
            call = f"ADD_HALVES(p_at, pair_f16x2((f16){self.value('u8', 1)}, (f16){self.value('i8', 1)}))"
            use = f"{target.name} ^= ({target.type}){call};" if rng.random() < 0.6 else f"(void){call};"
            return Statement(f"{{ __auto_type p_at = {place}; *p_at = {start}; {use} }}")
        base = f"{self.name}_w[%s * {self.block} + THREAD]"
        a, b = rng.sample(range(4), 2)
        return Statement(
            f"{{ {base % a} = {self.value('u64', 1)}; {base % b} = {self.value('u64', 1)}; "
            f"{target.name} ^= ({target.type})({base % a} * 3u + {base % b}); }}"
        )

    def _store_byte(self) -> Statement:
        """Store a byte or a half from the middle of a register."""
        rng = self.rng
        narrow, shift = rng.choice((("u8", 16), ("u16", 16), ("u8", 8), ("i8", 24)))
        return Statement(f"{self._place(narrow)} = ({narrow})({self.value('u32', 1)} >> {shift});")

    def _common(self) -> Statement:
        rng = self.rng
        type_ = rng.choice(("u32", "u32", "i32", "u64"))
        op = ("add", "or", "xor", "max", "min", "and")[rng.randrange(6)]
        # One operation a slot, so that the order of lanes does not matter.
        slot = ("add", "or", "xor", "max", "min", "and").index(op) * 4 + ("u32", "i32", "u64").index(type_)
        return Statement(f"(void)ATOMIC_DEVICE({op}, (GLOBAL {type_} *)(common + {8 * slot}), {self.value(type_, 1)});")

    # ---- lanes together ---------------------------------------------------------------------------------------------

    def together(self, depth: int) -> Statement:
        """An operation in which all lanes of a wave, or those of a condition, take part."""
        rng = self.rng
        dice = rng.random()
        if dice < 0.25:
            return self._exchange()
        if dice < 0.32:
            return self._contend()
        inner = self._lanes(everyone=True)
        if dice < 0.5:
            return Statement(f"MASKED({self.expressions.condition(self.varying, 1)}, {self._lanes(everyone=False)});")
        return Statement(inner)

    def _lanes(self, *, everyone: bool) -> str:
        rng = self.rng
        target = self.target("u32", "i32")
        value = self.value("u32")
        # What a compiler can see to be the same in all lanes it moves as it likes, from lanes that are off too.
        apart = f"({value} ^ LANE)"
        kind = rng.choice(
            (
                "dpp",
                "dpp",
                "dpp",
                "dpp add",
                "dpp real",
                "bpermute",
                "permute",
                "swizzle",
                "first",
                "lane",
                "ballot",
                "reduce",
                "swap",
                "count",
                "inverse",
            )
        )
        if kind.startswith("dpp"):
            control = rng.choice(DPP_CONTROLS)
            rows, banks = (0xF, 0xF) if rng.random() < 0.6 else (rng.randrange(16), rng.randrange(16))
            bound = rng.randrange(2)
            if kind == "dpp real" and any(it.type == "f32" and not it.uniform for it in self.variables):
                real = self.target("f32")
                call = f"DPP(0u, bits_f32({real.name}), {control:#x}, 15, 15, 1)"
                return (
                    f"{{ u32 t_ = {call}; {real.name} = {real.name} {rng.choice('+-*')} __builtin_bit_cast(f32, t_); }}"
                )
            old = rng.choice((self.value("u32", 1), "0u", target.name))
            call = f"DPP({old}, {value}, {control:#x}, {rows}, {banks}, {bound})"
            if kind == "dpp add":
                sign = rng.choice(("+", "&", "|", "^", "-"))
                return f"{{ u32 t_ = {call}; {target.name} = ({target.type})(t_ {sign} (u32){target.name}); }}"
        elif kind == "bpermute":
            whole = everyone and self.block % 64 == 0
            call = f"BPERMUTE({self.value('u32', 1)}{'' if whole else ' ^ LANE'}, {apart})"
        elif kind == "permute":
            call = f"PERMUTE((LANE * {rng.choice((1, 3, 5, 17, 63))}u + {rng.randrange(64)}u) & 63u, {apart})"
        elif kind == "swizzle":
            call = f"SWIZZLE({apart}, {rng.choice(SWIZZLES):#x})"
        elif kind == "lane" and everyone:
            lanes = min(64, self.block % 64 or 64)
            index = (
                str(rng.randrange(lanes))
                if rng.random() < 0.5
                else f"{self.expressions.make('u32', self.fixed, 1)} % {lanes}u"
            )
            call = f"READLANE({value}, {index})"
        elif kind == "ballot":
            use = f"{target.name} ^= ({target.type})MBCNT(t_, (u32)(t_ >> 7));"
            return f"{{ u64 t_ = BALLOT({self.expressions.condition(self.varying, 1)}); {use} }}"
        elif kind == "reduce":
            call = f"WAVE_REDUCE({rng.choice(REDUCTIONS)}, {value} ^ k0)"
        elif kind == "swap" and everyone and self.gfx950 and self.block % 64 == 0:
            use = f"{target.name} ^= ({target.type})(t_.x * 3u + t_.y);"
            return f"{{ u32x2 t_ = {rng.choice(('SWAP16', 'SWAP32'))}({value}, {self.value('u32', 1)}); {use} }}"
        elif kind == "count" and self.block == 64 and everyone:
            call = rng.choice(("APPEND", "CONSUME"))
            return (
                f"{{ if (THREAD == 0) {self.name}_a[0] = {rng.randrange(100, 1000)}u; BARRIER(); "
                f"{target.name} ^= ({target.type}){call}((LDSPTR(i32)){self.name}_a); BARRIER(); }}"
            )
        elif kind == "inverse":
            return f"{target.name} ^= ({target.type})INVERSE_BALLOT({self.expressions.make('u64', self.fixed, 1)});"
        else:
            call = f"READFIRST({value})"
        return f"{target.name} = ({target.type}){call};"

    def _exchange(self) -> Statement:
        rng = self.rng
        type_ = rng.choice(("u8", "u16", "u32", "u32", "u64", "u32x4", "i16", "u64x2"))
        array = f"((LDSPTR({type_})){self.name}_x)"
        other = f"(THREAD * {rng.choice((1, 3, 5, 7))}u + {rng.randrange(self.block)}u) % {self.block}u"
        target = self.target("u32", "i32")
        value = self.value(type_) if type_ in BITS else f"({type_}){{{self.value('u32', 1)}, {self.value('u32', 1)}}}"
        if type_ == "u32x4":
            value = f"({type_}){{{', '.join(self.value('u32', 1) for _ in range(4))}}}"
        pick = "" if type_ in BITS else rng.choice((".x", ".y"))
        return Statement(
            f"{{ BARRIER(); {array}[THREAD] = {value}; BARRIER(); "
            f"{target.name} ^= ({target.type}){array}[{other}]{pick}; }}"
        )

    def _contend(self) -> Statement:
        rng = self.rng
        array = f"{self.name}_a"
        op = rng.choice(("add", "sub", "and", "or", "xor", "min", "max"))
        target = self.target("u32", "i32")
        return Statement(
            f"{{ BARRIER(); if (THREAD < 8) {array}[THREAD] = {self.value('u32', 1)}; BARRIER(); "
            f"(void)ATOMIC({op}, &{array}[{self.value('u32', 1)} & 7u], {self.value('u32', 1)}); "
            f"BARRIER(); {target.name} ^= ({target.type}){array}[{rng.randrange(8)}]; }}"
        )

    # ---- functions --------------------------------------------------------------------------------------------------

    def _function(self) -> None:
        rng = self.rng
        scope = Scope({"u32": ["a"], "u64": ["b"], "f32": ["c"]})
        inner = Expressions(rng, gfx950=False)
        make = [re_lanes(inner.make(t, scope, 3)) for t in ("u32", "u64", "f32", "u32")]
        self.functions.append(
            f"NOINLINE u32 {self.name}_f(u32 a, u64 b, f32 c) {{\n  for (u32 i = 0; i < (a & 3); i++) {{\n"
            f"    a = {make[0]};\n    b = {make[1]};\n    c = {make[2]};\n  }}\n"
            f"  return a ^ {make[3]} ^ (u32)b ^ bits_f32(c);\n}}"
        )

    def call(self) -> Statement:
        target = self.target("u32", "i32")
        arguments = f"{self.value('u32', 1)}, {self.value('u64', 1)}, {self.value('f32', 1)}"
        return Statement(f"{target.name} ^= ({target.type}){self.name}_f({arguments});")


def re_lanes(text: str) -> str:
    """Take the kernel's own names out of a function's text."""
    for name, instead in (
        ("THREAD", "a"),
        ("GROUP", "a"),
        ("LANE", "a"),
        ("gid", "a"),
        ("k0", "a"),
        ("k1", "b"),
        ("k2", "c"),
    ):
        text = text.replace(name, instead)
    return text


def generate(seed: int, name: str) -> Program:
    """The program of a seed."""
    return Generator(seed, name).program()

"""What a generated program is: statements that can be deleted one by one, variables that are all written at the end.

Every variable is declared at the top with a value from memory, so any statement may be removed and the text still
compiles: that is all that shrinking needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

BITS = {
    "i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64,
    "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i16x2": 32, "u16x2": 32, "f16x2": 32, "f32x2": 64,
}  # fmt: skip
"""Types of variables with the width of their bits in memory."""
UNIFORM_SLOTS = 16
UNIFORM_BYTES = 8 * UNIFORM_SLOTS * 2
"""Bytes at the start of the input that workgroups read together: one table for even, one for odd workgroups."""
OWN_BYTES = 128
"""Bytes of the memory buffer that belong to each lane."""
SHARED_BYTES = 256
"""Bytes behind the lanes' own that all lanes update atomically."""


@dataclass(frozen=True)
class Statement:
    """C text, with statements inside when `body` is given: `head { body } middle { other }`."""

    head: str
    body: tuple[Statement, ...] | None = None
    other: tuple[Statement, ...] | None = None

    def lines(self, indent: int) -> Iterator[str]:
        pad = "  " * indent
        if self.body is None:
            yield pad + self.head
            return
        yield f"{pad}{self.head} {{"
        for inner in self.body:
            yield from inner.lines(indent + 1)
        if self.other is not None:
            yield f"{pad}}} else {{"
            for inner in self.other:
                yield from inner.lines(indent + 1)
        yield pad + "}"

    def count(self) -> int:
        return 1 + sum(it.count() for it in (*(self.body or ()), *(self.other or ())))


@dataclass(frozen=True)
class Variable:
    """A variable of a lane, or of the workgroup when `uniform`; its first value is in slot `slot` of the input."""

    name: str
    type: str
    slot: int
    uniform: bool = False


@dataclass(frozen=True)
class Program:
    """One kernel: `groups` workgroups of `block` lanes. `functions` are those it calls, by name."""

    name: str
    seed: int
    block: int
    groups: int
    variables: tuple[Variable, ...]
    statements: tuple[Statement, ...]
    functions: str = ""
    volatile: bool = False
    archs: tuple[str, ...] = ("gfx942", "gfx950")
    features: frozenset[str] = field(default=frozenset())

    @property
    def lanes(self) -> int:
        return self.block * self.groups

    @property
    def row_bytes(self) -> int:
        """Bytes of input and of output of each lane, one slot of 8 bytes a variable."""
        return -(-8 * len(self.variables) // 16) * 16

    @property
    def input_bytes(self) -> int:
        return UNIFORM_BYTES + self.lanes * self.row_bytes

    @property
    def output_bytes(self) -> int:
        return self.lanes * self.row_bytes

    @property
    def memory_bytes(self) -> int:
        return self.lanes * OWN_BYTES + SHARED_BYTES

    def but(self, statements: tuple[Statement, ...]) -> Program:
        return replace(self, statements=statements)

    def text(self) -> str:
        """The C text of the kernel, to follow the prelude."""
        name, block = self.name, self.block
        body = "\n".join(line for statement in self.statements for line in statement.lines(1))
        qualifier = "volatile " if self.volatile else ""
        declared = self.functions + body
        lines = [f"// seed {self.seed}: {self.groups} workgroups of {block} lanes"]
        for array, type_, size in (
            ("x", "u64x2", block),
            ("s", "u64x2", 2 * block),
            ("e", "u32", 8 * block),
            ("a", "u32", 8),
            ("w", "u64", 4 * block),
        ):
            if f"{name}_{array}" in declared:
                lines.append(f"SHARED({type_}, {name}_{array}, {size});")
        if self.functions:
            lines.append(self.functions)
        lines.append(
            f"KERNEL({name}, {block})(CONSTANT const u8 *in, GLOBAL u8 *out, GLOBAL u8 *mem, u32 k0, u64 k1, f32 k2) {{"
        )
        lines += [
            f"  u32 gid = GROUP * {block} + THREAD;",
            f"  CONSTANT const u8 *row = in + {UNIFORM_BYTES} + (u64)gid * {self.row_bytes};",
            f"  CONSTANT const u8 *table = in + (GROUP & 1) * {8 * UNIFORM_SLOTS};",
            f"  GLOBAL u8 *own = mem + (u64)gid * {OWN_BYTES};",
            f"  GLOBAL u8 *common = mem + {self.lanes * OWN_BYTES};",
        ]
        for variable in self.variables:
            raw = "u" + str(BITS[variable.type])
            base = "table" if variable.uniform else "row"
            lines.append(
                f"  {variable.type} {variable.name} = "
                f"make_{variable.type}(*(CONSTANT const {raw} *)({base} + {8 * variable.slot}));"
            )
        if "box[" in body:
            lines.append(f"  {qualifier}u32 box[8];")
            lines.append("  for (u32 i = 0; i < 8; i++) box[i] = i * k0;")
        if "wide[" in body:
            lines.append(f"  {qualifier}u64 wide[4];")
            lines.append("  for (u32 i = 0; i < 4; i++) wide[i] = i * k1;")
        if "small[" in body:
            lines.append(f"  {qualifier}u16 small[8];")
            lines.append("  for (u32 i = 0; i < 8; i++) small[i] = (u16)(i * k0);")
        if "tiny[" in body:
            lines.append(f"  {qualifier}i8 tiny[8];")
            lines.append("  for (u32 i = 0; i < 8; i++) tiny[i] = (i8)(i + k0);")
        if "reals[" in body:
            lines.append(f"  {qualifier}f32 reals[4];")
            lines.append("  for (u32 i = 0; i < 4; i++) reals[i] = (f32)i * k2;")
        if "records[" in body:
            lines.append(f"  {qualifier}struct record records[3];")
            lines.append("  for (u32 i = 0; i < 3; i++) FILL_RECORD(records[i], k0 + i);")
        if f"{name}_s" in declared:
            lines.append(f"  LDSPTR(u64) mine = (LDSPTR(u64))({name}_s + 2 * THREAD);")
            lines.append("  for (u32 i = 0; i < 4; i++) mine[i] = i ^ k1;")
        if f"{name}_e" in declared:
            lines.append(f"  for (u32 i = 0; i < 8; i++) {name}_e[i * {block} + THREAD] = i + k0;")
        lines.append(body)
        for variable in self.variables:
            raw = "u" + str(BITS[variable.type])
            lines.append(
                f"  *(GLOBAL {raw} *)(out + (u64)gid * {self.row_bytes} + {8 * self.variables.index(variable)}) = "
                f"bits_{variable.type}({variable.name});"
            )
        lines.append("}")
        return "\n".join(lines) + "\n"

"""The elementwise operations by name; `apply` says what operands may be."""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.tiles.ops.apply import Argument, apply
from hkasm.tiles.register import RegTile, RegVec

Target = RegTile | RegVec
Source = RegTile | RegVec


def neg(k: Builder, d: Target, x: Source) -> None:
    """d = -x: the sign bit alone, of NaN too."""
    apply(k, "neg", d, x)


def abs_(k: Builder, d: Target, x: Source) -> None:
    """d = |x|: the sign bit alone, of NaN too."""
    apply(k, "abs", d, x)


def relu(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = max(x, 0); NaN gives 0 (bf16: where its sign is set; else it stays)."""
    apply(k, "relu", d, x, temps=temps)


def exp2(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = 2**x."""
    apply(k, "exp2", d, x, temps=temps)


def exp(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = e**x, as 2**(x * log2(e))."""
    apply(k, "exp", d, x, temps=temps)


def log2(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = log2(x)."""
    apply(k, "log2", d, x, temps=temps)


def log(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = ln(x), as log2(x) * ln(2)."""
    apply(k, "log", d, x, temps=temps)


def rcp(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = 1 / x."""
    apply(k, "rcp", d, x, temps=temps)


def rsqrt(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = 1 / sqrt(x)."""
    apply(k, "rsqrt", d, x, temps=temps)


def sqrt(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = sqrt(x)."""
    apply(k, "sqrt", d, x, temps=temps)


def gelu(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = x / (1 + exp(-2 * sqrt(2 / pi) * (x + 0.044715 * x**3))), the form with tanh."""
    apply(k, "gelu", d, x, temps=temps)


def silu(k: Builder, d: Target, x: Source, *, temps: Register | None = None) -> None:
    """d = x / (1 + exp(-x))."""
    apply(k, "silu", d, x, temps=temps)


def add(k: Builder, d: Target, x: Argument, y: Argument, *, temps: Register | None = None) -> None:
    """d = x + y."""
    apply(k, "add", d, x, y, temps=temps)


def sub(k: Builder, d: Target, x: Argument, y: Argument, *, temps: Register | None = None) -> None:
    """d = x - y."""
    apply(k, "sub", d, x, y, temps=temps)


def mul(k: Builder, d: Target, x: Argument, y: Argument, *, temps: Register | None = None) -> None:
    """d = x * y."""
    apply(k, "mul", d, x, y, temps=temps)


def div(k: Builder, d: Target, x: Argument, y: Argument, *, temps: Register | None = None) -> None:
    """d = x / y, as x times the reciprocal (a vector's or an SGPR's is taken once)."""
    apply(k, "div", d, x, y, temps=temps)


def max_(k: Builder, d: Target, x: Argument, y: Argument, *, temps: Register | None = None) -> None:
    """d = max(x, y); a NaN gives way to a number."""
    apply(k, "max", d, x, y, temps=temps)


def min_(k: Builder, d: Target, x: Argument, y: Argument, *, temps: Register | None = None) -> None:
    """d = min(x, y); a NaN gives way to a number."""
    apply(k, "min", d, x, y, temps=temps)


def fma(k: Builder, d: Target, x: Argument, y: Argument, z: Argument, *, temps: Register | None = None) -> None:
    """d = x * y + z, rounded once."""
    apply(k, "fma", d, x, y, z, temps=temps)

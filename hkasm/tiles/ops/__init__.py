"""Operations on tiles: products, elementwise arithmetic, reductions, conversions, masks, fills, moves, layout changes.

Each takes the builder, then destinations, then sources, and writes the shortest correct sequence in place: whole
tiles, or single base tiles (`tile.sub(i, j)`) so that a schedule can interleave them. What is not legal raises, naming
what is.
"""

from hkasm.tiles.ops.apply import apply
from hkasm.tiles.ops.arithmetic import (
    abs_,
    add,
    div,
    exp,
    exp2,
    fma,
    gelu,
    log,
    log2,
    max_,
    min_,
    mul,
    neg,
    rcp,
    relu,
    rsqrt,
    silu,
    sqrt,
    sub,
)
from hkasm.tiles.ops.convert import convert
from hkasm.tiles.ops.fill import copy, fill, neg_infty, ones, pos_infty, zero
from hkasm.tiles.ops.global_moves import GlobalMove, load_global, store_global
from hkasm.tiles.ops.layouts import swap_layout
from hkasm.tiles.ops.masks import left_fill, lower_fill, make_causal, right_fill, tril, triu, upper_fill
from hkasm.tiles.ops.mma import mma, plan_product
from hkasm.tiles.ops.reduce import (
    col_max,
    col_min,
    col_prod,
    col_sum,
    reduce,
    reduce_vector,
    row_max,
    row_min,
    row_prod,
    row_sum,
)
from hkasm.tiles.ops.shared_moves import SharedMove, load_shared, store_shared

__all__ = [
    "GlobalMove", "SharedMove", "abs_", "add", "apply", "col_max", "col_min", "col_prod", "col_sum", "convert", "copy",
    "div", "exp", "exp2", "fill", "fma", "gelu", "left_fill", "load_global", "load_shared", "log", "log2", "lower_fill",
    "make_causal", "max_", "min_", "mma", "mul", "neg", "neg_infty", "ones", "plan_product", "pos_infty", "rcp",
    "reduce", "reduce_vector", "relu", "right_fill", "row_max", "row_min", "row_prod", "row_sum", "rsqrt", "silu",
    "sqrt", "store_global", "store_shared", "sub", "swap_layout", "tril", "triu", "upper_fill", "zero",
]  # fmt: skip

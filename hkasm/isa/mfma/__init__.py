"""Matrix instructions: the table, which lane and register holds which element, and what they compute."""

from hkasm.isa.mfma.layout import (
    OperandLayout,
    block_sources,
    gather_operand,
    gather_raw,
    gather_scales,
    operand_layout,
    permute_lanes,
    scatter_result,
    sparse_columns,
)
from hkasm.isa.mfma.product import accumulate, execute_mfma, mfma_exact
from hkasm.isa.mfma.table import F8F6F4_FORMATS, MFMA_TABLE, TYPE_BITS, MfmaSpec, mfma_spec

__all__ = [
    "F8F6F4_FORMATS",
    "MFMA_TABLE",
    "TYPE_BITS",
    "MfmaSpec",
    "OperandLayout",
    "accumulate",
    "block_sources",
    "execute_mfma",
    "gather_operand",
    "gather_raw",
    "gather_scales",
    "mfma_exact",
    "mfma_spec",
    "operand_layout",
    "permute_lanes",
    "scatter_result",
    "sparse_columns",
]

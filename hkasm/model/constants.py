"""Every number of the cycle model, one table an arch, each with its source, how sure it is, and whether it was fitted.

`clk` is a clock of the engine. Confidence: `vendor` (AMD document or source), `measured` (published measurement),
`derived` (arithmetic on these), `assumed` (nobody published it). Fitted numbers name the rows that they were fitted to;
`bench/model_validation.py` scores the others, and with `--spans` says how much the choice matters of a number for which
its source gives a span.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from hkasm.errors import ArchError

__all__ = ["TIMINGS", "Constant", "Timing", "constants_of", "timing"]


@dataclass(frozen=True)
class Constant:
    """A number with where it comes from; `span` is the least and the most that its source allows, if that is known."""

    value: float
    unit: str
    source: str
    confidence: str
    fitted: str = ""
    span: tuple[float, float] | None = None


def _c(
    value: float, unit: str, source: str, confidence: str, fitted: str = "", span: tuple[float, float] | None = None
) -> Any:
    return Constant(value, unit, source, confidence, fitted, span)


@dataclass(frozen=True)
class Timing:
    """The constants of one arch; what each is stands in `_table`."""

    arch: str
    slot: Constant
    trans: Constant
    packed: Constant
    packed_alone: Constant
    wide_integer: Constant
    double: Constant
    permlane_swap: Constant
    scaled_conversion: Constant
    mfma_port_small: Constant
    mfma_port_large: Constant
    mfma_port_scaled: Constant
    barrier: Constant
    branch_taken: Constant
    lds_latency: Constant
    lds_return: Constant
    lds_fifo: Constant
    lds_address: Constant
    lds_write_data: Constant
    lds_write_latency: Constant
    dma_write: Constant
    vmem_fifo: Constant
    tcp_bytes: Constant
    tcp_pair_floor: Constant
    inflight_bytes: Constant
    latency_l2: Constant
    latency_llc: Constant
    latency_hbm: Constant
    store_latency: Constant
    scalar_latency: Constant
    wave_launch: Constant


def _table(arch: str, old: bool) -> Timing:
    """Return the table of gfx942 (`old`) or gfx950."""
    sqtt = "instruction trace of a gfx950 GEMM (tinygrad's SQTT example)"
    glu = "AMD gfx950 Gluon tutorials"
    return Timing(
        arch,
        slot=_c(4, "clk", f"rocprofiler-compute performance model; {sqtt}", "measured"),
        trans=_c(16, "clk", "Chips and Cheese, MI300X", "measured")
        if old else _c(8, "clk", f"{glu}, attention", "measured"),
        packed=_c(4, "clk", "163.4 TFLOPS of packed f32 (CDNA3 white paper)", "derived")
        if old else _c(8, "clk", f"{glu}, attention", "measured"),
        packed_alone=_c(1, "flag", f"{glu}: packed f32 does not run beside MFMA", "assumed" if old else "measured"),
        wide_integer=_c(16, "clk", "quarter rate of 32-bit multiplies", "assumed"),
        double=_c(4, "clk", "81.7 TFLOPS of f64 FMA", "derived")
        if old else _c(4, "clk", "78.6 TFLOPS of f64 FMA", "derived"),
        permlane_swap=_c(20, "clk", f"{glu}, attention", "measured"),
        scaled_conversion=_c(16, "clk", "quarter rate", "assumed"),
        mfma_port_small=_c(4, "clk", "origami: 16x16 leaves 12 of 16 clk", "vendor"),
        mfma_port_large=_c(8, "clk", f"{glu}, attention: 32x32 leaves 24 of 32 clk", "measured"),
        mfma_port_scaled=_c(12, "clk", f"{glu}, a4w4: 4 for the scales, 8 for operands", "measured"),
        barrier=_c(37, "clk", "AMD gfx942 Gluon tutorial: 37 to 65 clk a barrier on average, waiting for others too",
                   "measured", span=(37, 65))
        if old else _c(8, "clk", "nobody measured it alone; more contradicts 99.8 % of an 8-wave loop with 8 a K step",
                       "assumed", "8-wave a16w16, K = 8192", span=(4, 24)),
        branch_taken=_c(16, "clk", "16 to 20 clk", "assumed", span=(16, 20)),
        lds_latency=_c(43, "clk", "mt4g pointer chase 51.3 clk, less 8 of service", "measured")
        if old else _c(42, "clk", f"{glu}: first data after 50 to 70 clk, less 8 of service", "measured",
                       span=(42, 62)),
        lds_return=_c(64, "bytes/clk", "rocprofiler-compute: 64 B/clk for a pair of SIMDs", "vendor")
        if old else _c(128, "bytes/clk", f"{glu}, LDS throughput", "measured"),
        lds_fifo=_c(8, "entries", f"{glu}: 8 for a pair of SIMDs", "measured"),
        lds_address=_c(4, "clk", "rocprofiler-compute: address phase on the pair's bus", "vendor"),
        lds_write_data=_c(64, "bytes/clk", "rocprofiler-compute: a b128 write takes 4 + 16 clk", "vendor"),
        lds_write_latency=_c(28, "clk", f"36 to 40 clk to the counter ({sqtt}), less 8 of service", "measured",
                             span=(28, 32)),
        dma_write=_c(128, "bytes/clk", "LDS write port: writes see 32 banks", "derived"),
        vmem_fifo=_c(12, "entries", f"{glu}, v8; formocast has 16", "measured", span=(12, 16)),
        tcp_bytes=_c(64, "bytes/clk", f"{glu}, v8: 16 clk for 1 KB", "measured"),
        tcp_pair_floor=_c(16, "clk", f"{glu}, v8: dwordx2 takes as long as dwordx4", "measured"),
        inflight_bytes=_c(32768, "bytes", f"{glu}: the vector L1's lines", "measured"),
        latency_l2=_c(288, "clk", "mt4g, MI300X: mean; AMD's own model has 254, 95 % are below 292", "measured",
                       span=(254, 292)),
        latency_llc=_c(496, "clk", "mt4g, MI300X", "measured"),
        latency_hbm=_c(900, "clk", "mt4g, MI300X: mean; median 876, 95 % below 1115", "measured", span=(876, 1115)),
        store_latency=_c(280, "clk", f"store to end of program ({sqtt})", "measured"),
        scalar_latency=_c(172, "clk", "mt4g: hit 48, miss 172", "measured", span=(48, 172)),
        wave_launch=_c(14, "clk", f"12 to 16 clk a wave ({sqtt})", "measured", span=(12, 16)),
    )  # fmt: skip


TIMINGS: dict[str, Timing] = {"gfx942": _table("gfx942", True), "gfx950": _table("gfx950", False)}


def timing(arch: str) -> Timing:
    """Return the table of an arch. Raises ArchError."""
    if arch not in TIMINGS:
        raise ArchError(f"no cycle model for {arch!r}", hint=f"there is one for {', '.join(TIMINGS)}")
    return TIMINGS[arch]


def constants_of(arch: str) -> dict[str, Constant]:
    """Return all constants of an arch by name, for listings."""
    table = timing(arch)
    return {one.name: getattr(table, one.name) for one in fields(table) if one.name != "arch"}

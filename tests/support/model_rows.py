"""Published loop efficiencies with the loops that they were measured on, as far as these can be rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.model_loops import (
    BEST942,
    CONFLICT942,
    FIRST942,
    SECOND942,
    Tile,
    attention,
    clustered,
    double_buffered,
    interleaved,
    mix,
    pingpong,
    pingpong942,
    run,
    run_pingpong,
    scaled_pingpong,
    single_buffered,
    sliced,
    spelt,
    spread,
)

from hkasm.model.cycles import Cycles
from hkasm.model.fits import Fit


@dataclass(frozen=True)
class Row:
    """A measured loop: table and name in its source, percent of the matrix units' time, whether it was fitted to."""

    table: str
    name: str
    measured: float
    play: Callable[[], Cycles]
    fitted: bool = False

    @property
    def label(self) -> str:
        return f"{self.table}: {self.name}"


BIG = Tile(256, 256)
WIDE_8BIT = ["wait:16:0", "barrier", *spread(["mfma8"] * 64, mix(["read"] * BIG.reads, ["m0", "direct"] * BIG.loads))]
TILES = (
    (256, 256, 96), (256, 128, 83), (128, 256, 84), (128, 128, 69),
    (256, 64, 55), (64, 256, 57), (128, 64, 47), (64, 128, 47),
)  # fmt: skip


V9_HITS = (0.756, 0.96)
"""L2: counted for v9 with GROUP_SIZE_M = 4, whose loop the tiles of 5.4 have, at 4096 x 4096 x 8192. LLC: fitted."""


def _tile(m: int, n: int) -> Callable[[], Cycles]:
    return lambda: run("gfx950", sliced(Tile(m, n)), 4, hits=V9_HITS)


def _port(skeleton: str, *, without: str = "", conflict: float = 1) -> Callable[[], Cycles]:
    return lambda: run("gfx942", spelt(skeleton, without=without, conflict=conflict), 4)


ROWS = [
    Row("5.1", "v2, one stage, 4-way conflicts", 33.0, lambda: run("gfx950", single_buffered(BIG, "read*4"), 4)),
    Row("5.1", "v3, one stage", 41.7, lambda: run("gfx950", single_buffered(BIG), 4)),
    Row("5.1", "v4, two stages", 51.9, lambda: run("gfx950", double_buffered(BIG), 4)),
    Row("5.1", "v5, three stages, clustered", 57.7, lambda: run("gfx950", clustered(BIG), 4)),
    Row("5.1", "v7 +nas, interleaved", 98.0, lambda: run("gfx950", interleaved(BIG), 4)),
    Row("5.1", "v8 +nas", 97.4, lambda: run("gfx950", sliced(BIG, packed=True), 4)),
    Row("5.1", "v9 +nas", 98.3, lambda: run("gfx950", sliced(BIG, packed=True), 4, hits=V9_HITS)),
    Row("5.1", "8-wave inter, K = 8192", 99.8, lambda: run_pingpong("gfx950", pingpong()), True),
    Row("5.2", "a8w8 4-wave +nas", 99.5, lambda: run("gfx950", WIDE_8BIT, 4)),
    *(Row("5.4", f"{m} x {n}", measured, _tile(m, n), place % 2 == 1) for place, (m, n, measured) in enumerate(TILES)),
    Row("5.6", "4-wave, first version", 69.7, _port(FIRST942, conflict=CONFLICT942)),
    Row("5.6", "4-wave, second step", 84.0, _port(SECOND942, conflict=CONFLICT942)),
    Row("5.6", "4-wave, third step", 89.0, _port(BEST942, conflict=CONFLICT942)),
    Row("5.6", "4-wave, best version", 89.3, _port(BEST942)),
    Row("5.6", "4-wave, no LDS writes", 96.3, _port(BEST942, without="W")),
    Row("5.6", "8-wave inter, 8 regions", 98.0, lambda: run_pingpong("gfx942", pingpong942())),
    Row("5.6 ablation", "loads only", 100.0, _port(FIRST942, without="RWBw")),
    Row("5.6 ablation", "writes only", 90.9, _port(FIRST942, without="RGBw", conflict=CONFLICT942)),
    Row("5.6 ablation", "reads and writes", 70.7, _port(FIRST942, without="G", conflict=CONFLICT942)),
    Row("5.7", "products only, two waves a SIMD", 99.8, lambda: run("gfx950", ["mfma32"] * 64, 8)),
    Row("5.7", "fav4, by HipKittens' description", 94.5, lambda: run_pingpong("gfx950", attention())),
]  # fmt: skip
"""5.1, 5.2, 5.4: AMD's gfx950 Gluon tutorials (GEMM); 5.6: their gfx942 part; 5.7: their attention kernels.

v9 was measured at 98 to 98.7 %. The gfx942 loops are spelt as their log prints them; without reads beside writes the
compiler puts no barriers, and none of the waits in front of them. Of the 8-wave loop with eight regions "about 98 %" is
said; 86.5 % is of one with sixteen.

fav4 has the products, barriers and keys a body of HipKittens' attention, whose clusters are described; measured are
93.7 to 95.3 %.
"""

OUTSIDE = [
    Row("6.3", "fp4 16x16 scaled, 8 waves", 79.0, lambda: run_pingpong("gfx950", scaled_pingpong("scaled4"))),
    Row("6.3", "fp4 32x32 scaled, 8 waves", 98.0, lambda: run_pingpong("gfx950", scaled_pingpong("scaled4wide"))),
    Row("5.7", "O rescaled every block (FlyDSL)", 61.2, lambda: run_pingpong("gfx950", attention("plain"))),
]
"""Loops whose description leaves out what makes them slow (loads of the scales; what else FlyDSL's loop does): only
their order is held."""

ROW_FITS = (
    Fit(
        "LLC hit rate of the runs of 5.4",
        f"{V9_HITS[1]:g}",
        tuple(row.label for row in ROWS if row.table == "5.4" and row.fitted),
        "the odd rows of 5.4",
    ),
)
"""What was not published of a measured run and set by its rows; the library has no use for it."""

NOT_REBUILT = {
    "5.1": "v0, v1: branches and masked loads that nobody counts; v5 +LLIR and v6: copies of registers, spills",
    "5.2": "a8w8 base and +llir: the compiler's order; 8 waves: the loads of a wave are not said; other K: same loop",
    "5.6": "8-wave at 86.5 %: 16 regions with conflicts, what is in each is not said; first step: where its barriers "
    "stand",
    "5.7": "fav3, FlyDSL lazy, stock: how they differ from fav4 is not said; pacing s_nop and MEMNOP: where they "
    "stand; co-issue K: how many vector instructions there are to place",
}
"""Published loops that are in no list above, and why."""

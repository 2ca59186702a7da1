"""What the GEMM's code can be: the configuration, which combinations are declared, and the tile of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from hkasm.errors import UsageError
from hkasm.isa.arch import ARCHES, get_arch
from hkasm.isa.mfma import MfmaSpec, mfma_spec
from hkasm.isa.mfma.table import F8F6F4_FORMATS, TYPE_BITS
from hkasm.kernels.chips import OnChip, chip_parameter, reserve_parameter, weights_parameter
from hkasm.kernels.gemm.plan import LOAD_BYTES, SCALE_DEPTH, Side, TilePlan, log2
from hkasm.kernels.gemm.registers import agprs, vgprs
from hkasm.kernels.parameters import parameter

DTYPES = ("f16", "bf16", "f32", "xf32", "fp8", "bf8", "i8", "mxfp8", "mxbf8", "mxfp6", "mxbf6", "mxfp4")
OUTS = ("auto", "f32", "f16", "bf16", "fp8", "bf8", "i32")
TILES = ("auto", "256x256", "256x128", "128x256", "128x128", "64x256", "64x64")
SCHEDULES = ("pingpong", "interleave", "interleave-lean", "specialised", "simple")
READ_REACH = 1 << 16
"""Bytes that the offset of an LDS instruction reaches from its base."""
ROW_BYTES = 128
"""Bytes of a K step in a row of A or B: one cache line."""


@dataclass(frozen=True)
class GemmConfig(OnChip):
    """What changes the code."""

    dtype: str = parameter("bf16", "element type of A (and B); mx: gfx950, xf32: gfx942", choices=DTYPES)
    dtype_b: str = parameter("same", "element type of B", choices=("same", *DTYPES))
    out: str = parameter("auto", "element type of C; auto: that of A, f32, i32 or bf16", choices=OUTS)
    trans: str = parameter("TN", "A: T [m, k], N [k, m]; then B: N [n, k], T [k, n]", choices=("TN", "NN", "NT", "TT"))
    tile: str = parameter("auto", "rows and columns of C a workgroup; auto: by m and n", choices=TILES)
    schedule: str = parameter(
        "auto",
        "order of the main loop; pingpong: tiles of 128 rows and more; specialised: those that fit half the registers",
        choices=("auto", *SCHEDULES),
    )
    buffers: int = parameter(
        0,
        "LDS buffers that K steps take in turn; loads work as far ahead; 0: two for loads straight to LDS, else one",
        low=0,
        high=8,
    )
    acc: str = parameter("agpr", "registers of the accumulators", choices=("agpr", "vgpr"))
    operands: str = parameter(
        "vgpr",
        "registers of the fragments of A and B that matrix instructions take: AGPRs for both, or for one of them",
        choices=("vgpr", "agpr", "agpr-a", "agpr-b"),
    )
    scale: str = parameter(
        "none", "f32 scales of A and B: one each, or one a row of A and of B", choices=("none", "tensor", "row")
    )
    combine: str = parameter("product", "AB, alpha AB, or alpha AB + beta C0", choices=("product", "alpha", "beta"))
    bias: str = parameter("none", "f32 bias, one a column or a row of C", choices=("none", "column", "row"))
    act: str = parameter("none", "activation; gelu is the tanh form", choices=("none", "relu", "gelu", "silu"))
    grid: str = parameter(
        "auto",
        "order of the tiles; auto: the cache model's, when launched; rows: a two-dimensional grid",
        pattern=r"rows|auto|w[1-9]\d{0,3}(c([1-9]\d{0,5}|all))?",
        form="auto, rows, or window and chunk: w8c64",
    )
    work: str = parameter(
        "auto",
        "what a workgroup computes: a tile, an equal share of all K steps (stream-K), or tile after tile by tickets; "
        "auto: by the model, the shape and the chip",
        choices=("auto", "tiles", "stream", "tickets"),
    )
    batch: str = parameter(
        "none",
        "products a launch: one, many a stride apart, or partial sums over slices of K",
        choices=("none", "strided", "split"),
    )
    chip: str = chip_parameter()
    weights: str = weights_parameter()
    reserve: int = reserve_parameter()

    def __post_init__(self) -> None:
        self.check_chip()
        if self.work == "stream" and (self.uneven or self.reserve):
            what = f"reserve={self.reserve}" if self.reserve else "XCDs with unequal shares"
            raise _undeclared(f"work=stream with {what}", "work=tickets; weights=even: equal shares")

    @property
    def scaled(self) -> bool:
        """Tell whether A and B have E8M0 scales for every 32 elements along K (OCP MX formats)."""
        return self.dtype.startswith("mx")

    @property
    def b(self) -> str:
        """Element type of B."""
        return self.dtype if self.dtype_b == "same" else self.dtype_b

    @property
    def c(self) -> str:
        """Element type of C."""
        if self.out != "auto":
            return self.out
        return {"f16": "f16", "bf16": "bf16", "f32": "f32", "xf32": "f32", "i8": "i32"}.get(self.dtype, "bf16")

    @property
    def strided(self) -> tuple[bool, bool]:
        """Tell whether A and B are K-strided in memory."""
        return self.trans[0] == "N", self.trans[1] == "T"

    @property
    def plain(self) -> bool:
        """Tell whether C is the product itself, rounded."""
        terms = (self.scale, self.combine, self.bias, self.act)
        return terms == ("none", "product", "none", "none") and self.c not in ("fp8", "bf8")

    @property
    def ordered(self) -> bool:
        """Tell whether the kernel is given the numbers of an order, and is launched with one row of workgroups."""
        return self.work == "tickets" or self.grid != "rows" or self.padded or self.reserve > 0

    @property
    def padded(self) -> bool:
        """Tell whether XCDs have unequal shares that workgroups without a tile fill up."""
        return self.work not in ("tickets", "stream") and self.uneven

    @property
    def communicates(self) -> bool:
        """Tell whether reserved workgroups are launched; those that stay leave their compute units free."""
        return self.reserve > 0 and self.work in ("auto", "tiles")

    def bits(self, tensor: str) -> int:
        """Return the bits of an element of ``A``, ``B`` or ``C``."""
        return TYPE_BITS[number_format({"A": self.dtype, "B": self.b, "C": self.c}[tensor])]


def number_format(dtype: str) -> str:
    """Return the number format of an element type: ``fp4`` for ``mxfp4``."""
    return dtype.removeprefix("mx")


class Waves(NamedTuple):
    """Waves along M and N."""

    m: int
    n: int


_FOUR = {
    "256x256": Waves(2, 2),
    "256x128": Waves(2, 2),
    "128x256": Waves(2, 2),
    "128x128": Waves(2, 2),
    "64x256": Waves(1, 4),
    "64x64": Waves(2, 2),
}
_EIGHT = {"256x256": Waves(2, 4), "256x128": Waves(4, 2), "128x256": Waves(2, 4), "128x128": Waves(4, 2)}
PRODUCERS = 4
"""Waves that only fetch, with the specialised schedule: one a SIMD beside one that multiplies."""
WAVES = {
    (tile, schedule): waves
    for schedule in SCHEDULES
    for tile, waves in (_EIGHT if schedule == "pingpong" else _FOUR).items()
}
"""What is declared: the waves of each tile and schedule."""


def resolved(config: GemmConfig) -> GemmConfig:
    """Return the configuration without ``auto``: the largest tile, and the schedule that its tile is best with."""
    tile, schedule = config.tile, config.schedule
    if tile == "auto":
        tile = "256x256" if schedule == "auto" else declared_tiles(config)[0]
    if schedule == "auto":
        wide = "256" in tile and tile != "64x256"
        # Eight waves share the lines of 6-bit elements in parts of one and a half loads; beside scaled products of 16
        # clk one group's LDS reads fall behind the other's products (AMD's gfx950 tutorials, a4w4: 79 against 94 %).
        bits = {config.bits("A"), config.bits("B")}
        schedule = "pingpong" if wide and 6 not in bits and bits != {4} else "interleave"
    return replace(config, tile=tile, schedule=schedule, work=config.work if config.work != "auto" else "tiles")


@cache
def declared_tiles(config: GemmConfig, arch: str | None = None) -> tuple[str, ...]:
    """Return the tiles that are declared for the rest of a configuration, the largest first.

    Without an arch those of every arch that has any; all where none has one, so that the refusal names what is wrong.
    """
    by_arch = [
        {tile for tile in TILES[1:] if _is_declared(name, replace(config, tile=tile))}
        for name in ([arch] if arch else ARCHES)
    ]
    common = [tile for tile in TILES[1:] if all(tile in tiles for tiles in by_arch if tiles)]
    return tuple(common) or TILES[1:]


def _is_declared(arch: str, config: GemmConfig) -> bool:
    try:
        plan_of(arch, config)
    except UsageError:
        return False
    return True


def plan_of(arch: str, given: GemmConfig) -> TilePlan:
    """Return the tile of a configuration on an arch.

    Raises:
        UsageError: the combination is not declared; the message says what is.
    """
    config = resolved(given)
    _check_types(arch, config)
    direct = arch == "gfx950"
    slots = _buffers(arch, config, rotates=direct and config.schedule != "simple")
    waves = WAVES.get((config.tile, config.schedule))
    if waves is None:
        tiles = [tile for tile, schedule in WAVES if schedule == config.schedule]
        raise _undeclared(f"tile={config.tile} with schedule={config.schedule}", f"its tiles: {', '.join(tiles)}")
    multiply = _instruction(arch, config)
    rows, columns = map(int, config.tile.split("x"))
    widest = max(config.bits("A"), config.bits("B"))
    depth = SCALE_DEPTH if widest == 6 else ROW_BYTES * 8 // widest
    a_strided, b_strided = config.strided
    common: dict[str, Any] = {"depth": depth, "waves": waves.m * waves.n, "slots": slots, "scaled": config.scaled}
    a = Side(
        "A", number_format(config.dtype), config.bits("A"), rows, ways=waves.m, shift=log2(waves.n), strided=a_strided,
        along_k=a_strided and direct, paired=config.scaled, first_byte=0, **common,
    )  # fmt: skip
    pairs = columns // 2 // waves.n // 32 > 0 and not (b_strided and direct)
    pairs = pairs and (config.bits("C") < 32 or config.scaled)
    b = Side(
        "B", number_format(config.b), config.bits("B"), columns, ways=waves.n, shift=0, strided=b_strided,
        along_k=b_strided and direct, paired=pairs, first_byte=a.bytes, **common,
    )  # fmt: skip
    formats = None
    if multiply.selects_format:
        formats = F8F6F4_FORMATS.index(b.dtype), F8F6F4_FORMATS.index(a.dtype)
    ahead = config.schedule.startswith(("interleave", "specialised"))  # reads of the next step during this one
    producers = PRODUCERS if config.schedule == "specialised" else 0
    sets = (slots, 1, 1, slots) if config.schedule == "interleave" and direct else (1, 1, 1, 1)
    in_agprs = {"vgpr": "", "agpr": "AB", "agpr-a": "A", "agpr-b": "B"}[config.operands]
    plan = TilePlan(
        arch, a, b, multiply, formats, waves.m, waves.n, direct, sets, not ahead, producers, frozenset(in_agprs)
    )
    _check_room(plan, config)
    return plan


def _check_types(arch: str, config: GemmConfig) -> None:
    eight = {"fp8", "bf8"}
    if config.scaled:
        if arch != "gfx950":
            raise _undeclared(f"dtype={config.dtype} on {arch}", "gfx950 has it")
        if not config.b.startswith("mx"):
            raise _undeclared(f"dtype={config.dtype} with dtype_b={config.b}", "mixed: any two of the mx types")
        if config.trans != "TN" or config.scale != "none":
            raise _undeclared(f"dtype={config.dtype} trans={config.trans} scale={config.scale}", "trans=TN scale=none")
    elif config.b != config.dtype and not {config.b, config.dtype} <= eight:
        raise _undeclared(f"dtype={config.dtype} with dtype_b={config.b}", "mixed: fp8 with bf8")
    if config.dtype == "xf32" and arch != "gfx942":
        raise _undeclared(f"dtype=xf32 on {arch}", "gfx942 has it; f32 is on both archs")
    if config.trans != "TN":
        if config.dtype in ("f32", "xf32"):
            raise _undeclared(f"dtype={config.dtype} trans={config.trans}", "trans=TN")
        if config.bits("A") == 8 and arch != "gfx950":
            raise _undeclared(f"dtype={config.dtype} trans={config.trans} on {arch}", "trans=TN; all four on gfx950")
    if config.batch == "split" and (config.scaled or not config.plain or config.c not in ("f32", "i32")):
        raise _undeclared("batch=split", "plain products in f32 or i32 of all types but mx; gemm_sum rounds their sums")
    if config.work == "stream" and config.batch == "split":
        raise _undeclared("work=stream with batch=split", "batch=none and batch=strided; it cuts K by itself")
    if config.c == "i32" and (config.dtype != "i8" or not config.plain):
        raise _undeclared(
            f"out=i32 with dtype={config.dtype}" if config.dtype != "i8" else "out=i32 with scales, bias or activation",
            "out=i32 is the plain product of i8; out=f32 takes everything",
        )


def _buffers(arch: str, config: GemmConfig, *, rotates: bool) -> int:
    """Return the LDS buffers of a configuration; UsageError for one where they rotate, or for more elsewhere."""
    if config.buffers and (config.buffers > 1) != rotates:
        where = f"schedule={config.schedule}" + ("" if config.schedule == "simple" else f" on {arch}")
        declared = (
            "2 and more: one is filled while another is read" if rotates else "buffers=1, which is read, then filled"
        )
        raise _undeclared(f"buffers={config.buffers} with {where}", declared)
    return config.buffers or (2 if rotates else 1)


def _check_room(plan: TilePlan, config: GemmConfig) -> None:
    arch = get_arch(plan.arch)
    if plan.lds_bytes > arch.lds_bytes:
        raise _undeclared(
            f"tile {plan.label} in {plan.slots} buffers takes {plan.a.bytes} (A) + {plan.b.bytes} (B) bytes of LDS",
            f"{arch} has {arch.lds_bytes}",
        )
    for side in plan.sides:
        pieces = [piece.offset for fragment in range(side.fragments) for piece in side.pieces(fragment)]
        if side.bytes - side.half_bytes + max(pieces) >= READ_REACH:
            raise _undeclared(
                f"tile {plan.label} in {plan.slots} buffers: {side.bytes} bytes of {side.name}",
                f"an LDS read's offset reaches {READ_REACH}",
            )
    parts = vgprs(plan) | ({"accumulators": plan.accumulators} if config.acc == "vgpr" else {})
    if sum(parts.values()) > arch.max_vgpr:
        needs = " + ".join(f"{count} {name}" for name, count in parts.items())
        raise _undeclared(f"tile {plan.label} with acc={config.acc} takes {needs} VGPRs", f"{arch} has {arch.max_vgpr}")
    held = agprs(plan, config.acc)
    if sum(held.values()) > arch.max_agpr:
        needs = " + ".join(f"{count} {name}" for name, count in held.items())
        wants = f"tile {plan.label} with acc={config.acc} operands={config.operands} takes {needs} AGPRs"
        raise _undeclared(wants, f"{arch} has {arch.max_agpr}")
    total = arch.total_vgprs(sum(parts.values()), sum(held.values()))
    waves = plan.threads // arch.wave_size
    budget = arch.vgpr_total // -(-waves // arch.simds_per_cu)
    if total > budget:
        raise _undeclared(f"tile {plan.label} takes {total} registers in each of {waves} waves", f"{budget} are there")
    for side in plan.sides:
        if side.wave_bytes % LOAD_BYTES and not side.scaled:
            raise _undeclared(
                f"tile {plan.label} with {plan.waves} waves: {side.wave_bytes} bytes of {side.name} a wave and half",
                f"a load brings {LOAD_BYTES}",
            )


def _instruction(arch: str, config: GemmConfig) -> MfmaSpec:
    """Return the 16x16 matrix instruction; B's element type stands first, its fragment is the first operand."""
    new = arch == "gfx950"
    match config.dtype:
        case "f16" | "bf16":
            name = f"v_mfma_f32_16x16x{32 if new else 16}_{config.dtype}"
        case "i8":
            name = f"v_mfma_i32_16x16x{64 if new else 32}_i8"
        case "f32":
            name = "v_mfma_f32_16x16x4_f32"
        case "xf32":
            name = "v_mfma_f32_16x16x8_xf32"
        case _ if config.scaled:
            name = "v_mfma_scale_f32_16x16x128_f8f6f4"
        case _:
            name = "v_mfma_f32_16x16x128_f8f6f4" if new else f"v_mfma_f32_16x16x32_{config.b}_{config.dtype}"
    return mfma_spec(name, arch)


def _undeclared(what: str, declared: str) -> UsageError:
    return UsageError(f"gemm: {what} is not declared", hint=declared)

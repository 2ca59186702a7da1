"""Published loops, rebuilt from their descriptions as streams for the cycle model.

A body is a list of words; `stream` repeats it. Sources: AMD's gfx950 Gluon tutorials (GLU) and their gfx942 part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Instruction
from hkasm.isa.registers import s, v
from hkasm.model.constants import timing
from hkasm.model.cycles import Cycles, play
from hkasm.model.uops import Uop, make_uop

ITERATIONS = 40
WIDE = {"gfx942": "v_mfma_f32_16x16x16_f16", "gfx950": "v_mfma_f32_16x16x32_f16"}


def uops(arch: str, write: Callable[[Builder], object]) -> list[Uop]:
    """Return the uops of what a function writes."""
    k = Builder(arch, "body")
    write(k)
    return [make_uop(one, 0, arch, timing(arch)) for one in k.items if isinstance(one, Instruction)]


@cache
def word(arch: str, name: str) -> Uop:
    """Return the uop of a word: ``mfma``, ``mfma32``, ``read``, ``read*4`` (4-way conflict), ``wait:vm:lgkm`` ..."""
    if name.startswith("wait"):
        _, vm, lgkm = name.split(":")
        return replace(uops(arch, lambda k: k.s_waitcnt(0))[0], vm=int(vm or -1), lgkm=int(lgkm or -1))
    plain, _, conflict = name.partition("*")
    if conflict:
        access = word(arch, plain)
        return access.with_banks(round(float(conflict) * access.bank))
    acc, a, b = v[0:4], v[20:24], v[24:28]
    if arch == "gfx942":
        a, b = v[20:22], v[24:26]
    table: dict[str, Callable[[Builder], object]] = {
        "mfma": lambda k: getattr(k, WIDE[arch])(acc, a, b, acc),
        "mfma32": lambda k: k.v_mfma_f32_32x32x16_f16(v[0:16], v[20:24], v[24:28], v[0:16]),
        "mfma8": lambda k: k.v_mfma_f32_16x16x128_f8f6f4(acc, v[20:28], v[28:36], acc),
        "mfma4": lambda k: k.v_mfma_f32_16x16x128_f8f6f4(acc, v[20:24], v[28:32], acc, cbsz=4, blgp=4),
        "scaled4": lambda k: k.v_mfma_scale_f32_16x16x128_f8f6f4(
            acc, v[20:24], v[28:32], acc, v[36], v[37], cbsz=4, blgp=4
        ),
        "scaled4wide": lambda k: k.v_mfma_scale_f32_32x32x64_f8f6f4(
            v[64:80], v[20:24], v[28:32], v[64:80], v[36], v[37], cbsz=4, blgp=4
        ),
        "add": lambda k: k.v_add_f32(v[40], v[41], v[42]),
        "exp": lambda k: k.v_exp_f32(v[40], v[41]),
        "swap": lambda k: k.v_permlane32_swap_b32(v[40], v[41]),
        "packed": lambda k: k.v_pk_mul_f32(v[40:42], v[42:44], v[44:46]),
        "read": lambda k: k.ds_read_b128(v[44:48], v[9]),
        "readtr": lambda k: k.ds_read_b64_tr_b16(v[44:46], v[9]),
        "read32": lambda k: k.ds_read_b32(v[44], v[9]),
        "write": lambda k: k.ds_write_b128(v[9], v[44:48]),
        "load": lambda k: k.buffer_load_dwordx4(v[44:48], v[9], s[4:8]),
        "direct": lambda k: k.buffer_load_dwordx4(v[9], s[4:8], 0, lds=True),
        "m0": lambda k: k.s_mov_b32(s[20], s[21]),
        "scalar": lambda k: k.s_add_u32(s[22], s[22], s[23]),
        "branch": lambda k: k.s_cbranch_scc1(k.label("head")),
        "barrier": lambda k: k.s_barrier(),
        "high": lambda k: k.s_setprio(1),
        "low": lambda k: k.s_setprio(0),
        "nop": lambda k: k.s_nop(0),
        "end": lambda k: k.s_endpgm(),
    }  # fmt: skip
    return uops(arch, table[name])[0]


def stream(arch: str, body: Sequence[str], times: int = ITERATIONS, first: int = 0) -> list[Uop]:
    """Return a body, repeated; its instructions are numbered from `first` on."""
    once = [replace(word(arch, name), index=first + place) for place, name in enumerate(body)]
    return [*once * times, replace(word(arch, "end"), index=first + len(body))]


def run(arch: str, body: Sequence[str], waves: int, **options: object) -> Cycles:
    """Play a loop on so many waves of one workgroup."""
    return play(arch, [[stream(arch, body)] * waves], **options)  # type: ignore[arg-type]


def spread(main: Sequence[str], extras: Sequence[str]) -> list[str]:
    """Return the main words with the extras spread evenly between them."""
    body, given = [], 0
    for place, one in enumerate(main):
        body.append(one)
        due = (place + 1) * len(extras) // len(main)
        body += extras[given:due]
        given = due
    return body


def mix(*parts: Sequence[str]) -> list[str]:
    """Return several lists merged evenly."""
    placed = [((place + 0.5) / len(part), order, name) for order, part in enumerate(parts)
              for place, name in enumerate(part)]  # fmt: skip
    return [name for _, _, name in sorted(placed)]


@dataclass(frozen=True)
class Tile:
    """One K step of a tile in 16-bit elements: what each of four waves (2 x 2) issues."""

    m: int
    n: int
    k: int = 64
    arch: str = "gfx950"

    @property
    def mfmas(self) -> int:
        return self.m * self.n * self.k // (16 * 16 * (32 if self.arch == "gfx950" else 16)) // 4

    @property
    def loads(self) -> int:
        return (self.m + self.n) * self.k * 2 // 1024 // 4

    @property
    def reads(self) -> int:
        return (self.m + self.n) // 2 * self.k * 2 // 1024


def interleaved(tile: Tile, stages: int = 3) -> list[str]:
    """Return the loop of GLU v7: LDS reads and direct loads spread evenly between the products."""
    main = ["mfma"] * tile.mfmas
    body = spread(main, mix(["read"] * tile.reads, ["m0", "direct"] * tile.loads))
    return [f"wait:{tile.loads * (stages - 2)}:0", "barrier", *body]


SCATTERED = ((0, 1), (2, 3), (1, 0), (0, 0), (0, 0), (1, 0), (1, 0), (0, 0))
"""In GLU v9's machine code, by region of two K steps: additions for LDS addresses before the barrier, and scalar
instructions beside that of M0 before the first load.
"""
LOOP_CONTROL = [*["scalar"] * 6, "branch"]


def sliced(tile: Tile, *, packed: bool = False) -> list[str]:
    """Return two K steps of GLU v9: two buffers, each half a tile of A and of B, and four regions of products a step.

    As in its published source and machine code. A region waits for the half tile that the next one needs, while those
    of five regions are still on their way, and for all waves; reads it, and fetches a half tile two steps ahead. AMD's
    scheduler deals the products out from the region's end: two behind the last instruction, four behind each load, one
    behind each read; of what is left, half goes to the end and half comes before the wait. Where there are too few, the
    region begins with what has none: small tiles read all, then fetch. `packed`: as AMD's assembly pass leaves it, the
    scattered additions before the loop and the scattered scalar instructions at its end.
    """
    read, fetched = (tile.m, tile.n, tile.n, tile.m), [side // 64 for side in (tile.n, tile.m, tile.m, tile.n)]
    body = []
    for number, (additions, scalars) in enumerate([(0, 0)] * 8 if packed else SCATTERED):
        region = number % 4
        late = sum(fetched[(region - back) % 4] for back in range(1, 6))
        first = ["m0", *["scalar"] * scalars, "direct"] if scalars else ["m0", "nop", "direct"]
        memory = [(["read"], 1)] * (read[region] // 32)
        memory += [(first, 4), *[(["m0", "nop", "direct"], 4)] * (fetched[region] - 1)]
        left = tile.mfmas // 4
        behind = min(left, 2 + max(0, left - 2 - sum(cost for _, cost in memory)) // 2)
        dealt = ["mfma"] * behind
        left -= behind
        for words, cost in reversed(memory):
            given = min(cost, left)
            dealt = [*words, *["mfma"] * given, *dealt]
            left -= given
        body += [*["mfma"] * left, *["add"] * additions, f"wait:{late}:0", "barrier", *dealt]
    moved = sum(scalars for _, scalars in SCATTERED) if packed else 0
    return [*body, *["scalar"] * moved, *LOOP_CONTROL]


def clustered(tile: Tile, read: str = "read") -> list[str]:
    """Return the loop of GLU v5: three stages; reads, then loads, then all products."""
    return ["wait::0", *[read] * tile.reads, *["direct"] * tile.loads, *["mfma"] * tile.mfmas,
            f"wait:{tile.loads}:", "barrier"]  # fmt: skip


def double_buffered(tile: Tile) -> list[str]:
    """Return the loop of GLU v4: two stages; loads, reads of this step, their wait, products, wait for the loads."""
    return [*["direct"] * tile.loads, *["read"] * tile.reads, "wait::0", *["mfma"] * tile.mfmas, "wait:0:", "barrier"]


def single_buffered(tile: Tile, read: str = "read") -> list[str]:
    """Return the loop of GLU v2 and v3: load, wait, read, multiply; v2's layout conflicts four ways."""
    return ["barrier", *["direct"] * tile.loads, "wait:0:", "barrier", *[read] * tile.reads, "wait::0",
            *["mfma"] * tile.mfmas]  # fmt: skip


FIRST942 = """
w:0 B R4 M1 R4 M3 w:0 B M1 R3 M1 w3 W1 w1 W2 w0 W1 G2 M1 G2 W4 M1 G4 M23 R1 M1 R1 M46
R1 M1 R1 M1 R1 w:0 B W4 G3 W4 G5 M72 R3 M7 R3 M65 R3 M12 R3 M10 R3 M2 R1 M8
"""
"""GLU's gfx942 4-wave loop (256 x 256 x 64) as first ported: runs of products M, LDS reads R and writes W, global loads
G, barriers B, and waits w with their vmcnt and lgkmcnt. Its LDS accesses conflict (13.33 clk instead of 8).
"""
_SPACED = f"{'R1 M2 ' * 7} R1 M25 w12 W1 M1 W1 M2 W1 M2 W1 M1 G1 M2 G1 M4 G1 M4 G1 M5"
SECOND942 = f"M4 w:0 B {_SPACED.replace('M25', 'w:0 B M25')} M4 {_SPACED} M4 w:0 B {_SPACED} M4 {_SPACED}"
"""After its second step: four regions as AMD's scheduler spaces them, what products are left before the writes."""
BEST942 = f"M4 w:12 B {_SPACED} M4 {_SPACED} M4 w:12 B {_SPACED} M4 {_SPACED}"
"""At its best: no barrier between reads and writes, and no conflicts."""
_KINDS = {"M": "mfma", "R": "read", "W": "write", "G": "load", "B": "barrier"}
CONFLICT942 = 13.33 / 8


def spelt(skeleton: str, *, without: str = "", conflict: float = 1) -> list[str]:
    """Return the words of a skeleton, some kinds left out: ``R4 M1`` are four reads and a product.

    `conflict` is what LDS accesses take of what they would take without bank conflicts.
    """
    body = []
    for kind, rest in ((one[0], one[1:]) for one in skeleton.split()):
        if kind in without:
            continue
        if kind == "w":
            vm, _, lgkm = rest.partition(":")
            body.append(f"wait:{vm}:{lgkm}")
        else:
            slower = f"*{conflict:.3f}" if kind in "RW" and conflict != 1 else ""
            body += [_KINDS[kind] + slower] * int(rest or 1)
    return body


def pingpong942() -> list[list[str]]:
    """Return GLU's gfx942 8-wave loop: four memory regions (of 256, 128, 384 and 256 clk) beside products of 512."""
    memory = (["load"] * 4 + ["read"] * 8, ["load"] * 4 + ["read"] * 4, ["read"] * 8 + ["wait:4:"] + ["write"] * 4,
              ["read"] * 4 + ["wait:0:"] + ["write"] * 4)  # fmt: skip
    sections = [["high", *part, "wait::0"] for part in memory]
    compute = ["low", *["mfma"] * 32]
    one = [word for part in sections for word in (*part, "barrier", *compute, "barrier")]
    two = [word for part in sections for word in (*compute, "barrier", *part, "barrier")]
    return [one, two]


def scaled_pingpong(products: str) -> list[list[str]]:
    """Return GLU's fp4 8-wave ping-pong (256 x 256 x 256): four sections of products, each beside a half tile's reads.

    The four read 8, 4, 4 and 8 times 16 bytes a lane, and the scales by one transposing read each; each fetches a half
    tile by two loads a wave. Loads of scales, and the spills of the 16 x 16 build, are left out.
    """
    compute = ["low", *[products] * (16 if products == "scaled4" else 8)]
    memory = [["high", *["read"] * reads, "readtr", "direct", "direct", "wait:10:0"] for reads in (8, 4, 4, 8)]
    one = [word for part in memory for word in (*part, "barrier", *compute, "barrier")]
    two = [word for part in memory for word in (*compute, "barrier", *part, "barrier")]
    return [one, two]


def pingpong(products: str = "mfma", barriers: int = 4) -> list[list[str]]:
    """Return the loops of both wave groups of an 8-wave ping-pong (256 x 256 x 64; 64 products a wave and K step).

    One group's memory section runs beside the other's products; there are `barriers` sections of each a K step. As in
    GLU's loop, a section begins with its priority, which is the higher one where memory is used, and that of memory
    ends with the waits.
    """
    tile = Tile(256, 256)
    part = 64 // barriers
    memory = ["high", *["read"] * (24 // barriers), *["direct"] * (tile.loads // 2 // barriers), "wait:8:0"]
    compute = ["low", *[products] * part]
    one = [word for _ in range(barriers) for word in (*memory, "barrier", *compute, "barrier")]
    two = [word for _ in range(barriers) for word in (*compute, "barrier", *memory, "barrier")]
    return [one, two]


def attention(rescale: str = "") -> list[list[str]]:
    """Return the loops of both wave groups of an 8-wave attention: 32 queries of 128 elements a wave, 128 keys a body.

    HipKittens' description: four clusters for 64 keys, each ended by a barrier, twice; its ratios of products to other
    instructions are those of the counts here. A lane has 32 scores: the first product runs beside what is left of the
    softmax before (half of the exponentials, sums, conversions), the second beside maxima, differences and the other
    half; between them each group reads K or V and fetches. `rescale` names the instructions that bring O to the new
    maximum after every block, where that is not left out.
    """
    scores = ["mfma32"] * 16
    first = [*mix(scores[:6], ["exp"] * 16), *mix(scores[6:], ["add"] * 48), "barrier"]
    maxima = ["add"] * 16 + ["swap", "add", "add"]
    again = {"": [], "plain": ["exp", *["add"] * 65], "packed": ["exp", "add", *["packed"] * 32]}[rescale]
    rest = mix(scores[4:], ["add"] * 32 + ["exp"] * 16)
    second = ["high", *mix(scores[:4], maxima), *again, *rest, "low", "barrier"]
    values = ["direct", "direct", *["readtr"] * 32, "wait:4:0", "barrier"]
    keys = ["direct", "direct", *["read"] * 16, "wait:4:0", "barrier"]
    return [[*first, *values, *second, *keys] * 2, [*keys, *first, *values, *second] * 2]


def run_pingpong(arch: str, groups: Sequence[Sequence[str]], **options: object) -> Cycles:
    """Play two wave groups of four waves, with code of their own."""
    one, two = (stream(arch, body, first=1000 * number) for number, body in enumerate(groups))
    return play(arch, [[one] * 4 + [two] * 4], **options)  # type: ignore[arg-type]


def specialised(tile: Tile, consumers: int = 8) -> list[list[str]]:
    """Return the loops of a consumer and of a producer wave: four producers fetch, the others read and multiply."""
    products = tile.m * tile.n * tile.k // (16 * 16 * 32) // consumers
    reads = (tile.m // 2 + tile.n // (consumers // 2)) * tile.k * 2 // 1024
    consumer = ["barrier", *["read"] * reads, "wait::0", "high", *["mfma"] * products, "low"]
    producer = ["barrier", *["direct"] * tile.loads, f"wait:{tile.loads}:"]
    return [consumer, producer]


def run_specialised(tile: Tile, consumers: int = 8) -> Cycles:
    """Play four producers and some consumers of one workgroup on gfx950."""
    one, two = (stream("gfx950", body, first=1000 * number) for number, body in enumerate(specialised(tile, consumers)))
    return play("gfx950", [[one] * consumers + [two] * 4])


def registers_left(tile: Tile, waves: int, consumers: int) -> int:
    """Return the registers that a consumer has beside accumulators and one K step of fragments.

    All waves of a workgroup have the same share of the 512 of a SIMD, producers too.
    """
    share = 512 // -(-waves // 4) // 8 * 8
    fragments = (tile.m // 2 + tile.n // (consumers // 2)) * tile.k * 2 // 256
    return min(share, 512) - tile.m * tile.n // (64 * consumers) - fragments

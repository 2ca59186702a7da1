"""The wait-state table: what is looked for backwards from an instruction, and how far away it must be.

A `Search` finds the nearest earlier instruction that matters for one register (the nearest hit decides, as in LLVM);
the `HazardRule`s of a search say how many wait states each kind of hit needs.

Levels: `cycles` rules are believed to bite on hardware and may be judged by elapsed issue slots; `llvm` rules are
those that LLVM asks for and shipped kernels live without; `beyond` rules stand elsewhere and are unknown to LLVM 22.

By elapsed slots a matrix instruction's result is looked at register by register: of n registers and p passes, number i
(from 0) is there p - ceil((i + 1) p / n) slots before the last. LLVM asks for the last one's wait, whichever is read,
and no document of AMD's says otherwise; but AMD's own kernels are written so. In AITER e4048607a5 (attention, MLA,
paged attention, flatmm, fp8gemm_blockscale of hsa/gfx942 and hsa/gfx950) 60 code objects have 634 instructions that
come too soon for a whole result, none for its registers, and 232 would come too soon if each register were one slot
later. So fmha_v3_fwd hd128 on MI300X reads registers 0 and 1 of 16 at 4 slots, 2 and 3 at 5, and so on.

Sources: LLVM 22's hazard recogniser as it answers for gfx942 and gfx950 (tools/hazard_oracle.py), AMD's ISA documents
(CDNA3 and CDNA4, 4.5 and 7.6), LLVM pull requests named in the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["HAZARD_RULES", "LEVELS", "LEVEL_ROWS", "LOOK_BACK", "SEARCHES", "HazardRule", "Search"]

# Levels that a check can be asked for, and the row levels that take part.
LEVEL_ROWS = {"llvm": ("llvm", "cycles"), "cycles": ("cycles", "beyond"), "all": ("llvm", "cycles", "beyond")}
LEVELS = tuple(LEVEL_ROWS)

States = int | Mapping[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Say what is looked for backwards from a consumer.

    For each register that `registers` picks of a consumer of the class, the nearest earlier instruction of the producer
    class whose `produced` registers overlap it is the hit. `nothing` on both sides: the classes alone decide; `hwreg`:
    both name the same hardware register.
    """

    name: str
    consumers: str
    registers: str
    producers: str
    produced: str


@dataclass(frozen=True, slots=True, eq=False)
class HazardRule:
    """Say how many wait states a hit of a search needs, on each chip: a number, or a number by MFMA passes.

    `producer`, `consumer` (class names, empty for any) and `when` narrow the rule down; the first that fits a hit
    counts. `when`: `same` the producer's result is exactly the register, `other` also that but the opcodes differ,
    `opcode` the opcodes are the same. `by_register`: for a VALU instruction at level `cycles`, earlier registers of the
    result are there earlier.
    """

    name: str
    search: str
    producer: str
    consumer: str
    when: str
    gfx942: States
    gfx950: States
    level: str = "cycles"
    source: str = "LLVM 22 hazard recogniser"
    by_register: bool = False

    def states(self, arch: str, passes: int) -> int:
        """Return the wait states on a chip after a producer of so many passes (0 where the rule is not for it)."""
        value = self.gfx942 if arch == "gfx942" else self.gfx950
        return value if isinstance(value, int) else value.get(passes, max(value.values()))


def _passes(extra: int, two: int | None = None) -> Mapping[int, int]:
    """Return passes + extra for 2, 4, 8 and 16 passes; `two` where 2 passes differ."""
    return MappingProxyType({2: 2 + extra if two is None else two, 4: 4 + extra, 8: 8 + extra, 16: 16 + extra})


# fmt: off
#       search                 consumer class         its registers    producer class             its registers
SEARCHES = (
    Search("mfma, then C",       "mfma",               "accumulator",   "mfma",                    "result"),
    Search("mfma, then A or B",  "mfma",               "inputs",        "mfma",                    "result"),
    Search("mfma, then read",    "valu or memory",     "uses",          "mfma",                    "result"),
    Search("mfma, then write",   "valu or memory",     "defs",          "mfma",                    "result"),
    Search("C, then write",      "valu or memory",     "defs",          "xdl",                     "accumulator"),
    Search("valu, then mfma",    "mfma",               "uses",          "valu, no mfma, no dot",   "vector writes"),
    Search("exec, then mfma",    "mfma",               "exec",          "valu, no mfma",           "exec written"),
    Search("dot, then read",     "valu or memory",     "inputs",        "dot",                     "result"),
    Search("dot, then C",        "valu or memory",     "accumulator",   "dot",                     "result"),
    Search("dot, then write",    "valu or memory",     "defs",          "dot",                     "result"),
    Search("dgemm, then fma64",  "fma_f64",            "nothing",       "dgemm",                   "nothing"),
    Search("trans, then read",   "valu",               "uses",          "trans",                   "result"),
    Search("shifted, then use",  "valu",               "operands",      "shifted result",          "result"),
    Search("packed, then use",   "valu",               "operands",      "packed result",           "result"),
    Search("sgpr, then valu",    "valu",               "sgpr uses",     "valu",                    "scalar writes"),
    Search("vgpr, then lane",    "read lane",          "lane source",   "valu",                    "vector writes"),
    Search("exec, then lane",    "read or write lane", "exec",          "valu",                    "exec written"),
    Search("lane select",        "lane select",        "lane select",   "valu",                    "scalar writes"),
    Search("wide store",         "valu",               "vector defs",   "wide store",              "store data"),
    Search("wide store, sgpr",   "valu",               "vector defs",   "wide store, sgpr offset", "store data"),
    Search("vgpr, then dpp",     "dpp",                "vgpr uses",     "",                        "vector writes"),
    Search("exec, then dpp",     "dpp",                "exec",          "valu",                    "exec written"),
    Search("vcc, then div_fmas", "div_fmas",           "vcc",           "valu",                    "scalar writes"),
    Search("sgpr, then vmem",    "vmem",               "scalar reads",  "valu",                    "scalar writes"),
    Search("setreg, getreg",     "s_getreg_b32",       "hwreg",         "setreg",                  "hwreg"),
    Search("setreg, setreg",     "setreg",             "hwreg",         "setreg",                  "hwreg"),
    Search("trapsts, rfe",       "s_rfe_b64",          "nothing",       "setreg trapsts",          "nothing"),
    Search("m0, then reader",    "m0 reader",          "m0",            "salu",                    "scalar writes"),
    Search("m0, then lds dma",   "lds dma",            "m0",            "salu",                    "scalar writes"),
    Search("vgpr, then swap",    "permlane swap",      "vgpr uses",     "valu",                    "vector writes"),
    Search("cmpx, then swap",    "permlane swap",      "nothing",       "v_cmpx",                  "nothing"),
    Search("vcc, then vccz",     "reads vccz",         "vcc",           "valu",                    "scalar writes"),
    Search("exec, then execz",   "reads execz",        "exec",          "valu",                    "exec written"),
    Search("vskip, then getreg", "getreg mode",        "nothing",       "sets vskip",              "nothing"),
    Search("vskip, then vector", "valu or memory",     "nothing",       "sets vskip by mode",      "nothing"),
    Search("other mfma's C",     "mfma",               "accumulator",   "mfma",                    "result"),
)

# By passes: XDL results take passes + 3 until others may use them, on gfx950 one more save for 2 passes.
_D, _D950, _SG = _passes(3), _passes(4, two=5), _passes(2)
_C, _C950, _C950G = _passes(1), _passes(2), _passes(2, two=3)
_N, _W = _passes(0), _passes(-1)
_CHAIN = MappingProxyType({2: 2, 4: 0, 8: 0, 16: 0})
_R = ("cycles", "LLVM 22 hazard recogniser", True)
_S = ("llvm",)
_IS = ("beyond", "CDNA3 ISA 4.5")
_PC = ("beyond", "LLVM pull request 218363")
_PS = ("beyond", "LLVM pull request 197267")

HAZARD_RULES: tuple[HazardRule, ...] = tuple(HazardRule(*row) for row in (
    # name                           search               producer       consumer     when      gfx942  gfx950
    ("mfma-chain-dgemm4",            "mfma, then C",      "dgemm 4x4",   "dgemm 4x4", "same",   4,      4),
    ("mfma-chain-dgemm",             "mfma, then C",      "dgemm",       "",          "same",   0,      0),
    ("mfma-chain",                   "mfma, then C",      "",            "",          "same",   _CHAIN, _CHAIN),
    ("xdl-overlapped-c-xdl",         "mfma, then C",      "xdl",         "xdl",       "",       _C,     _C950),
    ("xdl-overlapped-c-gemm",        "mfma, then C",      "xdl",         "not xdl",   "",       _C,     _C950G),
    ("sgemm-overlapped-c",           "mfma, then C",      "sgemm",       "not xdl",   "",       _N,     _N),
    ("dgemm4-overlapped-c",          "mfma, then C",      "dgemm 4x4",   "not xdl",   "",       4,      4),
    ("dgemm16-overlapped-c",         "mfma, then C",      "dgemm 16x16", "not xdl",   "",       9,      17),
    ("xdl-result-as-a-or-b",         "mfma, then A or B", "xdl",         "",          "",       _D,     _D950),
    ("sgemm-result-as-a-or-b",       "mfma, then A or B", "sgemm",       "",          "",       _SG,    _SG),
    ("dgemm4-result-as-a-or-b",      "mfma, then A or B", "dgemm 4x4",   "",          "",       6,      6),
    ("dgemm16-result-as-a-or-b",     "mfma, then A or B", "dgemm 16x16", "",          "",       11,     19),
    ("xdl-result-read",              "mfma, then read",   "xdl",         "",          "",       _D,     _D950, *_R),
    ("sgemm-result-read",            "mfma, then read",   "sgemm",       "",          "",       _SG,    _SG),
    ("dgemm4-result-read-by-memory", "mfma, then read",   "dgemm 4x4",   "memory",    "",       9,      9),
    ("dgemm4-result-read",           "mfma, then read",   "dgemm 4x4",   "",          "",       6,      6),
    ("dgemm16-result-read-by-memory","mfma, then read",   "dgemm 16x16", "memory",    "",       18,     18),
    ("dgemm16-result-read",          "mfma, then read",   "dgemm 16x16", "",          "",       11,     19),
    ("xdl-result-overwritten",       "mfma, then write",  "xdl",         "",          "",       _D,     _D950, *_R),
    ("sgemm-result-overwritten",     "mfma, then write",  "sgemm",       "",          "",       _SG,    _SG),
    ("dgemm4-result-overwritten",    "mfma, then write",  "dgemm 4x4",   "",          "",       6,      6),
    ("dgemm16-result-overwritten",   "mfma, then write",  "dgemm 16x16", "",          "",       11,     11),
    ("xdl-c-overwritten",            "C, then write",     "",            "",          "",       _W,     _W),
    ("valu-result-to-mfma",          "valu, then mfma",   "",            "",          "",       2,      2),
    ("valu-exec-to-mfma",            "exec, then mfma",   "",            "",          "",       4,      4),
    ("dot-result-read",              "dot, then read",    "",            "",          "",       3,      3),
    ("dot-chain",                    "dot, then C",       "",            "",          "opcode", 0,      0),
    ("dot-other-chain",              "dot, then C",       "",            "",          "",       3,      3),
    ("dot-same-overwritten",         "dot, then write",   "",            "",          "opcode", 0,      0),
    ("dot-result-overwritten",       "dot, then write",   "",            "",          "",       3,      3),
    ("dgemm-to-fma-f64",             "dgemm, then fma64", "",            "",          "",       2,      2),
    ("trans-result-read",            "trans, then read",  "",            "not trans", "",       1,      1),
    ("shifted-result-used",          "shifted, then use", "",            "",          "",       1,      1),
    ("packed-result-used",           "packed, then use",   "",            "",          "",       1,      1, *_S),
    ("valu-sgpr-to-valu",            "sgpr, then valu",   "",            "",          "",       2,      2, *_S),
    ("valu-vgpr-to-readlane",        "vgpr, then lane",   "",            "",          "",       1,      1),
    ("valu-exec-to-lane",            "exec, then lane",   "",            "",          "",       4,      4),
    ("valu-sgpr-as-lane-select",     "lane select",       "",            "",          "",       4,      4),
    ("wide-store-overwritten",       "wide store",        "",            "",          "",       2,      2),
    ("wide-store-sgpr-overwritten",  "wide store, sgpr",  "",            "",          "",       1,      1, *_PS),
    ("vgpr-to-dpp",                  "vgpr, then dpp",    "",            "",          "",       2,      2, *_S),
    ("valu-exec-to-dpp",             "exec, then dpp",    "",            "",          "",       5,      5),
    ("valu-vcc-to-div-fmas",         "vcc, then div_fmas","",            "",          "",       4,      4),
    ("valu-sgpr-to-vmem",            "sgpr, then vmem",   "",            "",          "",       5,      5),
    ("setreg-getreg",                "setreg, getreg",    "",            "",          "",       2,      2),
    ("setreg-setreg",                "setreg, setreg",    "",            "",          "",       2,      2),
    ("setreg-trapsts-rfe",           "trapsts, rfe",      "",            "",          "",       1,      1),
    ("m0-to-reader",                 "m0, then reader",   "",            "",          "",       1,      1),
    ("m0-to-lds-dma",                "m0, then lds dma",  "",            "",          "",       1,      1, *_S),
    ("valu-vgpr-to-permlane-swap",   "vgpr, then swap",   "",            "",          "",       0,      2),
    ("cmpx-to-permlane-swap",        "cmpx, then swap",   "",            "",          "",       0,      4),
    ("valu-vcc-to-vccz",             "vcc, then vccz",    "",            "",          "",       5,      5, *_IS),
    ("valu-exec-to-execz",           "exec, then execz",  "",            "",          "",       5,      5, *_IS),
    ("setvskip-getreg-mode",         "vskip, then getreg","",            "",          "",       2,      2, *_IS),
    ("setreg-vskip-to-vector",       "vskip, then vector","",            "",          "",       2,      2, *_IS),
    ("other-mfma-chain-xdl",         "other mfma's C",    "xdl",         "xdl",       "other",  _C,     _C950, *_PC),
    ("other-mfma-chain-xdl-gemm",    "other mfma's C",    "xdl",         "not xdl",   "other",  _C,     _C950G, *_PC),
    ("other-mfma-chain-sgemm",       "other mfma's C",    "sgemm",       "not xdl",   "other",  _N,     _N, *_PC),
))
# fmt: on

LOOK_BACK = max(
    rule.states(arch, passes) for rule in HAZARD_RULES for arch in ("gfx942", "gfx950") for passes in (2, 4, 8, 16)
)
"""No rule looks back over more wait states than this."""

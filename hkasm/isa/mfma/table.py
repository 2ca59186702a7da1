"""Every matrix instruction of gfx942 and gfx950: shape, element types, opcode and passes, one aligned row each.

Opcodes are LLVM 22's (VOP3P opcode field). Passes (4 cycles each) are LLVM 22's scheduling classes, which AMD's matrix
instruction calculator agrees with on CDNA3; the `f8f6f4` family is the exception: LLVM's scheduling class says 4 and 8
whatever the format, its hazard recogniser, AMD's CDNA4 blog and rocm-libraries' origami say 8 and 16 as soon as one
operand is 8 bits wide, which is what stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.errors import ArchError, UsageError, did_you_mean

__all__ = ["F8F6F4_FORMATS", "MFMA_TABLE", "TYPE_BITS", "MfmaSpec", "mfma_spec"]

TYPE_BITS = {
    "f64": 64, "f32": 32, "i32": 32, "xf32": 32, "f16": 16, "bf16": 16,
    "i8": 8, "fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4,
}  # fmt: skip

# cbsz (operand A) and blgp (operand B) of the f8f6f4 instructions select the format by this number.
F8F6F4_FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")


@dataclass(frozen=True, eq=False)
class MfmaSpec:
    """Describe one matrix instruction: D[m, n] = A[m, k] . B[k, n] + C[m, n] for each of `blocks` blocks.

    `a` and `b` are element types (`f8f6f4` where cbsz and blgp choose), `c_type` that of C and D. `passes` and `opcode`
    are by arch; their keys are the archs that have the instruction. For f8f6f4 `passes` is the count with an 8-bit
    operand, `small_passes` that without. `sparse` is 4:2 structured sparsity of A (SMFMAC), `scaled` the 16-byte form
    with E8M0 scale operands. Rows are compared by identity: there is one of each, copies and pickles included.
    """

    mnemonic: str
    m: int
    n: int
    k: int
    blocks: int
    a: str
    b: str
    c_type: str
    passes: dict[str, int]
    opcode: dict[str, int]
    sparse: bool = False
    scaled: bool = False
    small_passes: int = 0

    def __reduce__(self) -> tuple[object, ...]:
        return mfma_spec, (self.mnemonic,)

    @property
    def kind(self) -> str:
        """Return the class that wait states depend on: `dgemm` (f64), `sgemm` (f32 inputs) or `xdl` (all others)."""
        if self.c_type == "f64":
            return "dgemm"
        return "sgemm" if self.a == "f32" else "xdl"

    @property
    def d_type(self) -> str:
        """Return the element type of the result, which is that of C."""
        return self.c_type

    @property
    def selects_format(self) -> bool:
        """Tell whether cbsz and blgp choose the formats of A and B (f8f6f4)."""
        return self.a == "f8f6f4"

    def element_type(self, operand: str, fmt: int | str | None = None) -> str:
        """Return the element type of operand `A`, `B`, `C` or `D`.

        `fmt` is the format of an f8f6f4 operand, by number (cbsz, blgp) or name; without it 0, `fp8`.
        """
        if operand in ("C", "D"):
            return self.c_type
        if operand not in ("A", "B"):
            raise UsageError(f"{self.mnemonic}: no operand '{operand}'", hint="operands: A, B, C, D")
        if not self.selects_format:
            return self.a if operand == "A" else self.b
        if isinstance(fmt, str):
            if fmt not in F8F6F4_FORMATS:
                raise UsageError(
                    f"{self.mnemonic}: operand {operand} has no format '{fmt}'",
                    hint=did_you_mean(fmt, F8F6F4_FORMATS) or f"formats: {', '.join(F8F6F4_FORMATS)}",
                )
            return fmt
        number = fmt or 0
        if not 0 <= number < len(F8F6F4_FORMATS):
            raise UsageError(
                f"{self.mnemonic}: operand {operand} has no format {number}",
                hint="formats: " + ", ".join(f"{i} {name}" for i, name in enumerate(F8F6F4_FORMATS)),
            )
        return F8F6F4_FORMATS[number]

    def registers(self, operand: str, fmt: int | str | None = None) -> int:
        """Return how many 32-bit registers `A`, `B`, `C`, `D`, `index` (SMFMAC) or `scale` takes."""
        if operand in ("index", "scale"):
            return 1
        bits = TYPE_BITS[self.element_type(operand, fmt)]
        inner = {"A": self.m * self.stored_k, "B": self.n * self.k}.get(operand, self.m * self.n)
        return inner * self.blocks * bits // (64 * 32)

    @property
    def stored_k(self) -> int:
        """Return the length of A's rows as stored: half of k where A is sparse."""
        return self.k // 2 if self.sparse else self.k

    def passes_of(self, arch: str, cbsz: int = 0, blgp: int = 0) -> int:
        """Return the passes (4 cycles each) on `arch`; cbsz and blgp matter for f8f6f4 only."""
        if arch not in self.passes:
            raise ArchError(f"{self.mnemonic} does not exist on {arch}", hint=f"it is on {', '.join(self.passes)}")
        if self.selects_format and not {self.element_type("A", cbsz), self.element_type("B", blgp)} & {"fp8", "bf8"}:
            return self.small_passes
        return self.passes[arch]

    @property
    def flops(self) -> int:
        """Return the floating-point (or integer) operations of one wave's instruction, a multiply-add counting two."""
        return 2 * self.m * self.n * self.k * self.blocks


_BOTH, _OLD, _NEW = ("gfx942", "gfx950"), ("gfx942",), ("gfx950",)

# fmt: off
# mnemonic                            m   n    k  blk  a        b        d      opcode archs  passes
_DENSE = (
    ("v_mfma_f32_32x32x1_2b_f32",    32, 32,   1,  2, "f32",   "f32",   "f32", 0x40, _BOTH, 16),
    ("v_mfma_f32_16x16x1_4b_f32",    16, 16,   1,  4, "f32",   "f32",   "f32", 0x41, _BOTH,  8),
    ("v_mfma_f32_4x4x1_16b_f32",      4,  4,   1, 16, "f32",   "f32",   "f32", 0x42, _BOTH,  2),
    ("v_mfma_f32_32x32x2_f32",       32, 32,   2,  1, "f32",   "f32",   "f32", 0x44, _BOTH, 16),
    ("v_mfma_f32_16x16x4_f32",       16, 16,   4,  1, "f32",   "f32",   "f32", 0x45, _BOTH,  8),
    ("v_mfma_f32_16x16x8_xf32",      16, 16,   8,  1, "xf32",  "xf32",  "f32", 0x3E, _OLD,   4),
    ("v_mfma_f32_32x32x4_xf32",      32, 32,   4,  1, "xf32",  "xf32",  "f32", 0x3F, _OLD,   8),
    ("v_mfma_f32_32x32x4_2b_f16",    32, 32,   4,  2, "f16",   "f16",   "f32", 0x48, _BOTH, 16),
    ("v_mfma_f32_16x16x4_4b_f16",    16, 16,   4,  4, "f16",   "f16",   "f32", 0x49, _BOTH,  8),
    ("v_mfma_f32_4x4x4_16b_f16",      4,  4,   4, 16, "f16",   "f16",   "f32", 0x4A, _BOTH,  2),
    ("v_mfma_f32_32x32x8_f16",       32, 32,   8,  1, "f16",   "f16",   "f32", 0x4C, _BOTH,  8),
    ("v_mfma_f32_16x16x16_f16",      16, 16,  16,  1, "f16",   "f16",   "f32", 0x4D, _BOTH,  4),
    ("v_mfma_f32_16x16x32_f16",      16, 16,  32,  1, "f16",   "f16",   "f32", 0x54, _NEW,   4),
    ("v_mfma_f32_32x32x16_f16",      32, 32,  16,  1, "f16",   "f16",   "f32", 0x55, _NEW,   8),
    ("v_mfma_f32_32x32x4_2b_bf16",   32, 32,   4,  2, "bf16",  "bf16",  "f32", 0x5D, _BOTH, 16),
    ("v_mfma_f32_16x16x4_4b_bf16",   16, 16,   4,  4, "bf16",  "bf16",  "f32", 0x5E, _BOTH,  8),
    ("v_mfma_f32_4x4x4_16b_bf16",     4,  4,   4, 16, "bf16",  "bf16",  "f32", 0x5F, _BOTH,  2),
    ("v_mfma_f32_32x32x8_bf16",      32, 32,   8,  1, "bf16",  "bf16",  "f32", 0x60, _BOTH,  8),
    ("v_mfma_f32_16x16x16_bf16",     16, 16,  16,  1, "bf16",  "bf16",  "f32", 0x61, _BOTH,  4),
    ("v_mfma_f32_16x16x32_bf16",     16, 16,  32,  1, "bf16",  "bf16",  "f32", 0x35, _NEW,   4),
    ("v_mfma_f32_32x32x16_bf16",     32, 32,  16,  1, "bf16",  "bf16",  "f32", 0x37, _NEW,   8),
    ("v_mfma_i32_32x32x4_2b_i8",     32, 32,   4,  2, "i8",    "i8",    "i32", 0x50, _BOTH, 16),
    ("v_mfma_i32_16x16x4_4b_i8",     16, 16,   4,  4, "i8",    "i8",    "i32", 0x51, _BOTH,  8),
    ("v_mfma_i32_4x4x4_16b_i8",       4,  4,   4, 16, "i8",    "i8",    "i32", 0x52, _BOTH,  2),
    ("v_mfma_i32_32x32x16_i8",       32, 32,  16,  1, "i8",    "i8",    "i32", 0x56, _BOTH,  8),
    ("v_mfma_i32_16x16x32_i8",       16, 16,  32,  1, "i8",    "i8",    "i32", 0x57, _BOTH,  4),
    ("v_mfma_i32_16x16x64_i8",       16, 16,  64,  1, "i8",    "i8",    "i32", 0x36, _NEW,   4),
    ("v_mfma_i32_32x32x32_i8",       32, 32,  32,  1, "i8",    "i8",    "i32", 0x38, _NEW,   8),
    ("v_mfma_f32_16x16x32_bf8_bf8",  16, 16,  32,  1, "bf8",   "bf8",   "f32", 0x70, _BOTH,  4),
    ("v_mfma_f32_16x16x32_bf8_fp8",  16, 16,  32,  1, "bf8",   "fp8",   "f32", 0x71, _BOTH,  4),
    ("v_mfma_f32_16x16x32_fp8_bf8",  16, 16,  32,  1, "fp8",   "bf8",   "f32", 0x72, _BOTH,  4),
    ("v_mfma_f32_16x16x32_fp8_fp8",  16, 16,  32,  1, "fp8",   "fp8",   "f32", 0x73, _BOTH,  4),
    ("v_mfma_f32_32x32x16_bf8_bf8",  32, 32,  16,  1, "bf8",   "bf8",   "f32", 0x74, _BOTH,  8),
    ("v_mfma_f32_32x32x16_bf8_fp8",  32, 32,  16,  1, "bf8",   "fp8",   "f32", 0x75, _BOTH,  8),
    ("v_mfma_f32_32x32x16_fp8_bf8",  32, 32,  16,  1, "fp8",   "bf8",   "f32", 0x76, _BOTH,  8),
    ("v_mfma_f32_32x32x16_fp8_fp8",  32, 32,  16,  1, "fp8",   "fp8",   "f32", 0x77, _BOTH,  8),
    ("v_mfma_f64_4x4x4_4b_f64",       4,  4,   4,  4, "f64",   "f64",   "f64", 0x6F, _BOTH,  4),
)

# f64 16x16x4 is the one dense shape whose passes differ between the chips (gfx950 halves the f64 matrix rate).
_DENSE_F64 = (
    ("v_mfma_f64_16x16x4_f64",       16, 16,   4,  1, "f64",   "f64",   "f64", 0x6E, {"gfx942": 8, "gfx950": 16}),
)

_SPARSE = (
    ("v_smfmac_f32_16x16x32_f16",     16, 16,  32, 1, "f16",   "f16",   "f32", 0x62, _BOTH,  4),
    ("v_smfmac_f32_32x32x16_f16",     32, 32,  16, 1, "f16",   "f16",   "f32", 0x64, _BOTH,  8),
    ("v_smfmac_f32_16x16x32_bf16",    16, 16,  32, 1, "bf16",  "bf16",  "f32", 0x66, _BOTH,  4),
    ("v_smfmac_f32_32x32x16_bf16",    32, 32,  16, 1, "bf16",  "bf16",  "f32", 0x68, _BOTH,  8),
    ("v_smfmac_i32_16x16x64_i8",      16, 16,  64, 1, "i8",    "i8",    "i32", 0x6A, _BOTH,  4),
    ("v_smfmac_i32_32x32x32_i8",      32, 32,  32, 1, "i8",    "i8",    "i32", 0x6C, _BOTH,  8),
    ("v_smfmac_f32_16x16x64_bf8_bf8", 16, 16,  64, 1, "bf8",   "bf8",   "f32", 0x78, _BOTH,  4),
    ("v_smfmac_f32_16x16x64_bf8_fp8", 16, 16,  64, 1, "bf8",   "fp8",   "f32", 0x79, _BOTH,  4),
    ("v_smfmac_f32_16x16x64_fp8_bf8", 16, 16,  64, 1, "fp8",   "bf8",   "f32", 0x7A, _BOTH,  4),
    ("v_smfmac_f32_16x16x64_fp8_fp8", 16, 16,  64, 1, "fp8",   "fp8",   "f32", 0x7B, _BOTH,  4),
    ("v_smfmac_f32_32x32x32_bf8_bf8", 32, 32,  32, 1, "bf8",   "bf8",   "f32", 0x7C, _BOTH,  8),
    ("v_smfmac_f32_32x32x32_bf8_fp8", 32, 32,  32, 1, "bf8",   "fp8",   "f32", 0x7D, _BOTH,  8),
    ("v_smfmac_f32_32x32x32_fp8_bf8", 32, 32,  32, 1, "fp8",   "bf8",   "f32", 0x7E, _BOTH,  8),
    ("v_smfmac_f32_32x32x32_fp8_fp8", 32, 32,  32, 1, "fp8",   "fp8",   "f32", 0x7F, _BOTH,  8),
    ("v_smfmac_f32_16x16x64_f16",     16, 16,  64, 1, "f16",   "f16",   "f32", 0x5A, _NEW,   4),
    ("v_smfmac_f32_32x32x32_f16",     32, 32,  32, 1, "f16",   "f16",   "f32", 0x5B, _NEW,   8),
    ("v_smfmac_f32_16x16x64_bf16",    16, 16,  64, 1, "bf16",  "bf16",  "f32", 0x39, _NEW,   4),
    ("v_smfmac_f32_32x32x32_bf16",    32, 32,  32, 1, "bf16",  "bf16",  "f32", 0x46, _NEW,   8),
    ("v_smfmac_i32_16x16x128_i8",     16, 16, 128, 1, "i8",    "i8",    "i32", 0x3A, _NEW,   4),
    ("v_smfmac_i32_32x32x64_i8",      32, 32,  64, 1, "i8",    "i8",    "i32", 0x47, _NEW,   8),
    ("v_smfmac_f32_16x16x128_bf8_bf8", 16, 16, 128, 1, "bf8",  "bf8",   "f32", 0x3B, _NEW,   4),
    ("v_smfmac_f32_16x16x128_bf8_fp8", 16, 16, 128, 1, "bf8",  "fp8",   "f32", 0x3C, _NEW,   4),
    ("v_smfmac_f32_16x16x128_fp8_bf8", 16, 16, 128, 1, "fp8",  "bf8",   "f32", 0x3D, _NEW,   4),
    ("v_smfmac_f32_16x16x128_fp8_fp8", 16, 16, 128, 1, "fp8",  "fp8",   "f32", 0x43, _NEW,   4),
    ("v_smfmac_f32_32x32x64_bf8_bf8", 32, 32,  64, 1, "bf8",   "bf8",   "f32", 0x4B, _NEW,   8),
    ("v_smfmac_f32_32x32x64_bf8_fp8", 32, 32,  64, 1, "bf8",   "fp8",   "f32", 0x4E, _NEW,   8),
    ("v_smfmac_f32_32x32x64_fp8_bf8", 32, 32,  64, 1, "fp8",   "bf8",   "f32", 0x4F, _NEW,   8),
    ("v_smfmac_f32_32x32x64_fp8_fp8", 32, 32,  64, 1, "fp8",   "fp8",   "f32", 0x53, _NEW,   8),
)

# mnemonic                                m   n    k  opcode, passes with an 8-bit operand, passes without, scaled
_F8F6F4 = (
    ("v_mfma_f32_16x16x128_f8f6f4",       16, 16, 128, 0x2D,  8, 4, False),
    ("v_mfma_f32_32x32x64_f8f6f4",        32, 32,  64, 0x2E, 16, 8, False),
    ("v_mfma_scale_f32_16x16x128_f8f6f4", 16, 16, 128, 0x2D,  8, 4, True),
    ("v_mfma_scale_f32_32x32x64_f8f6f4",  32, 32,  64, 0x2E, 16, 8, True),
)
# fmt: on


def _build() -> dict[str, MfmaSpec]:
    specs = [
        MfmaSpec(name, m, n, k, blocks, a, b, d, dict.fromkeys(archs, passes), dict.fromkeys(archs, opcode), sparse)
        for rows, sparse in ((_DENSE, False), (_SPARSE, True))
        for name, m, n, k, blocks, a, b, d, opcode, archs, passes in rows
    ]
    specs += [
        MfmaSpec(name, m, n, k, blocks, a, b, d, dict(by_arch), dict.fromkeys(by_arch, opcode))
        for name, m, n, k, blocks, a, b, d, opcode, by_arch in _DENSE_F64
    ]
    specs += [
        MfmaSpec(
            name, m, n, k, 1, "f8f6f4", "f8f6f4", "f32",
            {"gfx950": passes}, {"gfx950": opcode}, scaled=scaled, small_passes=small,
        )
        for name, m, n, k, opcode, passes, small, scaled in _F8F6F4
    ]  # fmt: skip
    return {spec.mnemonic: spec for spec in specs}


MFMA_TABLE: dict[str, MfmaSpec] = _build()


def mfma_spec(mnemonic: str, arch: str | None = None) -> MfmaSpec:
    """Return the row of a matrix instruction; with `arch` also require that the chip has it.

    Raises UsageError for an unknown mnemonic, ArchError for one that the chip lacks.
    """
    spec = MFMA_TABLE.get(mnemonic)
    if spec is None:
        raise UsageError(f"no matrix instruction '{mnemonic}'", hint=did_you_mean(mnemonic, MFMA_TABLE) or None)
    if arch is not None and arch not in spec.opcode:
        raise ArchError(f"{mnemonic} does not exist on {arch}", hint=f"it is on {', '.join(spec.opcode)}")
    return spec

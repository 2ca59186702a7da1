"""The launches that ``tools/triton_oracles.py`` compiles: kernel, tile, dtypes, shapes, reference.

A case says everything a test needs to run the code object and to judge it,
so that the manifest is plain data and the test knows no Triton.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

GFX942 = "gfx942"
GFX950 = "gfx950"
BOTH = (GFX942, GFX950)

TRITON_TYPES = {
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2": "fp8e5",
    "float8_e5m2fnuz": "fp8e5b16",
    "int8": "i8",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint32": "u32",
}
"""NumPy (ml_dtypes) name to Triton's name."""


@dataclass(frozen=True)
class Arg:
    """One kernel argument: a pointer when it has a shape, else a value."""

    name: str
    dtype: str
    shape: tuple[int, ...] | None = None
    fill: str = "zeros"
    role: str = "in"
    value: float | int | None = None

    def manifest(self) -> dict[str, object]:
        """Plain data of the argument, as it stands in the manifest."""
        if self.shape is None:
            return {"name": self.name, "kind": "value", "dtype": self.dtype, "value": self.value}
        return {
            "name": self.name,
            "kind": "pointer",
            "dtype": self.dtype,
            "shape": list(self.shape),
            "fill": self.fill,
            "role": self.role,
        }


@dataclass(frozen=True)
class Case:
    """One kernel compiled for one arch, with the launch that tests it."""

    name: str
    kernel: str
    arch: str
    args: tuple[Arg, ...]
    constexprs: dict[str, object]
    grid: tuple[int, int, int]
    warps: int = 4
    options: dict[str, object] = field(default_factory=dict)
    reference: str = ""
    tolerance: dict[str, float] = field(default_factory=lambda: {"rtol": 0.0, "atol": 0.0})

    @property
    def label(self) -> str:
        """Unique file stem: the name and the arch."""
        return f"{self.name}_{self.arch}"


def pointer(name: str, dtype: str, *shape: int, fill: str = "normal", role: str = "in") -> Arg:
    """A buffer argument."""
    return Arg(name, dtype, shape, fill if role != "out" else "zeros", role)


def i32(name: str, value: int) -> Arg:
    """A 32-bit integer argument."""
    return Arg(name, "int32", value=value)


def f32(name: str, value: float) -> Arg:
    """A float argument."""
    return Arg(name, "float32", value=value)


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _gemm(
    arch: str,
    dtype: str,
    nt: bool,
    tile: tuple[int, int, int],
    warps: int,
    problem: tuple[int, int, int],
    *,
    out: str = "",
    even: bool = False,
    nonkdim: int = 16,
    stages: int = 2,
    fill: str = "normal",
    tag: str = "",
    reference: str = "",
) -> Case:
    bm, bn, bk = tile
    m, n, k = problem
    out = out or dtype
    b_shape = (n, k) if nt else (k, n)
    pointers = (
        pointer("a", dtype, m, k, fill=fill),
        pointer("b", dtype, *b_shape, fill=fill),
        pointer("c", out, m, n, role="out"),
    )
    strides = (i32("lda", k), i32("ldb", b_shape[1]), i32("ldc", n))
    sizes = (i32("k", k),) if even else (i32("m", m), i32("n", n), i32("k", k))
    tolerance = {"rtol": 0.0, "atol": 0.0}
    if out != "int32":
        half_ulp = {"bfloat16": 2.0**-8, "float16": 2.0**-11}.get(out, 0.0)
        tolerance = {"rtol": half_ulp * 1.02, "atol": 1e-6 * k}
    short = dtype.replace("float", "f").replace("f8_", "f8")
    name = f"gemm{'_even' if even else ''}_{short}_{'nt' if nt else 'nn'}_{bm}x{bn}x{bk}_w{warps}{tag}"
    return Case(
        name,
        "gemm_even" if even else "gemm",
        arch,
        pointers + sizes + strides,
        {"NT": nt, "BM": bm, "BN": bn, "BK": bk},
        (_ceil(m, bm), _ceil(n, bn), 1),
        warps,
        {"num_stages": stages, "matrix_instr_nonkdim": nonkdim},
        reference or ("gemm_nt" if nt else "gemm_nn"),
        tolerance,
    )


def _gemms(arch: str) -> Iterator[Case]:
    e4m3, e5m2 = ("float8_e4m3fn", "float8_e5m2") if arch == GFX950 else ("float8_e4m3fnuz", "float8_e5m2fnuz")
    edge = (200, 144, 160)
    for nt in (True, False):
        yield _gemm(arch, "bfloat16", nt, (128, 128, 64), 4, edge)
        yield _gemm(arch, "bfloat16", nt, (256, 256, 64), 8, (320, 272, 192))
        yield _gemm(arch, "float16", nt, (128, 128, 64), 4, edge)
    yield _gemm(arch, "bfloat16", True, (128, 128, 64), 4, (256, 128, 256), even=True)
    yield _gemm(arch, "bfloat16", False, (128, 128, 64), 8, (128, 256, 512), even=True, stages=3, tag="_s3")
    yield _gemm(arch, "bfloat16", True, (128, 128, 32), 4, edge, nonkdim=32, tag="_m32")
    yield _gemm(arch, "bfloat16", True, (32, 64, 64), 1, (64, 80, 96), out="float32", tag="_f32out")
    yield _gemm(arch, e4m3, True, (128, 128, 128), 4, (144, 128, 192), out="float32")
    yield _gemm(arch, e5m2, False, (64, 64, 128), 4, (64, 128, 256), out="float32", even=True)
    yield _gemm(arch, "int8", True, (128, 128, 128), 4, (128, 144, 192), out="int32", fill="int:-128:128")
    xf32 = "gemm_nt_xf32" if arch == GFX942 else ""
    yield _gemm(arch, "float32", True, (64, 64, 32), 4, (80, 64, 96), reference=xf32)


def _scaled(arch: str, fa: str, fb: str, tile: tuple[int, int, int], warps: int, nonkdim: int = 16) -> Case:
    bm, bn, bk = tile
    m, n, k = bm * 2, bn, bk * 2
    types = {"e4m3": ("float8_e4m3fn", 1), "e5m2": ("float8_e5m2", 1), "e2m1": ("uint8", 2)}
    (ta, pa), (tb, pb) = types[fa], types[fb]
    args = (
        pointer("a", ta, m, k // pa, fill="bytes" if pa == 2 else "normal"),
        pointer("b", tb, n, k // pb, fill="bytes" if pb == 2 else "normal"),
        pointer("sa", "uint8", m, k // 32, fill="int:120:134"),
        pointer("sb", "uint8", n, k // 32, fill="int:120:134"),
        pointer("c", "float32", m, n, role="out"),
        i32("k", k),
    )
    constexprs = {"FA": fa, "FB": fb, "PA": pa, "PB": pb, "BM": bm, "BN": bn, "BK": bk}
    return Case(
        f"gemm_scaled_{fa}_{fb}_{bm}x{bn}x{bk}_w{warps}{'' if nonkdim == 16 else f'_m{nonkdim}'}",
        "gemm_scaled",
        arch,
        args,
        constexprs,
        (m // bm, n // bn, 1),
        warps,
        {"num_stages": 2, "matrix_instr_nonkdim": nonkdim},
        "gemm_scaled",
        {"rtol": 1e-5, "atol": 1e-1},
    )


def _shapes(arch: str) -> Iterator[Case]:
    """One wave, one tile: every dense matrix instruction that gfx950 has and gfx942 has not, where Triton uses it."""
    for nonkdim in (16, 32):
        tag = f"_m{nonkdim}"
        for dtype in ("float16", "bfloat16"):
            yield _gemm(
                arch, dtype, True, (32, 32, 32), 1, (64, 32, 64), out="float32", even=True, nonkdim=nonkdim, tag=tag
            )
        sizes = (64, 48, 80)
        yield _gemm(
            arch, "int8", True, (32, 32, 64), 1, sizes, out="int32", nonkdim=nonkdim, fill="int:-128:128", tag=tag
        )
        for dtype in ("float8_e4m3fn", "float8_e5m2"):
            yield _gemm(arch, dtype, True, (32, 32, 128), 1, (64, 32, 256), out="float32", even=True, nonkdim=nonkdim,
                        tag=tag)  # fmt: skip
    for fa, fb in (("e4m3", "e2m1"), ("e2m1", "e2m1"), ("e5m2", "e4m3")):
        yield _scaled(arch, fa, fb, (64, 64, 256), 4, 32)


def _attention(arch: str, causal: bool, dtype: str, d: int, nonkdim: int) -> Case:
    length, heads, bm, bn = 256, 2, 128, 64
    shape = (heads, length, d)
    args = (
        pointer("q", dtype, *shape),
        pointer("k", dtype, *shape),
        pointer("v", dtype, *shape),
        pointer("o", dtype, *shape, role="out"),
        f32("scale", d**-0.5),
        i32("length", length),
    )
    name = f"attention_{dtype.replace('float', 'f')}_d{d}{'_causal' if causal else ''}"
    return Case(
        name,
        "attention",
        arch,
        args,
        {"CAUSAL": causal, "BM": bm, "BN": bn, "D": d},
        (length // bm, heads, 1),
        4,
        {"num_stages": 2, "matrix_instr_nonkdim": nonkdim},
        "attention_causal" if causal else "attention",
        {"rtol": 1e-2, "atol": 1e-2},
    )


def _maps(arch: str) -> Iterator[Case]:
    n = 3000
    grid = (_ceil(n, 1024), 1, 1)
    block = {"BLOCK": 1024}
    exact = {"rtol": 0.0, "atol": 0.0}
    yield Case(
        "axpy",
        "axpy",
        arch,
        (pointer("x", "float32", n), pointer("y", "float32", n, role="inout"), f32("alpha", 1.5), i32("n", n)),
        block,
        grid,
        reference="axpy",
        tolerance={"rtol": 1e-6, "atol": 1e-6},
    )
    yield Case(
        "gelu_bf16",
        "gelu",
        arch,
        (pointer("x", "bfloat16", n), pointer("y", "bfloat16", n, role="out"), i32("n", n)),
        block,
        grid,
        reference="gelu",
        tolerance={"rtol": 2.0**-8 * 1.02, "atol": 1e-5},
    )
    yield Case(
        "transcendental",
        "transcendental",
        arch,
        (pointer("x", "float32", n, fill="uniform:0.01:8"), pointer("y", "float32", 9, n, role="out"), i32("n", n)),
        block,
        grid,
        reference="transcendental",
        tolerance={"rtol": 4e-6, "atol": 4e-6},
    )
    fp8 = "float8_e4m3fn" if arch == GFX950 else "float8_e4m3fnuz"
    for source, target in (("float32", "bfloat16"), ("float32", fp8), (fp8, "float16"), ("float16", "bfloat16")):
        name = f"convert_{source}_{target}".replace("float", "f")
        yield Case(
            name,
            "convert",
            arch,
            (pointer("x", source, n), pointer("y", target, n, role="out"), i32("n", n)),
            block,
            grid,
            reference="convert",
            tolerance=exact,
        )
    for dtype, low, high in (("int32", -(2**31), 2**31), ("uint32", 0, 2**32), ("int64", -(2**62), 2**62)):
        divisor = "divisor:1000" if dtype != "uint32" else "int:1:100000"
        yield Case(
            f"division_{dtype}",
            "integer_division",
            arch,
            (
                pointer("x", dtype, n, fill=f"int:{low}:{high}"),
                pointer("d", dtype, n, fill=divisor),
                pointer("q", dtype, n, role="out"),
                pointer("r", dtype, n, role="out"),
                i32("n", n),
            ),
            block,
            grid,
            reference="division",
            tolerance=exact,
        )
    yield Case(
        "gather",
        "gather",
        arch,
        (
            pointer("x", "float32", 500),
            pointer("index", "int32", n, fill="int:-50:500"),
            pointer("y", "float32", n, role="out"),
            i32("n", n),
        ),
        block,
        grid,
        reference="gather",
        tolerance=exact,
    )
    yield Case(
        "divergent",
        "divergent",
        arch,
        (pointer("x", "int32", n, fill="int:1:200"), pointer("y", "int32", n, role="out"), i32("n", n)),
        block,
        grid,
        reference="collatz",
        tolerance=exact,
    )
    yield Case(
        "philox",
        "random_uniform",
        arch,
        (pointer("y", "uint32", n, role="out"), i32("seed", 1234), i32("n", n)),
        block,
        grid,
        reference="philox",
        tolerance=exact,
    )


def _rows(arch: str) -> Iterator[Case]:
    exact = {"rtol": 0.0, "atol": 0.0}
    for columns, stride, warps, dtype in ((781, 800, 4, "float32"), (2000, 2000, 8, "bfloat16")):
        rows, short = 5, dtype.replace("float", "f")
        block = 1 << (columns - 1).bit_length()
        tolerance = {"rtol": 4e-6 if dtype == "float32" else 2.0**-8 * 1.02, "atol": 1e-6}
        yield Case(
            f"softmax_{short}_w{warps}",
            "softmax",
            arch,
            (
                pointer("x", dtype, rows, stride),
                pointer("y", dtype, rows, stride, role="out"),
                i32("columns", columns),
                i32("stride", stride),
            ),
            {"BLOCK": block},
            (rows, 1, 1),
            warps,
            reference="softmax",
            tolerance=tolerance,
        )
        yield Case(
            f"layernorm_{short}_w{warps}",
            "layernorm",
            arch,
            (
                pointer("x", dtype, rows, stride),
                pointer("w", dtype, columns),
                pointer("b", dtype, columns),
                pointer("y", dtype, rows, stride, role="out"),
                i32("columns", columns),
                i32("stride", stride),
                f32("eps", 1e-5),
            ),
            {"BLOCK": block},
            (rows, 1, 1),
            warps,
            reference="layernorm",
            tolerance={"rtol": tolerance["rtol"], "atol": 4e-6},
        )
    yield Case(
        "reduce_rows",
        "reduce_rows",
        arch,
        (
            pointer("x", "float32", 6, 1500),
            pointer("total", "float32", 6, role="out"),
            pointer("top", "float32", 6, role="out"),
            pointer("where", "int32", 6, role="out"),
            i32("columns", 1500),
        ),
        {"BLOCK": 2048},
        (6, 1, 1),
        4,
        reference="reduce_rows",
        tolerance={"rtol": 1e-5, "atol": 1e-4},
    )
    yield Case(
        "reduce_columns",
        "reduce_columns",
        arch,
        (
            pointer("x", "float32", 150, 200),
            pointer("y", "float32", 200, role="out"),
            i32("rows", 150),
            i32("columns", 200),
        ),
        {"BR": 64, "BC": 64},
        (4, 1, 1),
        8,
        reference="reduce_columns",
        tolerance={"rtol": 1e-5, "atol": 1e-5},
    )
    for kernel in ("scan", "sort_rows"):
        yield Case(
            kernel,
            kernel,
            arch,
            (pointer("x", "int32", 3, 512, fill="int:-1000:1000"), pointer("y", "int32", 3, 512, role="out")),
            {"BLOCK": 512},
            (3, 1, 1),
            4,
            reference=kernel,
            tolerance=exact,
        )
    yield Case(
        "transpose",
        "transpose",
        arch,
        (
            pointer("x", "bfloat16", 100, 130),
            pointer("y", "bfloat16", 130, 100, role="out"),
            i32("rows", 100),
            i32("columns", 130),
        ),
        {"BR": 64, "BC": 64},
        (2, 3, 1),
        4,
        reference="transpose",
        tolerance=exact,
    )
    yield Case(
        "histogram",
        "histogram_atomic",
        arch,
        (
            pointer("x", "int32", 3000, fill="int:0:37"),
            pointer("bins", "int32", 37, fill="zeros", role="inout"),
            i32("n", 3000),
        ),
        {"BLOCK": 1024},
        (3, 1, 1),
        4,
        reference="histogram",
        tolerance=exact,
    )
    # No negative values: Triton 3.9 combines the lanes of a wave that meet at one address with an unsigned
    # comparison for the signed maximum and minimum too (AtomicRMWOpsEmitter.cpp, performOp), so that the memory
    # ends up wrong. The emulator showed it; it is not the emulator's to mend.
    yield Case(
        "atomics",
        "atomics",
        arch,
        (
            pointer("x", "float32", 2500),
            pointer("z", "int32", 2500, fill="int:0:9999"),
            pointer("total", "float32", 4, fill="zeros", role="inout"),
            pointer("top", "int32", 1, fill="zeros", role="inout"),
            pointer("low", "int32", 1, fill="zeros", role="inout"),
            pointer("bits", "int32", 1, fill="zeros", role="inout"),
            pointer("swap", "int32", 3, fill="int:6:9", role="inout"),
            i32("n", 2500),
        ),
        {"BLOCK": 1024},
        (3, 1, 1),
        4,
        reference="atomics",
        tolerance={"rtol": 1e-5, "atol": 1e-4},
    )


def cases() -> list[Case]:
    """Every case, gfx942's and gfx950's, in a fixed order."""
    out: list[Case] = []
    for arch in BOTH:
        out += _gemms(arch)
        out += [
            _attention(arch, False, "bfloat16", 64, 16),
            _attention(arch, False, "bfloat16", 128, 32),
            _attention(arch, True, "bfloat16", 128, 32),
            _attention(arch, True, "float16", 64, 32),
        ]
        out += _maps(arch)
        out += _rows(arch)
    for fa, fb in (("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e5m2", "e2m1")):
        out.append(_scaled(GFX950, fa, fb, (128, 128, 128), 4))
        out.append(_scaled(GFX950, fa, fb, (64, 64, 256), 4))
    out += _shapes(GFX950)
    return out


FIXTURES = (
    "gemm_bf16_nt_128x128x64_w4_gfx950",
    "gemm_bf16_nt_128x128x64_w4_gfx942",
    "gemm_bf16_nt_256x256x64_w8_gfx950",
    "gemm_even_bf16_nn_128x128x64_w8_s3_gfx950",
    "gemm_even_f8e5m2fnuz_nn_64x64x128_w4_gfx942",
    "gemm_int8_nt_128x128x128_w4_gfx942",
    "gemm_f32_nt_64x64x32_w4_gfx942",
    "gemm_scaled_e4m3_e4m3_64x64x256_w4_gfx950",
    "gemm_scaled_e5m2_e2m1_128x128x128_w4_gfx950",
    "gemm_even_f16_nt_32x32x32_w1_m16_gfx950",
    "gemm_even_f16_nt_32x32x32_w1_m32_gfx950",
    "gemm_even_bf16_nt_32x32x32_w1_m32_gfx950",
    "gemm_int8_nt_32x32x64_w1_m16_gfx950",
    "gemm_int8_nt_32x32x64_w1_m32_gfx950",
    "gemm_even_f8e4m3fn_nt_32x32x128_w1_m16_gfx950",
    "gemm_even_f8e5m2_nt_32x32x128_w1_m32_gfx950",
    "gemm_scaled_e4m3_e2m1_64x64x256_w4_m32_gfx950",
    "gemm_scaled_e5m2_e4m3_64x64x256_w4_m32_gfx950",
    "attention_bf16_d64_gfx950",
    "attention_bf16_d128_gfx950",
    "attention_bf16_d128_causal_gfx942",
    "softmax_f32_w4_gfx950",
    "softmax_bf16_w8_gfx942",
    "layernorm_f32_w4_gfx950",
    "axpy_gfx950",
    "gelu_bf16_gfx942",
    "transcendental_gfx950",
    "convert_f32_f8_e4m3fn_gfx950",
    "convert_f8_e4m3fnuz_f16_gfx942",
    "reduce_rows_gfx950",
    "sort_rows_gfx950",
    "philox_gfx950",
    "divergent_gfx942",
    "atomics_gfx950",
    "division_int32_gfx950",
    "division_int64_gfx942",
)
"""Labels of the cases that are kept in the repository, under tests/data/triton."""


def ladder() -> Iterator[Case]:
    """Products of one size whose code is better or worse for plain reasons: tile, stages, waves, spilled registers."""
    for tile, warps, stages in (
        ((256, 256, 64), 4, 2),
        ((256, 128, 64), 8, 2),
        ((128, 128, 64), 4, 2),
        ((128, 128, 64), 4, 1),
        ((32, 32, 64), 4, 2),
        ((256, 256, 64), 2, 2),
    ):
        yield _gemm(
            GFX950, "bfloat16", True, tile, warps, (4096, 4096, 1024), even=True, stages=stages, tag=f"_s{stages}"
        )

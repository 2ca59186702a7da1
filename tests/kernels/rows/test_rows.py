"""Every kernel on rows: a seeded sample, bytes moved, special values, refusals; torch where it is installed."""

from __future__ import annotations

import numpy as np
import pytest
from support.rows_runs import ARCHS, KERNELS, Values, built, random_case, run

import hkasm
from hkasm.asm.toolchain import Toolchain
from hkasm.emulator.checks.stores import SEGMENT
from hkasm.errors import UsageError
from hkasm.kernels import get_kernel
from hkasm.kernels.rows.philox import kept, philox
from hkasm.kernels.rows.problem import RowsProblem
from hkasm.kernels.rows.spans import DTYPES
from hkasm.kernels.rows.transpose import TransposeProblem

CASES = 4


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", KERNELS)
def test_a_seeded_sample_is_right(name: str, arch: str, toolchain: Toolchain) -> None:
    for number in range(CASES):
        values, shift = random_case(np.random.default_rng([number, KERNELS.index(name)]), name, arch)
        report, comparisons, _ = run(name, arch, values, shift=shift, seed=number)
        assert report.findings == []
        assert all(one.passed for one in comparisons), f"{values} shift={shift}: {[str(one) for one in comparisons]}"


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("n", [64, 1000, 4096])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("softmax", {}),
        ("layernorm", {"residual": "add", "affine": "both"}),
        ("rmsnorm", {}),
        ("silu_mul", {}),
        ("transpose", {}),
    ],
)
def test_every_element_is_read_once_and_written_once(
    name: str, more: Values, n: int, arch: str, toolchain: Toolchain
) -> None:
    values: Values = {"n": n, "rows": 5, "dtype": "bf16", **more}
    report, _, _ = run(name, arch, values)
    problem = get_kernel(name).problem(**values)
    assert isinstance(problem, (RowsProblem, TransposeProblem))
    assert (report.counters["load_bytes"], report.counters["store_bytes"]) == problem.least_bytes


@pytest.mark.parametrize(("name", "tensors"), [("softmax", 1), ("silu_mul", 2), ("quantise", 1), ("transpose", 1)])
def test_whole_cache_lines_are_touched_once(name: str, tensors: int, toolchain: Toolchain) -> None:
    """At most 1.02 of the lines that aligned shapes take."""
    report, _, _ = run(name, "gfx950", {"n": 4096, "rows": 64, "dtype": "bf16"})
    assert report.counters["load_segments"] * SEGMENT <= 1.02 * tensors * 64 * 4096 * 2


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("n", [9, 600])
def test_softmax_of_special_values(arch: str, n: int, toolchain: Toolchain) -> None:
    """Infinities, NaN and rows far from zero, whichever lanes hold them."""
    x = np.zeros((6, n), np.float32)
    x[0, 1], x[1, :], x[2, 3], x[3, 4], x[4, :], x[5, -1] = -np.inf, -np.inf, np.inf, np.nan, 3e4, -3e4
    values: Values = {"n": n, "rows": 6, "dtype": "f32"}
    _, comparisons, outputs = run("softmax", arch, values, inputs={"X": x.ravel()})
    assert all(one.passed for one in comparisons), str(comparisons[0])
    y = outputs["Y"].reshape(6, n)
    assert np.isnan(y[1:4]).all()
    assert y[0, 1] == y[5, -1] == 0


@pytest.mark.parametrize("arch", ARCHS)
def test_norms_keep_precision_far_from_zero(arch: str, toolchain: Toolchain) -> None:
    """A mean of 1000 with a spread of 1: the variance is that of differences, not of squares."""
    values: Values = {"n": 777, "rows": 2, "dtype": "f32", "affine": "both"}
    inputs = get_kernel("layernorm").problem(**values).inputs(3)
    inputs["X"] += 1000
    _, comparisons, _ = run("layernorm", arch, values, inputs=inputs)
    assert comparisons[0].passed, str(comparisons[0])
    assert comparisons[0].max_abs < 1e-3


def test_philox_gives_the_known_answers() -> None:
    """The first two vectors of Random123's known-answer tests for philox4x32-10."""
    known = {
        0: [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8],
        0xFFFF_FFFF: [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
    }
    for word, want in known.items():
        found = philox([np.full(1, word, np.uint64)] * 4, (word, word))
        assert [int(one[0]) for one in found] == want


@pytest.mark.parametrize("arch", ARCHS)
def test_dropout_makes_the_mask_that_numpy_makes(arch: str, toolchain: Toolchain) -> None:
    """Ones plus a residual of zeros show the mask, whatever the lengths; another offset gives another mask."""
    values: Values = {"n": 1003, "rows": 3, "dtype": "f32", "residual": "add", "dropout": "philox", "drop": 25}
    masks = []
    for offset in (0, (7 << 32) + 5):
        problem = get_kernel("rmsnorm").problem(**values, offset=offset)
        inputs = problem.inputs() | {"X": np.ones(3009, np.float32), "R": np.zeros(3009, np.float32)}
        _, comparisons, outputs = run("rmsnorm", arch, {**values, "offset": offset}, inputs=inputs)
        assert all(one.passed for one in comparisons)
        masks.append(outputs["Z"].reshape(3, 1003) != 0)
        assert (masks[-1] == kept(3, 1003, problem.seed, offset, 1 << 30)).all()
        assert abs(masks[-1].mean() - 0.75) < 0.03
    assert (masks[0] != masks[1]).any()


@pytest.mark.parametrize("arch", ARCHS)
def test_quantised_special_values(arch: str, toolchain: Toolchain) -> None:
    """Zeros stay zeros with a small finite scale, NaN stays NaN alone, too large is saturated."""
    x = np.zeros((3, 40), np.float32)
    x[1, 2], x[1, 3], x[2, 0], x[2, 1] = np.nan, 2.0, 1e30, -1e30
    by_row: Values = {"n": 40, "rows": 3, "dtype": "f32"}
    _, comparisons, outputs = run("quantise", arch, by_row, inputs={"X": x.ravel()})
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    y = outputs["Y"].astype(np.float32).reshape(3, 40)
    assert not y[0].any()
    assert np.isnan(y).sum() == 1
    assert 0 < outputs["S"][0] < 1e-30
    _, comparisons, outputs = run("quantise", arch, by_row | {"per": "tensor"}, inputs={"X": x.ravel()})
    assert comparisons[0].passed, str(comparisons[0])
    most = {"gfx942": 240, "gfx950": 448}[arch]
    assert list(outputs["Y"].astype(np.float32)[80:82]) == [most, -most]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("out", ["fp8", "bf8"])
def test_blocks_have_powers_of_two(out: str, dtype: str, toolchain: Toolchain) -> None:
    """Each block of 32 by itself, the last one short; a block of zeros has the code 0."""
    values: Values = {"n": 2021, "rows": 3, "dtype": dtype, "out": out, "per": "block"}
    inputs = get_kernel("quantise").problem(**values).inputs(5)
    x = inputs["X"].reshape(3, 2021)
    x[:, :2016] *= np.exp2(np.arange(63) % 20 - 10).repeat(32).astype(x.dtype)
    x[1, 64:96] = 0
    _, comparisons, outputs = run("quantise", "gfx950", values, inputs=inputs)
    assert all(one.passed for one in comparisons), [str(one) for one in comparisons]
    assert outputs["S"].reshape(3, 64)[1, 2] == 0


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("pairs", "dtype"), [("half", "bf16"), ("interleaved", "f32")])
def test_rope_reads_tables_once_a_token(pairs: str, dtype: str, arch: str, toolchain: Toolchain) -> None:
    """Whatever the heads and the sequences: a wave keeps its token's angles."""
    values: Values = {"n": 4096, "rows": 6, "batch": 3, "waves": 2, "pairs": pairs, "dtype": dtype}
    report, comparisons, _ = run("rope", arch, values)
    assert all(one.passed for one in comparisons), str(comparisons[0])
    read, written = 6 * 4096 * (2 if dtype == "bf16" else 4) + 2 * 2 * 64 * 4, 6 * 4096 * (2 if dtype == "bf16" else 4)
    assert (report.counters["load_bytes"], report.counters["store_bytes"]) == (read, written)
    assert report.counters["load_segments"] * SEGMENT == read


@pytest.mark.parametrize(
    ("rows", "batch", "grid"),
    [(4096, 1, (1024, 1, 1)), (4096, 4, (256, 1, 2)), (64, 1, (16, 16, 1)), (100, 2, (13, 8, 2)), (1, 1, (1, 16, 1))],
)
def test_rope_deals_sequences_then_heads_to_waves(rows: int, batch: int, grid: tuple[int, int, int]) -> None:
    """Until there is a wave for every SIMD, or a share is 512 elements."""
    problem = get_kernel("rope").problem(rows=rows, batch=batch, n=8192)
    assert problem.launch().grid == grid


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("pairs", ["half", "interleaved"])
def test_rope_in_place(pairs: str, arch: str, toolchain: Toolchain) -> None:
    """Y may be X: a wave reads what it writes before."""
    values: Values = {"n": 2560, "rows": 4, "dtype": "bf16", "pairs": pairs, "head": "64", "batch": 2, "waves": 1}
    problem = get_kernel("rope").problem(**values)
    assert isinstance(problem, RowsProblem)
    inputs, device = problem.inputs(4), hkasm.device("emulator")
    buffers = {name: device.buffer(array, name) for name, array in inputs.items()}
    buffers["Y"] = buffers["X"]
    launch = problem.launch()
    args = [buffers[one].address if isinstance(one, str) else one for one in launch.args]
    device.load(built("rope", arch, problem)).kernels["rope"].launch(
        launch.grid, launch.block, args, allow_aliasing=True
    )
    assert all(one.passed for one in problem.check(inputs, {"Y": buffers["X"].numpy()}))


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_torch_says_the_same(dtype: str, toolchain: Toolchain) -> None:
    torch = pytest.importorskip("torch")
    values: Values = {"n": 300, "rows": 3, "dtype": dtype}

    def tensor(array: np.ndarray) -> object:
        return torch.from_numpy(array.astype(np.float32))

    inputs = get_kernel("softmax").problem(**values).inputs(1)
    step = 2.0**-8 if dtype == "bf16" else 2.0**-20
    _, _, outputs = run("softmax", "gfx950", values, inputs=inputs)
    want = torch.softmax(tensor(inputs["X"]).reshape(3, 300), 1)
    np.testing.assert_allclose(outputs["Y"].astype(np.float32), want.numpy().ravel(), rtol=step, atol=1e-7)
    values["affine"] = "both"
    inputs = get_kernel("layernorm").problem(**values).inputs(2)
    _, _, outputs = run("layernorm", "gfx950", values, inputs=inputs)
    x, w, b = (tensor(inputs[name]) for name in ("X", "W", "B"))
    want = torch.nn.functional.layer_norm(x.reshape(3, 300), (300,), w, b, 1e-5)
    # Product and bias, both of order 1 in f32, may cancel.
    np.testing.assert_allclose(outputs["Y"].astype(np.float32), want.numpy().ravel(), rtol=step, atol=2.0**-20)


def test_what_is_not_declared_is_refused() -> None:
    with pytest.raises(UsageError, match=r"n=600: rows longer than span=512\n  hint: span=auto"):
        get_kernel("softmax").build("gfx950", n=600, span="512")
    with pytest.raises(UsageError, match=r"span=65536: not declared\n  hint: declared: 512, 2048"):
        get_kernel("silu_mul").build("gfx950", span="65536")
    with pytest.raises(UsageError, match=r"n=65537: out of range\n  hint: 1 to 65536"):
        get_kernel("rmsnorm").build("gfx950", n=65537)
    with pytest.raises(UsageError, match=r"n=100: no whole heads of 64"):
        get_kernel("rope").problem(n=100, head="64")
    with pytest.raises(UsageError, match=r"rows=7: not for batch=2\n  hint: rows is batch \* tokens"):
        get_kernel("rope").problem(rows=7, batch=2)
    with pytest.raises(UsageError, match=r"per=block is not declared for gfx942\n  hint: MX types are OCP's: gfx950"):
        get_kernel("quantise").build("gfx942", per="block")
    with pytest.raises(UsageError, match="ldx=10: shorter than a row"):
        get_kernel("softmax").problem(n=11, ldx=10)

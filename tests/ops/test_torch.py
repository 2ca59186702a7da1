"""The operators as torch's: checked by torch itself, traced whole, with gradients."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import hkasm.ops.torch  # noqa: E402
from hkasm.asm.toolchain import Toolchain  # noqa: E402
from hkasm.runtime import auto  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, toolchain: Toolchain) -> None:
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setattr("hkasm.runtime.cache.default_folder", lambda: folder)
    monkeypatch.setattr(auto, "_said", {"hkasm's operators run on the emulator here: right, checked, and slow"})


def _tensor(rows: int, columns: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn((rows, columns), generator=generator).bfloat16()


def test_opcheck_finds_nothing() -> None:
    a, b = _tensor(5, 64, 1), _tensor(7, 64, 2)
    torch.library.opcheck(torch.ops.hkasm.gemm, (a, b))
    torch.library.opcheck(torch.ops.hkasm.gemm, (a.requires_grad_(), b.requires_grad_()))


def test_results_and_gradients_are_torchs() -> None:
    a, b = _tensor(20, 96, 3).requires_grad_(), _tensor(33, 96, 4).requires_grad_()
    got = hkasm.ops.torch.gemm(a, b)
    want = torch.nn.functional.linear(a, b)
    torch.testing.assert_close(got, want)
    towards = _tensor(20, 33, 5)
    grads = torch.autograd.grad(got, (a, b), towards)
    torch.testing.assert_close(grads, torch.autograd.grad(want, (a, b), towards))


def test_a_strided_tensor_is_taken_as_it_lies() -> None:
    a, b = _tensor(20, 200, 6)[::2, 40:104], _tensor(9, 64, 7)
    torch.testing.assert_close(hkasm.ops.torch.gemm(a, b), a @ b.t())
    empty = hkasm.ops.torch.gemm(a[:, :0], b[:, :0])
    assert empty.shape == (10, 9)
    assert not empty.any()


def test_the_general_operator_takes_tensors_too() -> None:
    a, b = _tensor(4, 64, 8), _tensor(5, 64, 9)
    torch.testing.assert_close(hkasm.ops.gemm(a, b, device="emulator"), a @ b.t())


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(_tensor(24, 64, 10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.ops.hkasm.gemm(x * 2, self.weight)) + 1


def test_compile_traces_a_module_whole() -> None:
    layer, x = Layer(), _tensor(6, 64, 11)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), torch.relu((x * 2) @ layer.weight.t()) + 1)


def test_export_keeps_the_operator() -> None:
    exported = torch.export.export(Layer(), (_tensor(6, 64, 12),))
    assert "hkasm.gemm" in str(exported.graph)


def _half(*shape: int, seed: int = 20) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(torch.float16)


def test_opcheck_finds_nothing_in_the_others() -> None:
    q, k = _half(1, 2, 20, 64), _half(1, 1, 30, 64)
    torch.library.opcheck(torch.ops.hkasm.attention, (q, k, k, True))
    x, w = _half(3, 70), _half(70)
    torch.library.opcheck(torch.ops.hkasm.softmax, (x,))
    torch.library.opcheck(torch.ops.hkasm.layernorm, (x, w, w))
    torch.library.opcheck(torch.ops.hkasm.rmsnorm, (x, w))
    torch.library.opcheck(torch.ops.hkasm.silu_mul, (x, x))
    torch.library.opcheck(torch.ops.hkasm.gelu_mul, (x, x))


def test_the_others_give_what_torch_gives() -> None:
    functional = torch.nn.functional
    q, k, v = _half(2, 4, 37, 64), _half(2, 2, 70, 64, seed=21), _half(2, 2, 70, 64, seed=22)
    bottom_right = torch.ones(37, 70, dtype=torch.bool).tril(70 - 37)
    want = functional.scaled_dot_product_attention(q, k, v, attn_mask=bottom_right, enable_gqa=True)
    torch.testing.assert_close(torch.ops.hkasm.attention(q, k, v, True), want, atol=3e-3, rtol=3e-3)
    x, w, b = _half(5, 3, 100), _half(100, seed=23), _half(100, seed=24)
    torch.testing.assert_close(torch.ops.hkasm.layernorm(x, w, b), functional.layer_norm(x, (100,), w, b))
    torch.testing.assert_close(torch.ops.hkasm.rmsnorm(x, w), functional.rms_norm(x, (100,), w, eps=1e-5))
    torch.testing.assert_close(torch.ops.hkasm.softmax(x), x.softmax(-1))
    torch.testing.assert_close(torch.ops.hkasm.silu_mul(x, x), functional.silu(x) * x, atol=2e-3, rtol=2e-3)
    gelu = functional.gelu(x, approximate="tanh") * x
    torch.testing.assert_close(torch.ops.hkasm.gelu_mul(x, x), gelu, atol=2e-3, rtol=2e-3)


def test_a_block_of_them_is_traced_whole() -> None:
    def block(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.ops.hkasm.silu_mul(torch.ops.hkasm.rmsnorm(x, w), x)

    x, w = _half(4, 64), _half(64, seed=25)
    compiled = torch.compile(block, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x, w), block(x, w))


def test_opcheck_finds_nothing_in_decode_rope_transpose_and_quantise() -> None:
    q, cache = _half(2, 1, 4, 64), _half(6, 16, 2, 64, seed=30)
    lengths, table = torch.tensor([20, 40], dtype=torch.int32), torch.arange(6, dtype=torch.int32).reshape(2, 3)
    torch.library.opcheck(torch.ops.hkasm.decode, (q, cache, cache, lengths, table))
    x, angles = _half(2, 5, 4, 64), torch.linspace(0, 3, 8 * 32).reshape(8, 32)
    torch.library.opcheck(torch.ops.hkasm.rope, (x, angles.cos(), angles.sin()))
    torch.library.opcheck(torch.ops.hkasm.transpose, (_half(9, 70),))
    for to, per, factor in (
        ("fp4", "block", None),
        ("fp6", "block", None),
        ("fp8", "row", None),
        ("bf8", "tensor", 3.0),
    ):
        torch.library.opcheck(
            torch.ops.hkasm.quantise, (_half(3, 64), to, per, factor), test_utils=("test_schema", "test_faketensor")
        )


def test_decode_rope_transpose_and_quantise_give_what_torch_gives() -> None:
    functional = torch.nn.functional
    q, k, v = _half(2, 1, 4, 64), _half(6, 16, 2, 64, seed=31), _half(6, 16, 2, 64, seed=32)
    lengths, table = torch.tensor([20, 40], dtype=torch.int32), torch.tensor([[5, 2, 0], [1, 4, 3]], dtype=torch.int32)
    got = torch.ops.hkasm.decode(q, k, v, lengths, table)
    for number, length in enumerate(lengths.tolist()):
        keys, values = (one[table[number]].reshape(48, 2, 64)[:length].transpose(0, 1)[None] for one in (k, v))
        want = functional.scaled_dot_product_attention(q[number].transpose(0, 1)[None], keys, values, enable_gqa=True)
        torch.testing.assert_close(got[number].transpose(0, 1)[None], want, atol=3e-3, rtol=3e-3)
    x, angles = _half(2, 5, 4, 64), torch.linspace(0, 3, 8 * 32).reshape(8, 32)
    positions = torch.tensor([[7, 0, 3, 2, 1], [4, 4, 5, 6, 0]], dtype=torch.int32)
    cos, sin = (table[positions.long()][:, :, None] for table in (angles.cos(), angles.sin()))
    first, second = x[..., :32].float(), x[..., 32:].float()
    want = torch.cat([first * cos - second * sin, second * cos + first * sin], -1).half()
    torch.testing.assert_close(torch.ops.hkasm.rope(x, angles.cos(), angles.sin(), positions), want)
    torch.testing.assert_close(torch.ops.hkasm.transpose(x[0, 0]), x[0, 0].t())
    y, scale = torch.ops.hkasm.quantise(x, "fp8", "row")
    assert (y.dtype, scale.shape) == (torch.float8_e4m3fn, x.shape[:-1])
    torch.testing.assert_close(y.float() * scale[..., None], x.float(), rtol=2**-4, atol=2**-6)
    once, none = torch.ops.hkasm.quantise(x, "fp8", "tensor", 16.0)
    torch.testing.assert_close(once.float(), (x.float() * 16).to(torch.float8_e4m3fn).float())
    assert none.numel() == 0


def test_compile_keeps_quantise() -> None:
    compiled = torch.compile(
        lambda x: torch.ops.hkasm.quantise(x * 2, "fp4", "block")[1] + 1, fullgraph=True, backend="aot_eager"
    )
    x = _half(3, 64)
    assert torch.equal(compiled(x), torch.ops.hkasm.quantise(x * 2, "fp4", "block")[1] + 1)

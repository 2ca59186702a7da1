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

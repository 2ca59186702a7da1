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

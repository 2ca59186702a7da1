"""What the command's tests share: the command as a function, and a toolchain or a reason to skip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hkasm.asm.toolchain import find_toolchain
from hkasm.cli import main
from hkasm.errors import ToolchainError

Hkasm = Callable[..., Result]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep this machine's settings out of the tests."""
    for name in ("HKASM_CLANG", "HKASM_ARCH", "HKASM_DEVICE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def hkasm() -> Hkasm:
    """Run the command with words, as a shell would; the result has exit_code, stdout and stderr."""
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words], prog_name="hkasm")


@pytest.fixture(scope="session")
def toolchain() -> None:
    """Skip where there is no clang and lld for both archs."""
    try:
        for arch in ("gfx942", "gfx950"):
            find_toolchain(arch=arch)
    except ToolchainError as error:
        pytest.skip(error.message)


@pytest.fixture(scope="session")
def built(toolchain: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `hkasm build gemm --arch gfx950` writes."""
    folder = tmp_path_factory.mktemp("built")
    result = CliRunner().invoke(main, ["build", "gemm", "--arch", "gfx950", "-o", str(folder)])
    assert result.exit_code == 0, result.output
    return folder

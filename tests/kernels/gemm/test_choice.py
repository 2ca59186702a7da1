"""What is chosen for a shape: shares where the last round of tiles leaves the chip idle, tiles elsewhere."""

from __future__ import annotations

import pytest

from hkasm.kernels import get_kernel


@pytest.mark.parametrize(
    ("arch", "m", "n", "k", "work"),
    [
        ("gfx950", 8192, 8192, 8192, "tiles"),  # four full rounds
        ("gfx950", 4096, 4352, 4096, "stream"),  # a second round of 16 tiles
        ("gfx950", 512, 512, 8192, "stream"),  # 64 tiles, 128 K steps each
        ("gfx950", 512, 512, 256, "tiles"),  # as few, but with little to share
        ("gfx942", 2048, 2048, 2048, "tiles"),
        ("gfx942", 256, 256, 65536, "stream"),
    ],
)
def test_shares_where_they_are_worth_it(arch: str, m: int, n: int, k: int, work: str) -> None:
    kernel, values = get_kernel("gemm"), {"m": m, "n": n, "k": k, "arch": arch}
    kept = "auto" if work == "tiles" else work
    assert kernel.settled(kernel.config(), values).work == kept
    assert kernel.problem_on(arch, values).work == kept
    assert kernel.reasons(kernel.config(), values)["work"].startswith(f"{work}: ")


def test_what_is_asked_for_is_kept() -> None:
    kernel, values = get_kernel("gemm"), {"m": 512, "n": 512, "k": 8192, "arch": "gfx950"}
    kept = kernel.settled(kernel.config(tile="128x128", work="tiles"), values)
    assert (kept.tile, kept.work) == ("128x128", "tiles")
    assert kernel.settled(kernel.config(tile="128x128"), values).tile == "128x128"
    assert kernel.settled(kernel.config(batch="split", out="f32"), values).work == "auto"
    assert kernel.settled(kernel.config(), {"arch": "gfx950"}).work == "auto"


def test_the_reason_says_what_is_idle_and_what_is_expected() -> None:
    kernel, values = get_kernel("gemm"), {"m": 4096, "n": 4352, "k": 4096, "arch": "gfx950"}
    said = kernel.reasons(kernel.config(), values)["work"]
    assert "the last of 3 rounds of 544 tiles 256x128 keeps 32 of 256 compute units busy" in said
    assert "256 workgroups take" in said
    assert "clk by shares against" in said

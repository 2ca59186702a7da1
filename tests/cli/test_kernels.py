"""`hkasm kernels`: every kernel with every parameter, its default and its limits."""

from __future__ import annotations

import json
from collections.abc import Callable

from click.testing import Result

from hkasm.kernels import get_kernel, list_kernels

Hkasm = Callable[..., Result]


def test_every_kernel_and_parameter_is_listed(hkasm: Hkasm) -> None:
    listed = {one["name"]: one for one in json.loads(hkasm("kernels", "--json").stdout)}
    assert sorted(listed) == list_kernels()
    for name, one in listed.items():
        kernel = get_kernel(name)
        assert one["archs"] == list(kernel.archs)
        assert [p["name"] for p in one["parameters"]] == [p.name for p in kernel.parameters() if p.name != "arch"]
        assert all(p["doc"] for p in one["parameters"])


def test_table_shows_default_and_limits(hkasm: Hkasm) -> None:
    said = hkasm("kernels", "gemm").stdout.splitlines()
    assert said[0] == "gemm (gfx942, gfx950)"
    assert said[2].split() == ["parameter", "default", "limits", "what", "it", "is"]
    rows = {line.split()[0]: line.split()[1:] for line in said[3:]}
    assert rows["m"][:4] == ["512", "1", "to", "16777216"]
    assert rows["acc"][:3] == ["agpr", "agpr,", "vgpr"]


def test_unknown_kernel(hkasm: Hkasm) -> None:
    result = hkasm("kernels", "gemn")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "hkasm: unknown kernel 'gemn'; did you mean 'gemm'?\n"

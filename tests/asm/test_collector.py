"""The garbage collector rests during a build, and is afterwards what it was before."""

from __future__ import annotations

import gc

import pytest

from hkasm.asm.builder import Builder, build
from hkasm.asm.collector import no_collection


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_what_it_was(on: bool) -> None:
    was_on = gc.isenabled()
    try:
        gc.enable() if on else gc.disable()
        with no_collection(), no_collection():
            assert not gc.isenabled()
        assert gc.isenabled() is on
    finally:
        gc.enable() if was_on else gc.disable()


def test_a_kernel_that_fails_turns_it_on_again() -> None:
    def kernel(k: Builder) -> None:
        assert not gc.isenabled()
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        build(kernel, arch="gfx950")
    assert gc.isenabled()

"""What `Builder.finish` refuses: missing wait states, missing waits, registers that were given back; labels' names."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from hkasm.asm.builder import Builder, build
from hkasm.errors import HazardError, HkasmError, RegisterError, UsageError, WaitError
from hkasm.isa import ARCHES
from hkasm.isa.registers import VCC, Register, a, s, v


def message(error: pytest.ExceptionInfo[HkasmError]) -> str:
    return re.sub(r"test_finish\.py:\d+", "test_finish.py:N", str(error.value))


# -- wait states -----------------------------------------------------------------------------------------------------


def product(k: Builder) -> None:
    k.v_mov_b32(v[8], 0)
    k.v_mfma_f32_16x16x16_f16(a[0:4], v[8:10], v[10:12], 0)


@pytest.mark.parametrize("arch", ARCHES)
def test_a_missing_wait_state_names_both_lines_the_rule_and_the_repair(arch: str) -> None:
    def kernel(k: Builder) -> None:
        product(k)
        k.s_endpgm()

    with pytest.raises(HazardError) as error:
        build(kernel, arch=arch)
    assert message(error) == (
        "test_finish.py:N: v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], 0: needs 2 wait states after "
        "v_mov_b32_e32 v8, 0 of test_finish.py:N, has 0: 2 missing (valu-result-to-mfma: LLVM 22 hazard recogniser)\n"
        "  hint: k.s_nop(1) (2 wait states) before this line, other work there, or k.fix_hazards()"
    )


def test_an_s_nop_or_fix_hazards_or_other_work_is_enough() -> None:
    def by_hand(k: Builder) -> None:
        k.v_mov_b32(v[8], 0)
        k.s_nop(1)
        k.v_mfma_f32_16x16x16_f16(a[0:4], v[8:10], v[10:12], 0)
        k.s_endpgm()

    def by_request(k: Builder) -> None:
        product(k)
        k.s_endpgm()
        k.fix_hazards()

    def by_work(k: Builder) -> None:
        k.v_mov_b32(v[8], 0)
        k.s_mov_b32(s[20], 0)
        k.s_mov_b32(s[21], 0)
        k.v_mfma_f32_16x16x16_f16(a[0:4], v[8:10], v[10:12], 0)
        k.s_endpgm()

    lengths = [len(build(kernel, arch="gfx950").instructions) for kernel in (by_hand, by_request, by_work)]
    assert lengths == [4, 4, 5]


def test_a_hazard_round_a_loop_is_found() -> None:
    def kernel(k: Builder) -> None:
        top = k.place(k.label("top"))
        k.v_cndmask_b32(v[1], v[2], v[3], VCC)
        k.s_nop(4)
        k.v_cmp_lt_u32(VCC, v[1], v[4])
        k.s_cbranch_scc1(top)
        k.s_endpgm()

    with pytest.raises(HazardError, match="valu-sgpr-to-valu"):
        build(kernel, arch="gfx942")


def test_unchecked_programs_are_given_as_they_are() -> None:
    k = Builder("gfx950")
    product(k)
    k.s_endpgm()
    assert len(k.finish(checked=False).instructions) == 3


# -- waits -----------------------------------------------------------------------------------------------------------


def load(k: Builder) -> None:
    xs = k.vgpr("xs", 4, pin=4)
    k.global_load_dwordx4(xs, v[0:2], None)


def test_a_missing_wait_names_the_load_the_register_and_the_repair() -> None:
    def kernel(k: Builder) -> None:
        load(k)
        k.v_add_f32(v[8], v[5], 1.0)
        k.s_endpgm()

    with pytest.raises(WaitError) as error:
        build(kernel, arch="gfx950")
    assert message(error) == (
        "test_finish.py:N: v_add_f32: reads v5 while global_load_dwordx4 v[4:7], v[0:1], off of test_finish.py:N may "
        "be in flight (vmcnt)\n  hint: k.wait(v5) before this line"
    )


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ((0, 1), "reads v4 (a[0]) while global_load_dwordx2 v[4:5], v[0:1], off of test_finish.py:N"),
        ((1,), "reads v6 (b[0]) while global_load_dwordx2 v[6:7], v[0:1], off of test_finish.py:N"),
    ],
)
def test_a_missing_wait_names_the_load_that_fills_the_register_and_all_that_must_be_here(
    missing: tuple[int, ...], text: str
) -> None:
    tiles: list[Register] = []

    def kernel(k: Builder) -> None:
        tiles[:] = [k.vgpr(name, 2, pin=pin) for name, pin in (("a", 4), ("b", 6))]
        for tile in tiles:
            k.global_load_dwordx2(tile, v[0:2], None)
        k.wait(*(tile for number, tile in enumerate(tiles) if number not in missing), v[9])
        k.v_mfma_f32_16x16x16_f16(a[0:4], *tiles, 0)
        k.s_endpgm()

    with pytest.raises(WaitError) as error:
        build(kernel, arch="gfx942")
    names = ", ".join(tiles[number].name for number in missing)
    assert message(error) == (
        f"test_finish.py:N: v_mfma_f32_16x16x16_f16: {text} may be in flight (vmcnt)\n"
        f"  hint: k.wait({names}) before this line"
    )


def test_a_missing_wait_for_parts_and_for_two_counters_is_for_whole_allocations() -> None:
    def kernel(k: Builder) -> None:
        xs, y = k.vgpr("xs", 8, pin=4), k.vgpr("y", pin=12)
        k.ds_read_b32(y, v[0])
        k.global_load_dwordx4(xs[0:4], v[0:2], None)
        k.v_add_f32(v[13], xs[2:4][1], y)
        k.s_endpgm()

    with pytest.raises(WaitError) as error:
        build(kernel, arch="gfx942")
    assert message(error) == (
        "test_finish.py:N: v_add_f32: reads v7 (xs[2:4][1]) while global_load_dwordx4 v[4:7], v[0:1], off of "
        "test_finish.py:N may be in flight (vmcnt)\n  hint: k.wait(xs, y) before this line"
    )


USES: dict[str, Callable[[Builder], object]] = {
    "read": lambda k: k.v_add_f32(v[8], v[5], 1.0),
    "written": lambda k: k.v_mov_b32(v[7], 0),
    "stored": lambda k: k.global_store_dword(v[0:2], v[4], None),
    "an address": lambda k: k.ds_read_b32(v[9], v[4]),
    "loaded by another counter": lambda k: k.ds_read_b32(v[4], v[0]),
}
MENDS: dict[str, Callable[[Builder], object]] = {
    "wait": lambda k: k.wait(v[4:8]),
    "wait for all": lambda k: k.wait(),
    "counts": lambda k: k.wait_counts(vmcnt=0),
    "s_waitcnt": lambda k: k.s_waitcnt(0),
}


@pytest.mark.parametrize("use", USES)
def test_every_use_of_a_register_in_flight_is_refused_and_waits_of_any_kind_count(use: str) -> None:
    def write(mend: Callable[[Builder], object] | None) -> int:
        def kernel(k: Builder) -> None:
            load(k)
            if mend is not None:
                mend(k)
            USES[use](k)
            k.s_endpgm()

        return len(build(kernel, arch="gfx942").instructions)

    with pytest.raises(WaitError, match="may be in flight"):
        write(None)
    assert {name: write(mend) for name, mend in MENDS.items()} == dict.fromkeys(MENDS, 4)


def test_a_count_that_is_one_too_loose_is_refused() -> None:
    def kernel(k: Builder, count: int) -> None:
        for number in range(3):
            k.global_load_dword(v[4 + number], v[0:2], None)
        k.wait_counts(vmcnt=count)
        k.v_mov_b32(v[8], v[5])
        k.s_endpgm()

    build(lambda k: kernel(k, 1), arch="gfx950", name="right")
    with pytest.raises(WaitError, match="reads v5"):
        build(lambda k: kernel(k, 2), arch="gfx950", name="loose")


def test_scalar_loads_return_in_any_order() -> None:
    def kernel(k: Builder) -> None:
        k.s_load_dword(s[8], s[0:2], 0)
        k.s_load_dword(s[9], s[0:2], 4)
        k.wait_counts(lgkmcnt=1)
        k.s_mov_b32(s[10], s[8])
        k.s_endpgm()

    with pytest.raises(WaitError, match=r"reads s8 while s_load_dword s8, s\[0:1\], 0x0"):
        build(kernel, arch="gfx950")


def test_loads_in_order_may_be_loaded_over_and_halves_merged() -> None:
    def kernel(k: Builder) -> None:
        k.global_load_dword(v[4], v[0:2], None)
        k.global_load_dword(v[4], v[0:2], None)
        k.global_load_short_d16(v[5], v[0:2], None)
        k.global_load_short_d16_hi(v[5], v[0:2], None)
        k.s_endpgm()

    assert len(build(kernel, arch="gfx950").instructions) == 5


def test_a_load_that_a_loop_leaves_in_flight_is_seen() -> None:
    def kernel(k: Builder) -> None:
        k.v_mov_b32(v[4], 0)
        top = k.place(k.label("top"))
        k.v_add_f32(v[5], v[4], v[5])
        k.global_load_dword(v[4], v[0:2], None)
        k.s_cbranch_scc1(top)
        k.s_endpgm()

    with pytest.raises(WaitError, match="reads v4 while global_load_dword v4"):
        build(kernel, arch="gfx950")


# -- registers given back --------------------------------------------------------------------------------------------


def test_a_register_used_behind_its_free_names_both_lines() -> None:
    def kernel(k: Builder) -> None:
        xs = k.vgpr("xs", 2)
        k.v_mov_b32(xs[0], 1)
        k.free(xs)
        k.v_mov_b32(xs[1], 2)
        k.s_endpgm()

    with pytest.raises(RegisterError) as error:
        build(kernel, arch="gfx950")
    assert message(error) == (
        "test_finish.py:N: v_mov_b32: uses xs[1]=v3, which test_finish.py:N has freed\n"
        "  hint: free it behind its last use"
    )


def test_a_name_may_be_allocated_and_freed_again_and_again() -> None:
    def kernel(k: Builder) -> None:
        for number in range(3):
            temporary = k.vgpr("temporary", 2)
            k.v_mov_b32(temporary[1], number)
            k.free(temporary)
        other = k.vgpr("other", 2)
        k.v_mov_b32(other[0:2][1], 1)
        k.s_endpgm()

    assert len(build(kernel, arch="gfx950").instructions) == 5


def test_only_registers_are_freed() -> None:
    with pytest.raises(RegisterError, match=r"cannot free 'xs'"):
        Builder("gfx950").free("xs")  # type: ignore[arg-type]


# -- labels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["v0", "s200", "acc3", "ttmp3", "vcc", "exec_lo", "scc", "shared_base", "null"])
def test_labels_are_not_called_like_registers(name: str) -> None:
    with pytest.raises(UsageError, match=f"label '{name}' is the name of a register"):
        Builder("gfx950").label(name)


@pytest.mark.parametrize("name", ["1x", "a b", "a-b", "é", "a@b", "loop:"])
def test_labels_have_the_assemblers_characters(name: str) -> None:
    with pytest.raises(UsageError, match="has other characters than letters"):
        Builder("gfx950").place(name)


def test_a_label_is_not_the_kernels_own_name() -> None:
    with pytest.raises(UsageError, match="label 'axpy' is the kernel's own"):
        Builder("gfx950", "axpy").label("axpy")


@pytest.mark.llvm
@pytest.mark.parametrize("name", ["L.1", "$x", ".Lx", "s_nop", "off", "v", "lit", "_", "v0x", "loop_1"])
def test_labels_that_are_taken_go_through_the_assembler(name: str) -> None:
    from hkasm.asm.toolchain import build_hsaco

    k = Builder("gfx950")
    k.s_branch(k.place(name))
    assert build_hsaco(k.finish())


# -- numbers ---------------------------------------------------------------------------------------------------------


def test_numpy_numbers_are_numbers() -> None:
    k = Builder("gfx950")
    written = [
        k.v_add_u32(v[0], np.int32(7), v[1]),
        k.v_mul_f32(v[0], np.float32(0.5), v[1]),
        k.s_mov_b32(s[8], np.uint16(300)),
        k.s_load_dword(s[8], s[0:2], np.int64(16)),
        k.ds_read_b32(v[0], v[1], offset=np.uint8(64)),
        k.s_nop(np.int8(3)),
    ]
    assert [str(inst) for inst in written] == [
        "v_add_u32_e32 v0, 7, v1",
        "v_mul_f32_e32 v0, 0.5, v1",
        "s_mov_b32 s8, 0x12c",
        "s_load_dword s8, s[0:1], 0x10",
        "ds_read_b32 v0, v1 offset:64",
        "s_nop 3",
    ]

"""Which declared instructions cannot be emulated: exactly those that are named here, and they say so."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest
from support.samples import forms, samples

from hkasm.emulator.code import Code
from hkasm.emulator.compiler import _compile
from hkasm.emulator.op import Op, RegisterMap
from hkasm.errors import HkasmError
from hkasm.isa import SPECS
from hkasm.isa.arch import get_arch

NOT_EMULATED = {
    "no such unit on these chips, or only for graphics": {
        "ds_gws_barrier", "ds_gws_init", "ds_gws_sema_br", "ds_gws_sema_p", "ds_gws_sema_release_all", "ds_gws_sema_v",
        "v_screen_partition_4se_b32",
    },
    "trap handlers and debuggers": {"s_rfe_b64", "s_rfe_restore_b64", "s_sendmsghalt", "s_sethalt"},
    "branches with a stack of EXEC masks, which no compiler emits": {
        "s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join",
    },
    "conversion on the way to LDS": {"buffer_load_format_x lds"},
    "half of a scaled matrix product on its own": {"v_mfma_ld_scale_b32"},
    "hardware registers other than MODE, the ids and the apertures": {
        "s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32",
    },
}  # fmt: skip


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_what_is_not_emulated_is_named_here(arch: str) -> None:
    refused: dict[str, set[str]] = defaultdict(set)
    for form in forms(arch):
        for inst in samples(form, arch, 3, Random(1)):
            code = object.__new__(Code)
            code.arch, code.mode, code.arithmetic = get_arch(arch), 0x2F0, "exact"
            code.registers = RegisterMap(256, 512)
            inst.offset = 0
            try:
                _compile(code, Op(inst, 0, code.registers))
            except HkasmError as error:
                refused[form[0].key].add(error.message)
    named = set().union(*NOT_EMULATED.values())
    assert set(refused) == {key for key in named if arch in SPECS[key].archs}, sorted(refused)
    assert all("is not emulated" in message for messages in refused.values() for message in messages)

"""What modifiers' values mean: every modifier of every instruction says it, one meaning for all forms of it."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from hkasm.asm.operands import DERIVED_MODIFIERS
from hkasm.cli import main
from hkasm.emulator.compile_lanes import swizzle_source
from hkasm.inspect.instructions import modifier_texts
from hkasm.inspect.modifiers import modifier_text
from hkasm.isa import SPECS
from hkasm.isa.modifiers import allowed_modifiers


def test_every_modifier_of_every_instruction_has_a_meaning() -> None:
    for spec in SPECS.values():
        said = modifier_texts(spec)
        for one in spec.encodings:
            for name in allowed_modifiers(spec.key, one.format).keys() - DERIVED_MODIFIERS:
                assert said[name] == modifier_text(spec, one.format, name), (spec.mnemonic, one.format, name)


def test_where_the_instruction_says_which_part_it_does() -> None:
    told = [spec for spec in SPECS.values() if "as the line above says" in modifier_texts(spec).get("op_sel", "")]
    assert told
    assert all("op_sel" in spec.doc for spec in told), [spec.doc for spec in told if "op_sel" not in spec.doc]


def test_a_swizzles_offset_is_told_as_the_emulator_takes_it() -> None:
    i = np.arange(64)

    def source(pattern: int) -> list[int]:
        return list(swizzle_source(pattern)[0])

    assert source(19 | 4 << 5 | 9 << 10) == list((i & 32) + (((i & 19) | 4) ^ 9))
    assert source(0x8000 | 0b00_01_11_10) == list((i & ~3) + np.array([2, 3, 1, 0])[i & 3])
    assert source(0xC000 | 3 << 5) == list((i & 32) + (i + 3 & 31))
    assert source(0xC000 | 1 << 10 | 3 << 5 | 16) == list((i & 48) + (i - 3 & 15))


@pytest.mark.parametrize(
    ("mnemonic", "line"),
    [
        ("v_fmac_f32", "    row_mask    bit r: lanes 16r to 16r+15 are written [15]"),
        ("v_mfma_f32_16x16x128_f8f6f4", "    cbsz  elements of A. 0: fp8, 1: bf8, 2: fp6, 3: bf6, 4: fp4"),
        ("v_mfma_f64_16x16x4_f64", "    blgp  bit i: A, B, C with the other sign"),
        ("ds_swizzle_b32", "    offset  pattern of the lane that is read. Below 0x8000: lane ((i & [4:0]) |"),
        ("ds_gws_init", "    offset  number of the barrier or semaphore, to which M0[21:16] is added"),
        ("v_fma_mix_f32", "    op_sel_hi  bit i: source i is f16, not f32"),
    ],
)
def test_isa_prints_them_at_80_columns(mnemonic: str, line: str) -> None:
    printed = CliRunner().invoke(main, ["isa", mnemonic]).stdout.splitlines()
    first = printed.index("  modifiers: what their values mean")
    assert line in printed
    assert all(len(text) <= 80 for text in printed[first:] if not text.startswith("    rule"))

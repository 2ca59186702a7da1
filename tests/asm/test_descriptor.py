"""Kernel descriptors decode field by field and encode back to the same bytes."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.asm import descriptor as module
from hkasm.asm.descriptor import DESCRIPTOR_BYTES, Descriptor, UserSgpr
from hkasm.errors import CodeObjectError


def test_every_attribute_has_its_bits_and_no_bit_has_two() -> None:
    assert {field.name for field in fields(Descriptor)} == {"entry_offset", *module._FIELDS}
    taken = [(word, bit) for word, low, bits in module._FIELDS.values() for bit in range(low, low + bits)]
    assert len(taken) == len(set(taken))


@given(st.data())
def test_encode_then_decode_is_the_same(data: st.DataObject) -> None:
    values = {
        name: data.draw(st.integers(0, (1 << bits) - 1), label=name) for name, (_, _, bits) in module._FIELDS.items()
    }
    entry = data.draw(st.integers(-(1 << 63), (1 << 63) - 1))
    descriptor = Descriptor(entry_offset=entry, **values)
    encoded = descriptor.to_bytes()
    assert len(encoded) == DESCRIPTOR_BYTES
    assert Descriptor.from_bytes(encoded) == descriptor


def test_too_large_a_value_names_its_field() -> None:
    with pytest.raises(CodeObjectError, match="user_sgprs has 5 bits, got 32"):
        Descriptor(user_sgprs=32).to_bytes()


def test_wrong_length_is_refused() -> None:
    with pytest.raises(CodeObjectError, match="has 64 bytes, got 63"):
        Descriptor.from_bytes(bytes(63))


def test_register_counts() -> None:
    descriptor = Descriptor(vgpr_blocks=63, accum_blocks=63, sgpr_blocks=13)
    assert (descriptor.vgprs, descriptor.accum_offset, descriptor.sgprs) == (512, 256, 112)


def test_sgpr_layout_in_the_hardwares_order() -> None:
    descriptor = Descriptor(
        dispatch_ptr=1, kernarg_ptr=1, preload_dwords=3, user_sgprs=7, workgroup_id_x=1, workgroup_id_z=1
    )
    assert descriptor.sgpr_layout() == (
        UserSgpr("dispatch_ptr", 0, 2),
        UserSgpr("kernarg_ptr", 2, 2),
        UserSgpr("kernarg_preload", 4, 3),
        UserSgpr("workgroup_id_x", 7, 1),
        UserSgpr("workgroup_id_z", 8, 1),
    )

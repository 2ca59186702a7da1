"""What memory instructions are declared to move."""

from __future__ import annotations

import pytest

from hkasm.isa import ARCHES, SPECS, InstSpec, MemSpec, get_spec

MEMORY = [spec for spec in SPECS.values() if spec.memory is not None]


@pytest.mark.parametrize(
    ("key", "memory"),
    [
        ("s_load_dwordx8", MemSpec("scalar", "load", "b32", 8)),
        ("s_buffer_atomic_cmpswap_x2 rtn", MemSpec("scalar", "atomic", "b64", atomic="cmpswap", returns=True)),
        ("buffer_load_ubyte_d16_hi", MemSpec("buffer", "load", "u8", d16="hi")),
        ("buffer_load_dwordx4 lds", MemSpec("buffer", "load", "b32", 4, to_lds=True)),
        ("buffer_atomic_smax_x2", MemSpec("buffer", "atomic", "i64", atomic="max")),
        ("buffer_atomic_pk_add_bf16 rtn", MemSpec("buffer", "atomic", "pkbf16", atomic="add", returns=True)),
        ("tbuffer_load_format_d16_xyz", MemSpec("buffer", "load_format", "b16", 3)),
        ("flat_atomic_add_f64 rtn", MemSpec("flat", "atomic", "f64", atomic="add", returns=True)),
        ("global_store_short_d16_hi", MemSpec("global", "store", "b16", d16="hi")),
        ("global_load_lds_dwordx3", MemSpec("global", "load", "b32", 3, to_lds=True)),
        ("scratch_load_dwordx3", MemSpec("scratch", "load", "b32", 3)),
        ("ds_read2st64_b64", MemSpec("lds", "load", "b32", 4, pair=64)),
        ("ds_read_b96_tr_b6", MemSpec("lds", "load", "b32", 3, transpose=6)),
        ("ds_wrxchg2_rtn_b32", MemSpec("lds", "atomic", "b32", 2, atomic="swap", returns=True, pair=1)),
        ("ds_mskor_b64", MemSpec("lds", "atomic", "b64", atomic="mskor")),
        ("ds_min_rtn_f32", MemSpec("lds", "atomic", "f32", atomic="min", returns=True)),
        ("ds_bpermute_b32", MemSpec("lds", "bpermute", "b32")),
    ],
)
def test_rows(key: str, memory: MemSpec) -> None:
    assert SPECS[key].memory == memory


@pytest.mark.parametrize("spec", MEMORY, ids=lambda spec: spec.key)
def test_operands_fit_what_is_moved(spec: InstSpec) -> None:
    memory, operands = spec.memory, {op.name: op for op in spec.operands}
    assert memory is not None
    counter = {"scalar": "lgkmcnt", "lds": "lgkmcnt", "flat": "both"}.get(memory.space, "vmcnt")
    assert spec.counter == counter
    if memory.to_lds:
        assert operands["m0"].is_read
        assert not spec.writes
        return
    wide = max(memory.bytes // 4, 1)
    if memory.op in ("load", "load_addtid"):
        (result,) = spec.writes
        assert result.dwords == wide
        assert result.access == ("rw" if memory.d16 else "w")
    elif memory.op in ("store", "store_addtid"):
        data = [operands[name] for name in ("sdata", "vdata", "data0", "data1") if name in operands]
        assert sum(op.dwords for op in data) == wide
        assert not spec.writes
    elif memory.op == "atomic":
        assert bool(spec.writes) == memory.returns


def test_gfx950_adds_wide_direct_loads_and_transposing_reads() -> None:
    added = {spec.key for spec in MEMORY if spec.archs == {"gfx950"}}
    assert added == {
        "buffer_load_dwordx3 lds", "buffer_load_dwordx4 lds", "global_load_lds_dwordx3", "global_load_lds_dwordx4",
        "buffer_atomic_pk_add_bf16", "buffer_atomic_pk_add_bf16 rtn", "ds_read_b64_tr_b4", "ds_read_b96_tr_b6",
        "ds_read_b64_tr_b8", "ds_read_b64_tr_b16",
    }  # fmt: skip
    assert not [spec for spec in MEMORY if spec.archs == {"gfx942"}]
    assert all(get_spec("ds_read_b128", arch).memory for arch in ARCHES)

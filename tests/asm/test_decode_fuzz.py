"""A seeded sample of `bench/decode_fuzz.py`: the decoder against LLVM's on random and structured words."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from hkasm.asm.decoder import decode_instruction, decode_stream
from hkasm.errors import DecodeError
from hkasm.isa import ARCHES

ROOT = Path(__file__).parent.parent.parent
OBJECT = ROOT / "tests" / "data" / "triton" / "gemm_bf16_nt_128x128x64_w4_gfx950.hsaco"


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    spec = importlib.util.spec_from_file_location("decode_fuzz", ROOT / "bench" / "decode_fuzz.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("size", [4, 8, 16])
def test_words_decode_as_llvm_decodes_them(fuzz: ModuleType, arch: str, size: int) -> None:
    outcome = fuzz.compare(arch, 6000, seed=size, size=size)
    assert outcome.unknown == []
    assert outcome.instructions > 2000
    assert len(fuzz.KINDS) < 20


@pytest.mark.parametrize(
    ("arch", "code"),
    [
        ("gfx942", "00 10 50 e0 00 00 00 ff 78 56 34 12"),  # a literal behind 64-bit encodings
        ("gfx942", "00 00 c3 d1 ff 04 06 00 78 56 34 12"),
        ("gfx950", "00 00 c3 d1 ff 04 06 00 78 56 34 12"),
        ("gfx942", "ff 20 52 d0 01 01 04 00"),  # a compare into a literal
        ("gfx942", "f9 02 00 7e 00 07 09 00"),  # SDWA: source selection 7
        ("gfx942", "f9 02 00 7e 00 1f 06 00"),  # SDWA: dst_unused 3, dst_sel 7
        ("gfx942", "f9 02 00 7e f9 06 86 00"),  # SDWA: scalar source 249
        ("gfx950", "7d 00 80 be"),  # null
        ("gfx950", "e6 00 80 be"),  # src_flat_scratch_base_lo
        ("gfx950", "fe 02 00 7e"),  # src_lds_direct
        ("gfx942", "00 19 0a c0 00 00 00 00"),  # s[100:103]
        ("gfx942", "00 00 fe d9 01 00 00 01"),  # an unaligned tuple
        ("gfx942", "00 00 fe d9 01 00 00 fe"),  # v[254:257]
        ("gfx942", "00 10 50 dc 00 00 00 00"),  # a flat offset of 4096
        ("gfx942", "00 00 6c d8 01 02 00 00"),  # ds_read_b32 with data
        ("gfx942", "00 00 c6 d9 00 00 00 00"),  # gfx950's ds_read_b64_tr_b16
        ("gfx942", "00 00 80"),
    ],
)
def test_refused_words(arch: str, code: str) -> None:
    with pytest.raises(DecodeError):
        decode_instruction(arch, bytes.fromhex(code.replace(" ", "")))


def test_speed() -> None:
    """100,000 instructions in at most 3 s; a machine that is busy gets twice that."""
    from hkasm.asm.codeobject import CodeObject

    code = CodeObject.from_path(OBJECT).kernels["gemm"].code
    count = sum(1 for _ in decode_stream("gfx950", code))
    start = time.process_time()
    for _ in range(20_000 // count + 1):
        assert sum(1 for _ in decode_stream("gfx950", code)) == count
    used = (time.process_time() - start) / (20_000 // count + 1) / count
    assert used * 100_000 < 6

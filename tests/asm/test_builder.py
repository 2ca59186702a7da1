"""The builder: errors that users meet, names, labels, arguments, LDS, determinism."""

from __future__ import annotations

import functools
import re

import pytest

import hkasm
from hkasm.asm.builder import Builder, build
from hkasm.asm.program import Program
from hkasm.errors import ArchError, HkasmError, OperandError, RegisterError, UsageError
from hkasm.isa import EXEC, M0, VCC, a, s, v


@pytest.fixture
def k():
    return Builder("gfx950", "test")


def message(error) -> str:
    """The text without the line number, which moves."""
    return re.sub(r"^test_builder\.py:\d+", "test_builder.py:N", str(error.value))


MISTAKES = {
    "width": (
        lambda k: k.v_fmac_f32(v[1:4].named("acc"), s[0], v[5]),
        """test_builder.py:N: v_fmac_f32: operand 'vdst' wants v[1], got acc=v[1:3] (3 registers)
  form: v_fmac_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal""",
    ),
    "odd tuple": (
        lambda k: k.buffer_load_dwordx4(v[1:5], v[0], s[0:4]),
        "operand 'vdata' wants an aligned tuple, got v[1:4]",
    ),
    "SGPR quad": (
        lambda k: k.buffer_load_dword(v[1], v[0], s[2:6]),
        "operand 'srsrc' wants an aligned tuple, got s[2:5]",
    ),
    "AGPR in VALU": (
        lambda k: k.v_add_f32(v[0], a[0], v[1]),
        "operand 'src0' wants s[1] or v[1] or a constant, got a0 (an AGPR)",
    ),
    "file": (lambda k: k.s_mov_b32(v[0], 1), "operand 'sdst' wants s[1], got v0 (a VGPR)"),
    "literal in VOP3": (
        lambda k: k.v_fma_f32(v[0], v[1], v[2], 3.25),
        "operand 'src2': no literal in the e64 form, got 0x40500000",
    ),
    "repair of a literal in VOP3": (
        lambda k: k.v_cvt_pknorm_i16_f32(v[0], v[1], 3.25),
        """operand 'src1': no literal in the e64 form, got 0x40500000
  form: v_cvt_pknorm_i16_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
  hint: move it into a register first; inline constants (-16..64, 0.5, 1.0, ...) fit""",
    ),
    "a literal that another form takes": (
        lambda k: k.v_mul_f32(v[0], v[1], 3.25),
        """operand 'src1': no literal in the e64 form, got 0x40500000
  form: v_mul_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
  hint: the e32 form takes one, as src0; move it into a register first; inline""",
    ),
    "a literal beside a modifier": (
        lambda k: k.v_mul_f32(v[0], 3.25, v[1], clamp=1),
        """operand 'src0': no literal in the e64 form, got 0x40500000
  form: v_mul_f32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
  hint: with clamp no form takes one; move it into a register first; inline constants (-16..64, 0.5, 1.0, ...) fit""",
    ),
    "an int where a float stands": (
        lambda k: k.v_fma_f32(v[0], v[1], 1000, v[2]),
        " ...) fit; if a number is meant: 1000.0, an int gives the bits",
    ),
    "two SGPRs": (
        lambda k: k.v_add_f32(v[0], s[0], s[1]),
        "reads s0 and s1; one SGPR or literal is the limit (constant bus)",
    ),
    "SGPR and literal": (
        lambda k: k.v_add_f32(v[0], 3.25, s[1]),
        "reads 0x40500000 and s1; one SGPR or literal is the limit",
    ),
    "two literals": (lambda k: k.s_add_u32(s[0], 1000, 2000), "two different literals (0x3e8, 0x7d0), one fits"),
    "offset": (
        lambda k: k.buffer_load_dword(v[1], v[0], s[0:4], offset=4096),
        "offset:4096 is out of range (0 to 4095)",
    ),
    "negative offset": (
        lambda k: k.global_load_dword(v[1], v[2:4], None, offset=-4097),
        "offset:-4097 is out of range (-4096 to 4095)",
    ),
    "LDS offset": (lambda k: k.ds_read_b32(v[1], v[0], offset=65536), "offset:65536 is out of range (0 to 65535)"),
    "offset with a fraction": (
        lambda k: k.ds_read_b32(v[1], v[0], offset=1.5),
        "ds_read_b32: offset wants a whole number, got 1.5",
    ),
    "modifier in words": (
        lambda k: k.v_mov_b32(v[0], v[1], dpp_ctrl="quad_perm"),
        "v_mov_b32: dpp_ctrl wants a whole number, got 'quad_perm'",
    ),
    "modifier": (lambda k: k.s_mov_b32(s[0], s[1], clamp=1), "s_mov_b32: takes no clamp in the SOP1 form"),
    "count": (lambda k: k.v_mov_b32(v[0]), "wants 2 operands, got 1"),
    "missing": (lambda k: k.v_mov_b32(v[0], None), "operand 'src0' is missing"),
    "text": (lambda k: k.v_mov_b32(v[0], "v1"), "operand 'src0' got the text 'v1'"),
    "name of a special register": (lambda k: k.s_mov_b64("exec", -1), "hint: give hkasm.EXEC"),
    "off": (lambda k: k.buffer_load_dword(v[0], "off", s[0:4]), "hint: give None for off"),
    "argument": (lambda k: k.s_load_dword(s[0], s[2:4], k.arg("n", "u32")), "hint: give its .offset"),
    "counts of a wait": (lambda k: k.s_waitcnt(vmcnt=0), "s_waitcnt: wants 1 operand, got 0"),
    "wide constant": (lambda k: k.s_mov_b32(s[0], 1 << 33), "constant 0x200000000 does not fit in 32 bits"),
    "simm16": (lambda k: k.s_sleep(1 << 16), "operand 'simm16'=65536 is out of range (0 to 127)"),
    "no direct x2": (
        lambda k: k.buffer_load_dwordx2(v[0], s[0:4], lds=True),
        "buffer_load_dwordx2 has no direct-to-LDS form here",
    ),
    "op_sel without halves": (
        lambda k: k.v_add_f32(v[0], v[1], v[2], op_sel=1),
        "v_add_f32: takes no op_sel in the e64 form",
    ),
    "op_sel of a source that is not there": (
        lambda k: k.v_pk_add_f16(v[0], v[1], v[2], op_sel=0b100),
        "v_pk_add_f16: op_sel=0b100 names more than the sources that take it (0b11)",
    ),
    "neg of an integer": (
        lambda k: k.v_add_u32(v[0], v[1], v[2], neg=1),
        """v_add_u32: takes no neg in the e64 form
  form: v_add_u32 vdst: v[1], src0: s[1]|v[1]|const|literal, src1: s[1]|v[1]|const|literal
  hint: it takes clamp, dpp_ctrl, row_mask, bank_mask, bound_ctrl, src0_sel, src1_sel, dst_sel, dst_unused,""",
    ),
    "modifier typo": (lambda k: k.v_mov_b32(v[0], v[1], clam=1), "hint: did you mean 'clamp'?"),
    "literal and modifier": (
        lambda k: k.v_add_f32(v[0], v[1], 3.25, clamp=1),
        "v_add_f32: operand 'src1': no literal in the e64 form, got 0x40500000",
    ),
    "older cache bit": (
        lambda k: k.buffer_load_dword(v[1], v[0], s[0:4], glc=1),
        """takes no glc in the MUBUF form
  form: buffer_load_dword vdata: v[1]|a[1], vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
  hint: it takes offset, offen, idxen, sc0, sc1, nt""",
    ),
    "VGPR in SALU": (
        lambda k: k.s_add_u32(s[0], v[0], 1),
        "hint: v_readfirstlane_b32 brings one lane's value into an SGPR first",
    ),
    "AGPR read": (lambda k: k.v_add_f32(v[0], v[1], a[2]), "hint: v_accvgpr_read_b32 moves it into a VGPR first"),
    "format's width": (
        lambda k: k.v_mfma_f32_16x16x128_f8f6f4(v[0:4], v[4:12], v[12:20], v[0:4], cbsz=2),
        "operand 'src0' wants v[6] or a[6], got v[4:11] (8 registers)",
    ),
    "two accumulator files": (
        lambda k: k.v_mfma_f32_32x32x8_f16(a[0:16], v[0:2], v[2:4], v[0:16]),
        "a[0:15] and v[0:15] must both be VGPRs or both AGPRs",
    ),
    "overlap in part": (
        lambda k: k.v_mfma_f32_32x32x8_f16(v[0:16], v[20:22], v[24:26], v[8:24]),
        "src2=v[8:23] overlaps vdst=v[0:15] in part",
    ),
    "DPP of 64 bits": (
        lambda k: k.v_rcp_f64(v[0:2], v[2:4], dpp_ctrl=0x1B),
        "64-bit operands take no DPP control but row_newbcast",
    ),
    "wait state count": (lambda k: k.s_nop(16), "s_nop: operand 'simm16'=16 is out of range (0 to 15)"),
    "priority": (lambda k: k.s_setprio(4), "s_setprio: operand 'simm16'=4 is out of range (0 to 3)"),
    "pair's offset": (
        lambda k: k.ds_read2_b32(v[0:2], v[2], offset0=256),
        "ds_read2_b32: offset0:256 is out of range (0 to 255)",
    ),
    "half too large": (lambda k: k.v_add_f16(v[0], 1e6, v[1]), "operand 'src0' 1000000.0 is too large for f16"),
    "half too small": (lambda k: k.v_add_f16(v[0], 1e-9, v[1]), "operand 'src0' 1e-09 is too small for f16"),
    "signed for unsigned": (
        lambda k: k.s_cmpk_eq_u32(s[0], -1),
        "operand 'simm16'=-1 is out of range (0 to 65535)",
    ),
    "write to a source": (lambda k: k.s_mov_b32(s[0:2], 1), "operand 'sdst' wants s[1], got s[0:1] (2 registers)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_operand_mistakes(k, name):
    call, text = MISTAKES[name]
    with pytest.raises(OperandError) as error:
        call(k)
    assert text in message(error)
    assert message(error).startswith("test_builder.py:N: ")
    assert not k.items


def direct(k):
    k.buffer_load_dword(v[1], s[0:4], lds=True)
    k.s_endpgm()


def test_a_direct_load_needs_m0():
    with pytest.raises(UsageError) as error:
        build(direct, arch="gfx950")
    assert (
        message(error)
        == """test_builder.py:N: buffer_load_dword: takes its LDS address from m0, which nothing in direct writes
  form: buffer_load_dword vaddr: v[1]|off (v[2] with offen idxen), srsrc: s[4], soffset: s[1]|const
  hint: k.s_mov_b32(M0, lds_offset) before it"""
    )

    def based(k):
        k.s_mov_b32(M0, 0)
        k.s_nop(0)
        direct(k)

    assert len(build(based, arch="gfx950").instructions) == 4


def test_direct_load_width_on_gfx942():
    k = Builder("gfx942", "old")
    with pytest.raises(OperandError, match="no direct-to-LDS form"):
        k.buffer_load_dwordx4(v[0], s[0:4], lds=True)


def test_instruction_of_the_other_arch():
    with pytest.raises(ArchError, match="v_cvt_pk_bf16_f32 does not exist on gfx942"):
        Builder("gfx942", "old").v_cvt_pk_bf16_f32(v[0], v[1], v[2])


def test_unknown_instruction_suggests(k):
    with pytest.raises(AttributeError, match="did you mean 'v_add_f32'"):
        k.v_ad_f32(v[0], v[1], v[2])


@pytest.mark.parametrize(
    ("name", "hint"),
    [("exec", "hkasm.EXEC"), ("vcc", "hkasm.VCC"), ("m0", "hkasm.M0"), ("M0", "hkasm.M0"), ("scc", "s_cselect_b32")],
)
def test_registers_are_no_methods(k, name, hint):
    with pytest.raises(AttributeError, match=f"the builder has no '{name}'\n  hint: .*{hint}"):
        getattr(k, name)


def test_encodings_are_chosen_like_the_assembler(k):
    assert str(k.v_add_f32(v[0], v[1], v[2])) == "v_add_f32_e32 v0, v1, v2"
    assert str(k.v_add_f32(v[0], v[1], s[2])) == "v_add_f32_e64 v0, v1, s2"
    assert str(k.v_add_f32(v[0], v[1], v[2], neg=1, abs=2)) == "v_add_f32_e64 v0, -v1, |v2|"
    assert str(k.v_add_f32(v[0], 3.25, v[2])) == "v_add_f32_e32 v0, 0x40500000, v2"
    assert str(k.v_cmp_lt_u32(VCC, v[1], v[2])) == "v_cmp_lt_u32_e32 vcc, v1, v2"
    assert str(k.v_cmp_lt_u32(s[4:6], v[1], v[2])) == "v_cmp_lt_u32_e64 s[4:5], v1, v2"
    assert str(k.v_cndmask_b32(v[0], v[1], v[2], VCC)) == "v_cndmask_b32_e32 v0, v1, v2, vcc"
    assert str(k.v_mov_b32(v[0], v[1], e64=True)) == "v_mov_b32_e64 v0, v1"
    assert str(k.s_mov_b64(EXEC, -1)) == "s_mov_b64 exec, -1"


def test_register_allocation(k):
    wide = k.vgpr("wide", 3)
    assert wide.index % 2 == 0
    assert k.sgpr("quad", 4).index % 4 == 0
    pinned = k.agpr("acc", 4, pin=8)
    assert pinned.text == "a[8:11]"
    with pytest.raises(RegisterError) as error:
        k.agpr("other", 2, pin=10)
    assert "other: a10 belongs to acc=a[8:11] (allocated at test_builder.py:" in str(error.value)
    with pytest.raises(RegisterError, match="is not aligned to 2"):
        k.vgpr("odd", 2, pin=33)
    with pytest.raises(RegisterError, match="outside the file"):
        k.vgpr("far", 2, pin=256)
    k.free(wide)
    with pytest.raises(RegisterError, match="not an allocation in use"):
        k.free(wide)
    assert k.vgpr("again", 3) == wide


def test_a_full_file_names_its_owners(k):
    k.vgpr("big", 200)
    with pytest.raises(RegisterError) as error:
        k.vgpr("more", 100)
    assert "more: no 100 free VGPRs in a row" in str(error.value)
    assert "big=v[2:201]" in str(error.value)


def test_labels(k):
    top = k.place(k.label("top"))
    with pytest.raises(UsageError, match="placed twice"):
        k.place(top)
    k.s_branch("nowhere")
    with pytest.raises(UsageError, match="label 'nowhere' has no place"):
        k.finish()


def test_control_must_end(k):
    k.s_nop(0)
    with pytest.raises(UsageError, match="control runs off the end"):
        k.finish()


def test_arguments(k):
    k.arg("n", "u32")
    pointer = k.arg("x", "f32", pointer=True)
    assert (pointer.offset, pointer.size) == (8, 8)
    with pytest.raises(UsageError, match="declared twice"):
        k.arg("n", "u32")
    with pytest.raises(UsageError, match="unknown dtype 'float'"):
        k.arg("f", "float")
    with pytest.raises(UsageError, match="y: unknown access 'rw'\n  hint: known: read, write, readwrite"):
        k.arg("y", "f32", pointer=True, access="rw")


def test_a_program_is_shown_in_one_line():
    assert repr(build(loop, arch="gfx950")) == "<Program loop for gfx950, 5 instructions>"


def test_lds_budget():
    k = Builder("gfx942", "lds")
    assert k.lds("A", 32768).offset == 0
    assert k.lds("B", 32768).offset == 32768
    with pytest.raises(RegisterError, match="C: 65536 \\+ 16 bytes of LDS, gfx942 has 65536"):
        k.lds("C", 16)
    with pytest.raises(RegisterError, match="D: -4 bytes of LDS"):
        k.lds("D", -4)


def loop(k):
    count = k.sgpr("count")
    k.s_mov_b32(count, 3)
    top = k.place(k.label("top"))
    with k.mark("section", "body"):
        k.s_sub_u32(count, count, 1)
        k.s_cmp_lg_u32(count, 0)
    k.s_cbranch_scc1(top)
    k.s_endpgm()


def test_two_builds_are_the_same_bytes():
    first, second = (build(loop, arch="gfx950") for _ in range(2))
    assert first.text() == second.text()
    assert first.encode() == second.encode()


def test_decode_gives_the_program_back():
    program = build(loop, arch="gfx950")
    again = Program.decode("gfx950", program.encode())
    assert [i.mnemonic for i in again.instructions] == [i.mnemonic for i in program.instructions]
    assert again.encode() == program.encode()


def test_origins_and_marks():
    program = build(loop, arch="gfx950")
    assert {i.origin.file for i in program.instructions} == {"test_builder.py"}
    (mark,) = [m for m in program.marks if m.name == "body"]
    assert [program.instructions[i].mnemonic for i in range(mark.first, mark.last)] == ["s_sub_u32", "s_cmp_lg_u32"]


def test_every_error_is_of_the_house(k):
    for call, _ in MISTAKES.values():
        with pytest.raises(HkasmError):
            call(k)


@pytest.mark.parametrize("block", [0, -64, 2048, (64, 1), (64, 64, 1), "64", (64, 1, 1.5)])
def test_a_block_that_no_workgroup_can_be(block):
    with pytest.raises(UsageError, match="at most 1024 together"):
        Builder("gfx950", block=block)


@pytest.mark.parametrize(("size", "align"), [(4.5, 16), ("4", 16), (4, 0), (4, -1)])
def test_lds_sizes_are_whole(k, size, align):
    with pytest.raises(UsageError, match="of LDS at a multiple of"):
        k.lds("x", size, align=align)


def test_a_wait_for_what_nothing_carries(k):
    k.buffer_load_dword(v[1], v[0], s[4:8], tokens=("tile",))
    k.wait("tilt")
    k.s_endpgm()
    with pytest.raises(UsageError, match="wait for 'tilt', which no instruction carries") as error:
        k.finish()
    assert "did you mean 'tile'" in str(error.value)


def test_a_wait_for_a_list(k):
    with pytest.raises(UsageError, match="wait wants registers, instructions or tokens"):
        k.wait([v[1]])


@pytest.mark.parametrize("given", [(4,), (None, 2), ("x", 1.5), ("x", "4"), ("x", None)], ids=str)
def test_registers_have_a_name_and_a_whole_number(k, given):
    with pytest.raises(RegisterError, match=r"registers have a name and whole numbers, got .*\n.*k.vgpr\(\"acc\", 4\)"):
        k.vgpr(*given)


@pytest.mark.parametrize(
    ("place", "text"),
    [(3, "register 3 of a=v1, which has 1 register"), (slice(1, 1), "empty or strided slice of a=v1")],
)
def test_a_register_that_is_not_there_names_the_line(place: int | slice, text: str) -> None:
    def kernel(k: Builder) -> None:
        one = k.vgpr("a", pin=1)
        k.v_mov_b32(one[place], 0)

    with pytest.raises(RegisterError) as error:
        build(kernel, arch="gfx950")
    line = kernel.__code__.co_firstlineno + 2
    assert str(error.value).splitlines()[0] == f"test_builder.py:{line}: {text}"


def test_build_wants_a_function_with_a_name() -> None:
    with pytest.raises(UsageError, match="build wants the function that writes a kernel, got None"):
        build(None, arch="gfx950")  # type: ignore[arg-type]

    class Nameless:
        def __call__(self, k: Builder) -> None:
            k.s_endpgm()

    nameless = Nameless()
    with pytest.raises(UsageError, match="has no name for the kernel\n  hint: build\\(function, name="):
        build(nameless, arch="gfx950")
    assert build(nameless, arch="gfx950", name="stop").name == "stop"


def test_a_partial_has_the_name_and_the_block_of_its_function() -> None:
    @hkasm.kernel(block=128)
    def copy(k: Builder, *, swizzle: bool = True) -> None:
        k.s_nop(int(swizzle))
        k.s_endpgm()

    with pytest.raises(UsageError) as error:
        build(copy, arch="gfx950", swizzle=False)  # type: ignore[call-arg]
    assert str(error.value) == (
        "build takes no 'swizzle'\n  hint: it takes function, arch, name, block; those of the function: "
        "build(functools.partial(function, NAME=VALUE), arch=...)"
    )
    program = build(functools.partial(functools.partial(copy), swizzle=False), arch="gfx950")
    assert (program.name, program.block, str(program.instructions[0])) == ("copy", (128, 1, 1), "s_nop 0")

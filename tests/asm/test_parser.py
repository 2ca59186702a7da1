"""Assembly files: hkasm's own text for text, clang's byte for byte, and mistakes with their line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hkasm.asm.builder import Builder, build
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Label, Origin
from hkasm.asm.parser import parse_assembly, parse_program
from hkasm.asm.program import Program
from hkasm.errors import HkasmError, UsageError
from hkasm.isa import ARCHES

CLANG_SOURCES = Path(__file__).parent.parent / "data" / "clang"


def double(k: Builder) -> None:
    """y[i] = 2 * x[i] in a loop, through LDS, with everything that a program can carry."""
    k.arg("x", "f32", pointer=True, rank=1)
    k.arg("y", "f32", pointer=True, rank=1, access="write")
    x, y, count = k.sgpr("x", 2), k.sgpr("y", 2), k.sgpr("count")
    k.s_load_dwordx2(x, k.kernarg, 0)
    k.s_load_dwordx2(y, k.kernarg, 8)
    k.s_mov_b32(count, 4, comment="rounds")
    value, address, acc = k.vgpr("value"), k.vgpr("address"), k.agpr("acc")
    k.lds("stage", 1024)
    k.v_lshlrev_b32(address, 2, k.lane)
    k.wait(x, y)
    loop = k.place(k.label("loop"))
    with k.mark("step", "read"):
        k.global_load_dword(value, address, x)
        k.wait(value)
    k.v_add_f32(value, value, value)
    k.v_accvgpr_write_b32(acc, value)
    k.ds_write_b32(address, value, offset=16)
    k.global_store_dword(address, acc, y)
    k.s_add_i32(count, count, -1)
    k.s_cmp_lg_u32(count, 0)
    k.s_cbranch_scc1(loop)
    k.s_endpgm()


@pytest.mark.parametrize("arch", ARCHES)
def test_hkasms_own_text_reads_back_to_the_same_program(arch: str) -> None:
    program = build(double, arch=arch, block=(64, 1, 1))
    read = parse_program(program.text())
    assert read.text() == program.text()
    assert read.encode() == program.encode()
    for name in ("args", "block", "lds_bytes", "lds_map", "marks", "owners", "vgprs", "agprs", "sgprs", "labels"):
        assert getattr(read, name) == getattr(program, name), name
    assert [(inst.comment, inst.origin) for inst in read.instructions] == [
        (inst.comment, inst.origin) for inst in program.instructions
    ]


CLANG_TEXT = """
        .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
        .amdhsa_code_object_version 6
        .text
        .p2align        2                       ; -- Begin function helper
        .type   helper,@function
helper:
        v_mov_b32_e32 v0, 0
        s_setpc_b64 s[30:31]
.Lfunc_end0:
        .size   helper, .Lfunc_end0-helper
        .set .Lhelper.num_vgpr, 7
        .protected      kern
        .globl  kern
        .p2align        8
        .type   kern,@function
kern:                                   ; @kern
        s_getpc_b64 s[2:3]
        s_add_u32 s2, s2, helper@rel32@lo+4
        s_addc_u32 s3, s3, helper@rel32@hi+12
.LBB1_1:                                ; =>This Inner Loop
        s_cbranch_scc1 .LBB1_1 ; again
        s_mov_b32 s4, .LBB1_1-kern
        s_endpgm
        .section        .rodata,"a",@progbits
        .p2align        6, 0x0
        .amdhsa_kernel kern
                .amdhsa_group_segment_fixed_size 64
                .amdhsa_kernarg_size 16
                .amdhsa_user_sgpr_kernarg_segment_ptr 1
                .amdhsa_system_sgpr_workgroup_id_x 1
                .amdhsa_system_sgpr_workgroup_id_y 0
                .amdhsa_system_sgpr_workgroup_id_z 1
                .amdhsa_system_vgpr_workitem_id 1
                .amdhsa_next_free_vgpr max(totalnumvgprs(kern.num_agpr, kern.num_vgpr), 1, 0)
                .amdhsa_next_free_sgpr (max(kern.numbered_sgpr+extrasgprs(kern.uses_vcc, 0, 1), 1, 0))-6
                .amdhsa_accum_offset ((((((alignto(max(1, kern.num_vgpr), 4))/4)-1)&(~65536))&63)+1)*4
        .end_amdhsa_kernel
        .text
.Lfunc_end1:
        .size   kern, .Lfunc_end1-kern
        .set kern.num_vgpr, max(5, .Lhelper.num_vgpr)
        .set kern.num_agpr, 3
        .set kern.numbered_sgpr, 33
        .set kern.uses_vcc, or(1, 0)
        .text
        .p2alignl 6, 3212836864
        .fill 48, 4, 3212836864
        .amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     3
    .args:
      - .actual_access:  read_only
        .address_space:  global
        .name:           x
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
    .name:           kern
    .reqd_workgroup_size:
      - 128
      - 2
      - 1
    .symbol:         kern.kd
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
...
        .end_amdgpu_metadata
"""


def test_what_clang_writes() -> None:
    found = parse_assembly(CLANG_TEXT, path="kern.s")
    assert found.arch.name == "gfx942"
    assert (found.kernels, list(found.programs)) == (("kern",), ["helper", "kern"])
    kernel = found.programs["kern"]
    assert found.directives["kern"]["next_free_vgpr"] == 11
    assert found.directives["kern"]["next_free_sgpr"] == 33
    assert (kernel.vgprs, kernel.agprs, kernel.sgprs, kernel.accum_offset) == (8, 3, 33, 8)
    assert (kernel.lds_bytes, kernel.kernarg_bytes, kernel.block) == (64, 16, (128, 2, 1))
    assert (kernel.workgroup_ids, kernel.workitem_dims) == ((True, False, True), 2)
    assert [(arg.name, arg.kind, arg.offset, arg.access) for arg in kernel.args] == [
        ("x", "pointer", 0, "read"),
        ("arg1", "value", 8, "read"),
    ]
    # helper begins at 0, kern at 256: the place of the literal is 256 + 8, so that lo is 0 + 4 - 264.
    assert [str(inst) for inst in kernel.instructions] == [
        "s_getpc_b64 s[2:3]",
        "s_add_u32 s2, s2, 0xfffffefc",
        "s_addc_u32 s3, s3, lit(0xffffffff)",
        "s_cbranch_scc1 .LBB1_1",
        "s_mov_b32 s4, lit(0x14)",
        "s_endpgm",
    ]
    assert kernel.body[3] == Label(".LBB1_1")
    assert kernel.instructions[3].comment == "again"
    assert kernel.instructions[0].origin == Origin("kern.s", 18)


def test_bare_instructions_are_a_program() -> None:
    program = parse_program("top: v_add_f32 v0, v1, v2\n  s_branch top\n", arch="gfx950")
    assert (program.name, program.labels, program.vgprs) == ("code", {"top": 0}, 3)
    assert program.encode().hex() == "01050002feff82bf"


def test_loops_are_aligned_with_nops_and_functions_are_not() -> None:
    text = "  s_nop 1\n  .p2align 4\nloop:\n  s_branch loop\n  .p2align 8\n"
    assert [str(inst) for inst in parse_program(text, arch="gfx950").instructions] == [
        "s_nop 1", "s_nop 0", "s_nop 0", "s_nop 0", "s_branch loop",
    ]  # fmt: skip


def test_words_of_code() -> None:
    program = parse_program("  .long 0xbf810000, 0xbf800001\n  .fill 2, 4, 0xbf800000\n", arch="gfx942")
    assert [str(inst) for inst in program.instructions] == ["s_endpgm", "s_nop 1", "s_nop 0", "s_nop 0"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  s_nop 1\n  s_nop 16\n", "bad.s:2: s_nop: operand 'simm16'=16 is out of range (0 to 15)"),
        (".macro twice\n", "bad.s:1: .macro is not expanded here\n  hint: let clang expand it"),
        (".if 1\n", "bad.s:1: .if is not expanded here"),
        ("  .p2aline 4\n  s_endpgm\n", "bad.s:1: unknown directive .p2aline in code\n  hint: did you mean '.p2align'?"),
        (".section .rodata\n  s_endpgm\n", "bad.s:2: an instruction in section .rodata\n  hint: code stands in .text"),
        (".set x\n", "bad.s:1: .set wants a symbol and a value, got 'x'"),
        ("  s_mov_b32 s0, other@rel32@lo+4\n", "bad.s:1: symbol 'other' is not set\n  hint: only the linker knows"),
        (".amdhsa_kernel k\n  .p2align 2\n", "bad.s:2: .p2align inside .amdhsa_kernel"),
        (".amdhsa_kernel k\n", "bad.s:1: .amdhsa_kernel does not end"),
        (
            "k:\n  s_endpgm\n.amdhsa_kernel k\n .amdhsa_next_free_vgpr n+1\n.end_amdhsa_kernel\n",
            "bad.s:4: symbol 'n' is not set",
        ),
        ("  .long 0xffffffff\n", "bad.s:1: no gfx950 instruction has the encoding 0xffffffff"),
        ("  .fill 1, 8, 0\n", "bad.s:1: .fill 1, 8, 0: code is filled with words of 4 bytes"),
        ("  .popsection\n", "bad.s:1: .popsection without .pushsection"),
    ],
)
def test_mistakes_name_their_line(text: str, message: str) -> None:
    with pytest.raises(HkasmError) as caught:
        parse_assembly(text, arch="gfx950", path="bad.s")
    lines = [line for line in str(caught.value).splitlines() if not line.startswith("  form:")]
    assert "\n".join(lines).startswith(message)


def test_which_kernel() -> None:
    two = "\n".join(f"{name}:\n s_endpgm\n.amdhsa_kernel {name}\n.end_amdhsa_kernel\n.text" for name in ("one", "two"))
    assert parse_program(two, arch="gfx950", name="two").name == "two"
    for wanted, message in (
        (None, "which kernel?\n  hint: it has one, two"),
        ("tow", "no kernel 'tow'\n  hint: did you mean 'two'?"),
    ):
        with pytest.raises(UsageError) as caught:
            parse_program(two, arch="gfx950", name=wanted)
        assert str(caught.value) == message
    with pytest.raises(UsageError, match="holds no code"):
        parse_program("; nothing", arch="gfx950")
    with pytest.raises(UsageError, match="does not say its arch"):
        parse_program("s_endpgm")


@pytest.mark.llvm
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_clangs_text_becomes_clangs_bytes(arch: str, level: str, tmp_path: Path) -> None:
    source, text, obj, linked = (tmp_path / name for name in ("vector.c", "vector.s", "vector.o", "vector.hsaco"))
    source.write_bytes((CLANG_SOURCES / "vector.c").read_bytes())
    target = ["clang-22", "--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib"]
    subprocess.run([*target, level, "-S", str(source), "-o", str(text)], check=True)
    subprocess.run([*target, "-c", str(text), "-o", str(obj)], check=True)
    subprocess.run(["ld.lld-22", "-shared", str(obj), "-o", str(linked)], check=True)
    found = parse_assembly(text.read_text(), path="vector.s")
    kernels = CodeObject.from_path(linked).kernels
    assert set(found.kernels) == set(kernels)
    for name, image in kernels.items():
        program: Program = found.programs[name]
        assert program.encode() == image.code, name
        assert program.lds_bytes == image.descriptor.lds_bytes
        assert [arg.offset for arg in program.args] == [arg.offset for arg in image.args]

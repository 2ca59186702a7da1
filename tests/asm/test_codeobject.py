"""Code objects: other people's are read as LLVM reads them, damaged ones are refused in one line."""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from support.foreign import foreign_text

from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Origin
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import CodeObjectError

DATA = Path(__file__).parents[1] / "data"
OBJECTS = sorted(DATA.glob("*/*.hsaco"))
TRITON = DATA / "triton" / "axpy_gfx950.hsaco"

# A kernel without metadata, with a table of addresses that a loader has to relocate and a variable without bytes.
BARE = (
    foreign_text("s_nop 0\ns_endpgm", name="bare", next_free_vgpr=1, next_free_sgpr=8, accum_offset=4)
    + """\
.data
.globl table
.p2align 3
table:
  .quad bare+4
  .quad 0x1122334455667788
.bss
.globl zeros
zeros:
  .zero 64
"""
)


def tool(*words: str | Path) -> str:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.stem)
class TestForeignObjects:
    def test_every_kernel_is_whole(self, path: Path) -> None:
        found = CodeObject.from_path(path)
        assert found.arch.name == path.stem[-6:]
        assert found.kernels
        for kernel in found.kernels.values():
            assert kernel.code == found.data[kernel.offset : kernel.offset + len(kernel.code)]
            assert kernel.hkasm is None
            assert kernel.metadata[".name"] == kernel.name
            assert kernel.metadata[".kernarg_segment_size"] == kernel.descriptor.kernarg_bytes
            assert kernel.metadata[".group_segment_fixed_size"] == kernel.descriptor.lds_bytes
            assert kernel.metadata[".vgpr_count"] <= kernel.descriptor.vgprs  # type: ignore[operator]
            for arg in kernel.args:
                assert arg.offset + arg.size <= kernel.descriptor.kernarg_bytes

    @pytest.mark.llvm
    def test_descriptors_are_llvms(self, path: Path) -> None:
        text = tool("llvm-objdump-22", "-D", "--section=.rodata", path)
        blocks = re.findall(r"\.amdhsa_kernel (\w+)\n(.*?)\.end_amdhsa_kernel", text, re.DOTALL)
        found = CodeObject.from_path(path)
        # llvm-objdump 22 gives up on a descriptor that a section's end follows too closely.
        assert len(found.kernels) - 1 <= len({name for name, _ in blocks} & set(found.kernels))
        for name, block in blocks:
            said = {key: int(value) for key, value in re.findall(r"\.amdhsa_(\w+) (\d+)", block)}
            got = found.kernels[name].descriptor
            assert (
                said.items()
                >= {
                    "group_segment_fixed_size": got.lds_bytes,
                    "private_segment_fixed_size": got.scratch_bytes,
                    "kernarg_size": got.kernarg_bytes,
                    "accum_offset": got.accum_offset,
                    "next_free_vgpr": got.vgprs,
                    "next_free_sgpr": got.sgprs,
                    "float_round_mode_32": got.round_mode_32,
                    "float_denorm_mode_32": got.denorm_mode_32,
                    "float_denorm_mode_16_64": got.denorm_mode_16_64,
                    "dx10_clamp": got.dx10_clamp,
                    "ieee_mode": got.ieee_mode,
                    "enable_private_segment": got.scratch_enabled,
                    "system_sgpr_workgroup_id_x": got.workgroup_id_x,
                    "system_sgpr_workgroup_id_y": got.workgroup_id_y,
                    "system_sgpr_workgroup_id_z": got.workgroup_id_z,
                    "system_vgpr_workitem_id": got.workitem_id_dims,
                    "user_sgpr_dispatch_ptr": got.dispatch_ptr,
                    "user_sgpr_queue_ptr": got.queue_ptr,
                    "user_sgpr_kernarg_segment_ptr": got.kernarg_ptr,
                    "user_sgpr_dispatch_id": got.dispatch_id,
                    "uses_dynamic_stack": got.dynamic_stack,
                }.items()
            )
            assert said.get("user_sgpr_kernarg_preload_length", 0) == got.preload_dwords

    @pytest.mark.llvm
    def test_code_and_symbols_are_llvms(self, path: Path) -> None:
        symbols = {
            words[7]: (int(words[1], 16), int(words[2], 0))
            for words in map(str.split, tool("llvm-readelf-22", "--symbols", path).splitlines())
            if len(words) == 8 and words[3] == "FUNC"
        }
        for kernel in CodeObject.from_path(path).kernels.values():
            assert symbols[kernel.name] == (kernel.vaddr, len(kernel.code))

    @pytest.mark.llvm
    def test_lines_are_llvms(self, path: Path) -> None:
        text = tool("llvm-dwarfdump-22", "--debug-line", path)
        rows = [(int(at, 16), int(line)) for at, line in re.findall(r"^(0x[0-9a-f]{16}) +(\d+) ", text, re.MULTILINE)]
        for kernel in CodeObject.from_path(path).kernels.values():
            end = kernel.vaddr + len(kernel.code)
            for at, line in [row for row in rows if kernel.vaddr <= row[0] < end]:
                # Of several rows at one address the last with a line holds.
                at_once = [other for where, other in rows if where == at and other]
                assert kernel.origin(at - kernel.vaddr).line == (at_once[-1] if at_once else line)


def test_triton_points_to_its_python() -> None:
    kernel = CodeObject.from_path(TRITON).kernels["axpy"]
    offset, _, line = kernel.lines[3]
    assert kernel.origin(offset) == Origin("tools/triton_kernels.py", line, "axpy", offset)
    assert str(kernel.origin(offset)) == f"tools/triton_kernels.py:{line}"
    # Behind the prologue that loads arguments by hand LLVM says that no line wrote the next instruction.
    assert str(kernel.origin(0x100)) == "axpy+0x100"


def test_kernarg_size_of_the_metadata_where_the_descriptor_says_none() -> None:
    kernel = CodeObject.from_path(TRITON).kernels["axpy"]
    assert kernel.kernarg_bytes == kernel.descriptor.kernarg_bytes == 40
    kernel.descriptor = replace(kernel.descriptor, kernarg_bytes=0)  # as AITER's objects have it
    assert kernel.kernarg_bytes == 40


def test_hidden_arguments_keep_their_own_kind() -> None:
    kernel = CodeObject.from_path(DATA / "clang" / "vector_O0_gfx942.hsaco").kernels["fill_ids"]
    kinds = [arg.kind for arg in kernel.args]
    assert "hidden_block_count_x" in kinds
    assert kinds[0] in ("pointer", "value")


def test_object_without_metadata_notes_or_lines(toolchain: Toolchain) -> None:
    kernel = CodeObject.from_bytes(toolchain.build(BARE, "gfx942")).kernels["bare"]
    assert kernel.metadata == {}
    assert kernel.args == ()
    assert kernel.lines == []
    assert str(kernel.origin(4)) == "bare+0x4"
    assert len(kernel.code) == 8


def test_image_is_relocated(toolchain: Toolchain) -> None:
    found = CodeObject.from_bytes(toolchain.build(BARE, "gfx942"))
    kernel = found.kernels["bare"]
    base = 0x7F00_0000_0000
    image = found.load_image(base)
    assert image[kernel.vaddr : kernel.vaddr + 8] == kernel.code
    table = image.index((0x1122334455667788).to_bytes(8, "little")) - 8
    assert int.from_bytes(image[table : table + 8], "little") == base + kernel.vaddr + 4
    assert any(segment.executable and not segment.writable for segment in found.segments)
    assert any(segment.memory_bytes > len(segment.data) for segment in found.segments)


class TestRefused:
    """Each wrong file is refused with its name and one sentence."""

    def refused(self, data: bytes) -> str:
        with pytest.raises(CodeObjectError) as caught:
            CodeObject(data, "x.hsaco")
        return str(caught.value)

    def test_other_files(self) -> None:
        assert self.refused(b"") == "x.hsaco: is empty, not a code object"
        assert self.refused(b"#!/bin/sh\n") == "x.hsaco: is not an ELF file: it begins with 23 21 2f 62"
        assert self.refused(b"\x7fELF\x02\x01") == "x.hsaco: ends within the ELF header (truncated)"
        assert self.refused(b"__CLANG_OFFLOAD_BUNDLE__....").startswith("x.hsaco: is an offload bundle")
        assert self.refused(b"\x7fELF\x01" + bytes(80)) == "x.hsaco: is not a 64-bit little-endian ELF file"

    def test_other_machines(self) -> None:
        data = bytearray(TRITON.read_bytes())
        data[18:20] = (62).to_bytes(2, "little")
        assert self.refused(bytes(data)) == "x.hsaco: is made for EM_X86_64, not for AMDGPU"

    def test_other_chips(self) -> None:
        data = bytearray(TRITON.read_bytes())
        data[48] = 0x3F
        assert self.refused(bytes(data)) == "x.hsaco: is made for AMDGPU machine 0x3f; hkasm knows gfx942, gfx950"

    def test_relocatable_objects(self, toolchain: Toolchain) -> None:
        said = self.refused(toolchain.assemble(BARE, "gfx942"))
        assert said == "x.hsaco: is a relocatable object\n  hint: link it: ld.lld -shared x.o -o x.hsaco"

    def test_objects_without_kernels(self, toolchain: Toolchain) -> None:
        assert self.refused(toolchain.build(".text\n  s_endpgm\n", "gfx950")) == (
            "x.hsaco: holds no kernel (no symbol NAME.kd)"
        )

    def test_absurd_lds(self) -> None:
        data = bytearray(TRITON.read_bytes())
        at = 0x5C0  # the descriptor of axpy, in the first segment
        data[at : at + 4] = b"\xff" * 4
        assert self.refused(bytes(data)) == ("x.hsaco: kernel axpy wants 4294967295 bytes of LDS, gfx950 has 163840")

    def test_truncated(self) -> None:
        data = TRITON.read_bytes()
        assert self.refused(data[: len(data) // 2]) == (
            "x.hsaco: the section table lies outside the file (truncated or damaged)"
        )

    def test_missing_file_and_folder(self, tmp_path: Path) -> None:
        for path, reason in ((tmp_path / "gone.hsaco", "No such file or directory"), (tmp_path, "Is a directory")):
            with pytest.raises(CodeObjectError) as caught:
                CodeObject.from_path(path)
            assert str(caught.value) == f"{path}: cannot be read: {reason}"


def use_all_of(data: bytes) -> None:
    found = CodeObject.from_bytes(data)
    for kernel in found.kernels.values():
        kernel.origin(0)
        kernel.descriptor.sgpr_layout()
    found.load_image(0x10000)


@pytest.fixture(scope="module")
def small_objects() -> list[bytes]:
    return [path.read_bytes() for path in OBJECTS if path.stat().st_size < 30_000]


@pytest.mark.parametrize("seed", range(6))
def test_damaged_files_are_read_or_refused(seed: int, small_objects: list[bytes]) -> None:
    choose = random.Random(seed)
    for _ in range(150):
        data = bytearray(choose.choice(small_objects))
        sections_at = int.from_bytes(data[40:48], "little")
        kind = choose.randrange(4)
        if kind == 0:
            del data[choose.randrange(len(data)) :]
        for _ in range(choose.randint(1, 6) if kind else 0):
            # Anywhere, in the headers, or in the section table.
            at = (0, choose.randrange(len(data)), choose.randrange(400), sections_at + choose.randrange(1024))[kind]
            data[min(at, len(data) - 1)] = choose.choice((0, 1, 0x7F, 0x80, 0xFF, choose.randrange(256)))
        try:
            use_all_of(bytes(data))
        except CodeObjectError as error:
            assert "\n" not in error.message

"""What an assembly file says around a kernel's instructions: symbol, descriptor, metadata, and hkasm's own names.

Everything here is derived from the program, so that no number is typed twice. Directives: LLVM's "User Guide for AMDGPU
Backend", HSA Code Object Assembler Directives and Code Object V5 Metadata.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from hkasm.asm.descriptor import SGPR_GRANULE, VGPR_GRANULE, Descriptor
from hkasm.asm.names import SECTION_NAME, pack_names
from hkasm.asm.program import KernelArg, Program
from hkasm.errors import UsageError

__all__ = ["footer", "header", "kernel_descriptor", "metadata"]

CODE_OBJECT_VERSION = 5
# What the metadata's own version field says in a code object of that version.
METADATA_VERSION = (1, 2)
KERNARG_ALIGN = 8
# VCC, FLAT_SCRATCH and XNACK_MASK stand behind a wave's own SGPRs (LLVM: IsaInfo::getNumExtraSGPRs).
EXTRA_SGPRS = 6
# The kernarg pointer is the only user SGPR value that a program asks for.
KERNARG_PTR_SGPRS = 2

_ACCESS = {"read": "read_only", "write": "write_only", "readwrite": "read_write"}
_BYTES_PER_LINE = 64
# Text that LLVM may read as a number or a truth value.
_OTHER_SCALAR = re.compile(r"[-+.]?([0-9]|inf|nan)|true$|false$|[-+.]", re.IGNORECASE)
# Each byte as the assembler's strings want it: printable ones as they are, the others and the string's own signs octal.
_CHARACTERS = [chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}" for byte in range(256)]


def header(program: Program) -> list[str]:
    """Return the lines before the first instruction: target, version, and the kernel's symbol.

    Raises UsageError if the kernel's name cannot be a symbol.
    """
    name = program.name
    if not (name.isascii() and name.isidentifier()):
        raise UsageError(f"a kernel's name is an ASCII identifier, got '{name}'")
    return [
        f'.amdgcn_target "amdgcn-amd-amdhsa--{program.arch.name}"',
        f".amdhsa_code_object_version {CODE_OBJECT_VERSION}",
        ".text",
        f".globl {name}",
        f".protected {name}",
        ".p2align 8",
        f".type {name},@function",
        f"{name}:",
    ]


def footer(program: Program) -> list[str]:
    """Return the lines behind the last instruction: the symbol's size, descriptor, metadata, `.hkasm` section."""
    name = program.name
    return [
        f".L{name}_end:",
        f".size {name}, .L{name}_end-{name}",
        "",
        ".rodata",
        ".p2align 6",
        f".amdhsa_kernel {name}",
        *(f"  .amdhsa_{key} {value}" for key, value in _kernel_directives(program)),
        ".end_amdhsa_kernel",
        "",
        ".amdgpu_metadata",
        "---",
        *_yaml(metadata(program)),
        "...",
        ".end_amdgpu_metadata",
        "",
        f'.section {SECTION_NAME},"",@progbits',
        *_data(pack_names(program)),
    ]


def kernel_descriptor(program: Program) -> Descriptor:
    """Return the descriptor that the assembler makes of the directives (its entry offset, the linker's part, is 0)."""
    ids = program.workgroup_ids
    return Descriptor(
        lds_bytes=program.lds_bytes,
        kernarg_bytes=program.kernarg_bytes,
        vgpr_blocks=_blocks(_unified_vgprs(program), VGPR_GRANULE),
        sgpr_blocks=_blocks(_sgprs(program) + EXTRA_SGPRS, SGPR_GRANULE),
        denorm_mode_32=3,
        user_sgprs=KERNARG_PTR_SGPRS,
        workgroup_id_x=int(ids[0]),
        workgroup_id_y=int(ids[1]),
        workgroup_id_z=int(ids[2]),
        workitem_id_dims=program.workitem_dims - 1,
        accum_blocks=program.accum_offset // program.arch.accum_granule - 1,
        kernarg_ptr=1,
    )


def metadata(program: Program) -> dict[str, object]:
    """Return the code object metadata as the runtime's loader wants it (`amdhsa.kernels` and so on)."""
    x, y, z = program.block
    return {
        "amdhsa.version": list(METADATA_VERSION),
        "amdhsa.target": f"amdgcn-amd-amdhsa--{program.arch.name}",
        "amdhsa.kernels": [
            {
                ".name": program.name,
                ".symbol": f"{program.name}.kd",
                ".args": [_argument(arg) for arg in program.args],
                ".kernarg_segment_size": program.kernarg_bytes,
                ".kernarg_segment_align": KERNARG_ALIGN,
                ".group_segment_fixed_size": program.lds_bytes,
                ".private_segment_fixed_size": 0,
                ".wavefront_size": program.arch.wave_size,
                ".sgpr_count": _sgprs(program) + EXTRA_SGPRS,
                ".vgpr_count": _unified_vgprs(program),
                ".agpr_count": program.agprs,
                ".max_flat_workgroup_size": x * y * z,
                ".reqd_workgroup_size": [x, y, z],
                ".uses_dynamic_stack": False,
            }
        ],
    }


def _argument(arg: KernelArg) -> dict[str, object]:
    entry: dict[str, object] = {".name": arg.name, ".offset": arg.offset, ".size": arg.size}
    if arg.kind == "pointer":
        entry |= {".value_kind": "global_buffer", ".address_space": "global", ".actual_access": _ACCESS[arg.access]}
    else:
        entry[".value_kind"] = "by_value"
    return entry


def _kernel_directives(program: Program) -> Iterable[tuple[str, int]]:
    """Yield the `.amdhsa_` directives, without that prefix; what is not said keeps LLVM's default."""
    wanted = kernel_descriptor(program)
    return (
        ("group_segment_fixed_size", wanted.lds_bytes),
        ("private_segment_fixed_size", wanted.scratch_bytes),
        ("kernarg_size", wanted.kernarg_bytes),
        ("user_sgpr_kernarg_segment_ptr", wanted.kernarg_ptr),
        ("system_sgpr_workgroup_id_x", wanted.workgroup_id_x),
        ("system_sgpr_workgroup_id_y", wanted.workgroup_id_y),
        ("system_sgpr_workgroup_id_z", wanted.workgroup_id_z),
        ("system_vgpr_workitem_id", wanted.workitem_id_dims),
        ("next_free_vgpr", _unified_vgprs(program)),
        ("next_free_sgpr", _sgprs(program)),
        ("accum_offset", wanted.accum_offset),
        # Denormals are kept, as in HIP's and NumPy's float32.
        ("float_denorm_mode_32", wanted.denorm_mode_32),
        ("float_denorm_mode_16_64", wanted.denorm_mode_16_64),
        ("dx10_clamp", wanted.dx10_clamp),
        ("ieee_mode", wanted.ieee_mode),
    )


def _unified_vgprs(program: Program) -> int:
    """Registers of the unified file up to the last one used."""
    return program.accum_offset + program.agprs if program.agprs else max(program.vgprs, 1)


def _sgprs(program: Program) -> int:
    """SGPRs of the program itself, at least those that the hardware fills when a wave starts."""
    return max(program.sgprs, KERNARG_PTR_SGPRS + sum(program.workgroup_ids))


def _blocks(count: int, granule: int) -> int:
    return -(-max(count, 1) // granule) - 1


def _yaml(value: dict[str, object], indent: str = "") -> list[str]:
    """Write mappings and lists of mappings as block YAML; everything else is JSON, which YAML contains.

    LLVM takes a quoted `"inf"` for the number; its own tag `!str` says that it is text (MsgPackDocumentYAML.cpp).
    """
    lines: list[str] = []
    for key, entry in value.items():
        if isinstance(entry, list) and entry and isinstance(entry[0], dict):
            lines.append(f"{indent}{key}:")
            for item in entry:
                inner = _yaml(item, indent + "    ")
                lines += [f"{indent}  - {inner[0].lstrip()}", *inner[1:]]
        else:
            tag = "!str " if isinstance(entry, str) and _OTHER_SCALAR.match(entry) else ""
            lines.append(f"{indent}{key}: {tag}{json.dumps(entry)}")
    return lines


def _data(data: bytes) -> list[str]:
    """Write bytes as strings, in which a reader finds the names."""
    rows = (data[at : at + _BYTES_PER_LINE] for at in range(0, len(data), _BYTES_PER_LINE))
    return [f'  .ascii "{"".join(map(_CHARACTERS.__getitem__, row))}"' for row in rows]

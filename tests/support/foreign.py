"""Kernels as others write them: a `.s` file of one kernel for gfx942, without metadata and names of registers."""

from __future__ import annotations

from textwrap import dedent


def foreign_text(body: str, *, name: str = "kernel", **directives: int) -> str:
    """Return the file of a kernel: its lines, and the `.amdhsa_` directives that it needs, such as next_free_vgpr."""
    said = "\n".join(f"  .amdhsa_{key} {value}" for key, value in directives.items())
    return f"""\
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
{dedent(body).strip()}
.L{name}_end:
.size {name}, .L{name}_end-{name}
.rodata
.p2align 6
.amdhsa_kernel {name}
{said}
.end_amdhsa_kernel
"""

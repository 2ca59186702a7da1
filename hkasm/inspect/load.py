"""Programs from files: a code object's kernels as the same `Program` that the builder makes."""

from __future__ import annotations

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.asm.program import Program
from hkasm.errors import UsageError, did_you_mean

__all__ = ["choose_kernel", "program_of"]


def program_of(image: KernelImage) -> Program:
    """Decode a kernel's machine code and give it the names and resources that the object has for it.

    Without hkasm's own names the registers that the descriptor reserves are counted, and the workgroup's size is the
    metadata's. Raises DecodeError.
    """
    program = Program.decode(image.arch, image.code, image.name, image.origin)
    descriptor, names = image.descriptor, image.hkasm
    program.args = image.args
    program.kernarg_bytes, program.lds_bytes = descriptor.kernarg_bytes, descriptor.lds_bytes
    program.workitem_dims = descriptor.workitem_id_dims + 1
    if names is not None:
        program.owners, program.marks, program.lds_map = names["owners"], names["marks"], names["lds"]
        program.block, program.config = names["block"], dict(names["config"])
    else:
        program.block = _block(image)
    return program


def _block(image: KernelImage) -> tuple[int, int, int]:
    """Return the workgroup's size: the required one, else all of the largest flat one along x, else one wave."""
    required = image.metadata.get(".reqd_workgroup_size")
    if isinstance(required, list) and len(required) == 3 and all(isinstance(n, int) and n > 0 for n in required):
        return required[0], required[1], required[2]
    flat = image.metadata.get(".max_flat_workgroup_size")
    return (flat if isinstance(flat, int) and 0 < flat <= image.arch.max_workgroup else image.arch.wave_size), 1, 1


def choose_kernel(code: CodeObject, name: str | None) -> KernelImage:
    """Return the kernel called `name`, or the only one. Raises UsageError, naming those there are."""
    known = ", ".join(code.kernels)
    if name is None:
        if len(code.kernels) != 1:
            raise UsageError(
                f"holds {len(code.kernels)} kernels: {known}", where=code.path, hint="name one with --kernel"
            )
        return next(iter(code.kernels.values()))
    if name not in code.kernels:
        hint = did_you_mean(name, code.kernels) or f"it has {known}"
        raise UsageError(f"holds no kernel '{name}'", where=code.path, hint=hint)
    return code.kernels[name]

"""The GEMM's arguments: what every variant takes first, what some take behind."""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.program import KernelArg
from hkasm.grids.order import NUMBER_NAMES
from hkasm.isa.registers import Register
from hkasm.kernels.chips import share_names
from hkasm.kernels.gemm.declared import GemmConfig
from hkasm.kernels.gemm.shares import SHARE_NUMBERS

SIZES = ("M", "N", "K", "lda", "ldb", "ldc")
SCRATCH = ("workspace", "counters", "tickets")
"""Arrays that are neither operands nor results: partial tiles, how many of each tile are there, tickets given out."""
COUNTED = ("counters", "tickets")
"""Those of them that are zeros before a launch and behind it."""
ARRAYS = {
    "f16": "f16", "bf16": "bf16", "f32": "f32", "xf32": "f32", "i8": "i8", "i32": "i32", "u32": "u32",
    "mxfp6": "u8", "mxbf6": "u8", "mxfp4": "u8", "e8m0": "u8", "mxfp8": "f8_e4m3fn", "mxbf8": "f8_e5m2",
    ("fp8", "gfx942"): "f8_e4m3fnuz", ("bf8", "gfx942"): "f8_e5m2fnuz",
    ("fp8", "gfx950"): "f8_e4m3fn", ("bf8", "gfx950"): "f8_e5m2",
}  # fmt: skip
"""Element types of arrays by those of the GEMM; FNUZ on gfx942, OCP on gfx950. Less than 8 bits are packed in bytes."""


def array_type(dtype: str, arch: str) -> str:
    """Return the name of an element type as arrays have it."""
    return ARRAYS.get(dtype) or ARRAYS[dtype, arch]


def extra_arguments(config: GemmConfig) -> list[tuple[str, str, bool]]:
    """Return name, type and whether it is a pointer of what stands behind the arguments of every variant."""
    extras: list[tuple[str, str, bool]] = []
    if config.scaled:
        extras += [("scale_a", "e8m0", True), ("scale_b", "e8m0", True)]
    if config.scale != "none":
        extras += [("scale_a", "f32", True), ("scale_b", "f32", True)]
    if config.combine == "beta":
        extras.append(("C0", config.c, True))
    if config.bias != "none":
        extras.append(("bias", "f32", True))
    if config.batch != "none":
        extras += [("stride_a", "u64", False), ("stride_b", "u64", False), ("stride_c", "u64", False)]
    if config.batch == "split":
        extras.append(("slice", "u32", False))
    if config.combine != "product":
        extras.append(("alpha", "f32", False))
    if config.combine == "beta":
        extras.append(("beta", "f32", False))
    if config.c in ("fp8", "bf8"):
        extras.append(("scale_c", "f32", False))
    if config.work == "tickets":
        extras.append(("tickets", "u32", True))
    if config.ordered:
        extras += [(f"grid_{name}", "u32", False) for name in NUMBER_NAMES]
    if config.padded or config.work == "tickets":
        extras += [(name, "u32", False) for name in share_names(config.xcds)]
    if config.work == "tickets":
        extras.append(("takers", "u32", False))
    if config.work == "stream":
        extras += [("workspace", "i32" if config.dtype == "i8" else "f32", True), ("counters", "u32", True)]
        extras += [(name, "u32", False) for name in SHARE_NUMBERS]
    return extras


class Arguments:
    """Declares the arguments and loads those behind the first."""

    def __init__(self, k: Builder, config: GemmConfig) -> None:
        self.k = k
        arch = k.arch.name
        for name, dtype, access in (("C", config.c, "write"), ("A", config.dtype, "read"), ("B", config.b, "read")):
            k.arg(name, array_type(dtype, arch), pointer=True, rank=2, access=access)
        for name in SIZES:
            k.arg(name, "u32")
        self._extra: dict[str, KernelArg] = {}
        for name, dtype, pointer in extra_arguments(config):
            kind = array_type(dtype, arch) if pointer else dtype
            access = "readwrite" if name in SCRATCH else "read"
            self._extra[name] = k.arg(name, kind, pointer=pointer, rank=1 if pointer else 0, access=access)

    def load(self, *names: str) -> list[Register]:
        """Load arguments into SGPRs of their own, and wait for them."""
        k, found = self.k, []
        for name in names:
            arg = self._extra[name]
            register = k.sgpr(name, arg.size // 4)
            (k.s_load_dwordx2 if arg.size == 8 else k.s_load_dword)(register, k.kernarg, arg.offset)
            found.append(register)
        k.wait(*found, reason="arguments")
        return found

    @property
    def shares_offset(self) -> int:
        """Return the byte of the kernel's arguments at which the XCDs' shares start, where it has them."""
        return self._extra[share_names(1)[0]].offset

    def load_grid(self) -> Register:
        """Load the numbers of the grid's order into 16 SGPRs; the caller waits for them."""
        k, first = self.k, self._extra[f"grid_{NUMBER_NAMES[0]}"]
        numbers = k.sgpr("grid order", len(NUMBER_NAMES))
        k.s_load_dwordx16(numbers, k.kernarg, first.offset)
        return numbers

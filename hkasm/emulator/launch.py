"""Launches: the state that the hardware and the runtime give a kernel's waves before their first instruction.

Kernel arguments with the implicit ones of code object version 5, user and system SGPRs in the descriptor's order,
packed work-item ids, EXEC of a last wave that is not full, dynamic LDS and scratch (LLVM's "User Guide for AMDGPU
Backend", kernel prologue, implicit arguments).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.emulator.batch import Batch
from hkasm.emulator.code import Code
from hkasm.emulator.memory import PRIVATE_BASE, SHARED_BASE, Buffer, Bytes, Memory
from hkasm.emulator.op import VECTOR_BASE, bits_of
from hkasm.emulator.options import Options
from hkasm.emulator.run import GroupId, Run
from hkasm.emulator.undefined_memory import make_undefined, notice_host
from hkasm.errors import LaunchError
from hkasm.isa.registers import EXEC

__all__ = ["Launch", "fill_hidden"]

MAX_GRID: Final = 1 << 31
MAX_ITEMS: Final = 1 << 32
"""Work-items along an axis, which a dispatch packet counts in 32 bits."""
MAX_KERNARG: Final = 1 << 16
MAX_SCRATCH: Final = (1 << 13) * 1024 // 64
"""Bytes of scratch that a lane can have: a wave's size is a field of 13 bits in KiB."""
MAX_FIRST_SGPRS: Final = 102
_PACKET: Final = struct.Struct("<HHHHHHIIIIIQQQQ")


class Launch:
    """One launch of a kernel: grid (workgroups), block (work-items), arguments, and the memory that it works on.

    Raises:
        LaunchError: grid, block, LDS or argument bytes make no sense for the kernel.
    """

    def __init__(
        self,
        kernel: KernelImage,
        owner: CodeObject,
        image: Buffer,
        memory: Memory,
        grid: Sequence[int],
        block: Sequence[int],
        kernarg: bytes,
        lds_bytes: int,
        options: Options,
    ) -> None:
        self.kernel, self.owner, self.image, self.memory, self.options = kernel, owner, image, memory, options
        self.grid = _extent(grid, "grid", MAX_GRID, "workgroups")
        self.block = _extent(block, "block", 1024, "work-items")
        descriptor, arch = kernel.descriptor, kernel.arch
        self.work_items = self.block[0] * self.block[1] * self.block[2]
        if self.work_items > arch.max_workgroup:
            raise LaunchError(
                f"a block of {self.work_items} work-items, at most {arch.max_workgroup} fit", where=kernel.name
            )
        _check_block(kernel, self.block)
        for axis, groups, items in zip("xyz", self.grid, self.block, strict=True):
            if groups * items >= MAX_ITEMS:
                raise LaunchError(
                    f"{groups} workgroups of {items} along {axis}, fewer than {MAX_ITEMS} work-items can be launched",
                    where=kernel.name,
                )
        if descriptor.wave32:
            raise LaunchError(f"wants waves of 32 lanes, which {arch.name} lacks", where=kernel.name)
        self.waves_per_group = -(-self.work_items // arch.wave_size)
        if not isinstance(lds_bytes, (int, np.integer)):
            raise LaunchError(f"lds_bytes is a number of bytes, got {lds_bytes!r}", where=kernel.name)
        self.lds_bytes = descriptor.lds_bytes + lds_bytes
        if lds_bytes < 0 or self.lds_bytes > arch.lds_bytes:
            raise LaunchError(
                f"wants {self.lds_bytes} bytes of LDS a workgroup, {arch.name} has {arch.lds_bytes}", where=kernel.name
            )
        self.scratch_bytes = descriptor.scratch_bytes
        if self.scratch_bytes > MAX_SCRATCH:
            raise LaunchError(
                f"wants {self.scratch_bytes} bytes of scratch a lane, at most {MAX_SCRATCH}", where=kernel.name
            )
        sgprs = max((entry.first + entry.count for entry in descriptor.sgpr_layout()), default=0)
        if sgprs > MAX_FIRST_SGPRS:
            raise LaunchError(
                f"the descriptor fills {sgprs} SGPRs before the first instruction, there are {MAX_FIRST_SGPRS}",
                where=kernel.name,
            )
        self.scratch_stride = -(-self.scratch_bytes // 16) * 16
        self.dynamic_lds = lds_bytes
        try:
            self.given = bytes(memoryview(kernarg))
        except TypeError:
            raise LaunchError(f"kernel arguments are bytes, got {kernarg!r}", where=kernel.name) from None
        self._buffers: list[Buffer] = []

    # ---- workgroups -------------------------------------------------------------------------------------------------

    @property
    def groups(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    def group_id(self, number: int) -> GroupId:
        """Return the id of a workgroup by dispatch number; x runs fastest."""
        x, rest = number % self.grid[0], number // self.grid[0]
        return x, rest % self.grid[1], rest // self.grid[1]

    def bytes_per_group(self, registers: int) -> int:
        """Return the emulator's own memory for one resident workgroup."""
        shadow = self.lds_bytes // 4 * (4 + 4 * self.waves_per_group)
        return self.waves_per_group * (registers * 256 + 128 * self.scratch_stride + 1024) + self.lds_bytes + shadow

    # ---- memory that a launch brings along --------------------------------------------------------------------------

    def __enter__(self) -> Launch:
        descriptor = self.kernel.descriptor
        size = max(
            len(self.given),
            descriptor.kernarg_bytes,
            4 * (descriptor.preload_dwords + descriptor.preload_offset_dwords),
        )
        if size > MAX_KERNARG:
            raise LaunchError(f"{size} bytes of kernel arguments, at most {MAX_KERNARG}", where=self.kernel.name)
        data = bytearray(self.given + bytes(size - len(self.given)))
        # LLVM loads three dwords as four where they begin at a multiple of 16 bytes, past the last argument too.
        self.kernarg = self._own(-(-len(data) // 16) * 16, "the kernel arguments")
        fill_hidden(data, _hidden_places(self.kernel.metadata), self)
        self.kernarg.u8[: len(data)] = np.frombuffer(bytes(data), dtype=np.uint8)
        self.packet = self._own(64, "the dispatch packet")
        grid_items = [count * size for count, size in zip(self.grid, self.block, strict=True)]
        packet = _PACKET.pack(
            2, 3, *self.block, 0, *(items & 0xFFFFFFFF for items in grid_items), self.scratch_bytes, self.lds_bytes, 0,
            self.kernarg.address, 0, 0,
        )  # fmt: skip
        self.packet.u8[: len(packet)] = np.frombuffer(packet, dtype=np.uint8)
        self.queue = self._own(256, "the queue")
        notice_host(self.memory)
        return self

    def __exit__(self, *exception: object) -> None:
        for buffer in self._buffers:
            self.memory.free(buffer)

    def _own(self, size: int, name: str) -> Buffer:
        buffer = self.memory.allocate(size, name, writable=False)
        self._buffers.append(buffer)
        return buffer

    def make_scratch(self, waves: int) -> Bytes:
        """Return the scratch of some waves, undefined if that is looked at."""
        scratch = Bytes(waves * 64 * self.scratch_stride)
        if self.scratch_stride and "uninitialised" in self.options.checks:
            make_undefined(scratch)
        return scratch

    def code_address(self, code: Code) -> int:
        """Return the address of the kernel's first instruction."""
        return self.image.address + code.base

    # ---- registers --------------------------------------------------------------------------------------------------

    def prepare(self, run: Run, batch: Batch) -> None:
        """Set what a new batch of all waves finds in its registers; the rest is undefined."""
        defined = bits_of(EXEC.index, 2) | bits_of(102, 4)
        batch.s[102:106] = 0  # FLAT_SCRATCH is set up by the hardware, XNACK_MASK starts at zero
        for entry in self.kernel.descriptor.sgpr_layout():
            defined |= bits_of(entry.first, entry.count)
            batch.s[entry.first : entry.first + entry.count] = self._sgprs(run, batch, entry.name, entry.count)
        self._work_items(batch)
        defined |= 1 << VECTOR_BASE
        if "uninitialised" in self.options.checks:
            everything = bits_of(0, VECTOR_BASE + run.code.registers.total)
            batch.poison = everything & ~defined
            batch.update_watch()

    def _sgprs(self, run: Run, batch: Batch, name: str, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
        words = np.zeros((count, batch.waves), dtype=np.uint32)
        addresses = {
            "kernarg_ptr": self.kernarg.address,
            "dispatch_ptr": self.packet.address,
            "queue_ptr": self.queue.address,
            "flat_scratch_init": PRIVATE_BASE,
            "dispatch_id": 0,
        }
        if name in addresses:
            words[0], words[1] = addresses[name] & 0xFFFFFFFF, addresses[name] >> 32
        elif name == "private_segment_size":
            words[0] = self.scratch_bytes
        elif name == "kernarg_preload":
            start = self.kernel.descriptor.preload_offset_dwords
            words[...] = self.kernarg.u32[start : start + count, None]
        elif name.startswith("workgroup_id_"):
            axis = "xyz".index(name[-1])
            below = np.prod(self.grid[:axis], dtype=np.int64)
            words[0] = (run.group_numbers() // below % self.grid[axis])[batch.group]
        return words

    def _work_items(self, batch: Batch) -> None:
        """Set v0 to the packed work-item ids (10 bits each) and EXEC to the lanes that have a work-item."""
        item = batch.wave[:, None] * 64 + np.arange(64)
        x, y = item % self.block[0], item // self.block[0] % self.block[1]
        z = item // (self.block[0] * self.block[1])
        dims = self.kernel.descriptor.workitem_id_dims
        packed = x | (y << 10 if dims >= 1 else 0) | (z << 20 if dims >= 2 else 0)
        batch.v[0] = packed.astype(np.uint32)
        there = np.packbits(item < self.work_items, axis=-1, bitorder="little").view(np.uint32)
        batch.s[EXEC.index : EXEC.index + 2] = there.T
        batch.refresh_exec()


def _is_count(value: object, limit: int) -> bool:
    return isinstance(value, (int, np.integer)) and 1 <= int(value) <= limit


def _check_block(kernel: KernelImage, block: tuple[int, int, int]) -> None:
    """Raise LaunchError for a block that the kernel's metadata rules out, as the runtimes do."""
    wanted = kernel.metadata.get(".reqd_workgroup_size")
    if isinstance(wanted, list) and len(wanted) == 3 and tuple(wanted) != block:
        raise LaunchError(f"is made for a block of {wanted}, got {list(block)}", where=kernel.name)
    most, items = kernel.metadata.get(".max_flat_workgroup_size"), block[0] * block[1] * block[2]
    if isinstance(most, int) and 0 < most < items:
        raise LaunchError(f"a block of {items} work-items, the kernel is made for at most {most}", where=kernel.name)


def _extent(extent: object, what: str, limit: int, unit: str) -> tuple[int, int, int]:
    if not isinstance(extent, (Sequence, np.ndarray)):
        raise LaunchError(
            f"{what} wants one to three numbers of {unit}, got {extent!r}", hint=f"{what}=({extent}, 1, 1)"
        )
    numbers = [*extent, 1, 1, 1][: max(3, len(extent))]
    if not len(extent) or len(numbers) != 3 or not all(_is_count(n, limit) for n in numbers):
        raise LaunchError(f"{what} {tuple(extent)} is not one to three numbers of {unit} from 1 to {limit}")
    return int(numbers[0]), int(numbers[1]), int(numbers[2])


def _hidden_places(metadata: Mapping[str, object]) -> dict[str, tuple[int, int]]:
    """Return kind -> (offset, size) of the implicit arguments that a kernel's metadata names."""
    args = metadata.get(".args", [])
    found = {}
    for arg in args if isinstance(args, list) else []:
        kind = arg.get(".value_kind", "") if isinstance(arg, dict) else ""
        if isinstance(kind, str) and kind.startswith("hidden_"):
            found[kind] = (int(arg.get(".offset", 0)), int(arg.get(".size", 0)))
    return found


def fill_hidden(data: bytearray, places: Mapping[str, tuple[int, int]], launch: Launch) -> None:
    """Write the implicit kernel arguments that `places` names (kind -> offset, size) into the segment."""
    known: dict[str, int] = {"hidden_grid_dims": max(sum(n > 1 for n in launch.grid), 1)}
    for axis, letter in enumerate("xyz"):
        known[f"hidden_block_count_{letter}"] = launch.grid[axis]
        known[f"hidden_group_size_{letter}"] = launch.block[axis]
        known[f"hidden_remainder_{letter}"] = 0
        known[f"hidden_global_offset_{letter}"] = 0
    known["hidden_dynamic_lds_size"] = launch.dynamic_lds
    known["hidden_private_base"] = PRIVATE_BASE >> 32
    known["hidden_shared_base"] = SHARED_BASE >> 32
    for kind, (offset, size) in places.items():
        value = known.get(kind, 0)
        if 0 < size <= 8 and offset + size <= len(data):
            data[offset : offset + size] = value.to_bytes(size, "little")

"""The kernel descriptor: the 64 bytes that tell a GPU how to start a kernel's waves.

Layout and meaning: LLVM's "User Guide for AMDGPU Backend", Kernel Descriptor, GFX6-GFX12 table, as it applies to
gfx942 and gfx950 (gfx90a's unified register file, architected flat scratch, packed work-item ids).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from hkasm.errors import CodeObjectError

__all__ = ["DESCRIPTOR_BYTES", "PRELOAD_PROLOGUE_BYTES", "Descriptor", "UserSgpr"]

DESCRIPTOR_BYTES: Final = 64

VGPR_GRANULE: Final = 8  # unified file of gfx90a and later, in registers
ACCUM_GRANULE: Final = 4
SGPR_GRANULE: Final = 8  # what the field counts in; the hardware rounds up to 16
# Bytes at the head of a kernel with preloaded arguments that load them by hand; firmware that preloads skips them.
PRELOAD_PROLOGUE_BYTES: Final = 256

_WORDS = struct.Struct("<IIIIq20xIIIHH4x")
_WORD_NAMES: Final = (
    "lds", "scratch", "kernarg", "reserved", "entry", "rsrc3", "rsrc1", "rsrc2", "properties", "preload",
)  # fmt: skip

# Field: (word, lowest bit, bits). Every bit that LLVM documents for these chips stands here.
_FIELDS: Final[dict[str, tuple[str, int, int]]] = {
    "lds_bytes": ("lds", 0, 32),
    "scratch_bytes": ("scratch", 0, 32),
    "kernarg_bytes": ("kernarg", 0, 32),
    "vgpr_blocks": ("rsrc1", 0, 6),
    "sgpr_blocks": ("rsrc1", 6, 4),
    "priority": ("rsrc1", 10, 2),
    "round_mode_32": ("rsrc1", 12, 2),
    "round_mode_16_64": ("rsrc1", 14, 2),
    "denorm_mode_32": ("rsrc1", 16, 2),
    "denorm_mode_16_64": ("rsrc1", 18, 2),
    "privileged": ("rsrc1", 20, 1),
    "dx10_clamp": ("rsrc1", 21, 1),
    "debug_mode": ("rsrc1", 22, 1),
    "ieee_mode": ("rsrc1", 23, 1),
    "bulky": ("rsrc1", 24, 1),
    "cdbg_user": ("rsrc1", 25, 1),
    "fp16_overflow": ("rsrc1", 26, 1),
    "scratch_enabled": ("rsrc2", 0, 1),
    "user_sgprs": ("rsrc2", 1, 5),
    "trap_handler": ("rsrc2", 6, 1),
    "workgroup_id_x": ("rsrc2", 7, 1),
    "workgroup_id_y": ("rsrc2", 8, 1),
    "workgroup_id_z": ("rsrc2", 9, 1),
    "workgroup_info": ("rsrc2", 10, 1),
    "workitem_id_dims": ("rsrc2", 11, 2),
    "address_watch": ("rsrc2", 13, 1),
    "memory_violation": ("rsrc2", 14, 1),
    "lds_blocks": ("rsrc2", 15, 9),
    "exceptions": ("rsrc2", 24, 7),
    "accum_blocks": ("rsrc3", 0, 6),
    "tg_split": ("rsrc3", 16, 1),
    "private_segment_buffer": ("properties", 0, 1),
    "dispatch_ptr": ("properties", 1, 1),
    "queue_ptr": ("properties", 2, 1),
    "kernarg_ptr": ("properties", 3, 1),
    "dispatch_id": ("properties", 4, 1),
    "flat_scratch_init": ("properties", 5, 1),
    "private_segment_size": ("properties", 6, 1),
    "wave32": ("properties", 10, 1),
    "dynamic_stack": ("properties", 11, 1),
    "preload_dwords": ("preload", 0, 7),
    "preload_offset_dwords": ("preload", 7, 9),
}

# What a wave finds in its first SGPRs, in the hardware's order, with the SGPRs that each takes.
_USER_ORDER: Final = (
    ("private_segment_buffer", 4),
    ("dispatch_ptr", 2),
    ("queue_ptr", 2),
    ("kernarg_ptr", 2),
    ("dispatch_id", 2),
    ("flat_scratch_init", 2),
    ("private_segment_size", 1),
)
_SYSTEM_ORDER: Final = ("workgroup_id_x", "workgroup_id_y", "workgroup_id_z", "workgroup_info")


@dataclass(frozen=True, slots=True)
class UserSgpr:
    """What stands in `count` SGPRs from `first` on when a wave starts; `name` is the descriptor's field."""

    name: str
    first: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """Hold one kernel descriptor field by field, with LLVM's defaults.

    Sizes are bytes, register counts stand in the hardware's blocks (`vgprs`, `sgprs`, `accum_offset` give registers).
    Flags are 0 or 1. `entry_offset` is the distance in bytes from the descriptor to the kernel's first instruction.
    """

    entry_offset: int = 0
    lds_bytes: int = 0
    scratch_bytes: int = 0
    kernarg_bytes: int = 0
    vgpr_blocks: int = 0
    sgpr_blocks: int = 0
    priority: int = 0
    round_mode_32: int = 0
    round_mode_16_64: int = 0
    denorm_mode_32: int = 0
    denorm_mode_16_64: int = 3
    privileged: int = 0
    dx10_clamp: int = 1
    debug_mode: int = 0
    ieee_mode: int = 1
    bulky: int = 0
    cdbg_user: int = 0
    fp16_overflow: int = 0
    scratch_enabled: int = 0
    user_sgprs: int = 0
    trap_handler: int = 0
    workgroup_id_x: int = 1
    workgroup_id_y: int = 0
    workgroup_id_z: int = 0
    workgroup_info: int = 0
    workitem_id_dims: int = 0
    address_watch: int = 0
    memory_violation: int = 0
    lds_blocks: int = 0
    exceptions: int = 0
    accum_blocks: int = 0
    tg_split: int = 0
    private_segment_buffer: int = 0
    dispatch_ptr: int = 0
    queue_ptr: int = 0
    kernarg_ptr: int = 0
    dispatch_id: int = 0
    flat_scratch_init: int = 0
    private_segment_size: int = 0
    wave32: int = 0
    dynamic_stack: int = 0
    preload_dwords: int = 0
    preload_offset_dwords: int = 0

    @property
    def vgprs(self) -> int:
        """Registers of the unified file that a wave gets, AGPRs included."""
        return (self.vgpr_blocks + 1) * VGPR_GRANULE

    @property
    def accum_offset(self) -> int:
        """Register of the unified file at which the AGPRs begin."""
        return (self.accum_blocks + 1) * ACCUM_GRANULE

    @property
    def sgprs(self) -> int:
        """SGPRs that a wave gets, VCC and the other trailing ones included."""
        return (self.sgpr_blocks + 1) * SGPR_GRANULE

    def sgpr_layout(self) -> tuple[UserSgpr, ...]:
        """Return what a wave finds in its SGPRs when it starts, in order.

        The user SGPRs come first (preloaded kernel arguments last among them, named `kernarg_preload`), and the
        system's begin at `user_sgprs`. With architected flat scratch there is no scratch wave offset.
        """
        layout: list[UserSgpr] = []
        at = 0
        for name, count in _USER_ORDER:
            if getattr(self, name):
                layout.append(UserSgpr(name, at, count))
                at += count
        if self.preload_dwords:
            layout.append(UserSgpr("kernarg_preload", at, self.preload_dwords))
        at = self.user_sgprs
        for name in _SYSTEM_ORDER:
            if getattr(self, name):
                layout.append(UserSgpr(name, at, 1))
                at += 1
        return tuple(layout)

    def to_bytes(self) -> bytes:
        """Return the 64 bytes; raises CodeObjectError for a value that its field cannot hold."""
        words = dict.fromkeys(_WORD_NAMES, 0)
        words["entry"] = self.entry_offset
        for name, (word, low, bits) in _FIELDS.items():
            value: int = getattr(self, name)
            if not 0 <= value < 1 << bits:
                raise CodeObjectError(f"kernel descriptor: {name} has {bits} bits, got {value}")
            words[word] |= value << low
        return _WORDS.pack(*words.values())

    @staticmethod
    def from_bytes(data: bytes) -> Descriptor:
        """Decode 64 bytes; raises CodeObjectError if there are not that many."""
        if len(data) != DESCRIPTOR_BYTES:
            raise CodeObjectError(f"a kernel descriptor has {DESCRIPTOR_BYTES} bytes, got {len(data)}")
        words = dict(zip(_WORD_NAMES, _WORDS.unpack(data), strict=True))
        values = {name: words[word] >> low & ((1 << bits) - 1) for name, (word, low, bits) in _FIELDS.items()}
        return Descriptor(entry_offset=words["entry"], **values)

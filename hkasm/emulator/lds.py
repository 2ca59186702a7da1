"""LDS of all workgroups that run together, as one byte store; a workgroup's bytes start at group * stride."""

from __future__ import annotations

from hkasm.emulator.memory import Bytes

__all__ = ["Lds"]


class Lds(Bytes):
    """Local data share: `size` bytes for each of `groups` workgroups, `stride` bytes apart (a multiple of 16)."""

    def __init__(self, groups: int, size: int) -> None:
        self.bytes_per_group = size
        self.stride = -(-size // 16) * 16
        self.groups = groups
        super().__init__(groups * self.stride)

    def offset(self, index: int) -> tuple[int, int]:
        """Return (group, byte inside its LDS) of a flat index."""
        return divmod(index, self.stride) if self.stride else (0, index)

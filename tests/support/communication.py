"""What reserved workgroups do in tests: they say that they ran."""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register


def count_themselves(k: Builder, vectors: Register) -> None:
    """Add one for each lane to the workgroup's element of the array ``counts``, an argument behind the kernel's own."""
    counts, place = k.sgpr("counts", 2), k.sgpr("place")
    k.s_load_dwordx2(counts, k.kernarg, k.arg("counts", "u32", pointer=True, rank=1, access="readwrite").offset)
    k.s_lshl_b32(place, k.group_id, 2)
    k.v_mov_b32(vectors[0], place)
    k.v_mov_b32(vectors[1], 1)
    k.wait(counts)
    k.global_atomic_add(vectors[0], vectors[1], counts)


def take_much_room(k: Builder, vectors: Register) -> None:
    """Count, beside all the registers that a kernel with its own could not spare."""
    k.sgpr("many", 72)
    k.vgpr("more", 100)
    count_themselves(k, vectors)

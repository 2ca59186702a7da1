"""The steps that all pipelines of the GEMM share: reads of LDS into fragments, and products of these."""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.kernels.gemm.plan import HALVES, REGIONS
from hkasm.kernels.gemm.registers import Registers
from hkasm.schedules import Step


def shared_steps(r: Registers) -> list[Step]:
    """Return the reads of each region and the products of each pair of halves."""
    reads = [_read(r, name) for name in REGIONS]
    return [*reads, *(_compute(r, a_half, b_half) for a_half in HALVES for b_half in HALVES)]


def _read(r: Registers, name: str) -> Step:
    side, half = r.plan.side(name), int(name[1])
    pieces = [side.pieces(fragment) for fragment in range(side.fragments)]

    def emit(k: Builder, slot: int) -> None:
        start = side.start(half, slot) - side.first_byte
        fragments = r.fragment(name, slot)
        for number in range(len(pieces[0])):
            for fragment in range(side.fragments):
                piece = pieces[fragment][number]
                target = fragments[(fragment,)][piece.first : piece.first + piece.registers]
                base = r.bases[side.name][(piece.base,)]
                getattr(k, piece.mnemonic)(target, base, offset=start + piece.offset)
        if r.scales is not None:
            read = {4: k.ds_read_b32, 2: k.ds_read_u16, 1: k.ds_read_u8}[side.fragments]
            for number, scale in enumerate(r.scale(name, slot)):
                offset = start + number * side.wave_stride + side.scale_start(half)
                read(scale, r.scales.bases[side.name], offset=offset)

    return Step(name, "read", emit, regions=(name,), grouped=side.grouped)


def _compute(r: Registers, a_half: int, b_half: int) -> Step:
    plan, multiply = r.plan, r.plan.multiply
    first_format, second_format = plan.formats or (None, None)
    # B first: a lane then holds one row of C and a run of its columns.
    columns_width = multiply.registers("A", first_format)
    rows_width = multiply.registers("B", second_format)
    mods = {} if plan.formats is None else {"cbsz": first_format, "blgp": second_format}

    def emit(k: Builder, slot: int) -> None:
        a, b = r.fragment(f"A{a_half}", slot), r.fragment(f"B{b_half}", slot)
        product = getattr(k, multiply.mnemonic)
        for part in range(plan.parts):
            for i in range(plan.a.fragments):
                for j in range(plan.b.fragments):
                    target = r.accumulators[a_half, b_half, i, j]
                    columns = b[(j,)][part * columns_width : (part + 1) * columns_width]
                    rows = a[(i,)][part * rows_width : (part + 1) * rows_width]
                    if plan.scaled:
                        scales = [r.scale(f"{x}{h}", slot)[part] for x, h in (("B", b_half), ("A", a_half))]
                        product(target, columns, rows, target, *scales, **mods, **scale_bytes(j, i))
                    else:
                        product(target, columns, rows, target, **mods)

    return Step(f"C{a_half}{b_half}", "compute", emit)


def scale_bytes(first: int, second: int) -> dict[str, int]:
    """Return the modifiers that name a byte of each scale register: op_sel its low bit, op_sel_hi its high one."""
    return {"op_sel": first % 2 | second % 2 << 1, "op_sel_hi": first // 2 | second // 2 << 1}

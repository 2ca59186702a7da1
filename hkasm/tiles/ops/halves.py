"""f16 arithmetic: packed instructions for two elements, SDWA for those that take one, mixed ones with f32 vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkasm.isa.registers import Register
from hkasm.tiles.ops.common import f16_bits
from hkasm.tiles.ops.elementwise import Elementwise
from hkasm.tiles.ops.lanes import Lanes, Operand
from hkasm.tiles.ops.packing import KEEP, WORD, widen

PAD = 0
"""SDWA: bits that are not selected become zero."""


def emit_f16(
    alu: Lanes,
    op: Elementwise,
    d: Register,
    sources: Sequence[Register | Operand],
    tiles: Sequence[bool],
    work: Register | None,
) -> bool:
    """Emit an operation on the registers of f16 base tiles, or return False where it has no form in f16."""
    mixes = MIXED.get(op.name)
    vectors = any(not tile and not _is_scalar(source) for source, tile in zip(sources, tiles, strict=True))
    if op.name == "div":
        _divide(alu, d, sources, work)
        return True
    if vectors and mixes is not None:
        _mix(alu, mixes, d, sources, tiles)
        return True
    if vectors or not op.f16:
        return False
    if op.f16.startswith("v_pk"):
        _packed(alu, op, d, sources, tiles)
    else:
        _each_half(getattr(alu.k, op.f16), d, sources[0])
    return True


def _is_scalar(source: Register | Operand) -> bool:
    return isinstance(source, (int, float)) or (isinstance(source, Register) and source.file == "s")


def _packed(
    alu: Lanes, op: Elementwise, d: Register, sources: Sequence[Register | Operand], tiles: Sequence[bool]
) -> None:
    emit = getattr(alu.k, op.f16)
    signs = {"neg_lo": 2, "neg_hi": 2} if op.name == "sub" else {}
    every = [*sources, 0.0] if op.name == "relu" else list(sources)
    high = sum(1 << place for place, source in enumerate(every) if not _is_scalar(source))
    for number, target in enumerate(d):
        chosen = [_dword(alu, source, number) for source in every]
        emit(target, *chosen, op_sel_hi=high, **signs)


def _dword(alu: Lanes, source: Register | Operand, number: int) -> Register:
    if isinstance(source, Register):
        return source if source.file == "s" else source[number]
    assert isinstance(source, (int, float))
    return alu.dword(f16_bits(source))


def _each_half(emit: Callable[..., object], d: Register, source: Register | Operand) -> None:
    assert isinstance(source, Register)
    for target, value in zip(d, source, strict=True):
        unused = KEEP if target == value else PAD
        emit(target, value, dst_sel=WORD[0], dst_unused=unused, src0_sel=WORD[0])
        emit(target, value, dst_sel=WORD[1], dst_unused=KEEP, src0_sel=WORD[1])


# d = first * second + third; numbers are places among the sources, -0.0 keeps the sign of a product that is zero.
MIXED: dict[str, tuple[int | float, int | float, int | float, int]] = {
    "add": (0, 1.0, 1, 0),
    "sub": (0, 1.0, 1, 4),
    "mul": (0, 1, -0.0, 0),
    "fma": (0, 1, 2, 0),
}


def _mix(
    alu: Lanes,
    recipe: tuple[int | float, int | float, int | float, int],
    d: Register,
    sources: Sequence[Register | Operand],
    tiles: Sequence[bool],
) -> None:
    """Multiply and add f16 tiles and f32 vectors; each result is rounded to f16."""
    first, second, third, signs = recipe
    for number, target in enumerate(d):
        for half, emit in enumerate((alu.k.v_fma_mixlo_f16, alu.k.v_fma_mixhi_f16)):
            chosen: list[Register | float] = []
            is_half = low = 0
            negative = signs
            for place, part in enumerate((first, second, third)):
                if isinstance(part, float):
                    chosen.append(abs(part) if part else 0)
                    negative |= (1 << place) if part == 0 else 0
                    continue
                value, halved = _mixed(alu, sources[part], tiles[part], number, half)
                chosen.append(value)
                is_half |= halved << place
                low |= (halved and half) << place
            emit(target, *chosen, op_sel=low, op_sel_hi=is_half, neg_lo=negative)


def _mixed(alu: Lanes, source: Register | Operand, tile: bool, number: int, half: int) -> tuple[Register, bool]:
    """Return a source of a mixed instruction and whether it is f16."""
    if tile:
        assert isinstance(source, Register)
        return source[number], True
    if isinstance(source, Register):
        return source, False
    if isinstance(source, (int, float)):
        return alu.constant(source), False
    return source[2 * number + half], False


def _divide(alu: Lanes, d: Register, sources: Sequence[Register | Operand], work: Register | None) -> None:
    """x * rcp(y) with the reciprocal in f32, whose range f16's lacks."""
    x, y = sources
    assert isinstance(y, Register)
    assert work is not None
    for number, target in enumerate(d):
        inverse = list(work[0:2])
        widen(alu.k, "f16", y[number], inverse)
        alu.each(alu.k.v_rcp_f32, inverse, inverse)
        whole = x[number] if isinstance(x, Register) and x.file == "v" else x
        _mix(alu, MIXED["mul"], target, (whole, inverse), (isinstance(whole, Register), False))

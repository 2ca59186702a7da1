"""What `Builder.finish` refuses of a kernel that is whole: labels, tokens, M0 and freed registers that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from hkasm.asm.instruction import Instruction, Label, OperandValue
from hkasm.asm.registerfile import Owner
from hkasm.asm.waits import Item, WaitMarker
from hkasm.errors import RegisterError, UsageError, did_you_mean
from hkasm.isa.registers import M0, Register
from hkasm.isa.spec import SPECS

__all__ = ["check_freed", "check_labels", "check_m0", "check_tokens"]


def check_labels(items: Sequence[Item], name: str) -> None:
    """Refuse branches to labels without a place, and a program `name` that does not end."""
    placed = {item.name for item in items if isinstance(item, Label)}
    for item in items:
        if not isinstance(item, Instruction) or item.spec.control is None:
            continue
        for value in item.operands:
            if isinstance(value, Label) and value.name not in placed:
                raise UsageError(
                    f"{item.mnemonic}: label {value.name!r} has no place",
                    where=item.origin,
                    hint=did_you_mean(value.name, placed) or "k.place(label)",
                )
    last = next((item for item in reversed(items) if isinstance(item, Instruction)), None)
    if last is None or last.spec.control not in ("end", "branch", "jump"):
        raise UsageError(
            f"{name}: control runs off the end",
            where=last.origin if last else None,
            hint="end with k.s_endpgm()",
        )


def check_tokens(items: Sequence[Item]) -> None:
    """Refuse a wait for a token that nothing carries: it waits for nothing, most likely a slip of the pen."""
    carried = {token for item in items if isinstance(item, Instruction) for token in item.tokens}
    for item in items:
        if not isinstance(item, WaitMarker):
            continue
        for key in item.keys:
            if key[0] == "token" and key[1] not in carried:
                near = did_you_mean(str(key[1]), map(str, carried))
                raise UsageError(
                    f"wait for {key[1]!r}, which no instruction carries",
                    where=item.origin,
                    hint=near or "name it on the fetch: tokens=(...)",
                )


def check_m0(items: Sequence[Item], name: str) -> None:
    """Refuse LDS accesses that M0 bases in a program that never writes M0: its value at entry is anything."""
    reader = next((item for item in items if isinstance(item, Instruction) and _needs_m0(item.spec.key)), None)
    if reader is None or any(M0 in item.writes() for item in items if isinstance(item, Instruction)):
        return
    raise UsageError(
        f"{reader.mnemonic}: takes its LDS address from m0, which nothing in {name} writes",
        where=reader.origin,
        form=reader.spec.form,
        hint="k.s_mov_b32(M0, lds_offset) before it",
    )


@cache
def _needs_m0(key: str) -> bool:
    spec = SPECS[key]
    return spec.memory is not None and any(operand.fixed == M0 for operand in spec.operands)


Held = dict[tuple[str, int], list[Owner]]
"""Owners by file and register number."""


def check_freed(items: Sequence[Item], history: Iterable[Owner]) -> None:
    """Refuse registers that are used by a name that was given back before."""
    owners: dict[str, list[Owner]] = {}
    for owner in history:
        owners.setdefault(owner.name, []).append(owner)
    freed = {name: _by_place(held) for name, held in owners.items() if any(owner.last >= 0 for owner in held)}
    names: dict[str, Held] = {"": {}}
    suspects: dict[int, list[tuple[Register, list[Owner]]]] = {}  # instructions that stand again share operands
    for index, item in enumerate(items) if freed else ():
        if not isinstance(item, Instruction):
            continue
        found = suspects.get(id(item.operands))
        if found is None:
            found = suspects[id(item.operands)] = _freed_among(item.operands, freed, names)
        for value, held in found:
            if all(0 <= one.last <= index or one.first > index for one in held):
                gone = next((one for one in reversed(held) if one.last <= index), held[0])
                raise RegisterError(
                    f"{item.mnemonic}: uses {value}, which {gone.freed} has freed",
                    where=item.origin,
                    hint="free it behind its last use",
                )


def _by_place(owners: Iterable[Owner]) -> Held:
    places: Held = {}
    for owner in owners:
        for number in range(owner.register.index, owner.register.end):
            places.setdefault((owner.register.file, number), []).append(owner)
    return places


def _freed_among(
    operands: tuple[OperandValue, ...], freed: Mapping[str, Held], names: dict[str, Held]
) -> list[tuple[Register, list[Owner]]]:
    """Return the operands that bear the name of an owner that was freed at some time, with its holders of them.

    `names` keeps whose name a register's is, which may have slices behind it: ``xs[0:4][1]``.
    """
    found = []
    for value in operands:
        if not isinstance(value, Register):
            continue
        named = names.get(value.name)
        if named is None:
            name = value.name
            while name not in freed and name.endswith("]"):
                name = name.rpartition("[")[0]
            named = names[value.name] = freed.get(name, {})
        held = [one for one in named.get((value.file, value.index), ()) if one.register.covers(value)]
        if held:
            found.append((value, held))
    return found

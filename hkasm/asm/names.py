"""The `.hkasm` section: names that machine code has no place for.

A code object knows no register names, step names or argument types. hkasm's own objects carry them in a section that
is never loaded: MessagePack, one map per linked file, `{"format": 1, "kernels": {name: names}}`, where `names` is

    owners  [[name, file, index, count, first, last, where], ...]   who holds a register for a run of instructions
    marks   [[kind, name, first, last], ...]                        steps, sections, loops, derived waits
    args    [[name, kind, dtype, offset, size, rank, access], ...]
    lds     [[name, offset, bytes], ...]
    block   [x, y, z]                                               work-items of a workgroup
    config  {key: value}                                            what the kernel was built with

`first` and `last` (exclusive) count instructions, in order, from the kernel's first. The section is read under the same
suspicion as anything from a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypedDict

import msgpack

from hkasm.asm.program import KernelArg, LdsRegion, Mark, OwnerRange, Program
from hkasm.errors import CodeObjectError
from hkasm.isa.registers import Register

__all__ = ["FORMAT", "MAX_NAMES_BYTES", "SECTION_NAME", "KernelNames", "pack_names", "unpack_names"]

SECTION_NAME: Final = ".hkasm"
FORMAT: Final = 1
MAX_NAMES_BYTES: Final = 64 << 20
_MAX_TEXT: Final = 4096
_MAX_NUMBER: Final = 1 << 40


class KernelNames(TypedDict):
    """What the section says of one kernel, checked."""

    owners: tuple[OwnerRange, ...]
    marks: tuple[Mark, ...]
    args: tuple[KernelArg, ...]
    lds: tuple[LdsRegion, ...]
    block: tuple[int, int, int]
    config: dict[str, object]


def pack_names(program: Program) -> bytes:
    """Return the section's bytes for one program; equal programs give equal bytes."""
    names = {
        "owners": [
            [o.name, o.register.file, o.register.index, o.register.count, o.first, o.last, o.where]
            for o in program.owners
        ],
        "marks": [[m.kind, m.name, m.first, m.last] for m in program.marks],
        "args": [[a.name, a.kind, a.dtype, a.offset, a.size, a.rank, a.access] for a in program.args],
        "lds": [[r.name, r.offset, r.bytes] for r in program.lds_map],
        "block": list(program.block),
        "config": dict(program.config),
    }
    packed: bytes = msgpack.packb({"format": FORMAT, "kernels": {program.name: names}}, use_bin_type=True)
    return packed


def unpack_names(data: bytes) -> dict[str, KernelNames]:
    """Return what a section says, by kernel.

    Maps of a format that this hkasm does not know are passed over: names are a help, never a need. Raises
    CodeObjectError if the section is damaged.
    """
    if len(data) > MAX_NAMES_BYTES:
        raise CodeObjectError(f"{SECTION_NAME} has {len(data)} bytes, at most {MAX_NAMES_BYTES} are read")
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=True, max_buffer_size=MAX_NAMES_BYTES)
    unpacker.feed(data)
    found: dict[str, KernelNames] = {}
    try:
        for entry in unpacker:
            if not isinstance(entry, dict):
                raise _damaged("not a map")
            if entry.get("format") != FORMAT:
                continue
            for name, names in _map(entry.get("kernels")).items():
                found[_text(name)] = _kernel_names(_map(names))
    except (ValueError, TypeError, msgpack.UnpackException, RecursionError, OverflowError) as error:
        raise _damaged(str(error) or type(error).__name__) from None
    if unpacker.tell() != len(data):
        raise _damaged("it ends in the middle")
    return found


def _kernel_names(names: Mapping[object, object]) -> KernelNames:
    block = [_number(extent) for extent in _row(names.get("block"), 3)]
    return KernelNames(
        owners=tuple(_owner(_row(row, 7)) for row in _rows(names.get("owners"))),
        marks=tuple(_mark(_row(row, 4)) for row in _rows(names.get("marks"))),
        args=tuple(_arg(_row(row, 7)) for row in _rows(names.get("args"))),
        lds=tuple(_region(_row(row, 3)) for row in _rows(names.get("lds"))),
        block=(block[0], block[1], block[2]),
        config={_text(key): value for key, value in _map(names.get("config", {})).items()},
    )


def _owner(row: list[object]) -> OwnerRange:
    file = _text(row[1])
    index, count, first, last = (_number(value) for value in row[2:6])
    if file not in ("s", "v", "a") or not 1 <= count <= 256 or index + count > 256:
        raise _damaged(f"no register {file}[{index}:{index + count - 1}]")
    name = _text(row[0])
    return OwnerRange(name, Register(file, index, count, name), first, last, _text(row[6]))


def _mark(row: list[object]) -> Mark:
    return Mark(_text(row[0]), _text(row[1]), _number(row[2]), _number(row[3]))


def _arg(row: list[object]) -> KernelArg:
    offset, size, rank = (_number(value) for value in row[3:6])
    return KernelArg(_text(row[0]), _text(row[1]), _text(row[2]), offset, size, rank, _text(row[6]))


def _region(row: list[object]) -> LdsRegion:
    return LdsRegion(_text(row[0]), _number(row[1]), _number(row[2]))


def _map(value: object) -> Mapping[object, object]:
    if not isinstance(value, dict):
        raise _damaged("a map is missing")
    return value


def _rows(value: object) -> list[object]:
    if not isinstance(value, list):
        raise _damaged("a list is missing")
    return value


def _row(value: object, length: int) -> list[object]:
    row = _rows(value)
    if len(row) != length:
        raise _damaged(f"a row has {len(row)} entries, not {length}")
    return row


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise _damaged("a name is missing or too long")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MAX_NUMBER:
        raise _damaged("a number is missing or out of range")
    return value


def _damaged(what: str) -> CodeObjectError:
    return CodeObjectError(f"{SECTION_NAME} section is damaged: {what}")

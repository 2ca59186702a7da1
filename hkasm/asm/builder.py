"""The builder: one method call, one checked instruction, in place.

Every method named like an ISA mnemonic emits exactly that instruction. What emits more, or later, has a plain word:
`wait`, `fix_hazards`. The builder knows registers, labels, arguments and LDS ranges, but no tiles and no schedules.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from itertools import accumulate
from math import prod
from typing import TypeVar

import hkasm.isa
from hkasm.asm.collector import no_collection
from hkasm.asm.emitter import Emit, Forms, caller_origin, make_emit, raising_origin
from hkasm.asm.emitter import build_instruction as build_instruction
from hkasm.asm.finish_check import check_freed, check_labels, check_m0, check_tokens
from hkasm.asm.instruction import Instruction, Label, Origin
from hkasm.asm.line_syntax import label_fault
from hkasm.asm.mnemonics import Mnemonics
from hkasm.asm.program import ACCESSES, KernelArg, LdsRegion, Mark, OwnerRange, Program
from hkasm.asm.registerfile import RegisterFile
from hkasm.asm.waits import Item, Key, WaitMarker, landing_keys, register_keys, resolve_waits, token_key
from hkasm.errors import ArchError, OperandError, RegisterError, UsageError, did_you_mean, known_keywords
from hkasm.isa.arch import Arch, get_arch
from hkasm.isa.constants import TYPE_BITS
from hkasm.isa.counters import pack_waitcnt
from hkasm.isa.registers import Register
from hkasm.isa.spec import VARIANTS, InstSpec

Writer = TypeVar("Writer", bound=Callable[..., object])
DEFAULT_BLOCK = 64
_REGISTERS = {
    **{name: f"it is a register: hkasm.{name.upper()}" for name in ("exec", "m0", "vcc")},
    "scc": "s_cmp_* and scalar arithmetic set it, s_cselect_b32 and s_cbranch_scc1 read it; hkasm.isa.registers.SCC",
}
"""What is no method of the builder, and where it is."""


class Builder(Mnemonics):
    """Collects the instructions of one kernel.

    Registers at entry (AMDGPU ABI, code object v5): ``kernarg`` in s[0:1], workgroup ids in s2, s3, s4 (``group_ids``;
    ``group_id`` is x), the work-item id in v0 (``lane``: x | y << 10 | z << 20; plain x for one-dimensional blocks, so
    it counts the lanes of the whole workgroup). ``hkasm.VCC``, ``hkasm.EXEC`` and ``hkasm.M0`` have no owner.
    """

    def __init__(self, arch: Arch | str, name: str = "kernel", *, block: tuple[int, int, int] | int = 64) -> None:
        self.arch = get_arch(arch)
        self.name = name
        self.block = _block(block, self.arch)
        self.items: list[Item] = []
        self.args: list[KernelArg] = []
        self.lds_map: list[LdsRegion] = []
        self.config: dict[str, object] = {}
        self.files = {
            "s": RegisterFile("s", self.arch.max_sgpr),
            "v": RegisterFile("v", self.arch.max_vgpr),
            "a": RegisterFile("a", self.arch.max_agpr),
        }
        self.marks: list[tuple[str, str, int, int]] = []
        """Kind, name, and the first item and the one behind the last of what was marked."""
        self._labels: set[str] = set()
        self._placed: set[str] = set()
        self._label_numbers = 0
        self._hazards = False
        self.tag = ""
        """The step that is being written."""
        self.forms: dict[str, Forms] = {}
        self._keys: dict[tuple[Hashable, ...], frozenset[Key]] = {}
        self.kernarg = self.sgpr("kernarg", 2, pin=0)
        self.group_ids = tuple(self.sgpr(f"group_{axis}", pin=2 + i) for i, axis in enumerate("xyz"))
        self.group_id = self.group_ids[0]
        self.lane = self.vgpr("workitem", pin=0)

    def __getattr__(self, mnemonic: str) -> Emit:
        if mnemonic.startswith("_"):
            raise AttributeError(mnemonic)
        variants = VARIANTS.get(mnemonic)
        usable = [spec for spec in variants or () if self.arch.name in spec.archs]
        if not usable:
            self._unknown(mnemonic, variants)
        emit = make_emit(self, usable)
        self.__dict__[mnemonic] = emit
        return emit

    def _unknown(self, mnemonic: str, variants: list[InstSpec] | None) -> None:
        where = caller_origin(3)
        if variants:
            archs = ", ".join(sorted(variants[0].archs))
            raise ArchError(f"{mnemonic} does not exist on {self.arch.name}", where=where, hint=f"it is on {archs}")
        if hint := _REGISTERS.get(mnemonic.lower()):
            raise AttributeError(ArchError(f"the builder has no {mnemonic!r}", where=where, hint=hint))
        known = [*VARIANTS, *(name for name in dir(type(self)) if not name.startswith("_"))]
        raise AttributeError(
            ArchError(f"unknown instruction {mnemonic!r}", where=where, hint=did_you_mean(mnemonic, known))
        )

    # -- registers -----------------------------------------------------------------------------------------------

    def sgpr(self, name: str, count: int = 1, *, align: int | None = None, pin: int | None = None) -> Register:
        """Allocate scalar registers: pairs at even, wider tuples at multiples of 4."""
        return self._allocate("s", name, count, align or (1 if count == 1 else 2 if count == 2 else 4), pin)

    def vgpr(self, name: str, count: int = 1, *, align: int | None = None, pin: int | None = None) -> Register:
        """Allocate vector registers; tuples start at even numbers on both archs."""
        return self._allocate("v", name, count, align or (1 if count == 1 else self.arch.tuple_alignment), pin)

    def agpr(self, name: str, count: int = 1, *, align: int | None = None, pin: int | None = None) -> Register:
        """Allocate accumulator registers; tuples start at even numbers."""
        return self._allocate("a", name, count, align or (1 if count == 1 else self.arch.tuple_alignment), pin)

    def _allocate(self, letter: str, name: str, count: int, align: int, pin: int | None) -> Register:
        origin = caller_origin(3)
        given: tuple[object, ...] = (name, count, align, pin or 0)
        if not isinstance(given[0], str) or not all(hasattr(one, "__index__") for one in given[1:]):
            raise RegisterError(
                f"registers have a name and whole numbers, got {name!r}, {count!r} of them", where=origin,
                hint='k.vgpr("acc", 4)',
            )  # fmt: skip
        file = self.files[letter]
        peak = file.peak
        try:
            register = file.allocate(name, count, align=align, now=len(self.items), where=str(origin), pin=pin)
        except RegisterError as error:
            raise RegisterError(error.message, where=origin, hint=error.hint) from None
        if letter != "s" and file.peak > peak:
            self._check_budget(register, origin)
        return register

    def _check_budget(self, register: Register, origin: Origin) -> None:
        """Refuse registers with which the workgroup would not fit its SIMDs: no such kernel can be launched."""
        vgprs, agprs = self.files["v"].peak, self.files["a"].peak
        workitems = prod(self.block)
        budget = self.arch.vgpr_budget(workitems)
        if self.arch.total_vgprs(vgprs, agprs) <= budget:
            return
        other = "a" if register.file == "v" else "v"
        raise RegisterError(
            f"{register} is outside the budget: {vgprs} VGPRs and {agprs} AGPRs a wave, a workgroup of {workitems} "
            f"work-items leaves {budget}",
            where=origin,
            hint=f"pin lower, free something, or use fewer waves; {other}: {self.files[other].map_text()}; "
            f"{register.file}: {self.files[register.file].map_text()}",
        )

    def free(self, *registers: Register) -> None:
        """Give whole allocations back."""
        origin = caller_origin()
        for register in registers:
            if not isinstance(register, Register):
                raise RegisterError(f"cannot free {register!r}", where=origin, hint="give registers: k.free(a, b)")
            try:
                self.files[register.file].free(register, len(self.items), str(origin))
            except RegisterError as error:
                raise RegisterError(error.message, where=origin, hint=error.hint) from None

    # -- labels, arguments, LDS ----------------------------------------------------------------------------------

    def label(self, name: str = "") -> Label:
        """A new label, to be placed later; names are made unique by a number when given none or taken."""
        self._check_name(name or "L")
        base = name or "L"
        unique = base
        while (not name and unique == base) or unique in self._labels:
            self._label_numbers += 1
            unique = f"{base}_{self._label_numbers}"
        self._labels.add(unique)
        return Label(unique)

    def place(self, label: Label | str) -> Label:
        """Put a label here; a second place for one name is an error."""
        placed = Label(label) if isinstance(label, str) else label
        if placed.name not in self._labels:
            self._check_name(placed.name)
        if placed.name in self._placed:
            raise UsageError(f"label {placed.name!r} is placed twice", where=caller_origin())
        self._labels.add(placed.name)
        self._placed.add(placed.name)
        self.items.append(placed)
        return placed

    def _check_name(self, name: str) -> None:
        fault = "is the kernel's own" if name == self.name else label_fault(name)
        if fault:
            raise UsageError(f"label {name!r} {fault}", where=caller_origin(3), hint="name it like 'loop_1'")

    def arg(self, name: str, dtype: str, *, pointer: bool = False, rank: int = 0, access: str = "read") -> KernelArg:
        """Declare the next kernel argument; its offset follows from its size (8 bytes for pointers).

        The argument's `offset` is where `kernarg` holds it: ``k.s_load_dwordx2(x, k.kernarg, k.arg(...).offset)``.
        `access` is ``read``, ``write`` or ``readwrite``, `rank` the dimensions of the tensor behind a pointer.

        Raises:
            UsageError: unknown dtype or access, or a name that is taken.
        """
        if not pointer and dtype not in TYPE_BITS:
            raise UsageError(
                f"argument {name}: unknown dtype {dtype!r}", where=caller_origin(), hint=did_you_mean(dtype, TYPE_BITS)
            )
        if access not in ACCESSES:
            raise UsageError(
                f"argument {name}: unknown access {access!r}",
                where=caller_origin(),
                hint=f"known: {', '.join(ACCESSES)}",
            )
        if any(arg.name == name for arg in self.args):
            raise UsageError(f"argument {name!r} is declared twice", where=caller_origin())
        size = 8 if pointer else TYPE_BITS[dtype] // 8
        end = self.args[-1].offset + self.args[-1].size if self.args else 0
        offset = -(-end // size) * size
        self.args.append(KernelArg(name, "pointer" if pointer else "value", dtype, offset, size, rank, access))
        return self.args[-1]

    def lds(self, name: str, size: int, *, align: int = 16) -> LdsRegion:
        """Reserve LDS bytes behind those reserved before; the region's `offset` is its first byte.

        Raises:
            UsageError: size or alignment is no whole number.
            RegisterError: no bytes, or more than the arch's LDS.
        """
        if not _is_whole(align, 1) or not _is_whole(size, -(1 << 63)):
            raise UsageError(f"{name}: {size!r} bytes of LDS at a multiple of {align!r}", where=caller_origin())
        if size < 1:
            raise RegisterError(f"{name}: {size} bytes of LDS", where=caller_origin(), hint="reserve at least one")
        end = self.lds_map[-1].offset + self.lds_map[-1].bytes if self.lds_map else 0
        offset = -(-end // align) * align
        if offset + size > self.arch.lds_bytes:
            held = ", ".join(f"{r.name} {r.bytes}" for r in self.lds_map)
            raise RegisterError(
                f"{name}: {offset} + {size} bytes of LDS, {self.arch.name} has {self.arch.lds_bytes}",
                where=caller_origin(),
                hint=f"in use: {held}" if held else None,
            )
        self.lds_map.append(LdsRegion(name, offset, size))
        return self.lds_map[-1]

    # -- what emits more than an instruction, or none -------------------------------------------------------------

    def wait(self, *what: Register | Instruction | Hashable, reason: str = "") -> None:
        """Wait until values are here: registers, the results of given instructions, or tokens put on fetches.

        The count is derived from the program's control flow when it is finished; a wait that is not needed emits
        nothing. Without arguments it waits for everything outstanding.
        """
        for item in what:
            if not isinstance(item, Hashable):
                raise UsageError(
                    f"wait wants registers, instructions or tokens, got {item!r}",
                    where=caller_origin(),
                    hint="unpack a list: k.wait(*registers)",
                )
        keys = self._keys.get(what)
        if keys is None:
            keys = frozenset(key for item in what for key in _keys_of(item))
            if not any(isinstance(item, Instruction) for item in what):
                self._keys[what] = keys
        everything = () if what else ("vmcnt", "lgkmcnt")
        self.items.append(WaitMarker(keys, caller_origin(), reason, everything, tag=self.tag))

    def wait_counts(
        self, *, vmcnt: int | None = None, lgkmcnt: int | None = None, expcnt: int | None = None
    ) -> Instruction:
        """Emit ``s_waitcnt`` with explicit counts; None leaves a counter out."""
        limits = (
            ("vmcnt", vmcnt, self.arch.vmcnt_max),
            ("lgkmcnt", lgkmcnt, self.arch.lgkmcnt_max),
            ("expcnt", expcnt, self.arch.expcnt_max),
        )
        for name, value, top in limits:
            if value is not None and not 0 <= value <= top:
                raise OperandError(f"s_waitcnt: {name}({value}) is out of range (0 to {top})", where=caller_origin())
        emitted: Instruction = self.s_waitcnt(pack_waitcnt(self.arch, vmcnt, lgkmcnt, expcnt))
        return emitted

    def aside(self, name: str) -> Builder:
        """Return a builder of the same arch, for instructions that are looked at or replayed."""
        other = Builder(self.arch, name, block=self.block)
        other.forms = self.forms
        return other

    def replay(self, instructions: Iterable[Instruction]) -> None:
        """Emit instructions again that a builder of this arch has checked before, with the lines that wrote them."""
        self.items += [inst.again(self.tag) for inst in instructions]

    def fix_hazards(self) -> None:
        """Ask for the fewest ``s_nop`` that satisfy the hazard rules, put in when the program is finished."""
        self._hazards = True

    def mark(self, kind: str, name: str) -> _Marking:
        """Name the instructions emitted inside (``with k.mark("step", "read A0"):``), for maps, traces and messages."""
        return _Marking(self, kind, name)

    def finish(self, *, checked: bool = True) -> Program:
        """Resolve waits, place wait states if asked for, count registers, and give the program.

        `checked` False leaves missing waits and wait states to the reader, for experiments on them.

        Raises:
            WaitError: a register is used while a load into it may be in flight, on any path.
            HazardError: wait states are missing by LLVM's table, and `fix_hazards` was not called.
            HkasmError: a branch to a label without a place, no end of program, or M0 needed and never written.
        """
        check_labels(self.items, self.name)
        check_tokens(self.items)
        check_m0(self.items, self.name)
        check_freed(self.items, [owner for file in self.files.values() for owner in file.history])
        body = resolve_waits(self.items, self.arch, checked=checked)
        if self._hazards:
            from hkasm.asm.hazards import fix_hazards

            body = fix_hazards(body, self.arch)
        elif checked:
            from hkasm.asm.hazards import check_hazards

            check_hazards(body, self.arch)
        position = _positions(self.items, body)
        count = position[-1]
        owners = tuple(
            OwnerRange(o.name, o.register, position[o.first], count if o.last < 0 else position[o.last], o.where)
            for file in self.files.values()
            for o in file.history
        )
        marks = tuple(Mark(kind, name, position[first], position[last]) for kind, name, first, last in self.marks)
        end = max((arg.offset + arg.size for arg in self.args), default=0)
        program = Program(
            arch=self.arch,
            name=self.name,
            body=body,
            args=tuple(self.args),
            kernarg_bytes=-(-end // 8) * 8,
            lds_bytes=max((r.offset + r.bytes for r in self.lds_map), default=0),
            block=self.block,
            workitem_dims=3 if self.block[2] > 1 else 2 if self.block[1] > 1 else 1,
            owners=owners,
            marks=tuple(sorted(marks, key=lambda mark: (mark.first, -mark.last))),
            lds_map=tuple(self.lds_map),
            config=dict(self.config),
        )
        program.count_registers()
        return program


class _Marking:
    """A mark that is being written."""

    __slots__ = ("_k", "_kind", "_name", "_outer", "_start")

    def __init__(self, k: Builder, kind: str, name: str) -> None:
        self._k, self._kind, self._name = k, kind, name

    def __enter__(self) -> None:
        self._start, self._outer = len(self._k.items), self._k.tag
        if self._kind == "step":
            self._k.tag = self._name

    def __exit__(self, *_: object) -> None:
        self._k.tag = self._outer
        self._k.marks.append((self._kind, self._name, self._start, len(self._k.items)))


def _keys_of(item: Register | Instruction | Hashable) -> Iterable[Key]:
    if isinstance(item, Register):
        return register_keys(item)
    return landing_keys(item) if isinstance(item, Instruction) else (token_key(item),)


def _is_whole(value: object, low: int) -> bool:
    return isinstance(value, int) and value >= low


def _block(block: tuple[int, int, int] | int, arch: Arch) -> tuple[int, int, int]:
    """Return a block as three numbers. Raises UsageError for what no workgroup can be."""
    sides = (block, 1, 1) if isinstance(block, int) else tuple(block)
    if len(sides) != 3 or not all(_is_whole(side, 1) for side in sides) or prod(sides) > arch.max_workgroup:
        raise UsageError(
            f"block {block!r} is not one number, or three, of work-items", hint=f"at most {arch.max_workgroup} together"
        )
    return sides


def _positions(items: list[Item], body: list[Instruction | Label]) -> list[int]:
    """Instruction index in `body` of every place in `items`, one place behind the end included."""
    before = list(accumulate((isinstance(item, Instruction) for item in body), initial=0))
    index_of = dict(zip(map(id, body), before, strict=False))
    position = before[-1]
    positions = [position, *(position := index_of.get(id(item), position) for item in reversed(items))]
    return positions[::-1]


def kernel(*, block: tuple[int, int, int] | int) -> Callable[[Writer], Writer]:
    """Say of a function that writes a kernel how many work-items its workgroups have: ``@hkasm.kernel(block=256)``."""

    def mark(function: Writer) -> Writer:
        function.__hkasm_block__ = block  # type: ignore[attr-defined]
        return function

    return mark


def stated_block(function: object) -> tuple[int, int, int] | int | None:
    """Return what `kernel` said of a function, or None."""
    found: tuple[int, int, int] | int | None = getattr(_unwrapped(function), "__hkasm_block__", None)
    return found


def _unwrapped(function: object) -> object:
    """Return the function of a `functools.partial`, which has neither its name nor what `kernel` said of it."""
    while isinstance(function, partial):
        function = function.func
    return function


@known_keywords("those of the function: build(functools.partial(function, NAME=VALUE), arch=...)")
def build(
    function: Callable[[Builder], object],
    *,
    arch: Arch | str,
    name: str | None = None,
    block: tuple[int, int, int] | int | None = None,
) -> Program:
    """Build a kernel from a function that writes it: ``build(axpy, arch="gfx950")``.

    `block` are the work-items of a workgroup: what `kernel` says of the function if it is not given, else 64.
    Parameters of the function's own go through `functools.partial`.

    Raises:
        UsageError: there is no function, or none that has a name and `name` is not given; an unknown keyword.
    """
    if not callable(function):
        raise UsageError(f"build wants the function that writes a kernel, got {function!r}", hint="def copy(k): ...")
    name = name or getattr(_unwrapped(function), "__name__", None)
    if name is None:
        raise UsageError(f"{function!r} has no name for the kernel", hint='build(function, name="copy", arch=...)')
    with no_collection():
        if block is None:
            block = stated_block(function) or DEFAULT_BLOCK
        builder = Builder(arch, name, block=block)
        try:
            function(builder)
        except RegisterError as error:
            error.where = error.where or raising_origin(error)  # slices do not know who wrote them
            raise
        return builder.finish()


def known_mnemonics(arch: Arch | str) -> list[str]:
    """Every mnemonic that the arch has, sorted."""
    arch_name = get_arch(arch).name
    return sorted({spec.mnemonic for spec in hkasm.isa.SPECS.values() if arch_name in spec.archs})

"""Assembly files read into programs: instructions, labels, `.set` symbols, kernel descriptors and metadata.

What clang, Triton and hkasm write is read; macros and conditional assembly are not, for clang expands them. The
instructions of one function become one program. A literal that is computed from labels (`helper@rel32@lo+4`) is found
once all code has its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.encoder import instruction_size
from hkasm.asm.expressions import SymbolTable
from hkasm.asm.instruction import Instruction, Label, Origin
from hkasm.asm.instruction_parser import parse_instruction, parse_words, words_spec
from hkasm.asm.line_syntax import Words, split_commas, split_instruction, split_label, strip_comment
from hkasm.asm.metadata import kernel_args
from hkasm.asm.names import SECTION_NAME, KernelNames, unpack_names
from hkasm.asm.program import Program
from hkasm.asm.yaml_text import read_yaml
from hkasm.errors import HkasmError, UsageError, did_you_mean
from hkasm.isa.arch import Arch, get_arch
from hkasm.isa.constants import LITERAL, Const

__all__ = ["AssemblyFile", "parse_assembly", "parse_program"]

_TARGET: Final = re.compile(r'"?\w+-[^"]*--(gfx\w+)')
_ASSIGNMENT: Final = re.compile(r"\s*([A-Za-z_.$][\w.$]*)\s*=(?!=)\s*(.+)")
_SYMBOL: Final = re.compile(r"[A-Za-z_.$][\w.$]*")
_RELATIVE: Final = re.compile(r"([A-Za-z_.$][\w.$]*)@rel32@(lo|hi)")
_EXPANDED: Final = frozenset({
    ".macro", ".endm", ".endmacro", ".if", ".ifdef", ".ifndef", ".ifeq", ".ifne", ".ifc", ".ifnc", ".else", ".elseif",
    ".endif", ".rept", ".endr", ".irp", ".irpc", ".include", ".incbin", ".altmacro", ".purgem", ".exitm",
})  # fmt: skip
_PASSED_OVER: Final = frozenset({
    ".globl", ".global", ".protected", ".hidden", ".internal", ".weak", ".local", ".type", ".ident", ".addrsig",
    ".addrsig_sym", ".amdhsa_code_object_version", ".no_dead_strip", ".cfi_sections", ".cfi_startproc", ".cfi_endproc",
    ".amdgpu_pal_metadata", ".amdgcn_target", ".lcomm", ".comm", ".reloc", ".symver", ".file", ".section", ".text",
})  # fmt: skip
_DATA_WORDS: Final = frozenset({".long", ".int", ".4byte", ".word"})
_NOP: Final = 0xBF800000
_MAX_PADDING: Final = 1 << 16
_MAX_ALIGN_POWER: Final = 16
_HERE: Final = re.compile(r"(?<![\w.$])\.(?![\w.$])")


@dataclass(slots=True)
class AssemblyFile:
    """What an assembly file holds.

    ``programs`` are its functions' code by symbol, kernels and helpers alike; ``kernels`` names the kernels;
    ``directives`` has each kernel's `.amdhsa_` values by name without that prefix; ``metadata`` each kernel's own map.
    """

    arch: Arch
    programs: dict[str, Program] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    directives: dict[str, dict[str, int]] = field(default_factory=dict)
    metadata: dict[str, Mapping[str, object]] = field(default_factory=dict)


def parse_program(text: str, *, arch: Arch | str | None = None, path: str = "", name: str | None = None) -> Program:
    """Return the one kernel of a file, or the one of that name; bare instructions are a program too.

    Raises:
        HkasmError: with file and line, as `parse_assembly`; UsageError also if there are several kernels or none.
    """
    found = parse_assembly(text, arch=arch, path=path)
    choices = found.kernels or tuple(found.programs)
    if name is None and len(choices) == 1:
        name = choices[0]
    if name is None or name not in found.programs:
        hint = did_you_mean(name or "", found.programs) or (f"it has {', '.join(choices)}" if choices else None)
        raise UsageError(
            f"no kernel {name!r}" if name else "which kernel?" if choices else "holds no code",
            where=path or None,
            hint=hint,
        )
    return found.programs[name]


def parse_assembly(text: str, *, arch: Arch | str | None = None, path: str = "") -> AssemblyFile:
    """Read an assembly file; its `.amdgcn_target` gives the arch if `arch` does not.

    Raises:
        ArchError, OperandError, UsageError: what the file says wrongly, with its line.
    """
    reader = _Reader(text.splitlines(), path, get_arch(arch) if arch is not None else None)
    return reader.read()


@dataclass(slots=True)
class _Function:
    """The code of one symbol as it is read, and the literals that wait for labels."""

    name: str
    body: list[Instruction | Label] = field(default_factory=list)


@dataclass(slots=True)
class _Fixup:
    """A literal operand whose expression names labels."""

    inst: Instruction
    place: int
    operand: int
    text: str


class _Reader:
    """One pass over a file's lines, with a short one before it that finds the labels."""

    def __init__(self, lines: list[str], path: str, arch: Arch | None) -> None:
        self.lines, self.path = lines, path
        self.arch = arch or self._target()
        self.symbols = SymbolTable()
        self.labels: set[str] = set()
        self.functions: set[str] = set()
        self._survey()
        self.code: list[_Function] = []
        self.offset = 0
        self.fixups: list[_Fixup] = []
        self.sections = ["text"]
        self.previous = "text"
        self.number = 0
        self.block = ""
        self.kernel = ""
        self.kernel_lines: dict[str, dict[str, tuple[str, Origin]]] = {}
        self.metadata_lines: list[str] = []
        self.names = bytearray()
        self.files: dict[str, str] = {}
        self.sizes: dict[str, str] = {}
        self.places: dict[str, int] = {}
        self.location: Origin | None = None

    def _target(self) -> Arch:
        for line in self.lines:
            if line.lstrip().startswith(".amdgcn_target"):
                match = _TARGET.search(line)
                if match:
                    return get_arch(match[1])
        raise UsageError("the file does not say its arch", where=self.path or None, hint="give one, or .amdgcn_target")

    def _survey(self) -> None:
        for line in self.lines:
            code, _ = strip_comment(line)
            name, rest = split_label(code)
            while name:
                self.labels.add(name)
                name, rest = split_label(rest)
            words = rest.split(None, 1)
            if len(words) == 2 and words[0] == ".type" and re.search(r"[@%]function", words[1]):
                self.functions.add(words[1].split(",")[0].strip())
            elif len(words) == 2 and words[0] == ".amdhsa_kernel":
                self.functions.add(words[1].strip())

    def read(self) -> AssemblyFile:
        for number, line in enumerate(self.lines, 1):
            self.number = number
            try:
                self._line(line)
            except HkasmError as error:
                raise type(error)(
                    error.message, where=error.where or self._here(), form=error.form, hint=error.hint
                ) from None
        if self.block:
            raise UsageError(f"{self.block} does not end", where=self._here())
        self._resolve()
        return self._result()

    def _here(self) -> Origin:
        return Origin(self.path or "assembly", self.number)

    # -- lines -------------------------------------------------------------------------------------------------------

    def _line(self, line: str) -> None:
        if self.block:
            self._block_line(line)
            return
        code, comment = strip_comment(line)
        name, rest = split_label(code)
        while name:
            self._label(name)
            name, rest = split_label(rest)
        rest = rest.strip()
        if not rest:
            return
        assignment = _ASSIGNMENT.fullmatch(rest)
        if assignment:
            self.symbols.set(assignment[1], assignment[2])
        elif rest.startswith("."):
            word, _, tail = rest.partition(" ") if "\t" not in rest else rest.replace("\t", " ").partition(" ")
            self._directive(word, tail.strip())
        elif self._in_code():
            self._instruction(rest, comment)
        else:
            raise UsageError(f"an instruction in section {self.sections[-1]}", hint="code stands in .text")

    def _in_code(self) -> bool:
        return self.sections[-1].lstrip(".").startswith("text")

    def _label(self, name: str) -> None:
        if not self._in_code():
            return
        if name in self.functions or not self.code:
            self.code.append(_Function(name if name in self.functions else ""))
        if name not in self.functions:
            self.code[-1].body.append(Label(name))
        self.places[name] = self.offset

    def _instruction(self, text: str, comment: str) -> None:
        words = split_instruction(text)
        waiting = self._waiting_operands(words)
        origin = self.location or self._here()
        if waiting:
            operands = tuple("lit(0)" if at in waiting else operand for at, operand in enumerate(words.operands))
            inst = parse_words(Words(words.mnemonic, operands, words.modifiers), self.arch, self.symbols)
            inst.origin = origin
            self.fixups += [_Fixup(inst, self.offset, at, words.operands[at]) for at in waiting]
        else:
            inst = parse_instruction(text, self.arch, self.symbols, origin)
        inst.comment = comment
        self._append(inst)

    def _append(self, inst: Instruction) -> None:
        if not self.code:
            self.code.append(_Function(""))
        inst.size = instruction_size(inst)
        self.code[-1].body.append(inst)
        self.offset += inst.size

    def _waiting_operands(self, words: Words) -> list[int]:
        """Return the operands that are computed from labels; a branch's own label is none."""
        spec = words_spec(words.mnemonic, self.arch)
        if spec is None:
            return []
        return [
            at
            for at, (operand, text) in enumerate(zip(spec.explicit, words.operands, strict=False))
            if operand.type != "label" and (_RELATIVE.search(text) or self.labels & set(_SYMBOL.findall(text)))
        ]

    def _resolve(self) -> None:
        """Fill in the literals that waited for labels, which are numbers from here on."""
        for name, place in self.places.items():
            self.symbols.place(name, place)
        for fixup in self.fixups:
            inst = fixup.inst
            place = fixup.place + inst.size - 4

            def relative(match: re.Match[str], place: int = place) -> str:
                return f"({match[1]}-{place})"

            high = "@rel32@hi" in fixup.text
            try:
                value = self.symbols.evaluate(_RELATIVE.sub(relative, fixup.text))
            except HkasmError as error:
                raise type(error)(
                    error.message, where=inst.origin, hint="only the linker knows symbols of other files"
                ) from None
            operands = list(inst.operands)
            operands[fixup.operand] = Const(LITERAL, (value >> 32 if high else value) & 0xFFFF_FFFF)
            inst.operands = tuple(operands)

    # -- directives --------------------------------------------------------------------------------------------------

    def _directive(self, word: str, tail: str) -> None:
        if word in _EXPANDED:
            raise UsageError(
                f"{word} is not expanded here", hint="let clang expand it: assemble the file, or clang -S a .c file"
            )
        if word in (".set", ".equ", ".equiv"):
            name, comma, value = tail.partition(",")
            if not comma:
                raise UsageError(f"{word} wants a symbol and a value, got {tail!r}")
            self.symbols.set(name.strip(), value.strip())
        elif word in (".text", ".section", ".data", ".bss", ".rodata", ".pushsection", ".popsection", ".previous"):
            self._section(word, tail)
        elif word == ".amdhsa_kernel":
            self.block, self.kernel = word, tail
            self.kernel_lines[tail] = {}
        elif word == ".amdgpu_metadata":
            self.block = word
        elif word == ".file":
            self._file(tail)
        elif word == ".loc":
            self._loc(tail)
        elif word == ".size":
            name, _, value = tail.partition(",")
            self.sizes[name.strip()] = _HERE.sub(str(self.offset), value.strip())
        elif self._in_code():
            self._code_directive(word, tail)
        elif self.sections[-1] == SECTION_NAME and word in (".ascii", ".asciz", ".string"):
            self.names += _string_bytes(tail)

    def _block_line(self, line: str) -> None:
        if self.block == ".amdgpu_metadata":
            if line.strip() == ".end_amdgpu_metadata":
                self.block = ""
            else:
                self.metadata_lines.append(line)
            return
        name, _, value = strip_comment(line)[0].replace("\t", " ").strip().partition(" ")
        if name == ".end_amdhsa_kernel":
            self.block = ""
        elif name.startswith(".amdhsa_"):
            self.kernel_lines[self.kernel][name.removeprefix(".amdhsa_")] = (value.strip(), self._here())
        elif name:
            raise UsageError(f"{name} inside .amdhsa_kernel", hint="only .amdhsa_ directives stand here")

    def _section(self, word: str, tail: str) -> None:
        name = split_commas(tail)[0].strip('"') if tail and word in (".section", ".pushsection") else word.lstrip(".")
        if word == ".pushsection":
            self.sections.append(name)
        elif word == ".popsection":
            if len(self.sections) < 2:
                raise UsageError(".popsection without .pushsection")
            self.sections.pop()
        elif word == ".previous":
            self.sections[-1], self.previous = self.previous, self.sections[-1]
        else:
            self.previous, self.sections[-1] = self.sections[-1], name

    def _file(self, tail: str) -> None:
        match = re.match(r'(\d+)\s+((?:"[^"]*"\s*)+)', tail)
        if match:
            self.files[match[1]] = re.findall(r'"([^"]*)"', match[2])[-1]

    def _loc(self, tail: str) -> None:
        numbers = tail.split()
        if len(numbers) >= 2 and numbers[0] in self.files and numbers[1].isdigit():
            line = int(numbers[1])
            self.location = Origin(self.files[numbers[0]], line) if line else None

    def _code_directive(self, word: str, tail: str) -> None:
        if word in (".p2align", ".p2alignl", ".balign", ".align"):
            self._align(word, split_commas(tail))
        elif word in _DATA_WORDS:
            for piece in split_commas(tail):
                self._data_word(self.symbols.evaluate(piece))
        elif word == ".fill":
            count, size, value = (*[self.symbols.evaluate(piece) for piece in split_commas(tail)], 1, 0)[:3]
            if size != 4 or not 0 <= count <= _MAX_PADDING:
                raise UsageError(f".fill {tail}: code is filled with words of 4 bytes, at most {_MAX_PADDING}")
            for _ in range(count):
                self._data_word(value)
        elif word not in _PASSED_OVER and not word.startswith((".cfi_", ".amdgpu_", ".debug")):
            known = [*_PASSED_OVER, *_DATA_WORDS, ".set", ".p2align", ".amdhsa_kernel"]
            raise UsageError(f"unknown directive {word} in code", hint=did_you_mean(word, known))

    def _align(self, word: str, arguments: list[str]) -> None:
        """Align the next instruction: with s_nop inside a function, between functions the offset alone moves on."""
        amount = self.symbols.evaluate(arguments[0])
        wanted = amount if word == ".balign" or amount > _MAX_ALIGN_POWER else 1 << amount
        padding = -self.offset % max(wanted, 1)
        most = self.symbols.evaluate(arguments[2]) if len(arguments) > 2 and arguments[2] else wanted
        if padding > most:
            return
        if not self.code or self._ends_here():
            self.offset += padding
            return
        for _ in range(padding // 4):
            self._data_word(_NOP)

    def _ends_here(self) -> bool:
        """Tell whether the function is over: what is aligned next is another one."""
        body = self.code[-1].body
        last = body[-1] if body else None
        if isinstance(last, Label) and not last.name.startswith(".Lfunc_end"):
            return False  # a loop's head is aligned, and control may fall into it
        last = next((item for item in reversed(body) if isinstance(item, Instruction)), None)
        return last is None or last.spec.control in ("end", "branch", "jump")

    def _data_word(self, value: int) -> None:
        inst = decode_instruction(self.arch.name, (value & 0xFFFF_FFFF).to_bytes(4, "little"), 0, self._here())
        inst.offset = -1
        self._append(inst)

    # -- result ------------------------------------------------------------------------------------------------------

    def _result(self) -> AssemblyFile:
        metadata = _kernel_metadata(self.metadata_lines)
        names = unpack_names(bytes(self.names)) if self.names else {}
        found = AssemblyFile(self.arch, metadata=metadata)
        for function in self.code:
            name = function.name or "code"
            if not any(isinstance(item, Instruction) for item in function.body):
                continue
            program = Program(self.arch, name, self._within_size(function))
            program.count_registers()
            if name in self.kernel_lines:
                values = {key: self._kernel_value(*entry) for key, entry in self.kernel_lines[name].items()}
                found.directives[name] = values
                _apply(program, values, metadata.get(name, {}), names.get(name))
            found.programs[name] = program
        found.kernels = tuple(name for name in found.programs if name in found.directives)
        return found

    def _within_size(self, function: _Function) -> list[Instruction | Label]:
        """Return a function's code up to the size that the file gives its symbol, all of it if it gives none.

        Labels behind the last instruction that no branch names (`.Lfunc_end0`) are left out.
        """
        size = self.sizes.get(function.name)
        left = self.symbols.evaluate(size) if size is not None else self.offset
        body: list[Instruction | Label] = []
        for item in function.body:
            if isinstance(item, Instruction):
                if left <= 0:
                    break
                left -= item.size
            body.append(item)
        named = {value for item in body if isinstance(item, Instruction) for value in item.operands}
        while body and isinstance(body[-1], Label) and body[-1] not in named:
            body.pop()
        return body

    def _kernel_value(self, text: str, origin: Origin) -> int:
        try:
            return self.symbols.evaluate(text)
        except HkasmError as error:
            raise type(error)(error.message, where=origin, hint=error.hint) from None


def _string_bytes(tail: str) -> bytes:
    """Return what assembler strings mean: printable characters, octal and simple escapes."""
    escapes = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, '"': 34, "\\": 92}
    out = bytearray()
    for body in re.findall(r'"((?:[^"\\]|\\.)*)"', tail):
        for octal, simple, plain in re.findall(r"\\([0-7]{1,3})|\\(.)|([^\\])", body):
            if octal:
                out.append(int(octal, 8) & 0xFF)
            elif simple:
                out.append(escapes.get(simple, ord(simple) & 0xFF))
            else:
                out += plain.encode()
    return bytes(out)


def _kernel_metadata(lines: list[str]) -> dict[str, Mapping[str, object]]:
    document = read_yaml(lines)
    kernels = document.get("amdhsa.kernels") if isinstance(document, dict) else None
    found: dict[str, Mapping[str, object]] = {}
    for kernel in kernels if isinstance(kernels, list) else []:
        if isinstance(kernel, dict) and isinstance(kernel.get(".name"), str):
            symbol = kernel.get(".symbol")
            found[symbol.removesuffix(".kd") if isinstance(symbol, str) else kernel[".name"]] = kernel
    return found


def _apply(
    program: Program, values: Mapping[str, int], metadata: Mapping[str, object], names: KernelNames | None
) -> None:
    """Give a program what its descriptor, its metadata and hkasm's own section say."""
    program.lds_bytes = values.get("group_segment_fixed_size", 0)
    program.kernarg_bytes = values.get("kernarg_size", 0)
    ids = [bool(values.get(f"system_sgpr_workgroup_id_{axis}", axis == "x")) for axis in "xyz"]
    program.workgroup_ids = (ids[0], ids[1], ids[2])
    program.workitem_dims = values.get("system_vgpr_workitem_id", 0) + 1
    program.sgprs = max(program.sgprs, values.get("next_free_sgpr", 0))
    total, accum = values.get("next_free_vgpr", 0), values.get("accum_offset", 0)
    if program.agprs or total > accum > 0:
        program.agprs = max(program.agprs, total - accum)
        if program.accum_offset != accum:
            program.vgprs = max(program.vgprs, accum)
    else:
        program.vgprs = max(program.vgprs, total)
    program.args = names["args"] if names else kernel_args(metadata)
    block = metadata.get(".reqd_workgroup_size")
    if names:
        program.owners, program.marks = names["owners"], names["marks"]
        program.lds_map, program.config, program.block = names["lds"], dict(names["config"]), names["block"]
    elif isinstance(block, list) and len(block) == 3 and all(isinstance(extent, int) for extent in block):
        program.block = (block[0], block[1], block[2])

"""Write the type stub of the builder's instruction methods, hkasm/asm/mnemonics.pyi, from the declarations.

python tools/make_stubs.py            writes the file
python tools/make_stubs.py --check    exit code 1 and a diff when the file is not what the declarations say
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path
from textwrap import wrap

from hkasm.isa import VARIANTS
from hkasm.isa.formats import FORMATS
from hkasm.isa.modifiers import allowed_modifiers
from hkasm.isa.spec import InstSpec, Operand

TARGET = Path(__file__).resolve().parent.parent / "hkasm" / "asm" / "mnemonics.pyi"
HEADER = '''"""The builder's instruction methods, one a mnemonic, written by tools/make_stubs.py from declarations."""

from collections.abc import Hashable
from typing import TypedDict, overload

from typing_extensions import Unpack

from hkasm.asm.instruction import Instruction, Label
from hkasm.isa.constants import Const
from hkasm.isa.registers import Register

Value = Register | Const | int | float
Target = Label | str | int

class Common(TypedDict, total=False):
    comment: str
    tokens: tuple[Hashable, ...]

'''
HIDDEN = frozenset({"imm", "soffset_en", "scaled", "sve", "nv"})
WIDTH = 120


def annotation(operand: Operand) -> str:
    if operand.type == "label":
        return "Target"
    if operand.files == "i":
        return "int"
    kind = "Register" if not set(operand.files) & set("cl") else "Value"
    return f"{kind} | None" if "o" in operand.files else kind


def is_optional(spec: InstSpec, operand: Operand) -> bool:
    """What the builder fills in when it is left out: zero or off, at the end."""
    last = spec.explicit[-1] is operand
    return last and (operand.name in ("soffset", "saddr") or spec.key == "s_nop" or "optional" in spec.flags)


def parameters(spec: InstSpec) -> list[str]:
    found = ["self"]
    for operand in spec.explicit:
        kind = annotation(operand)
        if operand.name == "soffset" and spec.unit == "SMEM":
            kind = "Value | None"  # an SGPR, or the immediate offset itself
        found.append(f"{operand.name}: {kind}" + (" = ..." if is_optional(spec, operand) else ""))
    return found


def modifiers(variants: list[InstSpec]) -> tuple[str, ...]:
    """Modifiers of any form and variant; the direct-to-LDS variants are chosen by `lds`."""
    names: dict[str, None] = {}
    for spec in variants:
        for encoding in spec.encodings:
            names |= dict.fromkeys(name for name in allowed_modifiers(spec.key, encoding.format) if name not in HIDDEN)
    if any(FORMATS[encoding.format].suffix == "_e64" for spec in variants for encoding in spec.encodings):
        names["e64"] = None
    return tuple(names)


class Groups:
    """One TypedDict for each set of modifiers that some instruction takes, named after its first."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, ...], str] = {(): "Common"}

    def name(self, mods: tuple[str, ...], mnemonic: str) -> str:
        return self.names.setdefault(mods, "".join(part.capitalize() for part in mnemonic.split("_")))

    def text(self) -> str:
        classes = []
        for mods, name in self.names.items():
            if mods:
                rows = "".join(f"    {mod}: {'bool' if mod == 'e64' else 'int'}\n" for mod in mods)
                classes.append(f"class {name}(Common, total=False):\n{rows}\n")
        return "".join(classes)


def signature(name: str, head: tuple[str, ...], group: str) -> str:
    parts = [*head, "/"] if len(head) > 1 else [*head]
    parts.append(f"**mods: Unpack[{group}]")
    one_line = f"    def {name}({', '.join(parts)}) -> Instruction:"
    if len(one_line) + 4 <= WIDTH:
        return one_line
    inner = f"        {', '.join(parts)}"
    if len(inner) <= WIDTH:
        return f"    def {name}(\n{inner}\n    ) -> Instruction:"
    lines = "".join(f"        {part},\n" for part in parts)
    return f"    def {name}(\n{lines}    ) -> Instruction:"


def docstring(variants: list[InstSpec]) -> str:
    """The formula, then every form: encodings, archs where not on both, operands."""
    lines = [variants[0].doc[0].upper() + variants[0].doc[1:] + "."]
    for spec in variants:
        suffixes = [FORMATS[enc.format].suffix[1:] for enc in spec.encodings]
        forms = f" [{' '.join(suffixes)}]" if spec.has_suffix else ""
        archs = "" if len(spec.archs) > 1 else f" ({next(iter(spec.archs))})"
        lines.append(f"{spec.form}{forms}{archs}")
    wrapped = [part for line in lines[1:] for part in wrap(line, WIDTH - 8, subsequent_indent="    ")]
    summary = "\n        ".join(wrap(lines[0], WIDTH - 11))
    body = "\n".join(f"        {line}" for line in wrapped)
    return f'        """{summary}\n\n{body}\n        """\n'


def method(mnemonic: str, variants: list[InstSpec], groups: Groups) -> str:
    group = groups.name(modifiers(variants), mnemonic)
    heads = list(dict.fromkeys(tuple(parameters(spec)) for spec in variants))
    if len(heads) == 1:
        return f"{signature(mnemonic, heads[0], group)}\n{docstring(variants)}"
    overloads = [f"    @overload\n{signature(mnemonic, head, group)} ...\n" for head in heads[:-1]]
    return "".join(overloads) + f"    @overload\n{signature(mnemonic, heads[-1], group)}\n{docstring(variants)}"


def stub() -> str:
    groups = Groups()
    methods = [method(name, variants, groups) for name, variants in sorted(VARIANTS.items())]
    return f"{HEADER}{groups.text()}class Mnemonics:\n" + "\n".join(methods)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    args = parser.parse_args()
    wanted = stub()
    if not args.check:
        TARGET.write_text(wanted, encoding="utf-8")
        return 0
    found = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    diff = difflib.unified_diff(found.splitlines(), wanted.splitlines(), str(TARGET), "the declarations", lineterm="")
    lines = list(diff)
    print("\n".join(lines[:200]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())

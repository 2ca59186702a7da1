"""Write the reference pages that come from the code: instructions, kernels, schedules, rules of findings.

mkdocs runs this (plugin gen-files); nothing of it is kept in the tree. Run by hand it prints what it would write.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hkasm
from hkasm.analysis.finding import RULES
from hkasm.errors import HkasmError
from hkasm.inspect.instructions import describe_all, list_instructions, modifier_texts
from hkasm.inspect.report import loop_svg
from hkasm.inspect.statistics import hot_loop
from hkasm.isa import SPECS
from hkasm.kernels import get_kernel, list_kernels
from hkasm.schedules import get_schedule, list_schedules

Page = tuple[str, str]
ROOT = Path(hkasm.__file__).resolve().parent.parent
UNITS = {
    "SALU": "Scalar arithmetic and control",
    "SMEM": "Scalar memory",
    "VALU": "Vector arithmetic",
    "TRANS": "Transcendental functions",
    "MFMA": "Matrix instructions",
    "LDS": "LDS and data share",
    "VMEM": "Vector memory",
    "BRANCH": "Branches",
    "MSG": "Messages, barriers and waits",
}


def instruction_pages() -> Iterator[Page]:
    """Yield a page a unit, and an index with every mnemonic."""
    by_unit: dict[str, list[str]] = defaultdict(list)
    for line in list_instructions():
        by_unit[line.unit].append(line.mnemonic)
    index = [
        "# Instructions",
        "",
        "Every instruction that LLVM 22 knows for gfx942 and gfx950, from hkasm's declarations. `hkasm isa NAME`",
        "prints the same in a terminal, `hkasm isa --search WORD` finds by meaning.",
        "",
        "| unit | instructions | what |",
        "|---|---|---|",
    ]
    for unit, mnemonics in sorted(by_unit.items()):
        title = UNITS.get(unit, unit)
        page = f"{unit.lower()}.md"
        index.append(f"| [{unit}]({page}) | {len(mnemonics)} | {title} |")
        lines = [f"# {title}", ""]
        for mnemonic in mnemonics:
            lines += _instruction(mnemonic)
        yield f"reference/instructions/{page}", "\n".join(lines) + "\n"
    index += ["", "What the values of modifiers mean stands on [a page of its own](modifiers.md)."]
    yield "reference/instructions/index.md", "\n".join(index) + "\n"
    yield "reference/instructions/modifiers.md", _modifiers_page()


def _modifiers_page() -> str:
    """Return the page with every modifier and what its values mean, by the instructions that give them a meaning."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for spec in SPECS.values():
        for name, text in modifier_texts(spec).items():
            found[name, text].append(spec.mnemonic)
    lines = [
        "# Modifiers",
        "",
        "A modifier is a keyword argument of the method: `k.v_mul_f32(d, a, b, omod=1)`; a flag is given as 1. Bits",
        "that stand for sources count from the first source, bit 0. Defaults are 0 unless they stand in brackets.",
        "`hkasm isa NAME` says which of them an instruction takes, in which of its encodings.",
        "",
        "| modifier | what its values mean | instructions |",
        "|---|---|---|",
    ]
    for (name, text), mnemonics in sorted(found.items()):
        some = list(dict.fromkeys(mnemonics))
        which = f"`{some[0]}`" + (f" and {len(some) - 1} more" if len(some) > 1 else "")
        lines.append(f"| `{name}` | {_escaped(text)} | {which} |")
    return "\n".join(lines) + "\n"


def _instruction(mnemonic: str) -> list[str]:
    forms = describe_all(mnemonic)
    first = forms[0]
    counters = ", ".join(first["counters"])  # type: ignore[arg-type]
    facts = [", ".join(first["archs"]), f"counts {counters}" if counters else ""]  # type: ignore[arg-type]
    lines = [
        f"## {mnemonic}",
        "",
        f"{_escaped(str(first['doc']))} ({'; '.join(fact for fact in facts if fact)})",
        "",
        "```text",
    ]
    lines += [str(form["form"]) for form in forms]
    lines.append("```")
    hazards = [hazard for form in forms for hazard in form.get("hazards", ())]  # type: ignore[attr-defined]
    if hazards:
        lines += ["", f"Takes part in {len(hazards)} wait-state rules; `hkasm isa {mnemonic}` lists them."]
    return [*lines, ""]


def _escaped(text: str) -> str:
    for sign in "*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text


def kernels_page() -> Page:
    lines = ["# Kernels", "", "From the kernels' declarations; `hkasm kernels NAME` prints the same.", ""]
    for name in list_kernels():
        kernel = get_kernel(name)
        lines += [f"## {name}", "", _escaped(kernel.doc), "", f"On {' and '.join(kernel.archs)}.", ""]
        lines += ["| parameter | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{one.name}` | `{one.default}` | {_escaped(one.limits)} | {_escaped(one.doc)} |"
            for one in kernel.parameters()
        ]
        lines.append("")
    return "reference/kernels.md", "\n".join(lines)


def schedules_page() -> Page:
    lines = [
        "# Schedules",
        "",
        "A schedule orders a kernel's named steps in the steady state. `hkasm show schedule` shows what became of it.",
        "",
    ]
    for name in list_schedules():
        schedule = get_schedule(name)
        doc = (schedule.__doc__ or "").strip().splitlines()
        lines += [f"## {name}", "", _escaped(" ".join(line.strip() for line in doc)), ""]
        lines.append(f"Groups {schedule.groups}, depth {schedule.depth}, woven {'yes' if schedule.woven else 'no'}.")
        lines += ["", "```text"]
        lines += [json.dumps(phase.as_dict()) for phase in schedule.phases()]
        lines += ["```", ""]
    return "reference/schedules.md", "\n".join(lines)


CURES = {
    "register-in-flight": "`k.wait(register)` before the use; in foreign code the `s_waitcnt` that the hint names.",
    "register-overwritten": "Wait before the register is written again, or take another register.",
    "lds-in-flight": "Wait for the direct-to-LDS load (`vmcnt`), then a barrier, before anybody reads the bytes.",
    "lds-race": "A barrier between the two accesses, behind the wait of the earlier one.",
    "lds-read-pending": "Wait for the read (`lgkmcnt`) before the barrier that lets others write the bytes.",
    "lds-uninitialised": "Write the bytes first; fresh LDS holds anything.",
    "lds-bounds": "Reserve more LDS (`k.lds`, dynamic LDS of the launch), or mend the address.",
    "global-race": "Order the two: another launch, an atomic, or a release and an acquire around them.",
    "uninitialised": "Write the register or the memory first; the first instruction that read it is named.",
    "memory-bounds": "Mend the address, or bound it by a buffer resource: lanes past the end then read zero.",
    "read-only-argument": 'Declare it as it is used: `k.arg(..., access="write")` or `"readwrite"`.',
    "visibility": "`buffer_wbl2 sc1` and a wait before the atomic that tells, `buffer_inv sc1` behind the one told.",
    "misaligned": "Align the address as the instruction needs, or use narrower accesses.",
    "barrier-divergent": "Let every wave of the workgroup pass the same number of barriers.",
    "deadlock": "See who waits where: a barrier that some waves never reach, or a flag that nobody sets.",
    "hazard": "Other work or `s_nop` between the two; `k.fix_hazards()` puts it in.",
    "branch-target": "Branch to a label.",
    "falls-off": "End every path with `s_endpgm`.",
    "unreachable": "Delete the code, or mend the branch that should lead to it.",
    "register-budget": "Raise `.amdhsa_next_free_vgpr`, `.amdhsa_accum_offset` or `.amdhsa_next_free_sgpr`.",
    "sgpr-unset": "Write it first, or ask for it in the kernel descriptor.",
    "lds-size": "Raise `.amdhsa_group_segment_fixed_size`.",
    "kernarg-size": "Raise `.amdhsa_kernarg_size`, or mend the offset.",
    "buffer-resource": "Put 0x20000 into word 3 of a plain buffer's resource.",
    "scratch-size": "Raise `.amdhsa_private_segment_fixed_size`.",
}


TYPE_CURES = {
    "ArchError": "Name gfx942 or gfx950, or take an instruction that both have; `hkasm isa NAME` says which do.",
    "CodeObjectError": "Give a code object for AMDGCN, V3 to V6, whole; mend what the rule of the finding names.",
    "DecodeError": "See that the bytes are code of the arch that was named; data among code is not decoded.",
    "DeviceError": "`hkasm doctor` says which devices there are and what is missing; `--device emulator` needs none.",
    "EmulatorError": "Mend the kernel at the line that is named; `hkasm emulate --break` shows the registers there.",
    "EncodingError": "Take an operand or a modifier that the form has; the message has the field's limits.",
    "HazardError": "Put other work or `s_nop` between the two, or `k.fix_hazards()` at the end.",
    "LaunchError": "Give grid, block and arguments as the kernel wants them; `hkasm show args` lists them.",
    "OperandError": "Give what the form, which the error prints, says; widths are in registers.",
    "RaceError": "Put a barrier between the two accesses, behind the wait of the earlier one.",
    "RegisterError": "Free what is not needed any more, or take fewer; the error has a map of the file.",
    "ScheduleError": "Name steps that the kernel has; `hkasm show schedule NAME` prints the phases.",
    "ToolchainError": "`hkasm doctor` says which clang was found; `pip install 'hkasm[clang]'` brings one.",
    "UsageError": "The hint says what there is; `hkasm COMMAND -h` and the docstring have the rest.",
    "WaitError": "`k.wait(register)` before the use.",
}


def errors_page() -> Page:
    lines = [
        "# Errors and findings", "",
        "An error of hkasm is one line: where, what, what was got, and how to mend it. Its type says whose it is.",
        "[Every message](messages.md) stands on a page of its own.", "",
        "| type | cause | cure |", "|---|---|---|",
    ]  # fmt: skip
    for kind in sorted(HkasmError.__subclasses__(), key=lambda one: one.__name__):
        doc = (kind.__doc__ or "").strip().splitlines()[0]
        lines.append(f"| `{kind.__name__}` | {_escaped(doc)} | {TYPE_CURES[kind.__name__]} |")
    lines += ["", "## Findings", "", "What `hkasm check`, `hkasm emulate` and the emulator report, by rule.", ""]
    lines += ["| rule | cause | cure |", "|---|---|---|"]
    lines += [f"| `{rule}` | {_escaped(text)} | {CURES[rule]} |" for rule, (_, text) in RULES.items()]
    return "reference/errors.md", "\n".join(lines) + "\n"


@cache
def messages() -> dict[str, dict[str, tuple[str, str]]]:
    """Return every message that the package's code raises: by type and text, its hint and the file that raises it.

    Values stand as `…`; where a text is chosen while hkasm runs, both stand.
    """
    found: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    types = {kind.__name__ for kind in HkasmError.__subclasses__()}
    for path in sorted((ROOT / "hkasm").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in types and node.args:
                hint = next((one.value for one in node.keywords if one.arg == "hint"), None)
                text = _template(node.args[0])
                if text.strip("… :"):
                    said = "" if hint is None else _template(hint)
                    found[node.func.id][text] = (said, str(path.relative_to(ROOT)))
    return found


def _template(node: ast.expr) -> str:
    """Return the text of an expression, its values as `…`."""
    match node:
        case ast.Constant(value=str(text)):
            return " ".join(text.split("\n"))
        case ast.Constant(value=None):
            return ""
        case ast.JoinedStr(values=values):
            return "".join(_template(one) if isinstance(one, ast.Constant) else "…" for one in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _template(left) + _template(right)
        case ast.IfExp(body=body, orelse=other):
            return " or: ".join(filter(None, (_template(body), _template(other))))
        case _:
            return "…"


def messages_page() -> Page:
    lines = [
        "# Messages", "",
        "What hkasm's errors say, from the code that raises them, with the hint that they give; `…` stands for what",
        "differs from case to case. What the types mean, and findings: [errors](errors.md).", "",
    ]  # fmt: skip
    for kind, texts in sorted(messages().items()):
        lines += [f"## {kind}", "", "| message | hint | raised in |", "|---|---|---|"]
        rows = sorted(texts.items(), key=lambda row: row[0].lstrip("…: '").casefold())
        lines += [f"| {_escaped(text)} | {_escaped(hint)} | `{path}` |" for text, (hint, path) in rows]
        lines.append("")
    return "reference/messages.md", "\n".join(lines)


def pictures() -> Iterator[Page]:
    """Yield the timelines that the ladder shows."""
    program = get_kernel("gemm").build("gfx950", tile="256x256", schedule="pingpong")
    yield "ladder/ping-pong.svg", loop_svg(program, hot_loop(program) or (0, 0))


def all_pages() -> Iterator[Page]:
    yield from instruction_pages()
    yield kernels_page()
    yield schedules_page()
    yield errors_page()
    yield messages_page()
    yield from pictures()


if __name__ == "__main__":
    for path, text in all_pages():
        print(f"{path}: {len(text.splitlines())} lines")
elif __name__ == "<run_path>":
    import mkdocs_gen_files

    for path, text in all_pages():
        with mkdocs_gen_files.open(path, "w") as file:
            file.write(text)

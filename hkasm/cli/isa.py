"""`hkasm isa`: what an instruction is, and which there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import click

from hkasm.cli.options import arch_option, json_option
from hkasm.cli.output import print_facts, print_json, print_table
from hkasm.errors import UsageError


@click.command("isa", short_help="Explain an instruction, search or list them.")
@click.argument("mnemonics", metavar="[MNEMONIC]...", nargs=-1)
@click.option("--search", "search", metavar="WORDS", help="List those whose name or text has all WORDS.")
@click.option("--list", "as_list", is_flag=True, help="List all.")
@arch_option
@json_option
def command(mnemonics: tuple[str, ...], search: str | None, as_list: bool, arch: str | None, as_json: bool) -> None:
    """Explain each MNEMONIC: its forms, operands, encodings and what it does.

    \b
    hkasm isa v_fmac_f32
    hkasm isa --search "mfma bf16" --arch gfx950
    hkasm isa --list --arch gfx942
    """
    if bool(mnemonics) + (search is not None) + as_list != 1:
        raise UsageError("isa wants a MNEMONIC, --search WORDS or --list", hint="see 'hkasm isa -h'")
    from hkasm.inspect.instructions import describe_all, list_instructions, search_instructions
    from hkasm.isa.arch import get_arch

    known = get_arch(arch).name if arch is not None else None
    if mnemonics:
        forms = [form for mnemonic in mnemonics for form in describe_all(mnemonic, known)]
        if as_json:
            print_json(forms)
        else:
            _print_forms(forms)
        return
    lines = list_instructions(known) if search is None else search_instructions(search.split(), known)
    if as_json:
        print_json([line.as_dict() for line in lines])
        return
    if not lines:
        raise UsageError(f"no instruction has '{search}'" + (f" on {known}" if known else ""))
    print_table(
        ("mnemonic", "unit", "archs", "what it does"),
        [(line.mnemonic, line.unit, " ".join(line.archs), line.doc) for line in lines],
    )


def _print_forms(forms: Sequence[Mapping[str, Any]]) -> None:
    for number, form in enumerate(forms):
        if number:
            click.echo()
        click.echo(form["form"])
        click.echo(f"  {form['doc']}")
        matrix, memory = form.get("matrix"), form.get("memory")
        print_facts(
            {
                "  on": " ".join(form["archs"]),
                "  unit": form["unit"],
                "  counts": ", ".join(form["counters"]),
                "  matrix": _matrix(matrix) if matrix else None,
                "  memory": _memory(memory) if memory else None,
                "  source": form.get("source"),
            }
        )
        operands = [
            (f"  {op['name']}", op["takes"], op["type"], op["access"] + (" (implicit)" if op["implicit"] else ""))
            for op in form["operands"]
        ]
        if operands:
            print_table(("  operand", "takes", "type", "access"), operands)
        literals = any("literal" in op["takes"] for op in form["operands"])
        print_table(
            ("  format", "opcode", *(("literal",) if literals else ()), "modifiers"),
            [
                (
                    f"  {one['format']}",
                    _opcodes(one["opcodes"]),
                    *(("yes" if one["literal"] else "no",) if literals else ()),
                    ", ".join(_modifier(name, *limits) for name, limits in one["modifiers"].items()),
                )
                for one in form["encodings"]
            ],
        )
        _print_modifiers(form["modifiers"])
        _print_hazards(form["hazards"], form["archs"], [one["format"] for one in form["encodings"]])


def _print_modifiers(modifiers: Mapping[str, str]) -> None:
    """Print what the values of each modifier mean, folded to a terminal's usual width wherever it goes."""
    width = max((len(name) for name in modifiers), default=0)
    if modifiers:
        click.echo("  modifiers: what their values mean")
    for name, text in modifiers.items():
        indent = " " * (width + 6)
        click.echo(fill(f"    {name:<{width}}  {text}", _COLUMNS, subsequent_indent=indent, break_on_hyphens=False))


_COLUMNS = 80
_ROLES = {
    "producer": ("hazards, as the earlier instruction: wait states until a later one", "later one"),
    "consumer": ("hazards, as the later instruction: wait states after an earlier one", "earlier one"),
}


_SHORT = {
    "wide store, sgpr offset": "wide store",
    "sets vskip by mode": "vskip by mode",
    "valu, no mfma, no dot": "valu but dot",
}


def _print_hazards(hazards: Sequence[Mapping[str, Any]], archs: Sequence[str], formats: Sequence[str]) -> None:
    """Print the rules by role; wait states that depend on a matrix product's passes as those of 2, 4, 8 and 16."""
    for role, (title, other) in _ROLES.items():
        rules = [rule for rule in hazards if rule["role"] == role]
        if not rules:
            continue
        click.echo(f"  {title}")
        print_table(
            ("    rule", *archs, "level", other),
            [
                (
                    f"    {rule['rule']}",
                    *(_states(rule["wait_states"].get(arch)) for arch in archs),
                    rule["level"],
                    _SHORT.get(rule["other"], rule["other"]) + _condition(rule, formats),
                )
                for rule in rules
            ],
        )
    if any(isinstance(states, dict) for rule in hazards for states in rule["wait_states"].values()):
        click.echo("    with slashes: after a matrix product of 2/4/8/16 passes")
    for source in dict.fromkeys(rule["source"] for rule in hazards):
        names = [rule["rule"] for rule in hazards if rule["source"] == source]
        which = f" ({', '.join(dict.fromkeys(names))})" if source != _LLVM else ""
        click.echo(fill(f"source: {source}{which}", _COLUMNS, initial_indent=" " * 4, subsequent_indent=" " * 6))


_LLVM = "LLVM 22 hazard recogniser"


def _states(states: int | Mapping[str, int] | None) -> str:
    if isinstance(states, Mapping):
        return "/".join(map(str, states.values()))
    return "-" if states is None else str(states)


def _condition(rule: Mapping[str, Any], formats: Sequence[str]) -> str:
    """Return in which forms alone the rule counts, empty where in all."""
    counts = [form.rpartition("_")[2] for form in rule["formats"]]
    others = [form.rpartition("_")[2] for form in formats if counts and form not in rule["formats"]]
    words = ", ".join(counts) if len(counts) <= len(others) else "not " + ", ".join(others) if others else ""
    if rule["only_with_selected_part"]:
        words = f"{words} part" if words else "part selected"
    return f" ({words})" if words else ""


def _memory(memory: Mapping[str, Any]) -> str:
    share = "" if memory["space"] == "scalar" else " a lane"
    where = memory["space"] + (" to LDS" if memory["direct_to_lds"] else "")
    return f"{memory['op']} {memory['bytes_per_lane']} bytes{share}, {where}"


def _matrix(matrix: Mapping[str, Any]) -> str:
    blocks = f" x {matrix['blocks']} blocks" if matrix["blocks"] > 1 else ""
    passes = ", ".join(f"{count} on {arch}" for arch, count in matrix["passes"].items())
    return (
        f"{matrix['m']}x{matrix['n']}x{matrix['k']}{blocks}, {matrix['a']} by {matrix['b']} into {matrix['c']}; "
        f"passes of 4 cycles: {passes}"
    )


def _modifier(name: str, low: int, high: int) -> str:
    """Return a modifier as it is given in Python: a flag by its name, others with their range."""
    return name if (low, high) == (0, 1) else f"{name}={low}..{high}"


def _opcodes(opcodes: Mapping[str, int]) -> str:
    if len(set(opcodes.values())) == 1:
        return f"{next(iter(opcodes.values())):#x} on {' and '.join(opcodes)}"
    return ", ".join(f"{number:#x} on {arch}" for arch, number in opcodes.items())

"""The documentation: every console block prints what its page says, Python blocks compile, links lead somewhere."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import hkasm.ops.predict
from hkasm import errors
from hkasm.analysis.finding import RULES
from hkasm.asm.toolchain import Toolchain
from hkasm.ops.selftest.probes import PROBES

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = (
    "reference/instructions/index.md",
    "reference/instructions/modifiers.md",
    "reference/kernels.md",
    "reference/schedules.md",
    "reference/errors.md",
    "reference/messages.md",
    "ladder/ping-pong.svg",
)
# How the field spells its words; the wrong form on the left.
SPELLINGS = {
    r"\bwarps?\b": "wave", r"\bwavefronts?\b": "wave", r"\bwork group": "workgroup", r"\bwork item": "work-item",
    r"\bhsaco\b(?![`'])": "HSACO", r"\bmfma\b(?![_`])": "MFMA", r"\bagprs?\b": "AGPR", r"\bvgprs?\b": "VGPR",
    r"\blds\b(?![`.:_=)])": "LDS", r"\bsharedmem": "LDS", r"\bthreadblock": "workgroup",
    r"\bpingpong\b(?![`\"')])": "ping-pong",
    r"\bdouble buffer\b": "double-buffer", r"\bswizzel": "swizzle", r"\boccupency": "occupancy",
}  # fmt: skip


def _tool(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


TOOL = _tool("docs_outputs")
# Commands of a block run one after the other: a later one may read what an earlier one wrote.
BLOCKS = [(path, commands) for path in PAGES for _, commands in TOOL.blocks(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    ("path", "commands"), BLOCKS, ids=lambda one: one.name if isinstance(one, Path) else one[0].text.split("\n")[0]
)
def test_commands_print_what_their_page_says(path: Path, commands: list[Any], toolchain: Toolchain) -> None:
    for command in commands:
        got = command.run()
        assert TOOL.matches(command.expected, got), "\n".join([f"the page says other than {command.text}", *got])


def test_a_changed_output_is_seen() -> None:
    said = ("took 0.25 s", "...", "PASS")
    assert TOOL.matches(said, ["took 1.50 s", "anything", "at all", "PASS"])
    assert TOOL.matches(said, ["took 1.50 s", "PASS"])
    assert not TOOL.matches(said, ["took 1.50 s", "anything", "FAIL"])
    assert not TOOL.matches(("a",), ["a", "b"])
    assert not TOOL.matches(("a", "b"), ["a"])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_python_blocks_are_python(path: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        if "--8<--" not in block and "..." not in block:
            ast.parse(block)


def test_the_reference_names_what_there_is() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/reference").glob("*.md"))
    named = re.findall(r"^::: (hkasm\S*)\n(?:    options:\n      members: \[(.*)\])?", text, re.MULTILINE)
    assert len(named) > 50
    for name, members in named:
        found = pkgutil.resolve_name(name)
        assert inspect.getdoc(found), name
        for member in filter(None, members.split(", ")):
            assert hasattr(found, member) or member in found.__slots__, f"{name}.{member}"
    for room in (hkasm.ops, hkasm.ops.predict):
        told = {name.rpartition(".")[2] for name, _ in named}
        assert set(room.__all__) <= told | {"compare_predictions"}, room.__name__


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_and_included_files_are_there(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        if not link.startswith(("http://", "https://")):
            target = (path.parent / link).resolve()
            generated = target.is_relative_to(ROOT / "docs") and str(target.relative_to(ROOT / "docs")) in GENERATED
            assert target.exists() or generated, f"{path.name}: {link}"
    for name in re.findall(r'--8<-- "([^"]+)"', path.read_text(encoding="utf-8")):
        assert (ROOT / name).is_file(), name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_words_are_spelt_as_the_field_spells_them(path: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)|^    .*$", "]", text, flags=re.MULTILINE)
    wrong = {found[0]: right for pattern, right in SPELLINGS.items() for found in re.finditer(pattern, text)}
    assert wrong == {}


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in PAGES[1:]:
        assert f"{path.relative_to(ROOT / 'docs')}" in nav, path


def test_every_error_and_rule_has_its_cause_and_cure_in_the_catalogue() -> None:
    pages = _tool("docs_pages")
    kinds = {name for name in errors.__all__ if name.endswith("Error")} - {"HkasmError"}
    assert set(pages.TYPE_CURES) == kinds
    assert set(pages.CURES) == set(RULES)
    _, text = pages.errors_page()
    assert all(re.search(rf"^\| `{name}` \| .+ \| .+ \|$", text, re.MULTILINE) for name in kinds | set(RULES))


def test_every_message_is_on_its_page() -> None:
    pages = _tool("docs_pages")
    found = pages.messages()
    assert set(found) <= set(pages.TYPE_CURES)
    assert found["UsageError"]["a parameter is NAME=VALUE, got '…'"] == ("", "hkasm/cli/options.py")
    # What the code's texts begin with, found without parsing it.
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "hkasm").rglob("*.py"))
    begun = re.findall(rf'\b({"|".join(pages.TYPE_CURES)})\(\s*f?"([^"{{\\]{{12,}})', source)
    assert len(begun) > 150
    assert [(kind, text) for kind, text in begun if not any(one.startswith(text) for one in found[kind])] == []
    _, text = pages.messages_page()
    assert text.count("\n| ") == sum(map(len, found.values())) + len(found)


def test_the_table_of_facts_names_every_probe_of_selftest_and_no_other() -> None:
    text = (ROOT / "docs" / "explanation" / "proved-and-assumed.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert all(len(row) == 4 for row in rows)
    named = {name for row in rows[1:] for name in re.findall(r"`(\w+\*?)`", row[3]) if name != "hkasm"}
    probes = {
        re.sub(r"_\d+$", "_*", probe.name) if probe.name.startswith("clocks_") else probe.name for probe in PROBES
    }
    assert named == probes

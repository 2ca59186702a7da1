"""Run every console block of the documentation and compare what it prints with what the page says.

    python tools/docs_outputs.py                    # every page: tell what differs, exit 1 if anything does
    python tools/docs_outputs.py --write docs/a.md  # put what is printed now into the page

A block is fenced with ```console. A line that starts with `$ ` is a command (`python ...` or `hkasm ...`, continued by
a backslash); what follows is its output, standard error included. A line `...` stands for any lines. Times differ from
run to run and compare as equal. Commands run in the repository's root, one after the other; what they write goes to
out/.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/**/*.md")
TIME_LIMIT_SECONDS = 300
_TIME = re.compile(r"\b\d+\.\d+ s\b")
_FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """One command of a block, as written, and the lines that the page says it prints."""

    text: str
    expected: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        words = shlex.split(self.text.replace("\\\n", " "))
        if words[0] == "python":
            return [sys.executable, *words[1:]]
        if words[0] == "hkasm":
            return [sys.executable, "-m", "hkasm", *words[1:]]
        raise SystemExit(f"a console block may run python and hkasm, not {words[0]!r}")

    def run(self) -> list[str]:
        """Return the lines that it prints now."""
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            self.words,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
        return done.stdout.rstrip("\n").split("\n") if done.stdout else []


def pages() -> list[Path]:
    """Return the pages that may hold blocks."""
    return [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]


def blocks(text: str) -> list[tuple[str, list[Command]]]:
    """Return each block's body and commands."""
    return [(found[1], _commands(found[1])) for found in _FENCE.finditer(text)]


def _commands(body: str) -> list[Command]:
    commands: list[tuple[str, list[str]]] = []
    more = False
    for line in body.rstrip("\n").split("\n"):
        if more:
            commands[-1] = (f"{commands[-1][0]}\n{line}", commands[-1][1])
            more = line.endswith("\\")
        elif line.startswith("$ "):
            commands.append((line[2:], []))
            more = line.endswith("\\")
        elif commands:
            commands[-1][1].append(line)
    return [Command(text, tuple(expected)) for text, expected in commands]


def matches(expected: tuple[str, ...], got: list[str]) -> bool:
    """Tell whether output is what a page says: `...` stands for any lines, times are all alike."""
    want = [re.escape(_TIME.sub("# s", line)) for line in expected]
    pattern = (
        "\n".join(want).replace(re.escape("...") + "\n", "(?:.*\n)*").replace("\n" + re.escape("..."), "(?:\n.*)*")
    )
    return re.fullmatch(pattern, "\n".join(_TIME.sub("# s", line) for line in got)) is not None


def check(path: Path, write: bool) -> int:
    """Run a page's blocks; returns how many commands print something else than the page says."""
    text = path.read_text(encoding="utf-8")
    wrong = 0
    for body, commands in blocks(text):
        written = []
        for command in commands:
            got = command.run()
            right = matches(command.expected, got)
            written += [f"$ {command.text}", *(command.expected if right else got)]
            if not right:
                wrong += 1
                print(f"{path.relative_to(ROOT)}: $ {command.text}")
                print("\n".join(difflib.unified_diff(command.expected, got, "page", "now", lineterm="")))
        text = text.replace(body, "\n".join(written) + "\n")
    if write and wrong:
        path.write_text(text, encoding="utf-8")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path, help="pages; all of them without any")
    parser.add_argument("--write", action="store_true", help="put what is printed now into the pages")
    options = parser.parse_args()
    wrong = sum(check(path.resolve(), options.write) for path in options.pages or pages())
    if wrong and not options.write:
        raise SystemExit(f"{wrong} commands print something else")


if __name__ == "__main__":
    main()

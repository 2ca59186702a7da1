"""Make a failing program small: delete statements as long as it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from support.clangdiff.model import Program, Statement

Body = tuple[Statement, ...]


def shrink(program: Program, fails: Callable[[Program], bool], *, seconds: float = 60.0) -> Program:
    """The smallest program found within the time; `fails` builds and runs one."""
    end = time.monotonic() + seconds
    size = max(len(program.statements) // 2, 1)
    while size:
        at = 0
        while at < len(program.statements) and time.monotonic() < end:
            candidate = program.but(program.statements[:at] + program.statements[at + size :])
            if fails(candidate):
                program = candidate
            else:
                at += size
        size //= 2
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for body in _smaller(program.statements):
            if time.monotonic() >= end:
                break
            candidate = program.but(body)
            if fails(candidate):
                program, changed = candidate, True
                break
    return program


def _smaller(body: Body) -> Iterator[Body]:
    """Every body with one statement less, or a compound one replaced by what it holds."""
    for index, statement in enumerate(body):
        before, after = body[:index], body[index + 1 :]
        yield before + after
        if statement.body is None:
            continue
        if statement.head.startswith("if"):
            yield before + statement.body + after
        if statement.other is not None:
            yield (*before, replace(statement, other=None), *after)
            yield from ((*before, replace(statement, other=other), *after) for other in _smaller(statement.other))
        yield from ((*before, replace(statement, body=inner), *after) for inner in _smaller(statement.body))

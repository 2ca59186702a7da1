"""Loops and their sections, from labels and from machine code alike."""

from __future__ import annotations

from hkasm.asm.builder import Builder, build
from hkasm.asm.program import Program
from hkasm.inspect.schedule import Loop, loops_of, parts_of


def nested(k: Builder) -> None:
    count, value = k.sgpr("count"), k.vgpr("value")
    outer, inner, out = k.label("outer"), k.label("inner"), k.label("out")
    k.s_mov_b32(count, 3)
    k.place(outer)
    with k.mark("loop", "hot"):
        k.place(inner)
        with k.mark("step", "read A"):
            k.ds_read_b32(value, k.lane)
        k.wait(value)
        k.s_barrier()
        with k.mark("step", "compute"):
            k.v_add_u32(value, 1, value)
        k.s_sub_u32(count, count, 1)
        k.s_cbranch_scc0(inner)
    k.s_cbranch_scc1(outer)
    k.s_branch(out)
    k.place(out)
    k.s_endpgm()


def shape(loop: Loop) -> list[tuple[int, int, tuple[str, ...], bool]]:
    return [(section.first, section.last, section.acts, section.barrier) for section in loop.sections]


def test_the_innermost_loop_is_found_in_sections() -> None:
    (loop,) = loops_of(build(nested, arch="gfx950"))
    assert (loop.name, loop.first, loop.last) == ("hot", 1, 7)
    assert shape(loop) == [
        (1, 4, ("read A", "wait lgkmcnt(0)"), True),
        (4, 7, ("compute",), False),
    ]
    assert loop.counts == {"LDS": 1, "SALU": 2, "MSG": 1, "VALU": 1, "BRANCH": 1}


def test_parts_are_all_of_the_program() -> None:
    parts = parts_of(build(nested, arch="gfx950"))
    assert [(part.title, part.first, part.last, part.closed) for part in parts] == [
        ("before loop hot", 0, 1, False), ("loop hot", 1, 7, True), ("behind loop hot", 7, 10, False),
    ]  # fmt: skip
    (alone,) = parts_of(build(lambda k: k.s_endpgm(), arch="gfx950", name="alone"))
    assert (alone.title, alone.closed) == ("all", False)


def test_machine_code_gives_the_same_without_names() -> None:
    program = build(nested, arch="gfx950")
    (loop,) = loops_of(Program.decode("gfx950", program.encode()))
    (named,) = loops_of(program)
    assert (loop.name, loop.first, loop.last, loop.counts) == ("", named.first, named.last, named.counts)
    assert [section.acts for section in loop.sections] == [("wait lgkmcnt(0)",), ()]


def backward(k: Builder) -> None:
    """A branch back to code that does not lead to it again."""
    tail, short = k.label("tail"), k.label("short")
    k.s_cbranch_scc1(short)
    k.place(tail)
    k.s_endpgm()
    k.place(short)
    k.s_branch(tail)


def test_a_branch_backward_is_not_yet_a_loop() -> None:
    assert loops_of(build(backward, arch="gfx950")) == []


def barriers(k: Builder) -> None:
    loop = k.place("loop")
    k.s_barrier()
    k.s_barrier()
    k.s_setprio(1)
    k.s_cbranch_scc0(loop)
    k.s_endpgm()


def test_a_barrier_alone_is_said() -> None:
    (loop,) = loops_of(build(barriers, arch="gfx950"))
    assert [section.acts for section in loop.sections] == [("barrier",), ("barrier",), ("priority 1",)]

"""The flow graph and liveness, held against runs of random programs and against a brute-force reading of the paths."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.analysis.flow import flow_of, liveness, mask_of, registers_of
from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.inspect.load import program_of
from hkasm.isa.registers import Register, a, s, v
from hkasm.kernels import get_kernel

TRITON = sorted((Path(__file__).parents[1] / "data" / "triton").glob("*.hsaco"))


def _loop() -> Program:
    k = Builder("gfx950", "loops")
    k.s_mov_b32(s[8], 4)  # 0
    outer = k.place("outer")
    k.s_mov_b32(s[9], 3)  # 1
    inner = k.place("inner")
    k.v_add_u32(v[1], 1, v[0])  # 2
    k.s_sub_u32(s[9], s[9], 1)
    k.s_cbranch_scc0(inner)  # 4
    k.s_sub_u32(s[8], s[8], 1)
    k.s_cbranch_scc0(outer)  # 6
    end = k.label("end")
    k.s_branch(end)  # 7
    k.v_mov_b32(v[2], 0)  # 8: nothing leads here
    k.place(end)
    k.s_endpgm()  # 9
    return k.finish()


def test_blocks_branches_and_innermost_loops() -> None:
    flow = flow_of(_loop())
    assert [(block.first, block.last) for block in flow.blocks] == [
        (0, 1),
        (1, 2),
        (2, 5),
        (5, 7),
        (7, 8),
        (8, 9),
        (9, 10),
    ]
    assert [block.successors for block in flow.blocks] == [(1,), (2,), (2, 3), (1, 4), (6,), (6,), ()]
    assert flow.targets == {4: 2, 6: 1, 7: 9}
    assert flow.loops == ((2, 5),)
    assert flow.reached == {0, 1, 2, 3, 4, 6}
    assert (flow.strays, flow.indirect, flow.falls) == ((), False, False)


def test_machine_code_has_the_same_graph() -> None:
    built = _loop()
    decoded = Program.decode("gfx950", built.encode())
    assert flow_of(decoded) == flow_of(built)


def test_a_branch_into_nowhere_and_a_fall_off_the_end_are_told() -> None:
    k = Builder("gfx950", "astray")
    k.s_mov_b32(s[8], 0x12345678)
    k.s_endpgm()
    code = k.finish().encode()
    # s_branch -2 goes into the literal of the instruction before it.
    branch = bytes.fromhex("feff82bf")
    flow = flow_of(Program.decode("gfx950", code[:8] + branch))
    assert (flow.strays, flow.targets, flow.falls) == ((1,), {}, False)
    assert flow_of(Program.decode("gfx950", code[:8])).falls


def test_nothing_has_no_blocks() -> None:
    flow = flow_of(Program.decode("gfx950", b""))
    assert (flow.blocks, flow.loops, flow.reached, liveness(Program.decode("gfx950", b"")).before) == (
        (),
        (),
        frozenset(),
        (),
    )


def test_registers_are_live_from_their_write_to_their_last_read() -> None:
    live = liveness(_loop())
    assert live.counts("s") == [0, 1, 2, 2, 2, 1, 1, 0, 0, 0]  # s8, s9; special registers are not counted
    assert live.counts("v") == [1, 1, 1, 1, 1, 1, 1, 0, 0, 0]


def _random_program(random: Random) -> Program:
    """Return moves between six registers with branches to anywhere."""
    k = Builder("gfx942", "random")
    labels = [k.label(f"at_{number}") for number in range(8)]
    for label in labels:
        k.place(label)
        for _ in range(random.randrange(3)):
            k.s_mov_b32(s[random.randrange(8, 14)], s[random.randrange(8, 14)])
        pick = random.random()
        if pick < 0.4:
            k.s_cbranch_vccz(random.choice(labels))
        elif pick < 0.5:
            k.s_branch(random.choice(labels))
        elif pick < 0.6:
            k.s_endpgm()
    k.s_endpgm()
    return k.finish()


@pytest.mark.parametrize("seed", range(30))
def test_liveness_is_what_every_path_says(seed: int) -> None:
    program = _random_program(Random(seed))
    flow, live = flow_of(program), liveness(program)
    instructions = program.instructions

    def after(index: int) -> list[int]:
        found = [flow.targets[index]] if index in flow.targets else []
        if instructions[index].spec.control not in ("branch", "end"):
            found.append(index + 1)
        return [to for to in found if to < len(instructions)]

    def is_live(index: int, register: Register) -> bool:
        seen, work = {index}, [index]
        while work:
            at = work.pop()
            inst: Instruction = instructions[at]
            if any(one.overlaps(register) for one in inst.reads()):
                return True
            if any(one.overlaps(register) for one in inst.writes()):
                continue
            for to in after(at):
                if to not in seen:
                    seen.add(to)
                    work.append(to)
        return False

    for index, mask in enumerate(live.before):
        for number in range(8, 14):
            assert bool(mask & mask_of([s[number]])) == is_live(index, s[number])


@given(st.sets(st.tuples(st.sampled_from("vas"), st.integers(0, 255)), max_size=40))
def test_masks_are_registers(atoms: set[tuple[str, int]]) -> None:
    mask = mask_of(Register(file, number) for file, number in atoms)
    found = registers_of(mask)
    assert {(one.file, number) for one in found for number in range(one.index, one.end)} == atoms
    assert mask_of(found) == mask
    assert len(found) == sum((file, number - 1) not in atoms for file, number in atoms)
    assert registers_of(mask_of([v[3:5], a[255]])) == [v[3:5], a[255]]


@pytest.mark.parametrize("path", TRITON[:6], ids=lambda path: path.stem)
def test_compiled_kernels_have_graphs(path: Path) -> None:
    for image in CodeObject.from_path(path).kernels.values():
        program = program_of(image)
        flow = flow_of(program)
        assert [block.first for block in flow.blocks] == [0, *(block.last for block in flow.blocks[:-1])]
        assert (flow.strays, flow.falls) == ((), False)
        # Compilers read registers that nothing wrote; all are within what the descriptor reserves.
        live = liveness(program, flow)
        assert max(live.counts("v")) <= image.descriptor.vgprs


def test_liveness_does_not_depend_on_where_operands_lie_in_memory() -> None:
    first, second = (get_kernel("gemm").build("gfx950") for _ in range(2))
    assert liveness(first).before == liveness(second).before

"""Streams of programs and of traces: loops, bank cycles and lines of the addresses that were touched."""

from __future__ import annotations

import struct

import pytest

from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.program import Program
from hkasm.asm.toolchain import build_hsaco
from hkasm.emulator.machine import Machine
from hkasm.errors import UsageError
from hkasm.model.cycles import play
from hkasm.model.traces import memory_bytes, program_stream, trace_group, trace_streams
from hkasm.model.uops import Uop


def strided(stride: int, *, trips: int = 5) -> Program:
    """Return a kernel whose lanes read 16 bytes of LDS and 4 of memory `stride` bytes apart, `trips` times."""
    k = Builder("gfx950", "strided")
    pointer, left = k.sgpr("pointer", 2), k.sgpr("left")
    k.lds("all", 65536)
    k.arg("x", "u32", pointer=True)
    where, value, quad = k.vgpr("where"), k.vgpr("value"), k.vgpr("quad", 4)
    k.s_load_dwordx2(pointer, k.kernarg, 0)
    k.v_mul_u32_u24(where, stride, k.lane)
    k.s_movk_i32(left, trips)
    k.wait(pointer)
    again = k.place("again")
    k.global_load_dword(value, where, pointer)
    k.ds_read_b128(quad, where)
    k.wait(value, quad)
    k.s_sub_u32(left, left, 1)
    k.s_cmp_lg_u32(left, 0)
    k.s_cbranch_scc1(again)
    k.s_endpgm()
    k.fix_hazards()
    return k.finish()


def traced(program: Program) -> list[list[Uop]]:
    machine = Machine(CodeObject.from_bytes(build_hsaco(program)))
    buffer = machine.memory.allocate(1 << 20, "x")
    trace = trace_group(machine, program.name, (3,), (64,), struct.pack("<Q", buffer.address), group=2)
    return trace_streams(program, trace)


@pytest.mark.parametrize(("stride", "bank", "lines"), [(16, 4, 8), (256, 64, 64), (4, 4, 2)])
def test_addresses_decide_bank_cycles_and_lines(stride: int, bank: int, lines: int) -> None:
    (stream,) = traced(strided(stride))
    reads = [uop for uop in stream if uop.kind == "lds_read"]
    loads = [uop for uop in stream if uop.kind == "load"]
    assert len(reads) == len(loads) == 5
    if stride >= 16:
        assert {uop.bank for uop in reads} == {bank}
    assert {uop.bytes for uop in loads} == {max(lines * 128, 256)}
    assert {uop.service for uop in loads} == {max(lines * 2, 4)}


@pytest.mark.parametrize(("stride", "sectors"), [(4, 8), (16, 32), (256, 64)])
def test_memory_is_counted_once_in_sectors(stride: int, sectors: int) -> None:
    """The loop reads the same bytes five times; scalar loads of arguments are not of the trace."""
    program = strided(stride)
    machine = Machine(CodeObject.from_bytes(build_hsaco(program)))
    buffer = machine.memory.allocate(1 << 20, "x")
    trace = trace_group(machine, program.name, (1,), (64,), struct.pack("<Q", buffer.address))
    assert memory_bytes(trace) == (32 * sectors, 0)


def test_a_program_alone_gives_the_same_stream_as_its_trace() -> None:
    program = strided(16)
    (stream,) = traced(program)
    assert [uop.index for uop in program_stream(program, {"again": 5})] == [uop.index for uop in stream]
    assert play("gfx950", [[stream]]).middle.iterations == 5


def test_a_loop_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="has no label 'agian'"):
        program_stream(strided(16), {"agian": 2})


def test_a_workgroup_outside_the_grid_is_refused() -> None:
    program = strided(16)
    machine = Machine(CodeObject.from_bytes(build_hsaco(program)))
    with pytest.raises(UsageError, match="workgroup 3 of 3"):
        trace_group(machine, "strided", (3,), (64,), bytes(8), group=3)


def test_a_trace_of_other_code_is_refused() -> None:
    machine = Machine(CodeObject.from_bytes(build_hsaco(strided(16))))
    buffer = machine.memory.allocate(1 << 20, "x")
    trace = trace_group(machine, "strided", (1,), (64,), struct.pack("<Q", buffer.address))
    k = Builder("gfx950", "other")
    k.s_endpgm()
    with pytest.raises(UsageError, match="the trace is not of other"):
        trace_streams(k.finish(), trace)

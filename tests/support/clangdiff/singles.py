"""One small program for every call and every atomic, so that each is reached and a failure names it."""

from __future__ import annotations

from collections.abc import Iterator

from support.clangdiff.expressions import CALLS, FLOATS, GFX950_CALLS
from support.clangdiff.generator import Generator
from support.clangdiff.model import BITS, Program, Statement

OPERANDS = ("u32", "u32", "i32", "f32", "f32", "u64", "i64", "f16", "f64", "u16", "i16", "u8", "f16x2", "bf16")
ATOMICS = ("add", "sub", "and", "or", "xor", "min", "max")


def singles(seed: int, arch: str) -> Iterator[tuple[str, Program]]:
    """Programs of one statement, with the template that they are made of."""
    number = 0
    for type_, template in _templates(arch):
        generator = _blank(seed, number, (type_, *OPERANDS))
        target = generator.variables[0]
        text = generator.expressions.fill(template, generator.varying, 0)
        yield template, _program(generator, f"{target.name} = ({type_})({text});", arch)
        number += 1
    for type_ in ("u32", "i32", "u64", "i64", "f32", "f64"):
        for op in ATOMICS if type_ not in FLOATS else ("add", "min", "max"):
            for used in (True, False):
                generator = _blank(seed, number, OPERANDS)
                place = f"(LDSPTR({type_}))({generator.name}_s + 2 * THREAD) + {number % (256 // BITS[type_])}"
                start = "3.5f" if type_ in FLOATS else generator.varying.variables["u32"][0]
                name = "v5_u64" if BITS[type_] == 64 else "v1_u32"
                value = f"({type_})(v0_u32 & 1023u)" if type_ in FLOATS else f"({type_}){name}"
                call = f"ATOMIC({op}, p_at, {value})"
                use = f"v0_u32 ^= (u32)bits_{type_}({call});" if used else f"(void){call};"
                after = f"v1_u32 ^= (u32)bits_{type_}(*p_at);"
                text = f"{{ __auto_type p_at = {place}; *p_at = ({type_}){start}; {use} {after} }}"
                yield f"{op} {type_}", _program(generator, text, arch)
                number += 1


def _templates(arch: str) -> Iterator[tuple[str, str]]:
    for type_ in sorted({*CALLS, *GFX950_CALLS}):
        for template in CALLS.get(type_, ()):
            yield type_, template
        for template in GFX950_CALLS.get(type_, ()) if arch == "gfx950" else ():
            yield type_, template


def _blank(seed: int, number: int, types: tuple[str, ...]) -> Generator:
    """A generator with one varying variable of each of the types and nothing else."""
    generator = Generator(seed * 1000 + number, f"p{number}")
    generator.empty(types)
    return generator


def _program(generator: Generator, text: str, arch: str) -> Program:
    return Program(generator.name, generator.seed, 64, 1, tuple(generator.variables), (Statement(text),), archs=(arch,))

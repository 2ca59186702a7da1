"""Which opcodes of the vector, scalar and LDS units the programs reached, of those that clang can emit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hkasm import isa

UNITS = {"VALU": "VALU", "TRANS": "VALU", "SALU": "SALU", "LDS": "DS"}


def coverage_lines(reached: Mapping[str, set[str]], *, names: bool) -> Iterator[str]:
    """One line for each unit and arch."""
    for arch, seen in reached.items():
        for unit in ("VALU", "SALU", "DS"):
            there = {m for m, spec in isa.SPECS.items() if UNITS.get(spec.unit) == unit and arch in spec.archs}
            hit = there & seen
            yield f"{arch} {unit}: {len(hit)} of {len(there)} opcodes reached"
            if names:
                yield "  not: " + " ".join(sorted(there - hit))

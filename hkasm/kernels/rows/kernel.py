"""What all kernels on rows have in common: archs, the choice of the span, the grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.kernels.kernel import Kernel
from hkasm.kernels.rows.engine import Rows
from hkasm.kernels.rows.problem import RowsProblem
from hkasm.kernels.rows.spans import SPANS, RowsConfig

ConfigT = TypeVar("ConfigT", bound=RowsConfig)
ProblemT = TypeVar("ProblemT", bound=RowsProblem)


class RowsKernel(Kernel[ConfigT, ProblemT]):
    """A kernel on rows of 1 to 65,536 elements; subclasses write what happens between `begin` and `Rows.end`."""

    archs = ("gfx942", "gfx950")
    grid_rule = ("ceil(rows / rows of a workgroup)", "1, or ceil(n / 2048) where elements stand alone", "1")

    def grid_rule_of(self, program: Program) -> tuple[str, str, str]:
        """Return the grid rule of one program's span."""
        span = SPANS[str(program.config["span"])]
        blocks = f"ceil(n / {span.elements})" if self.config_type.blocks else "1"
        return f"ceil(rows / {span.rows})" if span.shared else "rows", blocks, "1"

    def settled(self, config: ConfigT, values: Mapping[str, object]) -> ConfigT:
        """Return the configuration with the shortest span that holds a row."""
        length = next(one for one in self.problem_type.parameters() if one.name == "n")
        held = config.held(int(length.read(values.get("n", length.default))))
        return replace(config, span=str(held.elements))

    def begin(self, arch: str, config: ConfigT) -> Rows:
        """Return the engine of a new program, its row found."""
        span = config.held()
        k = Builder(arch, self.name, block=span.threads)
        k.config.update(config=config.label, span=str(span.elements))
        rows = Rows(k, config)
        rows.start()
        return rows

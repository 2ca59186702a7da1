"""Decode attention as a kernel of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.kernels.decode.body import Decode
from hkasm.kernels.decode.declared import ROWS, STEP, WAVES, DecodeConfig
from hkasm.kernels.decode.problem import DecodeProblem
from hkasm.kernels.kernel import Kernel
from hkasm.tiles.layout import LANES


class DecodeKernel(Kernel[DecodeConfig, DecodeProblem]):
    """Attention of few queries over a long, maybe paged, cache of keys and values; splits leave partial O and LSE."""

    name = "decode"
    archs = ("gfx942", "gfx950")
    grid_rule = (f"ceil(q * hq / hkv / {ROWS}) * splits", "hkv", "batch")
    config_type = DecodeConfig
    problem_type = DecodeProblem

    def settled(self, config: DecodeConfig, values: Mapping[str, object]) -> DecodeConfig:
        """Return the configuration with whole or partial results, by the problem's number of splits."""
        if config.parts != "auto":
            return config
        return replace(config, parts="yes" if self.problem_type.of(values).partial else "no")

    def reasons(self, config: DecodeConfig, values: Mapping[str, object]) -> dict[str, str]:
        """Return how many splits there are and what brings them together."""
        problem = self.problem_type.of(values)
        if not problem.partial:
            return {}
        return {"splits": f"{problem.split_count}; decode_combine, predicted by itself, brings them together"}

    def write(self, arch: str, config: DecodeConfig) -> Program:
        """Write the program; hazards are filled with wait states."""
        k = Builder(arch, self.name, block=WAVES * LANES)
        decode = Decode(k, config)
        k.config.update(
            config=config.label,
            tile=f"{ROWS}x{STEP}x{config.padded}",
            schedule=decode.schedule.name,
            parts=config.parts,
        )
        decode.write()
        k.fix_hazards()
        return k.finish()

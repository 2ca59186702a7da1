"""Attention forward as a kernel of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.kernels.attention.body import Attention
from hkasm.kernels.attention.declared import BLOCK_KV, QUERIES, AttentionConfig
from hkasm.kernels.attention.problem import AttentionProblem
from hkasm.kernels.communication import CommunicatingKernel, Communication
from hkasm.tiles.layout import LANES


class AttentionKernel(CommunicatingKernel[AttentionConfig, AttentionProblem]):
    """O = softmax(scale Q K^T + mask) V and its log-sum-exp, f16 and bf16, grouped heads, any lengths and strides."""

    name = "attention"
    archs = ("gfx942", "gfx950")
    grid_rule = ("ceil(q / queries of a workgroup) * hq * batch", "1", "1")
    config_type = AttentionConfig
    problem_type = AttentionProblem

    def grid_rule_of(self, program: Program) -> tuple[str, str, str]:
        """Return the grid rule with the numbers of the program's tile."""
        blocks = f"ceil(q / {str(program.config['tile']).partition('x')[0]})"
        config = AttentionConfig.from_label(str(program.config["config"]))
        if config.grid == "plain":
            return "hq", blocks, "batch"
        first = f"{config.reserved_workgroups} + " if config.communicates else ""
        computing = f"{config.xcds} * the largest share" if config.uneven else f"{blocks} * hq * batch"
        return f"{first}{computing}", "1", "1"

    def settled(self, config: AttentionConfig, values: Mapping[str, object]) -> AttentionConfig:
        """Return the configuration with the schedule for so many queries."""
        q = next(one for one in self.problem_type.parameters() if one.name == "q")
        return replace(config, schedule=config.order_for(int(q.read(values.get("q", q.default)))))

    def write(self, arch: str, config: AttentionConfig, communication: Communication | None = None) -> Program:
        """Write the program; hazards are filled with wait states.

        `communication` writes what the first ``reserve`` workgroups of every XCD do instead of a block of queries.

        Raises:
            UsageError: `communication` is missing where workgroups are reserved, or given where none are.
        """
        self.check_communication(config, communication)
        config.check_arch(arch)
        k = Builder(arch, self.name, block=config.waves * LANES)
        attention = Attention(k, config, communication)
        k.config.update(
            config=config.label, tile=f"{config.block_q}x{BLOCK_KV}x{config.padded}", schedule=attention.schedule.name,
            queries_a_wave=QUERIES,
        )  # fmt: skip
        attention.write()
        k.fix_hazards()
        return k.finish()

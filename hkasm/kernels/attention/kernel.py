"""Attention forward as a kernel of the library."""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.kernels.attention.body import Attention
from hkasm.kernels.attention.declared import BLOCK_KV, QUERIES, WAVES, AttentionConfig
from hkasm.kernels.attention.problem import AttentionProblem
from hkasm.kernels.kernel import Kernel
from hkasm.tiles.layout import LANES


class AttentionKernel(Kernel[AttentionConfig, AttentionProblem]):
    """O = softmax(scale Q K^T + mask) V and its log-sum-exp, f16 and bf16, grouped heads, any lengths and strides."""

    name = "attention"
    archs = ("gfx942", "gfx950")
    grid_rule = ("hq", f"ceil(q / {QUERIES * WAVES['pingpong']})", "batch")
    config_type = AttentionConfig
    problem_type = AttentionProblem

    def write(self, arch: str, config: AttentionConfig) -> Program:
        """Write the program; hazards are filled with wait states."""
        k = Builder(arch, self.name, block=config.waves * LANES)
        attention = Attention(k, config)
        k.config.update(
            config=config.label, tile=f"{config.block_q}x{BLOCK_KV}x{config.padded}", schedule=attention.schedule.name,
            queries_a_wave=QUERIES,
        )  # fmt: skip
        attention.write()
        k.fix_hazards()
        return k.finish()

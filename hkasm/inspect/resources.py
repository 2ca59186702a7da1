"""What a program takes of a compute unit, and how many waves of it fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hkasm.asm.program import Program
from hkasm.isa.arch import Arch

__all__ = ["Resources", "resources_of"]


@dataclass(frozen=True, slots=True)
class Resources:
    """Registers per wave, LDS bytes per workgroup, and the occupancy that follows.

    `unified_vgprs` is what a wave takes of the file that VGPRs and AGPRs share, rounded up to its granule;
    `waves_per_simd` how many waves a SIMD can hold of workgroups of `waves_per_workgroup`, and `limit` what stops the
    next one.
    """

    arch: Arch
    vgprs: int
    agprs: int
    sgprs: int
    accum_offset: int
    unified_vgprs: int
    lds_bytes: int
    waves_per_workgroup: int
    waves_per_simd: int
    limit: str

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data, with the arch's own limits beside it."""
        return {
            "vgprs": self.vgprs,
            "agprs": self.agprs,
            "sgprs": self.sgprs,
            "accum_offset": self.accum_offset,
            "unified_vgprs": self.unified_vgprs,
            "lds_bytes": self.lds_bytes,
            "waves_per_workgroup": self.waves_per_workgroup,
            "occupancy": {"waves_per_simd": self.waves_per_simd, "limit": self.limit},
            "one_more": self.one_more,
            "available": {
                "vgprs": self.arch.max_vgpr,
                "agprs": self.arch.max_agpr,
                "sgprs": self.arch.max_sgpr,
                "unified_vgprs": self.arch.vgpr_total,
                "lds_bytes": self.arch.lds_bytes,
                "waves_per_simd": self.arch.waves_per_simd,
            },
        }

    def facts(self) -> Mapping[str, str]:
        """Return lines for people: name and value."""
        arch = self.arch
        shared = f" ({self.unified_vgprs} of {arch.vgpr_total} in the unified file, AGPRs from {self.accum_offset})"
        return {
            "registers": f"{self.vgprs} VGPR + {self.agprs} AGPR{shared if self.agprs else ''}, {self.sgprs} SGPR",
            "LDS": f"{self.lds_bytes} of {arch.lds_bytes} bytes",
            "occupancy": f"{self.waves_per_simd} of {arch.waves_per_simd} waves per SIMD, limited by {self.limit}",
        }

    @property
    def one_more(self) -> str:
        """Say what another wave on each SIMD would need."""
        arch, wanted = self.arch, self.waves_per_simd + 1
        if wanted > arch.waves_per_simd:
            return "there are no more wave slots"
        needs = []
        budget = arch.vgpr_total // wanted // arch.vgpr_granule * arch.vgpr_granule
        if self.unified_vgprs > budget:
            needs.append(f"{self.unified_vgprs - budget} registers of the unified file less ({budget} at most)")
        if self.lds_bytes:
            workgroups = -(-wanted * arch.simds_per_cu // self.waves_per_workgroup)
            share = arch.lds_bytes // workgroups // arch.lds_granule * arch.lds_granule
            if self.lds_bytes > share:
                needs.append(f"{self.lds_bytes - share} bytes of LDS less ({share} at most)")
        return " and ".join(needs) or f"fewer than {self.sgprs} SGPRs"


def resources_of(program: Program) -> Resources:
    """Return what `program` takes; counts are of registers up to the highest one used."""
    arch, waves = program.arch, program.waves_per_workgroup
    occupancy = arch.occupancy(program.vgprs, program.agprs, program.sgprs, program.lds_bytes, waves)
    return Resources(
        arch=arch,
        vgprs=program.vgprs,
        agprs=program.agprs,
        sgprs=program.sgprs,
        accum_offset=program.accum_offset,
        unified_vgprs=program.total_vgprs,
        lds_bytes=program.lds_bytes,
        waves_per_workgroup=waves,
        waves_per_simd=occupancy.waves_per_simd,
        limit=occupancy.limit,
    )

"""The two chips that hkasm knows, as frozen data.

Everything that differs between gfx942 and gfx950 and is not an instruction stands here. Sources: the CDNA3 and CDNA4
white papers (LDS, register files), LLVM's ``AMDGPUBaseInfo`` (granules, limits), LLVM's ELF header definitions
(machine flags).
"""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.errors import ArchError


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Waves that fit on one SIMD and the resource that stops the next one."""

    waves_per_simd: int
    limit: str


@dataclass(frozen=True, slots=True)
class Arch:
    """Facts of one chip: budgets in registers or bytes, granules in the same unit."""

    name: str
    e_flags_mach: int
    lds_bytes: int
    lds_granule: int
    lds_banks: int
    fp8: str
    direct_lds_dwords: tuple[int, ...]
    vgpr_total: int = 512
    vgpr_granule: int = 8
    accum_granule: int = 4
    max_vgpr: int = 256
    max_agpr: int = 256
    max_sgpr: int = 102
    sgpr_granule: int = 16
    sgpr_total: int = 800
    vmcnt_max: int = 63
    lgkmcnt_max: int = 15
    expcnt_max: int = 7
    waves_per_simd: int = 8
    simds_per_cu: int = 4
    wave_size: int = 64
    max_workgroup: int = 1024
    tuple_alignment: int = 2

    def __str__(self) -> str:
        return self.name

    def total_vgprs(self, vgprs: int, agprs: int) -> int:
        """Registers that a wave takes from the unified file: AGPRs start at the accum offset, the sum is rounded up."""
        used = max(vgprs, 1)
        if agprs:
            used = _align(used, self.accum_granule) + agprs
        return _align(used, self.vgpr_granule)

    def vgpr_budget(self, workitems: int) -> int:
        """Registers (VGPRs and AGPRs together) that a wave may take for a workgroup of so many work-items to fit."""
        waves = -(-workitems // self.wave_size)
        share = self.vgpr_total // max(-(-waves // self.simds_per_cu), 1)
        return share // self.vgpr_granule * self.vgpr_granule

    def occupancy(self, vgprs: int, agprs: int, sgprs: int, lds_bytes: int, waves_per_workgroup: int) -> Occupancy:
        """Give the waves per SIMD and what limits them (LLVM's rule; LDS is shared by the four SIMDs)."""
        limits = {
            "wave slots": self.waves_per_simd,
            "registers": self.vgpr_total // self.total_vgprs(vgprs, agprs),
            "SGPRs": self.sgpr_total // max(_align(min(sgprs + 6, 112), self.sgpr_granule), 1),
        }
        if lds_bytes:
            workgroups = self.lds_bytes // _align(lds_bytes, self.lds_granule)
            limits["LDS"] = -(-workgroups * waves_per_workgroup // self.simds_per_cu)
        limit = min(limits, key=lambda key: limits[key])
        return Occupancy(limits[limit], limit)


def _align(value: int, granule: int) -> int:
    return -(-value // granule) * granule


GFX942 = Arch(
    name="gfx942", e_flags_mach=0x4C, lds_bytes=65536, lds_granule=512, lds_banks=32, fp8="fnuz", direct_lds_dwords=(1,)
)
GFX950 = Arch(
    name="gfx950",
    e_flags_mach=0x4F,
    lds_bytes=163840,
    lds_granule=1280,
    lds_banks=64,
    fp8="ocp",
    direct_lds_dwords=(1, 3, 4),
)
ARCHES: dict[str, Arch] = {arch.name: arch for arch in (GFX942, GFX950)}

_CHIPS = {"mi300x": "gfx942", "mi300a": "gfx942", "mi325x": "gfx942", "mi350x": "gfx950", "mi355x": "gfx950"}


def get_arch(name: str | Arch) -> Arch:
    """Look an arch up by name.

    Raises:
        ArchError: the name is not one of `ARCHES`.
    """
    if isinstance(name, Arch):
        return name
    try:
        return ARCHES[name]
    except (KeyError, TypeError):
        chip = _CHIPS.get(str(name).lower())
        hint = f"{name} is {chip}" if chip else f"known: {', '.join(ARCHES)}"
        raise ArchError(f"unknown arch {name!r}", hint=hint) from None

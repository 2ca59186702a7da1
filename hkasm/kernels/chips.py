"""The device that a kernel's workgroups are dealt to, as parameters, and what the code needs to know of it.

A device is a number of XCDs and the share of the work that each gets. The number is in the code; shares that differ
are in the code's arguments (`hkasm.grids.emit.emit_shares`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hkasm.errors import UsageError
from hkasm.grids.tickets import XCDS
from hkasm.kernels.parameters import ParameterSet, parameter

if TYPE_CHECKING:
    from hkasm.model.chips import Chip

__all__ = ["OnChip", "chip_parameter", "reserve_parameter", "share_names", "weights_parameter", "with_arch"]

AUTO, EVEN, OF_CHIP = "auto", "even", "chip"


def chip_parameter() -> Any:
    """Declare the parameter `chip` of a kernel whose workgroups are dealt to XCDs."""
    return parameter(
        AUTO,
        "device whose XCDs the workgroups are dealt to; auto: the whole MI300X or MI355X",
        pattern=r"auto|[A-Za-z0-9]{1,16}(-[A-Za-z0-9:]{1,64})?",
        form="auto, mi325x, mi300x-cpx, or the CUs of each XCD: mi355x-32:32:32:16",
    )


def weights_parameter() -> Any:
    """Declare the parameter `weights`."""
    return parameter(
        OF_CHIP,
        "shares of the XCDs: by the chip's CUs, even, or in proportion to numbers",
        pattern=r"chip|even|[1-9]\d{0,3}(:[1-9]\d{0,3}){0,15}",
        form="chip, even, or a number an XCD: 38:38:38:38:38:38:38:19",
    )


def reserve_parameter() -> Any:
    """Declare the parameter `reserve`."""
    return parameter(0, "CUs an XCD kept for communication", low=0, high=37)


def share_names(xcds: int) -> list[str]:
    """Return the names of the u32 arguments that say the first rank and the share of each XCD, where they differ."""
    return [f"xcd{x}_{what}" for x in range(xcds) for what in ("first", "share")]


class OnChip(ParameterSet):
    """What a configuration with the parameters `chip`, `weights` and `reserve` tells of its device."""

    chip: str
    weights: str
    reserve: int

    def check_chip(self) -> None:
        """Raise UsageError for a chip that does not exist, or weights that are not one an XCD."""
        if (self.chip, self.weights) != (AUTO, OF_CHIP):
            self._shares()

    def check_arch(self, arch: str) -> None:
        """Raise UsageError for a chip of another arch, or one of which all compute units are reserved."""
        if self.chip != AUTO or self.reserve:
            self.chip_on(arch).reserve(self.reserve)

    @property
    def xcds(self) -> int:
        """Return the number of XCDs that the code is for."""
        return XCDS if self.chip == AUTO else len(self._named().xcds)

    @property
    def communicates(self) -> bool:
        """Tell whether reserved workgroups are launched, which do what the caller writes."""
        return self.reserve > 0

    @property
    def reserved_workgroups(self) -> int:
        """Return how many workgroups come before those that compute."""
        return self.reserve * self.xcds if self.communicates else 0

    @property
    def uneven(self) -> bool:
        """Tell whether XCDs get different shares."""
        return (self.chip, self.weights) != (AUTO, OF_CHIP) and len(set(self._shares())) > 1

    def chip_on(self, arch: str) -> Chip:
        """Return the device, for an arch. Raises UsageError for a chip of another arch."""
        from hkasm.model.chips import chip_of  # not for builds

        return chip_of(self.chip, arch)

    def weights_on(self, chip: Chip) -> tuple[float, ...]:
        """Return the shares that XCDs get in proportion to; () for the chip's own."""
        if self.weights == OF_CHIP:
            return ()
        return (1.0,) * len(chip.xcds) if self.weights == EVEN else tuple(map(float, self.weights.split(":")))

    def _named(self) -> Chip:
        from hkasm.model.chips import get_chip  # not for builds without a chip

        return get_chip(self.chip)

    def _shares(self) -> tuple[float, ...]:
        if self.weights == OF_CHIP:
            return tuple(xcd.share for xcd in self._named().xcds)
        shares = (1.0,) * self.xcds if self.weights == EVEN else tuple(map(float, self.weights.split(":")))
        if len(shares) != self.xcds:
            raise UsageError(
                f"weights={self.weights}: {len(shares)} numbers", hint=f"one for each of the chip's {self.xcds} XCDs"
            )
        return shares


def with_arch(values: Mapping[str, object]) -> Mapping[str, object]:
    """Return a problem's values with the arch that its chip has, where a chip is named and no arch."""
    chip = values.get("chip", AUTO)
    if chip == AUTO or "arch" in values or not isinstance(chip, str):
        return values
    from hkasm.model.chips import get_chip  # not for builds without a chip

    return {**values, "arch": get_chip(chip).arch}

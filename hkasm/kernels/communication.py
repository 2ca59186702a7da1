"""Workgroups that communicate: the first of every XCD, which do what the caller writes while the others compute.

A workgroup that computes goes wherever a compute unit is free. So units are kept by workgroups that occupy them: they
are dealt out first, `reserve` to each XCD, and the kernel's own order starts behind them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeVar

from hkasm.asm.builder import Builder
from hkasm.asm.collector import no_collection
from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.grids.emit import emit_reserved
from hkasm.isa.registers import Register
from hkasm.kernels.chips import OnChip
from hkasm.kernels.kernel import Kernel, ProblemT

__all__ = ["Communication", "CommunicatingKernel", "Reserved"]

Communication = Callable[[Builder, Register], None]
"""Writes what reserved workgroups do: it is given the builder and eight VGPRs to use freely.

It runs once a launch: of a batch of products, the first one's workgroups do it. Arguments of its own (`Builder.arg`)
stand behind the kernel's, and all registers but `kernarg`, `group_ids` and `lane` are free for it to allocate.
``k.group_id`` counts the reserved workgroups from 0, on one XCD after the other in turn.
"""
VGPRS = 8
OnChipT = TypeVar("OnChipT", bound=OnChip)


class Reserved:
    """The code of reserved workgroups, around that of a kernel; `batched` says that z counts the kernel's products."""

    def __init__(
        self, k: Builder, reserve: int, communication: Communication, *, xcds: int, batched: bool = False
    ) -> None:
        self.k, self.reserve, self.xcds, self.communication = k, reserve, xcds, communication
        self.batched = batched
        self._label = k.label("communication")

    def begin(self) -> None:
        """Send reserved workgroups on and number the others from 0, before anything reads the workgroup's number."""
        emit_reserved(self.k, self.k.group_id, self.reserve, self._label, xcds=self.xcds)

    def end(self) -> None:
        """Write what reserved workgroups do, behind all that the others do; the kernel's registers are given back."""
        k = self.k
        kept = (k.kernarg, *k.group_ids, k.lane)
        owners = [owner for file in k.files.values() for owner in file.history if owner.last < 0]
        k.free(*(owner.register for owner in owners if owner.register not in kept))
        k.place(self._label)
        with k.mark("section", "communication"):
            communicated = k.label("communicated")
            if self.batched:  # every product's workgroups begin with as many; the first product's communicate
                k.s_cmp_lg_u32(k.group_ids[2], 0)
                k.s_cbranch_scc1(communicated)
            self.communication(k, k.vgpr("communication", VGPRS))
            k.place(communicated)
        k.s_endpgm()


class CommunicatingKernel(Kernel[OnChipT, ProblemT]):
    """A kernel of the library with the parameter `reserve`, whose reserved workgroups do what the caller writes."""

    communicates_with: ClassVar[str] = ""
    """The parameter with which reserved workgroups are launched, where there are several ways to deal out the work."""
    leaves_free: ClassVar[str] = ""
    """The parameter with which reserved compute units stay free and nothing need be written for them."""

    @abstractmethod
    def write(self, arch: str, config: OnChipT, *, communication: Communication | None = None) -> Program:
        """Write the program; `communication` writes what the first ``reserve`` workgroups of every XCD do."""

    def played(self, arch: str, config: OnChipT) -> Program:
        """Build the kernel as the model plays it, without what reserved workgroups do, which nobody need have said."""
        if not config.communicates:
            return self.build_config(arch, config)
        with no_collection():
            return self.write(arch, config, communication=lambda k, vectors: None)

    def check_communication(self, config: OnChipT, communication: Communication | None, work: str = "") -> None:
        """Refuse reserved workgroups of which nobody says what they do, and code for workgroups that there are not.

        `work` is the parameter that says how the work is dealt out, if there is one.

        Raises:
            UsageError: `communication` is missing, or nobody would run it.
        """
        kept = f"{self.name}: reserve={config.reserve}" + (f" with {work}" if work else "")
        if config.communicates and communication is None:
            other = f"{self.leaves_free} leaves them free; or " if self.leaves_free else ""
            raise UsageError(
                f"{kept}: workgroups that compute would take those CUs",
                hint=f"{other}give {type(self).__name__}.write() what the reserved workgroups shall do",
            )
        if communication is not None and not config.communicates:
            wanted = f"{self.communicates_with} and " if self.communicates_with else ""
            raise UsageError(f"{kept} has no workgroups that communicate", hint=f"{wanted}reserve=1 or more")

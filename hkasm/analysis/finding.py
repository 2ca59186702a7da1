"""One fault or remark about a program: which rule, both instructions with origins, who, where, and a hint.

The verifier, the emulator's checks and every report use this one type. A finding can turn itself into the exception
of its kind, so that a strict run stops with the same text that a collecting run lists.
"""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.errors import CodeObjectError, EmulatorError, HazardError, HkasmError, RaceError, WaitError

__all__ = ["Finding", "RULES"]

# Rule -> (kind of error, what it means in one line).
RULES: dict[str, tuple[type[HkasmError], str]] = {
    "register-in-flight": (WaitError, "a register is read while a load into it is in flight"),
    "register-overwritten": (WaitError, "a register is written while a load into it is in flight"),
    "lds-in-flight": (WaitError, "LDS bytes are touched while a direct-to-LDS load into them is in flight"),
    "lds-race": (RaceError, "two waves touch the same LDS bytes with no barrier between them and one writes"),
    "lds-read-pending": (RaceError, "LDS bytes are overwritten while a read of them is not known to be done"),
    "lds-uninitialised": (EmulatorError, "LDS bytes are read that nobody wrote"),
    "lds-bounds": (EmulatorError, "an LDS address is outside the workgroup's allocation"),
    "global-race": (RaceError, "two waves touch the same bytes of global memory with no order between, and one writes"),
    "visibility": (RaceError, "what another workgroup wrote is read past no write-back or invalidation of caches"),
    "uninitialised": (EmulatorError, "a value that nobody wrote decides a store, an address, EXEC, M0 or a branch"),
    "memory-bounds": (EmulatorError, "an address is outside every buffer"),
    "read-only-argument": (EmulatorError, "an argument is written to that the kernel declares it only reads"),
    "misaligned": (EmulatorError, "an address is not aligned as the instruction needs"),
    "barrier-divergent": (EmulatorError, "some waves of a workgroup end while others wait at a barrier"),
    "deadlock": (EmulatorError, "no wave can go on"),
    "hazard": (HazardError, "too few wait states between two instructions"),
    "branch-target": (CodeObjectError, "a branch goes where no instruction begins"),
    "falls-off": (CodeObjectError, "a path runs off the end of the code"),
    "unreachable": (CodeObjectError, "code that no path leads to"),
    "register-budget": (CodeObjectError, "a register that the kernel descriptor does not reserve"),
    "sgpr-unset": (CodeObjectError, "an SGPR is read that neither the hardware nor the program sets"),
    "lds-size": (CodeObjectError, "LDS behind what the kernel descriptor reserves"),
    "kernarg-size": (CodeObjectError, "kernel arguments behind the segment's end"),
    "buffer-resource": (CodeObjectError, "word 3 of a buffer resource is none that a buffer has"),
    "scratch-size": (CodeObjectError, "scratch is used and none is reserved"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or remark.

    `where` is the origin of the instruction at fault and `instruction` its text; `other` is the origin of the one it
    collides with. `workgroup`, `wave`, `lane` and `address` name the first place where it showed (None: everywhere or
    does not apply). `severity` is `error` or `remark`; remarks never stop a run. `count` says how often it showed.
    """

    rule: str
    message: str
    where: object | None = None
    instruction: str = ""
    other: object | None = None
    workgroup: tuple[int, int, int] | None = None
    wave: int | None = None
    lane: int | None = None
    address: int | None = None
    hint: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        return str(self.error())

    @property
    def place(self) -> str:
        """Who showed it: `wave 3 of workgroup (0, 0, 0), lane 5, address 0x40`."""
        parts = []
        if self.wave is not None:
            owner = f" of workgroup {self.workgroup}" if self.workgroup is not None else ""
            parts.append(f"wave {self.wave}{owner}")
        elif self.workgroup is not None:
            parts.append(f"workgroup {self.workgroup}")
        if self.lane is not None:
            parts.append(f"lane {self.lane}")
        if self.address is not None:
            parts.append(f"address {self.address:#x}")
        return ", ".join(parts)

    def as_dict(self) -> dict[str, object]:
        """Return the finding as what JSON can hold; places are texts."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "where": None if self.where is None else str(self.where),
            "instruction": self.instruction,
            "other": None if self.other is None else str(self.other),
            "workgroup": None if self.workgroup is None else list(self.workgroup),
            "wave": self.wave,
            "lane": self.lane,
            "address": self.address,
            "hint": self.hint,
        }

    def error(self) -> HkasmError:
        """Return the exception that a strict run raises for this finding."""
        kind, _ = RULES.get(self.rule, (EmulatorError, ""))
        lines = [self.instruction, f"  {self.message}"] if self.instruction else [self.message]
        if self.place:
            lines.append(f"  at {self.place}")
        return kind("\n".join(lines), where=self.where, hint=self.hint or None)

"""What a kernel is: code for an arch, problems to solve with it, a reference and a tolerance for the answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from hkasm.asm.collector import no_collection
from hkasm.asm.program import Program
from hkasm.errors import ArchError, UsageError
from hkasm.isa.arch import get_arch
from hkasm.kernels.parameters import Parameter, ParameterSet, check_names

if TYPE_CHECKING:
    from hkasm.grids.planner import Plan
    from hkasm.model.chips import Chip

_ALWAYS_TOLD = ("rows", "m", "n", "k", "hq", "hkv", "q", "kv", "d", "dtype")
"""Parameters without which nobody knows what a problem is, in the order in which they are told."""

Array = npt.NDArray[Any]
Arrays = dict[str, Array]


@dataclass(frozen=True)
class Launch:
    """How a problem is launched: grid in workgroups, block in work-items, arguments in the kernel's order.

    An argument that is a string names the array (input or output) whose buffer goes there. `workspace_bytes` is device
    memory that the launch needs besides operands and results.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: tuple[str | int | float, ...]
    workspace_bytes: int = 0


@dataclass(frozen=True)
class Comparison:
    """One output against its reference: the largest errors, and the largest error in units of what is tolerated."""

    name: str
    max_abs: float
    max_rel: float
    worst: float
    wrong: int
    count: int
    tolerance: str
    exact: bool

    @property
    def passed(self) -> bool:
        return self.wrong == 0

    def __str__(self) -> str:
        verdict = "within" if self.passed else f"{self.wrong} of {self.count} elements outside"
        exact = ", equal to the rounded reference" if self.exact else ""
        return (
            f"{self.name}: {verdict} {self.tolerance}; largest error {self.max_abs:.3g}, relative {self.max_rel:.3g}, "
            f"{self.worst:.2f} of the tolerance{exact}"
        )


@dataclass(frozen=True)
class FollowUp:
    """A launch of another kernel that finishes what a problem's own began, on the same buffers.

    `values` are what that kernel's code depends on, `outputs` what it writes besides the first launch's outputs, and
    `check` compares these with a float64 reference, as `Problem.check` does.
    """

    kernel: str
    values: Mapping[str, object]
    launch: Launch
    outputs: Arrays
    check: Callable[[Arrays, Arrays], list[Comparison]]


@dataclass(frozen=True)
class Problem(ParameterSet, ABC):
    """One case of a kernel's job: shapes, inputs, the right answer. Subclasses are frozen dataclasses of parameters."""

    cut: ClassVar[tuple[str, ...]] = ("m", "n", "k")
    """Sizes that are cut where a workgroup is traced: for longer ones the code is the same and repeats what it does."""

    @property
    def title(self) -> str:
        """Return the label with the sizes and the type that are defaults too, these first; `from_label` reads it."""
        told = [one for one in self.parameters() if one.name in _ALWAYS_TOLD or self._differs(one)]
        told.sort(key=lambda one: _ALWAYS_TOLD.index(one.name) if one.name in _ALWAYS_TOLD else len(_ALWAYS_TOLD))
        return ",".join(f"{one.name}={getattr(self, one.name)}" for one in told) or "default"

    @abstractmethod
    def inputs(self, seed: int = 0) -> Arrays:
        """Return the input arrays by argument name, the same for the same seed."""

    @abstractmethod
    def outputs(self) -> Arrays:
        """Return arrays for the outputs, filled with a pattern that no right answer leaves."""

    @property
    def walk(self) -> int:
        """Return the K that one workgroup goes through, 0 for a problem without one."""
        return int(getattr(self, "k", 0))

    @property
    def segments(self) -> int:
        """Return the parts, each with its own begin and end, that the longest workgroup does one after the other."""
        return 1

    @property
    def part_bytes(self) -> int:
        """Return the bytes of partial results that the workgroup which comes last adds up."""
        return 0

    @property
    def tile_bytes(self) -> int:
        """Return the bytes that a segment writes at its end."""
        return 0

    @property
    def takers(self) -> int:
        """Return the workgroups that stay and take one part of the work after another, 0 where each has its own."""
        return 0

    @property
    def written(self) -> int:
        """Return the bytes that a launch writes, where a plan's cache model counts those that it reads."""
        return 0

    @property
    def step(self) -> int:
        """Return the K of one step of the loop over K, 0 where that is not the same for all."""
        return 0

    @property
    def workgroups(self) -> int:
        """Return the workgroups of a launch that compute, or the tiles of those that stay and compute several."""
        x, y, z = self.launch().grid
        return x * y * z

    @property
    def first_workgroup(self) -> int:
        """Return the first workgroup of a launch that computes."""
        return 0

    def plan(self, order: str | None = None) -> Plan | None:
        """Return the grid order on the problem's chip, or the one called `order`, and what the cache model expects.

        None: nobody knows what the tiles share. Raises UsageError for an order that is none.
        """
        return None

    def traced(self) -> Problem:
        """Return the same problem with a first workgroup that is like the others, to be traced on its own."""
        return self

    def traced_arrays(self) -> Arrays:
        """Return the arrays with which a workgroup is traced: what it finds there when it ends the launch."""
        return {**self.inputs(), **self.outputs()}

    @abstractmethod
    def launch(self) -> Launch:
        """Return grid, block and arguments."""

    def follow_up(self) -> FollowUp | None:
        """Return the launch behind `launch` that makes the answer of its parts; None: nothing is left to do."""
        return None

    @abstractmethod
    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare outputs with a float64 reference."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """Bytes of all arrays."""

    @property
    @abstractmethod
    def flops(self) -> int:
        """Floating-point operations of the job (0 for one that has none)."""


ConfigT = TypeVar("ConfigT", bound=ParameterSet)
ProblemT = TypeVar("ProblemT", bound=Problem)


class Kernel(ABC, Generic[ConfigT, ProblemT]):
    """A kernel of the library. One instance a subclass; `get_kernel` finds it by name."""

    name: ClassVar[str] = ""
    archs: ClassVar[tuple[str, ...]] = ()
    grid_rule: ClassVar[tuple[str, str, str]] = ("1", "1", "1")
    """Workgroups along x, y and z, as formulas in the problem's parameters; for people and manifests."""
    config_type: type[ConfigT]
    problem_type: type[ProblemT]

    known: ClassVar[dict[str, type[Kernel[Any, Any]]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.name:
            return
        if cls.name in Kernel.known:
            raise UsageError(f"two kernels are called {cls.name!r}", where=cls.__module__)
        Kernel.known[cls.name] = cls

    @property
    def doc(self) -> str:
        """First line of the kernel's docstring."""
        return (self.__doc__ or "").strip().splitlines()[0]

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters of the problem, then those of the code; what is both stands with the code."""
        own = self.config_type.parameters()
        names = {one.name for one in own}
        return (*(one for one in self.problem_type.parameters() if one.name not in names), *own)

    def config(self, **values: object) -> ConfigT:
        """Make a configuration from named values; UsageError for an unknown name or a bad value."""
        check_names(values, self.parameters())
        return self.config_type.of(values)

    def problem(self, **values: object) -> ProblemT:
        """Make a problem from named values; UsageError for an unknown name or a bad value."""
        check_names(values, self.parameters())
        return self.problem_type.of(values)

    def problem_on(self, arch: str, values: Mapping[str, object]) -> ProblemT:
        """Make a problem for an arch, where number formats depend on it: its parameter `arch`, if it has one."""
        has_arch = any(one.name == "arch" for one in self.problem_type.parameters())
        return self.problem(**({"arch": get_arch(arch).name} if has_arch else {}) | dict(values))

    def values_on(self, chip: Chip, values: Mapping[str, object]) -> dict[str, object]:
        """Return a problem's values with the parameter `chip`, if the kernel has it, naming a device.

        Raises:
            UsageError: the values name another device.
        """
        from hkasm.model.chips import AUTO, chip_of, get_chip  # not for builds

        if all(one.name != "chip" for one in self.parameters()):
            return dict(values)
        given = str(values.get("chip", AUTO))
        if given != AUTO and get_chip(given) != chip:
            raise UsageError(f"chip={given}, and {chip.name} is asked for", hint="name one of them")
        usual = chip_of(AUTO, chip.arch) == chip
        return dict(values) if usual else {**values, "chip": chip.name}

    def grid_rule_of(self, program: Program) -> tuple[str, str, str]:
        """Return the grid rule of one program, where it depends on the configuration."""
        return self.grid_rule

    def settled(self, config: ConfigT, values: Mapping[str, object]) -> ConfigT:
        """Return the configuration with what is left to the kernel decided by the problem's values, and `arch`."""
        return config

    def reasons(self, config: ConfigT, values: Mapping[str, object]) -> dict[str, str]:
        """Return what the kernel decided by itself for a problem's values (and `arch`), and why, for people."""
        return {}

    def build(self, arch: str, **values: object) -> Program:
        """Build the kernel for an arch; parameters of the problem are checked and change nothing.

        Raises:
            ArchError: the kernel is not for this arch.
            UsageError: an unknown parameter or a bad value.
        """
        arch = get_arch(arch).name
        config, _ = self.settled(self.config(**values), {**values, "arch": arch}), self.problem_on(arch, values)
        return self.build_config(arch, config)

    def build_config(self, arch: str, config: ConfigT) -> Program:
        """Build the kernel as a configuration says. Raises ArchError: the kernel is not for this arch."""
        if arch not in self.archs:
            raise ArchError(f"{self.name} has no code for {arch}", hint=f"it is for {', '.join(self.archs)}")
        with no_collection():
            return self.write(arch, config)

    def played(self, arch: str, config: ConfigT) -> Program:
        """Build the kernel as the model plays it, which looks at workgroups that compute."""
        return self.build_config(arch, config)

    @abstractmethod
    def write(self, arch: str, config: ConfigT) -> Program:
        """Write the program of one configuration."""


def compare(
    name: str, got: Array, want: npt.NDArray[np.float64], bound: npt.NDArray[np.float64], tolerance: str
) -> Comparison:
    """Compare an output with its reference, element by element; equal infinities and NaN in both are right."""
    with np.errstate(invalid="ignore", divide="ignore"):
        answer = got.astype(np.float64)
        same = (answer == want) | (np.isnan(answer) & np.isnan(want))
        error = np.where(same, 0.0, np.nan_to_num(np.abs(answer - want), nan=np.inf, posinf=np.inf))
        relative = np.where(same, 0.0, np.nan_to_num(error / np.abs(want), nan=np.inf, posinf=np.inf))
        ratio = np.where(same, 0.0, np.nan_to_num(error / bound, nan=np.inf, posinf=np.inf))
    exact = bool(np.array_equal(got.view(np.uint8), want.astype(got.dtype).view(np.uint8)))
    return Comparison(
        name,
        float(error.max(initial=0.0)),
        float(relative.max(initial=0.0)),
        float(ratio.max(initial=0.0)),
        int((ratio > 1).sum()),
        got.size,
        tolerance,
        exact,
    )

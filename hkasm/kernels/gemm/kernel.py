"""The GEMM as a kernel of the library."""

from __future__ import annotations

from collections.abc import Mapping

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.errors import ScheduleError, UsageError
from hkasm.kernels.communication import CommunicatingKernel, Communication
from hkasm.kernels.gemm.body import Gemm, declared_schedule
from hkasm.kernels.gemm.declared import GemmConfig, plan_of, resolved
from hkasm.kernels.gemm.finish import Function
from hkasm.kernels.gemm.problem import GemmProblem, choice_of, settled
from hkasm.schedules import Schedule


class GemmKernel(CommunicatingKernel[GemmConfig, GemmProblem]):
    """C = A B for f16, bf16, f32, 8-bit floats and integers, MX formats of 8 to 4 bits: tiles, schedules, epilogues."""

    name = "gemm"
    communicates_with = "work=tiles"
    leaves_free = "work=tickets"
    archs = ("gfx942", "gfx950")
    grid_rule = ("ceil(n / tile columns) * ceil(m / tile rows)", "1", "count")
    config_type = GemmConfig
    problem_type = GemmProblem

    def grid_rule_of(self, program: Program) -> tuple[str, str, str]:
        """Return the grid rule with the numbers of the program's tile."""
        rows, columns, _ = str(program.config["tile"]).split("x")
        count = "count" if "batch=" in str(program.config["config"]) else "1"
        if "work=stream" in str(program.config["config"]):
            return "ceil(units / share)", "1", "1"
        if "work=tickets" in str(program.config["config"]):
            return "as many as run at once", "1", count
        config = GemmConfig.from_label(str(program.config["config"]))
        first = f"{config.reserved_workgroups} + " if config.communicates else ""
        if config.padded:
            return f"{first}{config.xcds} * the largest share", "1", count
        if not config.ordered:
            return f"ceil(n / {columns})", f"ceil(m / {rows})", count
        return f"{first}ceil(n / {columns}) * ceil(m / {rows})", "1", count

    def settled(self, config: GemmConfig, values: Mapping[str, object]) -> GemmConfig:
        """Return the configuration with the tile and the work that the shape asks for, where m or n is given."""
        return settled(config, values)

    def reasons(self, config: GemmConfig, values: Mapping[str, object]) -> dict[str, str]:
        """Return why the work is dealt out as it is, and the workspace that it takes; nothing without a shape."""
        if not {"m", "n"} & values.keys():
            return {}
        choice, problem = choice_of(config, values), self.problem(**values)
        found = {"work": f"{choice.work}: {choice.reason}"}
        if problem.workspace_bytes:
            what = "tickets" if problem.work == "tickets" else "partial tiles and counters"
            found["workspace"] = f"{problem.workspace_bytes} bytes for {what}"
        return found

    def write(
        self,
        arch: str,
        config: GemmConfig,
        function: Function | None = None,
        communication: Communication | None = None,
        schedule: Schedule | None = None,
    ) -> Program:
        """Write the program; hazards are filled with wait states.

        `function` replaces the activation: it is given the builder, f32 sums to change in place and as many registers
        to use freely, for every run of a lane's accumulators, whatever the schedule; with work=stream it sees the sum
        of all parts. Slices of K (batch=split) are summed by `gemm_sum`, which takes the function then.

        `communication` writes what the first ``reserve`` workgroups of every XCD do instead of a tile (``work=tiles``).

        `schedule` is an order of the author's for the pipelines whose loads are of a dword and more, in the place of
        the configuration's; it has the LDS buffers, groups and producers of that one, for which the registers are laid
        out.

        Raises:
            UsageError: the combination is not declared.
            ScheduleError: the order cannot be lowered, or wants what the configuration has not.
        """
        self.check_communication(config, communication, f"work={resolved(config).work}")
        if function is not None and (config.batch == "split" or config.c == "i32"):
            what = "batch=split" if config.batch == "split" else "out=i32"
            hint = "give it to gemm_sum" if config.batch == "split" else "it takes f32: out=f32 or another float"
            raise UsageError(f"gemm: a function with {what} is not declared", hint=hint)
        config.check_arch(arch)
        plan = plan_of(arch, config)
        k = Builder(arch, self.name, block=plan.threads)
        order = resolved(config).schedule
        if schedule is not None:
            _check_fits(schedule, declared_schedule(resolved(config), plan))
            order = schedule.label
        k.config.update(config=config.label, tile=plan.label, schedule=order)
        Gemm(k, config, plan, function, communication, schedule).write()
        k.fix_hazards()
        return k.finish()


def _check_fits(schedule: Schedule, declared: Schedule) -> None:
    """Refuse an order of the author's that wants other waves or buffers than the configuration lays out."""
    cures = {
        "depth": "LDS buffers: a configuration with buffers=N; schedule=simple has one, and so has gfx942",
        "groups": "two groups: a configuration with schedule=pingpong, one: schedule=interleave or simple",
        "producers": "producers: a configuration with schedule=specialised, none: any other",
    }
    for name, cure in cures.items():
        wanted, got = getattr(declared, name), getattr(schedule, name)
        if wanted != got:
            wanted, got = (", ".join(sorted(one)) or "none" if name == "producers" else one for one in (wanted, got))
            raise ScheduleError(
                f"{name} = {got}, the configuration's {declared.label} has {wanted}",
                where=f"schedule {schedule.name}",
                hint=cure,
            )

"""The GEMM in an order of its author's own, and what no order can ask of a configuration."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.gemm_family import Values, is_right, run

from hkasm.asm.toolchain import Toolchain
from hkasm.errors import ScheduleError
from hkasm.kernels import get_kernel
from hkasm.schedules import Phase, RecordedSchedule, Schedule, get_schedule

KERNEL = get_kernel("gemm")


class Late(Schedule):
    """Two buffers in sections, nothing in flight while B0 and A0 are read."""

    name = "late for a test"
    depth = 2

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B0", "A0"), compute="C00")
        yield Phase(read=("B1",), fetch=(("B0", k + 1), ("A0", k + 1)), compute="C01")
        yield Phase(read=("A1",), fetch=(("B1", k + 1), ("A1", k + 1)), compute="C10")
        yield Phase(compute="C11")


@pytest.mark.parametrize(
    ("arch", "schedule", "values"),
    [
        ("gfx950", Late(), {"schedule": "interleave-lean", "tile": "128x128"}),
        ("gfx950", RecordedSchedule(Late().as_dict()), {"schedule": "interleave-lean", "tile": "64x64"}),
        ("gfx950", get_schedule("pingpong:apart=2"),
         {"schedule": "pingpong", "tile": "128x128", "work": "stream", "workers": 3}),
        ("gfx942", get_schedule("simple"), {"schedule": "interleave", "tile": "128x128"}),
    ],
    ids=["sections", "recorded", "groups", "staged"],
)  # fmt: skip
@pytest.mark.parametrize("k", [320, 322, 321])
def test_the_product_is_right_at_any_alignment(
    arch: str, schedule: Schedule, values: Values, k: int, toolchain: Toolchain
) -> None:
    program = KERNEL.write(arch, KERNEL.config(**values), schedule=schedule)
    assert program.config["schedule"] == schedule.label
    assert is_right(values, run(arch, values | {"m": 70, "n": 130, "k": k, "data": "integers"}, program=program))


@pytest.mark.parametrize(
    ("schedule", "values", "message"),
    [
        (Late(), {"schedule": "interleave-lean", "buffers": 3}, r"depth = 2, .* interleave-lean:depth=3 has 3\n"),
        (Late(), {"schedule": "pingpong"}, r"groups = 1, .* pingpong has 2\n  hint: two groups: .*=pingpong"),
        (Late(), {"schedule": "specialised"}, r"producers = none, .* has commit, fetch\n"),
        (Late(), {"schedule": "interleave"}, r"read 'A0' has other registers in LDS buffer 1 than in buffer 0\n"),
        (get_schedule("interleave-staged"), {"schedule": "simple"}, r"no fetch step 'A'"),
    ],
)
def test_an_order_that_wants_what_the_configuration_has_not_is_refused(
    schedule: Schedule, values: Values, message: str
) -> None:
    with pytest.raises(ScheduleError, match=message):
        KERNEL.write("gfx950", KERNEL.config(**values, tile="128x128"), schedule=schedule)

"""What the first user with a GPU runs: kernels against the emulator's bits, and questions that hardware answers."""

from __future__ import annotations

from hkasm.ops.selftest.report import KernelResult, ProbeResult, Report, selftest

__all__ = ["KernelResult", "ProbeResult", "Report", "selftest"]

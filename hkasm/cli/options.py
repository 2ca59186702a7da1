"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hkasm.cli.output import WIDTH_KEY
from hkasm.errors import ArchError, UsageError
from hkasm.settings import Settings

if TYPE_CHECKING:
    from hkasm.runtime import Device

__all__ = [
    "arch_option",
    "chip_option",
    "chosen_arch",
    "chosen_clang",
    "clang_option",
    "device_option",
    "json_option",
    "one_argument",
    "open_device",
    "parameter_option",
    "parse_parameters",
    "table_options",
    "width_option",
]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def one_argument(
    name: str, make: Callable[..., object], *options: Callable[[Decorated], Decorated]
) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds `options`; the command gets their values as one argument: `name=make(**values)`."""

    def nothing() -> None:
        pass

    for option in options:
        option(nothing)  # type: ignore[arg-type]
    names = [str(param.name) for param in nothing.__click_params__]  # type: ignore[attr-defined]

    def decorate(command: Decorated) -> Decorated:
        @wraps(command)
        def call(*args: Any, **given: Any) -> Any:
            made = make(**{one: given.pop(one) for one in names})
            return command(*args, **{name: made}, **given)

        for option in reversed(options):
            call = option(call)
        return call  # type: ignore[return-value]

    return decorate


def arch_option(command: Decorated) -> Decorated:
    """Add `--arch`; the command reads it with `chosen_arch`."""
    return click.option("--arch", metavar="ARCH", help="gfx942 or gfx950.")(command)


def clang_option(command: Decorated) -> Decorated:
    """Add `--clang`; the command reads it with `chosen_clang`."""
    return click.option("--clang", metavar="PATH", help="The clang to assemble with.")(command)


def chip_option(command: Decorated) -> Decorated:
    """Add `--chip` as `chip_name`."""
    text = (
        "The chip: mi300x ... mi355x, a partition mi300x-cpx, or the CUs of each XCD, mi355x-32:32:32:16 "
        "[mi355x; mi300x with HKASM_ARCH=gfx942]."
    )
    return click.option("--chip", "chip_name", metavar="NAME", help=text)(command)


def device_option(command: Decorated) -> Decorated:
    """Add `--device`; the command opens it with `open_device`."""
    return click.option("--device", metavar="NAME", help="Where to run: emulator, hip:N or auto [emulator].")(command)


def json_option(command: Decorated) -> Decorated:
    """Add `--json` as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def width_option(command: Decorated) -> Decorated:
    """Add `--width`: what is printed is folded to it, on a terminal and elsewhere (`hkasm.cli.output`)."""
    option = click.option(
        "--width", metavar="N", type=click.IntRange(40, 1000), expose_value=False, callback=_keep_width,
        help="Fold tables to N columns [the terminal's].",
    )  # fmt: skip
    return option(command)


def table_options(command: Decorated) -> Decorated:
    """Add `--width` and `--json`."""
    return width_option(json_option(command))


def _keep_width(ctx: click.Context, _: click.Parameter, value: int | None) -> None:
    if value is not None:
        ctx.meta[WIDTH_KEY] = value


def parameter_option(command: Decorated) -> Decorated:
    """Add `-p NAME=VALUE`, any number of times, as `pairs`; the command reads them with `parse_parameters`."""
    option = click.option(
        "-p", "--param", "pairs", metavar="NAME=VALUE", multiple=True, help="Set a parameter; see 'hkasm kernels'."
    )
    return option(command)


def chosen_arch(flag: str | None, settings: Settings, values: Mapping[str, object] | None = None) -> str:
    """Return the name of an architecture that hkasm knows: the one named, or that of the chip among `values`.

    Raises:
        ArchError: none is named, or an unknown one.
        UsageError: an unknown chip.
    """
    from hkasm.isa.arch import ARCHES, get_arch

    name = flag or settings.arch
    if name is None and values and values.get("chip", "auto") != "auto":
        from hkasm.model.chips import get_chip

        return get_chip(str(values["chip"])).arch
    if name is None:
        known = " or ".join(f"--arch {known}" for known in ARCHES)
        raise ArchError("no architecture named", hint=f"{known} (or HKASM_ARCH)")
    return get_arch(name).name


def chosen_clang(flag: str | None, settings: Settings) -> str | None:
    """Return the user's own choice of a clang, or None: search."""
    return flag or settings.clang


def open_device(flag: str | None, arch: str, settings: Settings) -> Device:
    """Return the device that code for `arch` runs on; `auto` says on stderr what was taken and why.

    Raises:
        UsageError: hkasm has no such device.
        DeviceError: there is no such GPU, or no way to it.
    """
    from hkasm.runtime import choose_device, device

    name = flag or settings.device or "emulator"
    if name != "auto":
        return device(name)
    found, why = choose_device(arch)
    click.echo(f"hkasm: auto takes {why}", err=True)
    return found


def parse_parameters(pairs: Sequence[str]) -> dict[str, str]:
    """Turn `NAME=VALUE` words into a map; what the names and values mean is the kernel's business.

    Raises:
        UsageError: a word without `=`, a name that is set twice, or `arch`, which has an option of its own.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"a parameter is NAME=VALUE, got '{pair}'")
        if name == "arch":
            raise UsageError("the architecture is no parameter", hint=f"--arch {value.strip() or 'gfx950'}")
        if name in found:
            raise UsageError(f"parameter '{name}' is set twice: {found[name]} and {value.strip()}")
        found[name] = value.strip()
    return found

"""Parameters of kernels: dataclass fields that know their limits and say what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar

from hkasm.errors import UsageError, did_you_mean

Parameters = TypeVar("Parameters", bound="ParameterSet")
Value = int | str


def parameter(
    default: Value,
    doc: str,
    *,
    low: int | None = None,
    high: int | None = None,
    choices: tuple[str, ...] = (),
    pattern: str = "",
    form: str = "",
) -> Any:
    """Declare a dataclass field as a parameter: a whole number from `low` to `high`, one of `choices`, or a text.

    A text matches the regular expression `pattern`; `form` says to people what that is.
    """
    data = {"doc": doc, "low": low, "high": high, "choices": choices, "pattern": pattern, "form": form}
    return field(default=default, metadata=data)


@dataclass(frozen=True)
class Parameter:
    """What the command line and the documentation show of a parameter."""

    name: str
    default: Value
    doc: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""
    form: str = ""

    @property
    def limits(self) -> str:
        """Text of what is allowed: ``1 to 4194304`` or ``agpr, vgpr``."""
        return self.form or (", ".join(self.choices) if self.choices else f"{self.low} to {self.high}")

    def read(self, value: object) -> Value:
        """Return a given value (text from a command line, or a number) as the parameter's type.

        Raises:
            UsageError: not a whole number, outside the limits, or not among the choices.
        """
        if self.choices:
            if value not in self.choices:
                hint = did_you_mean(str(value), self.choices) or f"one of {self.limits}"
                raise UsageError(f"{self.name}={value}: not a choice", hint=hint)
            return str(value)
        if self.pattern:
            if not isinstance(value, str) or re.fullmatch(self.pattern, value) is None:
                raise UsageError(f"{self.name}={value}: no such text", hint=self.limits)
            return value
        try:
            number = _whole(value) if isinstance(value, str) else value
        except ValueError:
            number = None
        if isinstance(number, bool) or not isinstance(number, int):
            raise UsageError(f"{self.name}={value}: not a whole number", hint=f"{self.limits}")
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise UsageError(f"{self.name}={number}: out of range", hint=f"{self.limits}")
        return number


def _whole(text: str) -> int:
    """Read decimal digits; `int` alone would take underscores, blanks and the digits of any script."""
    if re.fullmatch(r"[+-]?[0-9]+", text) is None:
        raise ValueError(text)
    return int(text)


class ParameterSet:
    """Base of frozen dataclasses whose fields are parameters."""

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the parameters in the order of their declaration."""
        return tuple(_parameter(one) for one in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def of(cls: type[Parameters], values: Mapping[str, object]) -> Parameters:
        """Make a set from those of `values` that it knows, each checked; the others are defaults."""
        known = {one.name: one for one in cls.parameters()}
        return cls(**{name: known[name].read(value) for name, value in values.items() if name in known})

    @property
    def values(self) -> dict[str, object]:
        """Return every parameter's value by name."""
        return {one.name: getattr(self, one.name) for one in self.parameters()}

    @property
    def label(self) -> str:
        """Name of this set: every parameter that differs from its default, or ``default``; `from_label` reads it."""
        own = [f"{one.name}={getattr(self, one.name)}" for one in self.parameters() if self._differs(one)]
        return ",".join(own) or "default"

    def _differs(self, one: Parameter) -> bool:
        return bool(getattr(self, one.name) != one.default)

    @classmethod
    def from_label(cls: type[Parameters], label: str) -> Parameters:
        """Make the set that a label names.

        Raises:
            UsageError: an unknown name, or a value that is not allowed.
        """
        parts = [] if label == "default" else label.split(",")
        values: dict[str, object] = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals:
                raise UsageError(f"label {label!r}: {part!r} is not NAME=VALUE")
            values[name] = value
        check_names(values, cls.parameters())
        return cls.of(values)


def check_names(values: Mapping[str, object], known: tuple[Parameter, ...]) -> None:
    """Raise UsageError, with the nearest name, for a value whose name no parameter has."""
    names = [one.name for one in known]
    for name in values:
        if name not in names:
            hint = did_you_mean(name, names) or f"parameters: {', '.join(names)}"
            raise UsageError(f"unknown parameter {name!r}", hint=hint)


def _parameter(one: Field[Any]) -> Parameter:
    if one.default is MISSING or "doc" not in one.metadata:
        raise UsageError(f"field {one.name!r} is not a parameter", hint="declare it with parameter(default, doc, ...)")
    data = one.metadata
    return Parameter(
        one.name, one.default, data["doc"], data["low"], data["high"], data["choices"], data["pattern"], data["form"]
    )

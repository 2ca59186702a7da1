"""Types of meanings: arrays of an operand's own type, and functions of them.

An array's dtype follows from the declaration, which no static type can; hence ``Any``, named for what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Array: TypeAlias = Any
Function: TypeAlias = Callable[..., Any]

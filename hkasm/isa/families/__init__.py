"""The instruction families; importing this package declares every instruction (modules are found, not listed)."""

from importlib import import_module
from pkgutil import iter_modules

for _module in sorted(info.name for info in iter_modules(__path__) if not info.name.startswith("_")):
    import_module(f"{__name__}.{_module}")

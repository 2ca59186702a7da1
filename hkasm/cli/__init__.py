"""The command `hkasm`: it parses, calls and prints, one file per subcommand."""

from hkasm.cli.app import main

__all__ = ["main"]

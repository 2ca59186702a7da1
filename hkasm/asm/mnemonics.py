"""The builder's instruction methods, one a mnemonic.

They are made when first used, from the declarations; what type checkers and editors see of them is the stub beside
this file, which tools/make_stubs.py writes.
"""

from __future__ import annotations


class Mnemonics:
    """Has a method for every mnemonic of the ISA (see the stub)."""

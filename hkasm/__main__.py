"""`python -m hkasm` is the command `hkasm`."""

from hkasm.cli import main

main(prog_name="hkasm")

"""hkasm writes, checks and runs AMDGCN assembly for AMD's CDNA3 and CDNA4 from Python."""

__version__ = "0.1.0"

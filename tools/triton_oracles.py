"""Compile Triton kernels for gfx942 and gfx950 on the CPU, as oracles for the emulator.

Run from the repository root in an environment that has Triton (no GPU, no torch):

    pip install triton
    python tools/triton_oracles.py OUT             # every case
    python tools/triton_oracles.py tests/data/triton --fixtures
    python tools/triton_oracles.py tests/data/triton_ladder --ladder   # for the cycle model

Writes one .hsaco a case and manifest.json: kernel name, arch, grid, block, dynamic LDS bytes,
arguments with dtype, shape and fill, the name of the NumPy reference, its tolerance, versions.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any

from triton_cases import FIXTURES, TRITON_TYPES, Case, cases, ladder

KERNELS = "tools/triton_kernels.py"
NOTE = (
    "Compiled by Triton from hkasm's own kernels in tools/triton_kernels.py; "
    "made by tools/triton_oracles.py, do not edit."
)


def load_kernels(root: Path) -> types.ModuleType:
    """Import the kernels under their relative path, so that line tables name no absolute path."""
    os.chdir(root)
    module = types.ModuleType("triton_kernels")
    module.__file__ = KERNELS
    sys.modules[module.__name__] = module
    code = compile((root / KERNELS).read_text(encoding="utf-8"), KERNELS, "exec")
    exec(code, module.__dict__)
    shorten_paths()
    return module


def shorten_paths() -> None:
    """Let Triton's own library functions carry paths from its package on, for the same reason."""
    import triton

    package = Path(triton.__file__).resolve().parents[1]
    for name, module in list(sys.modules.items()):
        if not name.startswith("triton."):
            continue
        for function in list(vars(module).values()):
            if isinstance(function, triton.JITFunction):
                path = Path(function.file_name)
                if path.is_absolute() and path.is_relative_to(package):
                    function.file_name = path.relative_to(package).as_posix()


def compile_case(kernels: types.ModuleType, case: Case) -> Any:
    """Compile one case; returns Triton's compiled kernel (.asm, .metadata)."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature: dict[str, str] = {}
    attrs: dict[tuple[int, ...], list[list[object]]] = {}
    for position, arg in enumerate(case.args):
        name = TRITON_TYPES[arg.dtype]
        if arg.shape is not None:
            signature[arg.name] = "*" + name
            attrs[position,] = [["tt.divisibility", 16], ["tt.pointer_range", 32]]
        else:
            signature[arg.name] = name
            if isinstance(arg.value, int) and arg.value % 16 == 0:
                attrs[position,] = [["tt.divisibility", 16]]
    signature.update(dict.fromkeys(case.constexprs, "constexpr"))
    source = ASTSource(
        fn=getattr(kernels, case.kernel), signature=signature, constexprs=dict(case.constexprs), attrs=attrs
    )
    return triton.compile(
        source, target=GPUTarget("hip", case.arch, 64), options={"num_warps": case.warps, **case.options}
    )


def entry(case: Case, compiled: Any) -> dict[str, object]:
    """The manifest's record of one compiled case."""
    return {
        "label": case.label,
        "file": f"{case.label}.hsaco",
        "kernel": compiled.metadata.name,
        "arch": case.arch,
        "grid": list(case.grid),
        "block": [case.warps * 64, 1, 1],
        "lds_bytes": compiled.metadata.shared,
        "reference": case.reference,
        "tolerance": case.tolerance,
        "args": [arg.manifest() for arg in case.args],
        "trailing_pointers": 2,
        "constexprs": case.constexprs,
        "options": {"num_warps": case.warps, **case.options},
    }


def main() -> int:
    """Compile the chosen cases into a folder."""
    parser = argparse.ArgumentParser(description="compile Triton oracles for the emulator")
    parser.add_argument("out", type=Path, help="folder for .hsaco files and manifest.json")
    parser.add_argument("--fixtures", action="store_true", help="only the set kept in the repository")
    parser.add_argument("--ladder", action="store_true", help="products of one size, better and worse")
    parser.add_argument("--only", default="", help="only labels that contain this text")
    parser.add_argument("--text", action="store_true", help="write the assembler text beside")
    options = parser.parse_args()

    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    import triton

    kernels = load_kernels(Path(__file__).resolve().parents[1])
    entries: list[dict[str, object]] = []
    failures = 0
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        for case in ladder() if options.ladder else cases():
            if (options.fixtures and case.label not in FIXTURES) or options.only not in case.label:
                continue
            began = time.perf_counter()
            try:
                compiled = compile_case(kernels, case)
            except Exception as error:  # a compiler may refuse a case; the others still count
                failures += 1
                print(f"{case.label}: {type(error).__name__}: {str(error).splitlines()[-1]}")
                continue
            (out / f"{case.label}.hsaco").write_bytes(compiled.asm["hsaco"])
            if options.text:
                (out / f"{case.label}.s").write_text(compiled.asm["amdgcn"], encoding="utf-8")
            entries.append(entry(case, compiled))
            print(
                f"{case.label}: {len(compiled.asm['hsaco'])} bytes, "
                f"{compiled.metadata.shared} bytes LDS, {time.perf_counter() - began:.2f} s",
                flush=True,
            )
    manifest = {
        "note": NOTE,
        "generator": "tools/triton_oracles.py",
        "source": KERNELS,
        "compiler": f"triton {triton.__version__}",
        "kernels": entries,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print(f"{len(entries)} code objects, {failures} refused")
    return 0 if not failures else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Kernels for machines without hkasm: code objects, a C header and example, and a Python loader, as files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import hkasm
from hkasm.asm.program import KernelArg, Program
from hkasm.errors import UsageError
from hkasm.runtime import standalone

__all__ = ["Example", "bundle_files", "c_name", "c_struct"]

FORMAT: Final = 1
_C_TYPES: Final = {
    "i8": "int8_t",
    "u8": "uint8_t",
    "i16": "int16_t",
    "u16": "uint16_t",
    "i32": "int32_t",
    "u32": "uint32_t",
    "b32": "uint32_t",
    "i64": "int64_t",
    "u64": "uint64_t",
    "b64": "uint64_t",
    "f32": "float",
    "f64": "double",
}
_BY_SIZE: Final = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}
_SEGMENT_ALIGN: Final = 8
_C_KEYWORDS: Final = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)


@dataclass(frozen=True)
class Example:
    """One launch for the C example: a name among `args` stands for the buffer of so many `buffers` bytes."""

    grid: tuple[int, ...]
    args: tuple[str | int | float, ...]
    buffers: Mapping[str, int]
    label: str


def bundle_files(
    built: Mapping[str, tuple[Program, bytes]], grid_rule: Sequence[str], example: Example
) -> dict[str, bytes]:
    """Return the folder's files by name: for each arch of `built` a code object, and what loads them.

    Raises:
        UsageError: the archs' kernels differ in arguments or block, so that no one header fits both.
    """
    programs = {arch: program for arch, (program, _) in built.items()}
    first = next(iter(programs.values()))
    for arch, program in programs.items():
        if (program.args, program.block, program.name) != (first.args, first.block, first.name):
            raise UsageError(f"{first.name} for {arch} takes other arguments or another block", hint="bundle one arch")
    name = c_name(first.name)
    objects = {arch: f"{name}.{arch}.hsaco" for arch in built}
    document = {
        "format": FORMAT,
        "kernel": first.name,
        "objects": {
            arch: {
                "file": objects[arch],
                "sha256": hashlib.sha256(code).hexdigest(),
                "lds_bytes": program.lds_bytes,
                "config": dict(program.config),
            }
            for arch, (program, code) in built.items()
        },
        "args": [asdict(arg) for arg in first.args],
        "kernarg_bytes": _struct_bytes(first.args),
        "grid": dict(zip("xyz", grid_rule, strict=True)),
        "block": list(first.block),
        "hkasm": hkasm.__version__,
    }
    texts = {
        f"{name}.h": _header(first, grid_rule),
        "example.c": _example(first, objects, example),
        "loader.py": Path(standalone.__file__).read_text(encoding="utf-8"),
        "manifest.json": json.dumps(document, indent=2) + "\n",
    }
    return {objects[arch]: code for arch, (_, code) in built.items()} | {
        file: text.encode() for file, text in texts.items()
    }


def c_name(name: str) -> str:
    """Return a name that C takes."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"{plain}_" if plain in _C_KEYWORDS.split() else f"_{plain}" if plain[:1].isdigit() else plain


def c_struct(name: str, args: Sequence[KernelArg]) -> str:
    """Return the C structure of a kernarg segment, holes spelled out."""
    lines, end = [f"struct {name}_args {{"], 0
    for arg in args:
        if arg.offset > end:
            lines.append(f"  uint8_t hole_{end}[{arg.offset - end}];")
        lines.append(f"  {_declaration(arg)};")
        end = arg.offset + arg.size
    total = _struct_bytes(args)
    if total > end:
        lines.append(f"  uint8_t hole_{end}[{total - end}];")
    return "\n".join([*lines, "};"])


def _declaration(arg: KernelArg) -> str:
    name = c_name(arg.name)
    if arg.kind == "pointer":
        return f"{'const ' if arg.access == 'read' else ''}void *{name}"
    kind = _C_TYPES.get(arg.dtype) or _BY_SIZE.get(arg.size)
    return f"{kind} {name}" if kind else f"uint8_t {name}[{arg.size}]"


def _struct_bytes(args: Sequence[KernelArg]) -> int:
    end = max((arg.offset + arg.size for arg in args), default=0)
    return -(-end // _SEGMENT_ALIGN) * _SEGMENT_ALIGN


def _header(program: Program, grid_rule: Sequence[str]) -> str:
    name, upper = c_name(program.name), c_name(program.name).upper()
    checks = [
        f'HKASM_CHECK(offsetof(struct {name}_args, {c_name(arg.name)}) == {arg.offset}, "{arg.name}");'
        for arg in program.args
    ]
    kinds = [f"//   {arg.name}: {_meaning(arg)}" for arg in program.args]
    x, y, z = program.block
    return f"""// The kernel {program.name}: its arguments as it reads them, and its grid. By hkasm {hkasm.__version__}.
#ifndef HKASM_{upper}_H
#define HKASM_{upper}_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define HKASM_CHECK(what, text) static_assert(what, text)
#else
#define HKASM_CHECK(what, text) _Static_assert(what, text)
#endif

#define {upper}_KERNEL "{program.name}"
#define {upper}_BLOCK_X {x}
#define {upper}_BLOCK_Y {y}
#define {upper}_BLOCK_Z {z}

{chr(10).join(kinds)}
{c_struct(name, program.args)}

{chr(10).join(checks)}
HKASM_CHECK(sizeof(struct {name}_args) == {_struct_bytes(program.args)}, "size");

// Workgroups: x = {grid_rule[0]}, y = {grid_rule[1]}, z = {grid_rule[2]}.
{_grid_function(program, grid_rule)}
#endif
"""


def _meaning(arg: KernelArg) -> str:
    if arg.kind != "pointer":
        return f"{arg.dtype or 'value'} of {arg.size} bytes"
    rank = f", {arg.rank} dimensions" if arg.rank else ""
    return f"device memory of {arg.dtype or 'bytes'}{rank}, {arg.access}"


def _grid_function(program: Program, grid_rule: Sequence[str]) -> str:
    """Return the rule as a C function of the arguments, or nothing if it speaks of something else."""
    # Formulas speak of the problem's parameters, which arguments carry under the same names, or in capitals.
    values = {arg.name.lower(): arg.name for arg in program.args if arg.kind == "value"}
    formulas = []
    for rule in grid_rule:
        words = set(re.findall(r"[A-Za-z_]\w*", rule)) - {"ceil"}
        if not {word.lower() for word in words} <= values.keys() or not re.fullmatch(r"[\w\s()+*/-]*", rule):
            return ""
        divided = re.sub(r"ceil\(\s*([^()/]+?)\s*/\s*([^()/]+?)\s*\)", r"(((\1) + (\2) - 1) / (\2))", rule)
        if "ceil" in divided:
            return ""
        formulas.append(re.sub(r"[A-Za-z_]\w*", lambda word: f"args->{c_name(values[word[0].lower()])}", divided))
    name = c_name(program.name)
    lines = [f"  grid[{axis}] = (unsigned)({formula});" for axis, formula in enumerate(formulas)]
    body = "\n".join(["  (void)args;", *lines])
    return f"static inline void {name}_grid(const struct {name}_args *args, unsigned grid[3]) {{\n{body}\n}}\n"


_EXAMPLE: Final = """// Loads @KERNEL@ and launches it once, on @LABEL@.
//
//   cc example.c -o example -L/opt/rocm/lib -lamdhip64 && ./example @OBJECT@
//
// With -DHKASM_HIP_HEADERS it uses ROCm's own declarations (add -D__HIP_PLATFORM_AMD__ -I/opt/rocm/include).
#include <stdio.h>
#include <string.h>

#include "@NAME@.h"

#ifdef HKASM_HIP_HEADERS
#include <hip/hip_runtime_api.h>
#else
typedef int hipError_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define HIP_LAUNCH_PARAM_END ((void *)0x03)
hipError_t hipModuleLoad(hipModule_t *module, const char *path);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds_bytes,
                                 hipStream_t stream, void **params, void **extra);
hipError_t hipMalloc(void **memory, size_t size);
hipError_t hipFree(void *memory);
hipError_t hipMemset(void *memory, int value, size_t size);
hipError_t hipDeviceSynchronize(void);
const char *hipGetErrorString(hipError_t error);
#endif

static int failed(const char *call, hipError_t status) {
  if (status == 0) return 0;
  fprintf(stderr, "%s: %s\\n", call, hipGetErrorString(status));
  return 1;
}
#define TRY(call) \\
  do { if (failed(#call, (call))) return 1; } while (0)

int main(int argc, char **argv) {
  hipModule_t module;
  hipFunction_t function;
  TRY(hipModuleLoad(&module, argc > 1 ? argv[1] : "@OBJECT@"));
  TRY(hipModuleGetFunction(&function, module, @UPPER@_KERNEL));

@MEMORY@
  struct @NAME@_args args;
  memset(&args, 0, sizeof args);
@VALUES@
  size_t size = sizeof args;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &args, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  TRY(hipModuleLaunchKernel(function, @GRID@, @UPPER@_BLOCK_X, @UPPER@_BLOCK_Y, @UPPER@_BLOCK_Z, 0, NULL, NULL, extra));
  TRY(hipDeviceSynchronize());

@FREES@
  TRY(hipModuleUnload(module));
  printf("launched @KERNEL@\\n");
  return 0;
}
"""


def _example(program: Program, objects: Mapping[str, str], example: Example) -> str:
    memory, frees, values = [], [], []
    for label, size in example.buffers.items():
        pointer = f"buffer_{c_name(label)}"
        memory += [
            f"  void *{pointer};",
            f"  TRY(hipMalloc(&{pointer}, {max(size, 1)}));",
            f"  TRY(hipMemset({pointer}, 0, {max(size, 1)}));",
        ]
        frees.append(f"  TRY(hipFree({pointer}));")
    for arg, value in zip(program.args, example.args, strict=True):
        text = f"buffer_{c_name(value)}" if isinstance(value, str) else repr(value)
        values.append(f"  args.{c_name(arg.name)} = {text};")
    words = {
        "KERNEL": program.name,
        "LABEL": example.label,
        "NAME": c_name(program.name),
        "UPPER": c_name(program.name).upper(),
        "OBJECT": next(iter(objects.values())),
        "MEMORY": "\n".join([*memory, ""]) if memory else "",
        "VALUES": "\n".join(values),
        "GRID": ", ".join(str(n) for n in (*example.grid, 1, 1)[:3]),
        "FREES": "\n".join(frees),
    }
    return re.sub(r"@([A-Z]+)@", lambda word: words[word[1]], _EXAMPLE)

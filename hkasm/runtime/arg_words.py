"""Kernel arguments as words, for launches of foreign code objects from a shell.

    ptr:bf16[512x512]=normal:1     a buffer of that type and shape, filled
    ptr:f32[64]+128=zeros          a pointer 128 bytes into a buffer
    ptr=a.npy                      a buffer like the file's array
    ptr=a+256                      256 bytes into the buffer of the argument named a
    ptr=0x7f00, ptr=0              a bare address
    i32=512, f32=-1.5, bf16=nan    a value
    raw=0000803f                   the bytes of a value, in hexadecimal

Each may have a name in front: `c:ptr:f32[64]=zeros`. An argument without one has the kernel's own name for it, or argN.
Fills are `zeros`, `ones`, `arange` (whole numbers that the type holds exactly), `nan`, `full:X`, and by seed
`normal[:SEED[:SCALE]]`, `uniform[:SEED[:LOW:HIGH]]`, `integers[:SEED[:LOW:HIGH]]` (HIGH excluded), `bytes[:SEED]`; or a
.npy file. Types that NumPy lacks stand in .npy files as unsigned integers of their size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.codeobject import KernelImage
from hkasm.asm.program import KernelArg
from hkasm.errors import LaunchError, UsageError, did_you_mean
from hkasm.runtime.arguments import explicit_arguments
from hkasm.runtime.emulated import EmulatedBuffer, EmulatorDevice
from hkasm.runtime.tensors import dtype_name, numpy_dtype

__all__ = ["ArgumentWord", "Prepared", "bits_of_array", "parse_argument", "prepare"]

DTYPES: Final = (
    "f64", "f32", "f16", "bf16", "f8_e4m3fn", "f8_e4m3fnuz", "f8_e5m2", "f8_e5m2fnuz", "f8_e8m0fnu",
    "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "bool",
)  # fmt: skip
FILLS: Final = ("zeros", "ones", "arange", "nan", "full", "normal", "uniform", "integers", "bytes")
POINTER_BYTES: Final = 8
MAX_RAW_BYTES: Final = 4096
MAX_SLOT: Final = 256
_FORM: Final = "ptr:DTYPE[SHAPE][+BYTES]=FILL, ptr=NAME[+BYTES], ptr=FILE.npy, ptr=ADDRESS, DTYPE=VALUE, raw=HEX"
_NAMED = re.compile(r"([A-Za-z_]\w*):(.*)", re.DOTALL)
_POINTER = re.compile(r"ptr:(\w+)\[([\dx,]*)\](?:\+(\w+))?=(.+)", re.DOTALL)
_ALIAS = re.compile(r"([A-Za-z_]\w*)(?:\+(\w+))?")


@dataclass(frozen=True)
class ArgumentWord:
    """One argument as it was written.

    `kind` is `buffer` (dtype, shape, fill, offset), `file` (fill is a path), `alias` (fill is a name, offset),
    `address` (offset), `value` (dtype, raw) or `raw` (raw). `raw` holds the bytes of a value.
    """

    text: str
    kind: str
    name: str = ""
    dtype: str = ""
    shape: tuple[int, ...] = ()
    fill: str = ""
    offset: int = 0
    raw: bytes = b""

    @property
    def is_pointer(self) -> bool:
        """Whether it is an address."""
        return self.kind in ("buffer", "file", "alias", "address")

    @property
    def size(self) -> int:
        """Bytes in the kernarg segment."""
        return POINTER_BYTES if self.is_pointer else len(self.raw)

    @property
    def alignment(self) -> int:
        """Bytes whose multiple its place is: its own size, 8 at most."""
        return min(POINTER_BYTES, self.size & -self.size) if self.size else 1


def parse_argument(text: str) -> ArgumentWord:
    """Read one argument.

    Raises:
        UsageError: the word is none of the forms, or a number, type, shape or fill in it makes no sense.
    """
    name, rest = "", text
    named = _NAMED.match(text)
    if named and named[1] not in ("ptr", *DTYPES) and "=" in named[2]:
        name, rest = named[1], named[2]
    head, equals, tail = rest.partition("=")
    if not equals or not tail:
        raise _bad(text, "has no '=' with what it holds", f"forms: {_FORM}; sizes stand with x: 4x256")
    if head == "ptr":
        return _bare_pointer(text, name, tail)
    if head.startswith("ptr:"):
        return _buffer(text, name, rest)
    if head == "raw":
        return ArgumentWord(text, "raw", name, raw=_hexadecimal(text, tail))
    kind = _dtype(text, head)
    return ArgumentWord(text, "value", name, head, raw=_value(text, head, kind, tail))


def _bad(text: str, what: str, hint: str | None = None) -> UsageError:
    return UsageError(f"argument '{text}' {what}", hint=hint)


def _dtype(text: str, name: str) -> np.dtype[Any]:
    kind = numpy_dtype(name) if name in DTYPES else None
    if kind is None:
        raise _bad(
            text, f"has the unknown type '{name}'", did_you_mean(name, DTYPES) or f"types: ptr, {', '.join(DTYPES)}"
        )
    return kind


def _buffer(text: str, name: str, rest: str) -> ArgumentWord:
    match = _POINTER.fullmatch(rest)
    if match is None:
        raise _bad(text, "is no pointer to a buffer", "ptr:bf16[512x512]=normal:1")
    dtype, extents, offset, fill = match.groups()
    kind = _dtype(text, dtype)
    parts = re.split("[x,]", extents) if extents else []
    if not all(parts) or len(parts) > 8:
        raise _bad(text, f"has the shape [{extents}], which is none", "numbers with x between: [512x512]")
    shape = tuple(int(part) for part in parts)
    if prod(shape) * kind.itemsize > 1 << 36:
        raise _bad(text, f"wants {prod(shape) * kind.itemsize} bytes, at most {1 << 36} are had")
    if not fill.endswith(".npy"):
        _check_fill(text, fill, kind)
    return ArgumentWord(text, "buffer", name, dtype, shape, fill, _integer(text, offset or "0"))


def _bare_pointer(text: str, name: str, tail: str) -> ArgumentWord:
    if tail.endswith(".npy"):
        return ArgumentWord(text, "file", name, fill=tail)
    alias = _ALIAS.fullmatch(tail)
    if alias is not None:
        return ArgumentWord(text, "alias", name, fill=alias[1], offset=_integer(text, alias[2] or "0"))
    address = _integer(text, tail)
    if not 0 <= address < 1 << 64:
        raise _bad(text, "is no 64-bit address")
    return ArgumentWord(text, "address", name, offset=address)


def _integer(text: str, word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise _bad(text, f"has '{word}', which is no whole number") from None


def _hexadecimal(text: str, word: str) -> bytes:
    try:
        raw = bytes.fromhex(word.removeprefix("0x"))
    except ValueError:
        raw = b""
    if not 0 < len(raw) <= MAX_RAW_BYTES:
        raise _bad(text, f"is not 1 to {MAX_RAW_BYTES} bytes in hexadecimal")
    return raw


def _value(text: str, dtype: str, kind: np.dtype[Any], word: str) -> bytes:
    if dtype == "bool":
        if word.lower() not in ("0", "1", "false", "true"):
            raise _bad(text, "is neither true nor false")
        return bytes([word.lower() in ("1", "true")])
    if dtype[0] in "iu":
        number, limits = _integer(text, word), np.iinfo(kind)
        if not limits.min <= number <= limits.max:
            raise _bad(text, f"is not from {limits.min} to {limits.max}")
        return bytes(kind.type(number).tobytes())
    return bytes(_float(text, dtype, kind, word).tobytes())


def _float(text: str, dtype: str, kind: np.dtype[Any], word: str) -> Any:
    """Return a number as a scalar of a float type; infinity and NaN only where they are asked for."""
    try:
        number = float(word)
    except ValueError:
        raise _bad(text, f"has '{word}', which is no number") from None
    with np.errstate(all="ignore"):
        found = np.array(number).astype(kind)[()]
        if np.isfinite(number) and not np.isfinite(found.astype(np.float64)):
            raise _bad(text, f"has {word}, which {dtype} cannot hold")
    return found


# ---- fills -----------------------------------------------------------------------------------------------------------


def _check_fill(text: str, fill: str, kind: np.dtype[Any]) -> None:
    word, *numbers = fill.split(":")
    most = {"normal": 2, "uniform": 3, "integers": 3, "bytes": 1, "full": 1}
    if word not in FILLS:
        hint = did_you_mean(word, FILLS) or f"fills: {', '.join(FILLS)}, FILE.npy"
        raise _bad(text, f"has the unknown fill '{word}'", hint)
    if len(numbers) > most.get(word, 0) or (word == "full" and not numbers):
        raise _bad(text, f"has the fill '{fill}' with {len(numbers)} numbers", "normal:SEED, integers:SEED:LOW:HIGH")
    whole = kind.kind in "iub"
    if whole and word in ("normal", "uniform", "nan"):
        raise _bad(text, f"fills whole numbers with '{word}'", "integers:SEED:LOW:HIGH")
    if word in ("uniform", "integers") and len(numbers) == 2:
        raise _bad(text, f"has the fill '{fill}' with one end only", f"{word}:SEED:LOW:HIGH")
    for place, number in enumerate(numbers):
        seed = word != "full" and place == 0
        try:
            value = int(number, 0) if seed or word == "integers" or whole else float(number)
        except ValueError:
            raise _bad(text, f"has the fill '{fill}', in which '{number}' is no number") from None
        if seed and value < 0:
            raise _bad(text, "has a seed below 0")
    if word == "integers" and len(numbers) == 3 and int(numbers[1], 0) >= int(numbers[2], 0):
        raise _bad(text, f"has the fill '{fill}' with no number in it", "integers:SEED:LOW:HIGH, HIGH excluded")


def _filled(word: ArgumentWord, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the array of a buffer."""
    if word.fill.endswith(".npy"):
        return _from_file(word, kind)
    how, *numbers = word.fill.split(":")
    shape, count = word.shape, prod(word.shape)
    if how in ("zeros", "ones"):
        return np.full(shape, how == "ones").astype(kind)
    if how == "full":
        return np.full(shape, np.frombuffer(_value(word.text, word.dtype, kind, numbers[0]), kind)[0])
    if how == "nan":
        return np.full(shape, np.nan).astype(kind)
    if how == "arange":
        return (np.arange(count) % _exact_numbers(word.dtype, kind)).astype(kind).reshape(shape)
    rng = np.random.default_rng(int(numbers[0], 0) if numbers else 0)
    if how == "bytes":
        raw: NDArray[Any] = rng.integers(0, 256, count * kind.itemsize, np.uint8)
        return (raw & 1 if word.dtype == "bool" else raw).view(kind).reshape(shape)
    with np.errstate(all="ignore"):
        if how == "normal":
            scale = float(numbers[1]) if len(numbers) > 1 else 1.0
            return (np.float32(scale) * rng.standard_normal(shape, np.float32)).astype(kind)
        if how == "uniform":
            low, high = (float(n) for n in numbers[1:]) if len(numbers) > 1 else (0.0, 1.0)
            return rng.uniform(low, high, shape).astype(kind)
    least, beyond = (int(n, 0) for n in numbers[1:]) if len(numbers) > 1 else _small_numbers(word.dtype)
    _check_range(word, kind, least, beyond)
    return rng.integers(least, beyond, shape, np.uint64 if word.dtype == "u64" else np.int64).astype(kind)


def _small_numbers(dtype: str) -> tuple[int, int]:
    """Return the default range of whole numbers: small enough that products and sums of them are exact."""
    if dtype in ("bool", "f8_e8m0fnu"):
        return (0, 2) if dtype == "bool" else (1, 3)
    return (0, 16) if dtype[0] == "u" else (-8, 8)


def _check_range(word: ArgumentWord, kind: np.dtype[Any], least: int, beyond: int) -> None:
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        if not limits.min <= least < beyond <= limits.max + 1 or not -(1 << 63) <= least < beyond <= 1 << 64:
            raise _bad(word.text, f"has numbers from {least} to {beyond - 1}, which {word.dtype} cannot hold")
    elif not -(1 << 53) <= least < beyond <= 1 << 53:
        raise _bad(word.text, f"has numbers from {least} to {beyond - 1}, which {word.dtype} cannot hold")


def _exact_numbers(dtype: str, kind: np.dtype[Any]) -> int:
    """Return how many whole numbers from 0 on a type holds without a gap."""
    if dtype == "bool":
        return 2
    if kind.kind in "iu":
        return min(int(np.iinfo(kind).max) + 1, 1 << 62)
    import ml_dtypes

    return 1 << (int(ml_dtypes.finfo(kind).nmant) + 1)  # type: ignore[no-untyped-call]


def _from_file(word: ArgumentWord, kind: np.dtype[Any] | None) -> NDArray[Any]:
    """Read a .npy file; it has the type and shape that the word states, if it states any."""
    array = _read_npy(word.fill)
    if kind is None:
        if not dtype_name(array.dtype):
            raise UsageError(f"holds {array.dtype}, which has no name here", where=word.fill, hint="ptr:DTYPE[SHAPE]=")
        return array
    bits = array.dtype.kind in "uV" and array.dtype.itemsize == kind.itemsize
    if array.dtype != kind and not (bits and kind.kind not in "iub"):
        raise UsageError(f"holds {array.dtype}, the argument is {word.dtype}", where=word.fill)
    if array.shape != word.shape and (array.ndim > 1 or array.size != prod(word.shape)):
        raise UsageError(f"has the shape {list(array.shape)}, the argument {list(word.shape)}", where=word.fill)
    return np.ascontiguousarray(array).view(kind).reshape(word.shape)


def _read_npy(path: str) -> NDArray[Any]:
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror or error}", where=path) from None
    except (ValueError, EOFError, SyntaxError) as error:
        raise UsageError(f"is no .npy file: {str(error).splitlines()[0]}", where=path) from None
    if not isinstance(array, np.ndarray):
        raise UsageError("is an archive, not a .npy file", where=path)
    return array


def bits_of_array(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that a .npy file can hold: types that NumPy lacks as unsigned integers of their size."""
    known = dtype_name(array.dtype)
    lacks = known.startswith(("bf", "f8"))
    return array.view(f"u{array.dtype.itemsize}") if lacks else array


# ---- a launch's arguments --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Prepared:
    """Arguments on a device: the kernarg segment, and the buffers by the argument's name."""

    segment: bytes
    buffers: dict[str, EmulatedBuffer]
    names: tuple[str, ...]

    def buffer(self, name: str) -> EmulatedBuffer:
        """Return the buffer of an argument, by its name or its number. Raises UsageError."""
        if name.isdigit() and int(name) < len(self.names):
            name = self.names[int(name)]
        if name not in self.buffers:
            known = ", ".join(self.buffers) or "none"
            raise UsageError(
                f"no argument '{name}' has a buffer",
                hint=did_you_mean(name, self.buffers) or f"those with one: {known}",
            )
        return self.buffers[name]


def prepare(
    kernel: KernelImage,
    words: Sequence[ArgumentWord],
    device: EmulatorDevice,
    *,
    slot: int = 0,
    limit: int = 1 << 36,
) -> Prepared:
    """Make the buffers and the kernarg segment of a launch.

    Places come from the kernel's metadata; where it says nothing, arguments follow each other, each at a multiple of
    its own size up to 8. With `slot` each has a slot of so many bytes, whatever the metadata says. `limit` bounds the
    bytes of all buffers together.

    Raises:
        LaunchError: number, kind or size of the arguments is not what the kernel takes.
        UsageError: a file cannot be read, a name is unknown, or the buffers are larger than `limit`.
    """
    wanted = [] if slot else explicit_arguments(kernel)
    names = _names(kernel, words, wanted)
    places = _places(kernel, words, wanted, slot)
    wants = sum(prod(word.shape) * (numpy_dtype(word.dtype) or np.dtype("u1")).itemsize for word in words)
    if wants > limit:
        raise UsageError(f"the arguments want {wants} bytes of memory, {limit} can be had")
    buffers: dict[str, EmulatedBuffer] = {}
    segment = bytearray(max((place + word.size for place, word in zip(places, words, strict=True)), default=0))
    for name, place, word in zip(names, places, words, strict=True):
        raw = word.raw
        if word.is_pointer:
            raw = _address(word, name, device, buffers).to_bytes(POINTER_BYTES, "little")
        segment[place : place + word.size] = raw
    return Prepared(bytes(segment), buffers, names)


def _names(kernel: KernelImage, words: Sequence[ArgumentWord], wanted: Sequence[KernelArg]) -> tuple[str, ...]:
    own = [arg.name for arg in wanted]
    found = [word.name or (own[n] if n < len(own) else f"arg{n}") for n, word in enumerate(words)]
    twice = next((name for n, name in enumerate(found) if name in found[:n]), None)
    if twice is not None:
        raise UsageError(f"{kernel.name}: two arguments have the name '{twice}'")
    return tuple(found)


def _places(kernel: KernelImage, words: Sequence[ArgumentWord], wanted: Sequence[KernelArg], slot: int) -> list[int]:
    """Return the offset of each argument in the segment, checked against what the object says."""
    if wanted:
        return _stated_places(kernel, words, wanted)
    places, end = [], 0
    for number, word in enumerate(words):
        if slot and word.size > slot:
            raise LaunchError(f"{kernel.name}: argument '{word.text}' has {word.size} bytes, a slot {slot}")
        place = number * slot if slot else -(-end // word.alignment) * word.alignment
        places.append(place)
        end = place + word.size
    size = kernel.kernarg_bytes
    if size and end > size:
        raise LaunchError(
            f"{kernel.name}: the arguments take {end} bytes, the kernel's segment has {size}",
            hint="too many arguments, or a wrong type or slot",
        )
    if size and not words:
        raise LaunchError(
            f"{kernel.name}: the kernel reads {size} bytes of arguments, and none is given", hint=f"--arg {_FORM}"
        )
    return places


def _stated_places(kernel: KernelImage, words: Sequence[ArgumentWord], wanted: Sequence[KernelArg]) -> list[int]:
    if len(words) != len(wanted):
        said = ", ".join(f"{arg.name} ({_stated(arg)})" for arg in wanted)
        raise LaunchError(f"{kernel.name} takes {len(wanted)} arguments, got {len(words)}", hint=said)
    for arg, word in zip(wanted, words, strict=True):
        if word.size != arg.size or (arg.kind == "pointer" and not word.is_pointer and word.kind != "raw"):
            raise LaunchError(f"{kernel.name}: argument {arg.name!r} is {_stated(arg)}, got '{word.text}'")
        if arg.kind != "pointer" and word.kind == "value" and not _same_kind(arg.dtype, word.dtype):
            hint = "raw=HEX passes bytes as they are"
            raise LaunchError(f"{kernel.name}: argument {arg.name!r} is {_stated(arg)}, got '{word.text}'", hint=hint)
        if arg.kind == "pointer" and arg.dtype and word.dtype and word.dtype != arg.dtype:
            want, have = numpy_dtype(arg.dtype), numpy_dtype(word.dtype)
            if want is None or have is None or have.itemsize != want.itemsize or have.kind not in "iu":
                raise LaunchError(f"{kernel.name}: argument {arg.name!r} points to {arg.dtype}, got '{word.text}'")
    return [arg.offset for arg in wanted]


def _same_kind(wanted: str, given: str) -> bool:
    """Tell whether both are whole numbers, signed or not, or the same type; True where one is not known."""
    want, have = numpy_dtype(wanted) if wanted else None, numpy_dtype(given) if given else None
    return want is None or have is None or want == have or (want.kind in "iub" and have.kind in "iub")


def _stated(arg: KernelArg) -> str:
    if arg.kind == "pointer":
        return f"a pointer to {arg.dtype}" if arg.dtype else "a pointer"
    return f"{arg.dtype or 'a value'} of {arg.size} bytes"


def _address(word: ArgumentWord, name: str, device: EmulatorDevice, buffers: dict[str, EmulatedBuffer]) -> int:
    """Return the address of a pointer; a new buffer is put into `buffers`."""
    if word.kind == "address":
        return word.offset
    if word.kind == "alias":
        if word.fill not in buffers:
            known = ", ".join(buffers) or "none"
            raise _bad(
                word.text,
                f"points into '{word.fill}', which no argument before it has made",
                did_you_mean(word.fill, buffers) or f"buffers so far: {known}",
            )
        return _inside(word, buffers[word.fill])
    kind = numpy_dtype(word.dtype)
    array = _from_file(word, None) if kind is None else _filled(word, kind)
    buffers[name] = device.buffer(array, name)
    return _inside(word, buffers[name])


def _inside(word: ArgumentWord, buffer: EmulatedBuffer) -> int:
    if not 0 <= word.offset <= buffer.nbytes:
        raise _bad(word.text, f"points {word.offset} bytes into a buffer of {buffer.nbytes}")
    return buffer.address + word.offset

"""Arguments as words: what they mean, where they lie in the segment, and the text of every refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.oracles import DATA

from hkasm.asm.codeobject import CodeObject, KernelImage
from hkasm.errors import HkasmError
from hkasm.runtime.arg_words import ArgumentWord, Prepared, bits_of_array, parse_argument, prepare
from hkasm.runtime.emulated import EmulatorDevice


def kernel(label: str = "axpy_gfx950") -> KernelImage:
    return next(iter(CodeObject.from_path(DATA / "triton" / f"{label}.hsaco").kernels.values()))


@pytest.fixture
def silent() -> KernelImage:
    """A kernel whose object says nothing about arguments."""
    image = kernel()
    image.args, image.metadata = (), {}
    image.descriptor = replace(image.descriptor, kernarg_bytes=0)
    return image


def prepared(image: KernelImage, *words: str, **settings: Any) -> Prepared:
    return prepare(image, [parse_argument(word) for word in words], EmulatorDevice(), **settings)


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("i32=-1", b"\xff" * 4),
        ("u8=0xff", b"\xff"),
        ("i64=-2", (-2 & (1 << 64) - 1).to_bytes(8, "little")),
        ("f32=1.5", np.float32(1.5).tobytes()),
        ("f64=-inf", np.float64(-np.inf).tobytes()),
        ("f16=0.1", np.float16(0.1).tobytes()),
        ("bf16=3", b"\x40\x40"),
        ("f8_e4m3fn=1", b"\x38"),
        ("f8_e4m3fnuz=1", b"\x40"),
        ("f8_e5m2=1", b"\x3c"),
        ("f8_e8m0fnu=2", b"\x80"),
        ("bool=true", b"\x01"),
        ("raw=00ff10", b"\x00\xff\x10"),
        ("n:i16=7", b"\x07\x00"),
    ],
)
def test_values_are_their_bytes(text: str, raw: bytes) -> None:
    assert parse_argument(text).raw == raw


def test_words_of_pointers() -> None:
    assert parse_argument("ptr:bf16[4x2]=normal:1") == ArgumentWord(
        "ptr:bf16[4x2]=normal:1", "buffer", "", "bf16", (4, 2), "normal:1"
    )
    word = parse_argument("c:ptr:f32[8]+16=c.npy")
    assert (word.name, word.fill, word.offset, word.shape) == ("c", "c.npy", 16, (8,))
    assert parse_argument("ptr=0").kind == "address"
    alias = parse_argument("ptr=c+0x10")
    assert (alias.kind, alias.fill, alias.offset) == ("alias", "c", 16)
    assert parse_argument("ptr=some/c.npy").kind == "file"


REFUSED = {
    "i32": "has no '=' with what it holds",
    "i32=": "has no '=' with what it holds",
    "i33=1": "has the unknown type 'i33'",
    "i32=1.5": "has '1.5', which is no whole number",
    "i8=128": "is not from -128 to 127",
    "u32=-1": "is not from 0 to 4294967295",
    "f16=1e6": "has 1e6, which f16 cannot hold",
    "f32=x": "has 'x', which is no number",
    "bool=2": "is neither true nor false",
    "raw=abc": "bytes in hexadecimal",
    "ptr:f32=zeros": "is no pointer to a buffer",
    "ptr:f32[4xx4]=zeros": "has the shape [4xx4], which is none",
    "ptr:f32[99999999999]=zeros": "bytes, at most",
    "ptr:f32[4]=nomal": "has the unknown fill 'nomal'",
    "ptr:i32[4]=normal": "fills whole numbers with 'normal'",
    "ptr:i32[4]=normal:1:2:3": "with 3 numbers",
    "ptr:f32[4]=uniform:1:2": "with one end only",
    "ptr:f32[4]=normal:x": "in which 'x' is no number",
    "ptr:f32[4]=normal:-1": "has a seed below 0",
    "ptr:i32[4]=integers:1:5:5": "with no number in it",
    "ptr=99999999999999999999": "is no 64-bit address",
    "ptr=-8": "is no 64-bit address",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_argument_is_one_line(text: str) -> None:
    with pytest.raises(HkasmError) as caught:
        parse_argument(text)
    assert caught.value.message.startswith(f"argument '{text}'")
    assert REFUSED[text] in str(caught.value)


def test_fills(silent: KernelImage, tmp_path: Path) -> None:
    np.save(tmp_path / "bits.npy", np.array([[0x3F80, 0x4000]], np.uint16))
    found = prepared(
        silent,
        "a:ptr:bf16[3x2]=normal:7",
        "b:ptr:bf16[300]=arange",
        f"c:ptr:bf16[1x2]={tmp_path / 'bits.npy'}",
        "d:ptr:u64[64]=integers:1:0:0x10",
        "e:ptr:f32[4]=nan",
        "f:ptr:f16[2]=full:1.5",
        "g:ptr:f8_e4m3fn[9]=ones",
        "h:ptr:f32[100]=uniform:3:-2:2",
        "i:ptr:u8[100]=bytes:5",
        f"j:ptr={tmp_path / 'bits.npy'}",
        "k:ptr:bool[5]=arange",
        "l:ptr:i8[50]=integers",
    ).buffers
    rng = np.random.default_rng(7)
    assert found["a"].numpy().tobytes() == rng.standard_normal((3, 2), np.float32).astype(ml_dtypes.bfloat16).tobytes()
    assert found["b"].numpy().astype(int).tolist() == [n % 256 for n in range(300)]
    assert found["c"].numpy().astype(float).tolist() == [[1.0, 2.0]]
    assert found["d"].numpy().max() == 15
    assert np.isnan(found["e"].numpy()).all()
    assert found["f"].numpy().tolist() == [1.5, 1.5]
    assert found["g"].numpy().astype(float).tolist() == [1.0] * 9
    assert -2 <= found["h"].numpy().min() < 0 < found["h"].numpy().max() <= 2
    assert len(set(found["i"].numpy().tolist())) > 20
    assert found["j"].numpy().dtype == np.uint16
    assert found["k"].numpy().tolist() == [False, True, False, True, False]
    assert (found["l"].numpy().min(), found["l"].numpy().max()) == (-8, 7)


def test_a_seed_says_everything(silent: KernelImage) -> None:
    one, two, other = (
        prepared(silent, f"ptr:f32[64]=normal:{seed}").buffers["arg0"].numpy().tobytes() for seed in (1, 1, 2)
    )
    assert one == two != other


def test_the_layout_by_types_and_by_slots(silent: KernelImage) -> None:
    words = ("x:ptr:f32[4]=zeros", "i32=1", "u8=2", "f64=3", "u16=4", "ptr=x+8")
    found = prepared(silent, *words)
    assert [found.segment.index(raw) for raw in (b"\x01\0\0\0", b"\x02\0\0\0", np.float64(3).tobytes())] == [8, 12, 16]
    address = found.buffers["x"].address
    assert found.segment == b"".join(
        (
            address.to_bytes(8, "little"),
            b"\x01\0\0\0\x02\0\0\0",
            np.float64(3).tobytes(),
            b"\x04\0" + bytes(6),
            (address + 8).to_bytes(8, "little"),
        )
    )
    slots = prepared(silent, *words, slot=16)
    assert len(slots.segment) == 5 * 16 + 8
    assert slots.segment[16:32] == b"\x01" + bytes(15)


def test_slots_stand_above_the_metadata() -> None:
    found = prepared(kernel(), "ptr:f32[4]=zeros", "ptr=0", slot=16)
    assert found.segment[8:16] == bytes(8)


def test_what_the_object_says_is_held_against_the_words(silent: KernelImage) -> None:
    good = ("ptr:f32[4]=zeros", "ptr=arg0", "f32=1", "i32=4", "ptr=0", "ptr=0")
    assert len(prepared(kernel(), *good).segment) == 40
    for number, word, text in (
        (2, "f64=1", "argument 'arg2' is a value of 4 bytes, got 'f64=1'"),
        (0, "i64=1", "argument 'arg0' is a pointer, got 'i64=1'"),
        (1, "ptr=nobody", "argument 'ptr=nobody' points into 'nobody', which no argument before it has made"),
        (1, "ptr=arg0+17", "points 17 bytes into a buffer of 16"),
        (1, "arg0:ptr=0", "two arguments have the name 'arg0'"),
    ):
        words = [*good[:number], word, *good[number + 1 :]]
        with pytest.raises(HkasmError) as caught:
            prepared(kernel(), *words)
        assert text in caught.value.message
    with pytest.raises(HkasmError, match="axpy takes 6 arguments, got 1"):
        prepared(kernel(), "i32=1")
    stated = kernel()
    stated.args = tuple(replace(arg, dtype="f32") if number == 2 else arg for number, arg in enumerate(stated.args))
    assert len(prepared(stated, *good).segment) == 40
    with pytest.raises(HkasmError, match="argument 'arg2' is f32 of 4 bytes, got 'i32=1'\n  hint: raw=HEX passes"):
        prepared(stated, *good[:2], "i32=1", *good[3:])
    silent.descriptor = replace(silent.descriptor, kernarg_bytes=16)
    with pytest.raises(HkasmError, match="the arguments take 24 bytes, the kernel's segment has 16"):
        prepared(silent, "ptr=0", "ptr=0", "ptr=0")
    with pytest.raises(HkasmError, match="reads 16 bytes of arguments, and none is given"):
        prepared(silent)
    with pytest.raises(HkasmError, match="has 8 bytes, a slot 4"):
        prepared(silent, "ptr=0", slot=4)


def test_what_a_file_holds_is_checked(silent: KernelImage, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 3), np.float32))
    (tmp_path / "b.npy").write_bytes(b"no array")
    np.save(tmp_path / "c.npy", np.array(["text"]))
    for word, text in (
        (f"ptr:f32[3x2]={tmp_path}/a.npy", "has the shape [2, 3], the argument [3, 2]"),
        (f"ptr:f16[2x3]={tmp_path}/a.npy", "holds float32, the argument is f16"),
        (f"ptr:f16[2x3]={tmp_path}/b.npy", "is no .npy file"),
        (f"ptr={tmp_path}/c.npy", "which has no name here"),
        (f"ptr={tmp_path}/d.npy", "cannot be read: No such file or directory"),
    ):
        with pytest.raises(HkasmError) as caught:
            prepared(silent, word)
        assert text in caught.value.message


def test_buffers_have_a_limit(silent: KernelImage) -> None:
    with pytest.raises(HkasmError, match="the arguments want 2048 bytes of memory, 1024 can be had"):
        prepared(silent, "ptr:f32[256]=zeros", "ptr:f32[256]=zeros", limit=1024)


def test_buffers_are_found_by_name_and_number(silent: KernelImage) -> None:
    found = prepared(silent, "i32=1", "out:ptr:f32[4]=ones")
    assert found.buffer("out") is found.buffer("1")
    with pytest.raises(HkasmError, match="no argument 'oud' has a buffer") as caught:
        found.buffer("oud")
    assert caught.value.hint == "did you mean 'out'?"


def test_types_that_numpy_lacks_are_saved_as_bits() -> None:
    assert bits_of_array(np.ones(3, ml_dtypes.bfloat16)).tolist() == [0x3F80] * 3
    assert bits_of_array(np.ones(3, ml_dtypes.float8_e5m2)).dtype == np.uint8
    assert bits_of_array(np.ones(3, np.float32)).dtype == np.float32

"""The cache: whole entries or none, under many writers, kills, damage and a limit."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import ToolchainError
from hkasm.runtime import cache as cache_module
from hkasm.runtime.cache import Cache, build_key, cached_hsaco


def _program(immediate: int = 1) -> Program:
    k = Builder("gfx950", "small")
    k.s_mov_b32(k.sgpr("s", 1), immediate)
    k.s_endpgm()
    return k.finish()


def test_what_is_built_once_is_taken_afterwards(tmp_path: Path, toolchain: Toolchain) -> None:
    cache = Cache(tmp_path)
    first = cached_hsaco(_program(), cache)
    (entry,) = cache.entries()
    assert entry.label.startswith("small gfx950")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache_module, "build_text", None)
        assert cached_hsaco(_program(), cache) == first
    assert cached_hsaco(_program(2), cache) != first
    assert len(cache.entries()) == 2
    assert cache.clear() == 2
    assert cache.entries() == []


def test_the_key_is_of_text_arch_and_toolchain(tmp_path: Path) -> None:
    programs = []
    for name in ("clang", "lld", "other"):
        path = tmp_path / name
        path.write_text(name)
        programs.append((str(path),))
    one, other = Toolchain(programs[0], programs[1], "x"), Toolchain(programs[2], programs[1], "x")
    keys = {
        build_key("text", "gfx950", [one]),
        build_key("text ", "gfx950", [one]),
        build_key("text", "gfx942", [one]),
        build_key("text", "gfx950", [other]),
        build_key("text", "gfx950", [one, other]),
        build_key("text", "gfx950", []),
    }
    assert len(keys) == 6
    assert build_key("text", "gfx950", [one]) in keys
    os.utime(tmp_path / "clang", (1, 1))
    assert build_key("text", "gfx950", [one]) not in keys


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
        lambda data: data[:-5] + bytes([data[-5] ^ 0x80]) + data[-4:],
        lambda data: b"[1]\n" + data,
        lambda data: b"\n",
        lambda data: b"x" * 10000,
    ],
)
def test_a_damaged_entry_is_built_again(tmp_path: Path, damage: object) -> None:
    cache = Cache(tmp_path)
    assert cache.take("key", lambda: b"right" * 100) == b"right" * 100
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert cache.get("key") is None
    assert list(tmp_path.iterdir()) == [], "what is damaged is gone"
    assert cache.take("key", lambda: b"again") == b"again"


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> bytes:
        raise ToolchainError("no")

    with pytest.raises(ToolchainError):
        Cache(tmp_path).take("key", fail)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_nothing(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    cache = Cache(blocker / "folder")
    assert cache.take("key", lambda: b"built") == b"built"
    assert cache.entries() == []
    assert cache.clear() == 0


def test_the_limit_drops_what_was_used_longest_ago(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=3500)
    for number, key in enumerate("abc"):
        cache.put(key, bytes(1000))
        os.utime(tmp_path / f"{key}.hkasm", (number, number))
    assert cache.get("a") is not None  # used now
    cache.put("d", bytes(1000))
    assert {entry.key for entry in cache.entries()} == {"a", "c", "d"}
    cache.put("e", bytes(9000))
    assert [entry.key for entry in cache.entries()] == ["e"], "the one just written stays, whatever its size"


def test_parts_of_killed_writers_go_in_time(tmp_path: Path) -> None:
    (tmp_path / "old.part").write_bytes(b"x")
    (tmp_path / "new.part").write_bytes(b"x")
    os.utime(tmp_path / "old.part", (1, 1))
    Cache(tmp_path).put("key", b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key.hkasm", "new.part"]


BUILD = """
import sys
from hkasm.runtime.cache import Cache, cached_hsaco
from hkasm.asm.builder import Builder

k = Builder("gfx950", "small")
k.s_mov_b32(k.sgpr("s", 1), 1)
k.s_endpgm()
sys.stdout.buffer.write(cached_hsaco(k.finish(), Cache(sys.argv[1])))
"""


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path) or "."}


@pytest.mark.slow
def test_32_processes_make_one_good_entry(tmp_path: Path, toolchain: Toolchain) -> None:
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment()) for _ in range(32)
    ]
    ended = [process.communicate() for process in started]
    assert {err for _, err in ended} == {b""}
    assert [process.returncode for process in started] == [0] * 32
    (object_bytes,) = {out for out, _ in ended}
    (entry,) = Cache(tmp_path).entries()
    assert Cache(tmp_path).get(entry.key) == object_bytes
    assert [path.suffix for path in tmp_path.iterdir()] == [".hkasm"]


PUT = """
import sys
from hkasm.runtime.cache import Cache

cache = Cache(sys.argv[1])
print("ready", flush=True)
while True:
    for key in "abcd":
        cache.put(key, key.encode() * 200_000)
"""


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_whole_entries(tmp_path: Path) -> None:
    moments = random.Random(8)
    cache = Cache(tmp_path)
    for _ in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", PUT, str(tmp_path)], stdout=subprocess.PIPE, env=_environment()
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(moments.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        for path in tmp_path.glob("*.hkasm"):
            key = path.name[0]
            assert cache.get(key) == key.encode() * 200_000
        assert cache.take("a", lambda: b"a" * 200_000) == b"a" * 200_000

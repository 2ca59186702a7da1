"""Compare hkasm's decoder with LLVM's disassembler on random and structured machine words.

    PYTHONPATH=. python bench/decode_fuzz.py --arch gfx950 --count 1000000 --seed 1

Wherever llvm-objdump writes an instruction hkasm must write the same text and size, where it refuses hkasm must refuse.
Known kinds of difference are listed with their reason and a count; anything else is a failure (exit code 1).
"""

from __future__ import annotations

import argparse
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from hkasm.asm.decoder import decode_instruction
from hkasm.asm.printer import instruction_text
from hkasm.errors import HkasmError
from hkasm.isa import SPECS
from hkasm.isa.arch import get_arch
from hkasm.isa.formats import FORMATS

Text = tuple[str, int] | None
"""Instruction text and size in bytes, None where the word is refused."""

OBJDUMP = "llvm-objdump-22"
_PAD = struct.pack("<I", 0xBF800000) * 3  # s_nop 0: an instruction that starts in the word ends in here
_LINE = re.compile(r"^\t(.*?)\s*// ([0-9A-F]+):", re.MULTILINE)
_CHUNK = 20_000


# -- LLVM's side -----------------------------------------------------------------------------------------------------


def make_elf(arch: str, code: bytes) -> bytes:
    """Return a relocatable AMDGPU object whose only content is `.text`."""
    names = b"\0.text\0.shstrtab\0"
    text = code + bytes(-len(code) % 8)
    table = names + bytes(-len(names) % 8)
    flags = get_arch(arch).e_flags_mach | 0x500  # xnack and sramecc: any
    header = b"\x7fELF" + bytes([2, 1, 1, 64, 4]) + bytes(7)
    header += struct.pack("<HHIQQQIHHHHHH", 1, 224, 1, 0, 0, 64 + len(text) + len(table), flags, 64, 0, 0, 64, 3, 2)
    sections = bytes(64)
    sections += struct.pack("<IIQQQQIIQQ", 1, 1, 6, 0, 64, len(code), 0, 0, 4, 0)
    sections += struct.pack("<IIQQQQIIQQ", 7, 3, 0, 0, 64 + len(text), len(names), 0, 0, 1, 0)
    return header + text + table + sections


def objdump_lines(arch: str, code: bytes) -> dict[int, str] | None:
    """Return what llvm-objdump writes at each offset, None when it crashes."""
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(make_elf(arch, code))
        file.flush()
        done = subprocess.run([OBJDUMP, "-d", file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    return {int(offset, 16): text for text, offset in _LINE.findall(done.stdout)}


def llvm_texts(arch: str, words: list[bytes]) -> list[Text | Literal["crash"]]:
    """Return llvm-objdump's answer for each word; a word that crashes it gives ``crash``."""
    stride = len(words[0]) + len(_PAD)
    lines = objdump_lines(arch, b"".join(word + _PAD for word in words))
    if lines is None:
        if len(words) == 1:
            return ["crash"]
        half = len(words) // 2
        return llvm_texts(arch, words[:half]) + llvm_texts(arch, words[half:])
    answers: list[Text | Literal["crash"]] = []
    for start in range(0, stride * len(words), stride):
        text = lines.get(start)
        if text is None or text.startswith(".long"):
            answers.append(None)
            continue
        end = start + 4
        while end not in lines:
            end += 4
        answers.append((text, end - start))
    return answers


def crashes_llvm(arch: str, word: int) -> bool:
    """Tell whether a word is of a pattern that LLVM 22 crashes on, in the message or text that it makes of it.

    Literals behind 64-bit encodings on gfx942 and as compare results, SDWA selections and scalar sources that do not
    exist. hkasm refuses all of them (`refused_patterns` in the tests).
    """
    top = word >> 26 & 63
    if top == 0x34 and word & 0xFF == 255:
        return True
    if arch == "gfx942" and top in (0x38, 0x3A) and word >> 56 & 0xFF == 255:
        return True
    if arch == "gfx942" and top == 0x34 and 255 in (word >> 32 & 0x1FF, word >> 41 & 0x1FF, word >> 50 & 0x1FF):
        return True
    if top >= 32 or word & 0x1FF != 0xF9:
        return False
    selects = [word >> 48 & 7, word >> 56 & 7]
    if top != 0x1F or word >> 25 & 1:  # not a compare, which has its destination there
        selects += [word >> 40 & 7, word >> 43 & 3 | 4]
    return 7 in selects or bool(word >> 55 & 1 or word >> 63 & 1)


# -- our side --------------------------------------------------------------------------------------------------------


def hkasm_text(arch: str, word: bytes) -> Text:
    """Return the decoder's answer."""
    try:
        inst = decode_instruction(arch, word + _PAD)
    except HkasmError:
        return None
    return instruction_text(inst), inst.size


# -- words -----------------------------------------------------------------------------------------------------------


def random_words(generator: random.Random, size: int) -> Iterator[int]:
    """Uniform words: most are vector ALU of some kind."""
    while True:
        yield generator.getrandbits(8 * size)


def structured_words(arch: str, generator: random.Random, size: int) -> Iterator[int]:
    """Every encoding of every instruction in turn, its other bits sparse, dense or near the edges of fields."""
    bases = []
    for spec in SPECS.values():
        for encoding in spec.encodings:
            opcode = encoding.opcode(arch)
            if opcode is not None and FORMATS[encoding.format].size <= size:
                fmt = FORMATS[encoding.format]
                high, low = fmt.opcode
                fixed = fmt.match_mask | ((1 << high - low + 1) - 1) << low
                places = [place.bits for place in fmt.operands.values()] + list(fmt.mods.values())
                bases.append((fmt.match_value | opcode << low, fixed, places, fmt.size))
    padding = int.from_bytes(_PAD * 2, "little")
    while True:
        for value, fixed, places, bytes_used in bases:
            word = 0
            style = generator.randrange(3)
            if style:
                for high, low in places:
                    width = high - low + 1
                    number = generator.choice((0, 0, 1, 2, 4, (1 << width) - 1, 256, 257, generator.getrandbits(width)))
                    word |= (number & (1 << width) - 1) << low
            if style == 2:
                word ^= 1 << generator.randrange(8 * bytes_used)
            if style == 0:
                word = generator.getrandbits(8 * bytes_used)
            word = word & ~fixed | value
            if size > 8 and bytes_used <= 8:  # no zeros behind it, which llvm-objdump leaves out
                word |= padding << 8 * bytes_used
            yield word & (1 << 8 * size) - 1


# -- differences -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A known difference: why, and what in LLVM's text and size tells it.

    hkasm refuses the word if `refuses`, has another text if not; None: either.
    """

    name: str
    reason: str
    pattern: str
    size: int = 0
    refuses: bool | None = True


_ODD = r"\[\d*[13579]:"

KINDS = (
    Kind("invalid operand", "LLVM marks the operand as invalid in its own text", r"/\*Invalid"),
    Kind("invalid DPP", "LLVM writes a comment where the DPP control should stand", r"/\* "),
    Kind(
        "register of another arch",
        "null, src_lds_direct, src_flat_scratch_base: LLVM's assembler refuses them on these archs",
        r"\b(null|src_lds_direct|src_flat_scratch_base_\w+)\b",
    ),
    Kind("tuple beyond s101", "s102 and s103 are no SGPRs here; the assembler refuses the tuple", r"\bs\[\d+:10[23]\]"),
    Kind("tuple beyond v255", "LLVM numbers registers that there are not", r"\b[va]\[\d+:(25[6-9]|2[6-9]\d)\]"),
    Kind("result into a constant", "src_vccz and the like are read-only", r"^v_(cmpx?_\w+_e64|readfirstlane_b32) src_"),
    Kind(
        "no vector register",
        "these operands are vector registers; LLVM's assembler refuses others",
        r"^v_(mfma|smfmac|swap|accvgpr_\w+|permlane\d+_swap|readfirstlane)\w* .*, src_",
    ),
    Kind(
        "fork literal",
        "LLVM's assembler refuses a literal here",
        r"^s_cbranch_g_fork (lit|0x)|^s_cbranch_g_fork .*, (lit|0x)",
    ),
    Kind(
        "mask in VGPRs",
        "a lane mask that is read stands in SGPRs; the assembler refuses VGPRs",
        r"^v_(cndmask|addc|subb|subbrev)\w*_e64 .*, v\[\d+:\d+\]",
    ),
    Kind(
        "unaligned tuple",
        "LLVM marks these as invalid, but forgets AGPRs of LDS and atomics and typed buffers' addresses",
        rf"^(ds|global|flat)_.*\ba{_ODD}|^tbuffer_\w+ [^,]*, v{_ODD}",
    ),
    Kind(
        "flat offset",
        "a flat offset has 12 bits, as in the assembler; the disassembler reads 13",
        r"^flat_.* offset:(409[6-9]|4[1-9]\d\d|[5-8]\d\d\d)\b",
    ),
    Kind("fp8 sext", "an fp8 source has no sign extension; LLVM's assembler refuses it", r"^v_cvt_\w+8_sdwa .*sext"),
    Kind(
        "matrix format",
        "cbsz and blgp name five formats; LLVM takes 5 to 7 as 8-bit ones",
        r"f8f6f4.* (cbsz|blgp):[567]",
    ),
    Kind("v_nop with DPP", "v_nop has no operand that DPP or SDWA could change", r"^v_nop\b", refuses=None),
    Kind(
        "half a scaled matrix",
        "the 16 bytes are one instruction with an operand that is none; LLVM then reads the first 8 alone",
        r"^v_mfma_ld_scale_b32 ",
    ),
    Kind(
        "K of 128 to 248",
        "LLVM's disassembler takes such a K for the code of an inline constant; its assembler does not",
        r"^v_(madak|madmk|fmaak|fmamk)_",
        refuses=False,
    ),
    Kind("ldexp constant", "an integer exponent, which LLVM writes as a float", r"^v_ldexp_f16_e64 ", refuses=False),
    Kind("literal", "no 64-bit encoding of gfx950 takes a literal; LLVM's assembler refuses it", r"0x|lit\(", 12),
)


def find_kind(llvm: Text, ours: Text) -> str | None:
    """Name the known kind that a difference is of."""
    if llvm is None:
        return None
    for kind in KINDS:
        if kind.refuses in (None, ours is None) and kind.size in (0, llvm[1]) and re.search(kind.pattern, llvm[0]):
            return kind.name
    return None


@dataclass
class Outcome:
    """What a run found: counts, and examples of each kind of difference."""

    words: int = 0
    instructions: int = 0
    crashing: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    unknown: list[tuple[str, Text, Text]] = field(default_factory=list)


def compare(arch: str, count: int, seed: int, size: int = 8) -> Outcome:
    """Decode `count` words both ways."""
    generator = random.Random(seed)
    sources = (random_words(generator, size), structured_words(arch, generator, size))
    outcome = Outcome()
    while outcome.words < count:
        words = []
        while len(words) < min(_CHUNK, count - outcome.words):
            word = next(sources[generator.randrange(4) > 0])
            if word == 0 or crashes_llvm(arch, word):  # llvm-objdump leaves runs of zeros out
                outcome.crashing += 1
                continue
            words.append(word.to_bytes(size, "little"))
        outcome.words += len(words)
        for word, llvm in zip(words, llvm_texts(arch, words), strict=True):
            if llvm == "crash":
                outcome.kinds["LLVM crashes"] += 1
                continue
            ours = hkasm_text(arch, word)
            outcome.instructions += llvm is not None
            if llvm != ours:
                kind = find_kind(llvm, ours)
                if kind is None:
                    outcome.unknown.append((word.hex(), llvm, ours))
                else:
                    outcome.kinds[kind] += 1
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", choices=("gfx942", "gfx950"), default="gfx950")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, choices=(4, 8, 16), default=8, help="bytes of a word")
    parser.add_argument("--show", type=int, default=20, help="how many unknown differences to print")
    options = parser.parse_args()
    start = time.perf_counter()
    outcome = compare(options.arch, options.count, options.seed, options.size)
    print(
        f"{options.arch}: {outcome.words} words, {outcome.instructions} instructions by LLVM, "
        f"{outcome.crashing} not asked (LLVM crashes), {time.perf_counter() - start:.0f} s"
    )
    reasons = {kind.name: kind.reason for kind in KINDS}
    for name, number in outcome.kinds.most_common():
        print(f"  {number:8} {name}: {reasons.get(name, '')}")
    print(f"  {len(outcome.unknown):8} unexplained")
    for word, llvm, ours in outcome.unknown[: options.show]:
        print(f"    {word}  LLVM {llvm}  hkasm {ours}")
    return 1 if outcome.unknown else 0


if __name__ == "__main__":
    sys.exit(main())

"""The same instructions given to hkasm and to LLVM 22: both must take them and agree, or both must refuse.

For each candidate hkasm builds, prints, encodes and decodes; llvm-mc assembles the text and llvm-objdump writes the
bytes again. Where hkasm refuses, the text is what the printer makes of the unchecked instruction.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from support.isa_candidates import Candidate
from support.llvm import assemble, disassemble

from hkasm.asm.builder import build_instruction
from hkasm.asm.decoder import decode_instruction
from hkasm.asm.encoder import encode_instruction
from hkasm.asm.instruction import Instruction
from hkasm.asm.instruction_parser import instruction_from_text
from hkasm.asm.printer import instruction_text
from hkasm.errors import ArchError, EncodingError, HkasmError, OperandError
from hkasm.isa.arch import get_arch
from hkasm.isa.formats import FORMATS


@dataclass
class Attempt:
    """What hkasm makes of a candidate: text and bytes, or its refusal."""

    candidate: Candidate
    text: str
    code: bytes | None = None
    inst: Instruction | None = None
    refusal: HkasmError | None = None


@dataclass(frozen=True)
class Kind:
    """A known difference: why, and what tells it: which comparison differs, the attempt, LLVM's text."""

    name: str
    reason: str
    matches: Callable[[str, Attempt, str | None], bool]


REFUSED = "only hkasm refuses"
KINDS = (
    Kind(
        "out of range",
        "LLVM cuts the number to its field, so that another one is read back",
        lambda what, tried, text: what == REFUSED and tried.candidate.error == "range" and text != tried.text,
    ),
    Kind(
        "bits without a meaning",
        "the field has 16 bits, the machine reads fewer",
        lambda what, tried, text: (
            what == REFUSED and tried.candidate.error == "range" and tried.candidate.what == "simm16"
        ),
    ),
    Kind(
        "src_ register in a 7-bit field",
        "LLVM drops the top bit of the register's number: ttmp15, m0 or null is read back",
        lambda what, tried, text: what == REFUSED and "cannot be src_" in str(tried.refusal) and text != tried.text,
    ),
    Kind(
        "off",
        "the operand is not optional; LLVM takes the word for a symbol, a literal",
        lambda what, tried, text: what == REFUSED and tried.candidate.error == "off" and "lit(0x0)" in (text or ""),
    ),
    Kind(
        "tuple under DPP",
        "the operand is one register; LLVM takes the first of the tuple without a word",
        lambda what, tried, text: what == REFUSED and tried.candidate.error == "width" and "_dpp" in tried.text,
    ),
    Kind(
        "result into src_shared_base",
        "the register is read-only; LLVM's class of lane masks holds it",
        lambda what, tried, text: what == REFUSED and tried.candidate.error == "read-only",
    ),
    Kind(
        "overlap of an f8f6f4 result",
        "the addend is overwritten while it is read; LLVM checks it for all but these",
        lambda what, tried, text: what == REFUSED and "overlaps" in str(tried.refusal) and "f8f6f4" in tried.text,
    ),
    Kind(
        "scalar fp4 source",
        "the source is a pair of VGPRs; LLVM's own disassembler marks what its assembler takes",
        lambda what, tried, text: (
            what == REFUSED and tried.text.startswith("v_cvt_scalef32_sr_pk_fp4_f32") and text is None
        ),
    ),
    Kind(
        "no words for the e64 form",
        "v_nop and v_clrexcp are written alike in both encodings; LLVM takes the short one",
        lambda what, tried, text: what == "bytes" and tried.text in ("v_nop", "v_clrexcp"),
    ),
    Kind(
        "swizzle of the same effect",
        "LLVM writes some offsets as a pattern that it assembles to another offset",
        lambda what, tried, text: what == "bytes" and tried.text.startswith("ds_swizzle_b32"),
    ),
    Kind(
        "unused bits of s_waitcnt",
        "the text names the counts alone",
        lambda what, tried, text: what == "bytes" and tried.text.startswith("s_waitcnt "),
    ),
    Kind(
        "last AGPRs of f8f6f4",
        "LLVM's disassembler reads eight registers before it looks at the format, and refuses those past a255",
        lambda what, tried, text: what == "text" and "f8f6f4" in tried.text and ":255]" in tried.text,
    ),
)
"""Every kind of difference there is, with its reason."""


@dataclass
class Report:
    """Counts of one arch, by format; failures as lines of text."""

    arch: str
    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    cut: dict[str, str] = field(default_factory=dict)
    """One example of each field whose number LLVM cuts without a word."""
    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    forms: set[tuple[str, str]] = field(default_factory=set)


def attempt(candidate: Candidate, arch: str) -> Attempt | None:
    """Build, print and encode one candidate; None where the printer has no words for a mistake."""
    try:
        inst = build_instruction(
            candidate.spec, get_arch(arch), candidate.values, dict(candidate.mods), candidate.force
        )
        if inst.encoding != candidate.encoding:
            return None
        return Attempt(candidate, instruction_text(inst), _encoded(inst, arch), inst)
    except (OperandError, ArchError, EncodingError) as error:
        if not candidate.writable:
            return Attempt(candidate, "", refusal=error)
        fmt = FORMATS[candidate.encoding.format]
        unchecked = Instruction(
            candidate.spec,
            candidate.encoding,
            candidate.values,
            fmt.defaults | candidate.mods,  # type: ignore[arg-type]
        )
        try:
            return Attempt(candidate, instruction_text(unchecked), refusal=error)
        except (IndexError, KeyError, ValueError, AttributeError, TypeError):
            return Attempt(candidate, "", refusal=error)


def _encoded(inst: Instruction, arch: str) -> bytes:
    """The encoder's bytes; none where it breaks, so that the comparison tells."""
    try:
        return encode_instruction(inst, arch)
    except (OverflowError, IndexError):
        return b""


def check(found: Iterable[Candidate], arch: str) -> Report:
    """Run all candidates through both and compare."""
    report = Report(arch)
    attempts = [tried for candidate in found if (tried := attempt(candidate, arch)) is not None]
    answers = assemble([tried.text or "nothing" for tried in attempts], arch)
    codes = sorted({answer for answer in answers if isinstance(answer, bytes)})
    texts = dict(zip(codes, disassemble(codes, arch), strict=True))
    for tried, answer in zip(attempts, answers, strict=True):
        _compare(report, tried, answer, texts)
        if tried.text:
            _parse(report, tried)
    return report


def _compare(report: Report, tried: Attempt, answer: bytes | str, texts: dict[bytes, str | None]) -> None:
    mistake, name = tried.candidate.error, tried.candidate.encoding.format
    if tried.refusal is not None:
        _readable(report, tried)
        if isinstance(answer, str):
            report.refused[mistake or "edge"] += 1
        else:
            text = texts[answer]
            line = f"{tried.text}  LLVM takes it as {text}; hkasm: {tried.refusal.message}"
            _differ(report, tried, REFUSED, text, line)
        return
    if isinstance(answer, str):
        _differ(report, tried, "only LLVM refuses", None, f"{tried.text}  LLVM: {answer}")
        return
    if mistake:
        _differ(report, tried, "both take a mistake", None, f"{tried.text}  {mistake} of {tried.candidate.what}")
        return
    report.forms.add((tried.candidate.spec.key, name))
    text = texts[answer]
    if tried.code != answer:
        ours = tried.code.hex() if tried.code else "none"
        _differ(report, tried, "bytes", text, f"{tried.text}  hkasm {ours}  LLVM {answer.hex()}")
    elif _reads_back(report, tried, answer, text):
        report.accepted[name] += 1


def _reads_back(report: Report, tried: Attempt, code: bytes, llvm: str | None) -> bool:
    """Decode the bytes: the same text as LLVM's, every number and register as it was given, the same bytes again."""
    assert tried.inst is not None
    try:
        inst = decode_instruction(report.arch, code)
    except HkasmError as error:
        return _differ(report, tried, "decode", llvm, f"{tried.text}  {error.message}")
    text = instruction_text(inst)
    if text != llvm:
        return _differ(report, tried, "text", llvm, f"{text}  LLVM {llvm}")
    given = (tried.inst.spec, tried.inst.operands, _numbers(tried.inst))
    if (inst.spec, inst.operands, _numbers(inst)) != given or encode_instruction(inst, report.arch) != code:
        return _differ(report, tried, "read back", llvm, f"{tried.text}  reads back as {text}")
    return True


def _parse(report: Report, tried: Attempt) -> None:
    """Read the text again: the same bytes, or a refusal as of the values themselves."""
    try:
        code: bytes | None = encode_instruction(instruction_from_text(tried.text, report.arch), report.arch)
    except HkasmError:
        code = None
    if tried.refusal is None and code != tried.code:
        _differ(report, tried, "bytes", None, f"{tried.text}  reads as {code.hex() if code else 'nothing'}")
    if tried.refusal is not None and code is not None:
        _differ(report, tried, "the parser takes a mistake", None, f"{tried.text}  {tried.refusal.message}")


def _numbers(inst: Instruction) -> dict[str, int]:
    """Modifiers; op_sel_hi, which may be written or implied, is held by the bytes and the text."""
    return {name: number for name, number in inst.mods.items() if name != "op_sel_hi"}


def _readable(report: Report, tried: Attempt) -> None:
    """A refusal is a sentence that names the instruction, with nothing of Python in it."""
    error = tried.refusal
    assert error is not None
    named = error.message.startswith(tried.candidate.spec.mnemonic)
    if not named or re.search(r"<\w+ object|Const\(|Register\(", str(error)):
        report.failures["message"].append(f"{tried.text}: {error}")


def _differ(report: Report, tried: Attempt, what: str, text: str | None, line: str) -> bool:
    """Count a difference of a known kind, keep one that is not; False for the caller's sake."""
    for kind in KINDS:
        if kind.matches(what, tried, text):
            report.kinds[kind.name] += 1
            report.examples.setdefault(kind.name, line)
            if tried.candidate.error == "range":
                field_name = tried.candidate.what
                report.cut.setdefault(tried.text.split()[0] if field_name == "simm16" else field_name, line)
            return False
    report.failures[what].append(line)
    return False

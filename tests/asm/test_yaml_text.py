"""The YAML of code object metadata."""

from __future__ import annotations

import pytest

from hkasm.asm.yaml_text import read_yaml
from hkasm.errors import UsageError

TEXT = """---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .size:           8
      -
        .size: 4
    .name: 'it''s'
    .sizes: [1, 2]
    .block:
    - 64
    - 0x10
    ".flag": true
  - .name: "b\\n"
    .args: []
    .none:
# a comment
amdhsa.version:
  - 1
  - 2
...
"""


def test_blocks_lists_and_scalars() -> None:
    assert read_yaml(TEXT.splitlines()) == {
        "amdhsa.kernels": [
            {
                ".agpr_count": 0,
                ".args": [{".address_space": "global", ".size": 8}, {".size": 4}],
                ".name": "it's",
                ".sizes": [1, 2],
                ".block": [64, 16],
                ".flag": True,
            },
            {".name": "b\n", ".args": [], ".none": None},
        ],
        "amdhsa.version": [1, 2],
    }
    assert read_yaml(["---", "..."]) == {}


@pytest.mark.parametrize(
    "text",
    ["a: 1\n  b: 2", "a: [1", "just words", "- a\n- b: 1\n   c: 2", "\n".join(" " * i + "a:" for i in range(60))],
)
def test_what_does_not_fit(text: str) -> None:
    with pytest.raises(UsageError, match="metadata"):
        read_yaml(text.splitlines())


def test_llvm_s_tag_for_text_keeps_numbers_text() -> None:
    assert read_yaml(['a: !str "1"', "b: !str inf", "c: !str 'true'"]) == {"a": "1", "b": "inf", "c": "true"}

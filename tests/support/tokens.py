"""A stand-in for the tokenizer file that nanobot would download.

Without the file nanobot counts a token for each byte, and its own first prompt fills 32,000 tokens. With
``TIKTOKEN_CACHE_DIR`` naming a folder that holds the file, the real one is used.
"""

import os
import re
from typing import Any

import pytest

_TOKEN = re.compile("[\u3400-\u9fff\uff00-\uffef]| ?[^\\W\u3400-\u9fff]{1,6}|\\s+|[^\\w\\s]")


class Encoding:
    """Cuts text into words of at most six letters, single characters of Chinese, and punctuation."""

    def encode(self, text: str, **_options: Any) -> list[str]:
        return _TOKEN.findall(text)

    def decode(self, tokens: list[str]) -> str:
        return "".join(tokens)


def count_like_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nanobot count tokens about as a model's tokenizer would."""
    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        monkeypatch.setattr("nanobot.utils.helpers._get_token_encoding", Encoding)

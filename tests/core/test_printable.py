"""Control and invisible characters are removed, ordinary text stays, and no line is added."""

import json

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.redaction.script.printable import escape_json, printable
from tests.behaviour.kit.hostile import HOSTILE, ORDER, SEQUENCES, found_in
from tests.support.each import each

HONEST = [
    "👩‍🚀 👩🏽‍🚀 👩‍❤️‍💋‍👨 🏳️‍🌈 🏴‍☠️ 🐻‍❄️ ⛓️‍💥 🙂‍↕️",  # emoji that are joined
    "❤️ ☎︎ ™️ 1️⃣ #️⃣ ✈️",  # and those that a selector makes emoji or text
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England
    "🇩🇪 🇨🇳",
    "می‌خواهم نامه‌ای بنویسم",  # Persian, with non-joiners
    "العربية و עברית",
    "क्‍ष श्री‌मान् ന്‍ ශ්‍රී র‍্যাব",  # Indic, with joiners and non-joiners
    "ᠮᠣᠩᠭᠣᠯ᠎ᠠ",  # Mongolian, with its vowel separator
    "naïve café — 用户喜欢乌龙茶，「好的」",
    "one\r\ntwo\n\tthree",
]
ALPHABET = "a1#\u20e3क🙂❤🏴ᠠم \n\r\t\u2028\x1b\x9b\u202e\u200b\u200c\u200d\u180b\ufe0e\ufe0f\U000e0067\U000e007f\ud800"
TEXTS = st.text(st.one_of(st.sampled_from(ALPHABET), st.characters()))


@each("text", HONEST)
def test_ordinary_text_is_unchanged(text: str):
    assert printable(text) == text
    assert escape_json(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


@each("name", SEQUENCES)
def test_control_and_invisible_characters_are_removed(name: str):
    shown = printable(f"before {SEQUENCES[name]} after")
    assert found_in(shown) == set()
    assert shown.startswith("before ")
    assert shown.endswith(" after")


@given(TEXTS)
def test_json_reads_back_as_it_was_and_hides_nothing(text: str):
    encoded = escape_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(encoded) == text
    assert printable(encoded) == encoded


def test_a_block_contains_no_invisible_text():
    block = fence([f"the zebra {HOSTILE} costs 42"], language="en")
    assert block is not None
    assert found_in(block) == set()
    assert ORDER not in block

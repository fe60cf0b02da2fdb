import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, KeywordIndex, Lowered

LETTERS = st.text("abcK\u212a密码İ -", max_size=12)
WORDS = st.sets(st.text("abck密码 -", min_size=1, max_size=5), min_size=1, max_size=8)


@settings(max_examples=60)
@given(LETTERS, WORDS)
def test_a_word_is_met_where_it_stands_in_the_text(text, words):
    cues = KeywordIndex(words)
    lower = Lowered(text)
    assert str(lower) == text.lower()
    assert cues.meets(lower) == any(word in text.lower() for word in words)


@settings(max_examples=60)
@given(st.text("abc密 -", max_size=30), WORDS)
def test_words_are_given_in_order_apart_and_the_longest_where_several_begin(text, words):
    found = list(KeywordIndex(words).find(text, Lowered(text)))
    done = 0
    for start, end, word in found:
        assert start >= done
        assert text[start:end] == word
        assert not [longer for longer in words if len(longer) > len(word) and text.startswith(longer, start)]
        done = end
    assert bool(found) == any(word in text for word in words)


def test_items_are_given_once_each_and_in_order():
    items = ByCue([(("pass", "word"), 1), (("key",), 2), (("password",), 3)])
    assert list(items.met(Lowered("a Password for the KEY"))) == [1, 2, 3]
    assert list(items.met(Lowered("nothing"))) == []


def test_a_word_in_upper_case_is_refused():
    with pytest.raises(ValueError, match="lower case"):
        KeywordIndex(["<![CDATA"])


def test_a_value_in_a_cdata_section_is_hidden():
    assert redact_text("<password><![CDATA[lotus_quartz60]]></password>") == "<password><![CDATA[[REDACTED]</password>"

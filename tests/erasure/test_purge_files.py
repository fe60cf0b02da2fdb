"""Words that are forgotten for good: found in any spelling, gone from our files, left in those of others."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from tests.support.each import each
from tests.support.examples import examples

BOATS = "The user owns three boats"
TEA = "用户喜欢喝龙井茶"


@each(
    ("text", "left"),
    [
        (BOATS, "[…]"),
        ("Hello. The user owns three boats. Bye.", "Hello. […] Bye."),
        ("hello! THE  USER\nowns three boats, and a car? Yes.", "hello! […] Yes."),
        ("你好。我记得用戶喜歡喝 龍井茶，对吗？再见。", "你好。[…]再见。"),
        ("ｔｈｅ ｕｓｅｒ ｏｗｎｓ ｔｈｒｅｅ ｂｏａｔｓ", "[…]"),
        ("first line\nsecond: The user owns three boats now\nthird", "first line\nsecond: […]\nthird"),
        ("The user owns three boatsheds", None),
        ("The user owns three-boats", None),
        ("", None),
    ],
)
def test_the_sentence_that_carries_the_words_is_taken_out(text: str, left: str | None):
    cleaned, count = ErasureMatcher(words=[BOATS, TEA]).without(text)
    assert (cleaned, count) == ((text, 0) if left is None else (left, 1))


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from([BOATS, TEA, "El niño vive en Málaga"]))
@settings(max_examples=examples(150))
def test_nothing_of_it_is_left_whatever_stands_around(before: str, after: str, text: str):
    matcher = ErasureMatcher([text])
    cleaned, count = matcher.without(f"{before}\n{text}\n{after}")
    assert (count, matcher.count(cleaned)) == (1, 0)
    assert text not in cleaned

"""A copy of what a tool returned is bounded while it is made, and says what it leaves out."""

from __future__ import annotations

from types import MappingProxyType

from nanobot_memory_plugins.core.values.bounded import bounded_copy


def characters(value: object) -> int:
    if isinstance(value, MappingProxyType):
        return sum(len(key) + characters(item) for key, item in value.items())
    if isinstance(value, tuple):
        return sum(map(characters, value))
    return len(value) if isinstance(value, str | bytes) else 0


def test_of_a_long_list_the_first_thousand_are_kept_and_the_others_counted():
    copy = bounded_copy(list(range(1_000_000)))
    assert copy[:1_000] == tuple(range(1_000))
    assert copy[1_000:] == ("[… 999,000 more]",)
    copy = bounded_copy({number: number for number in range(5_000)})
    assert len(copy) == 1_001
    assert copy["…"] == "[… 4,000 more]"


def test_texts_inside_are_cut_and_one_on_its_own_is_not():
    text = "x" * 1_000_000
    assert bounded_copy(text) is text
    assert characters(bounded_copy([text] * 50)) < 266_000
    assert bounded_copy({"page": text})["page"].endswith("xx… [+737,860 chars]")
    assert len(bounded_copy(b"x" * 1_000_000)) == 262_144

"""Entries that a conversation speaks of are put before the model, and its verdicts held beside what was said."""

import pytest

from nanobot_memory_plugins.consolidation.extraction.answer import read_answer
from nanobot_memory_plugins.consolidation.extraction.statements import statements
from nanobot_memory_plugins.consolidation.extraction.without_quotes.conflicts import (
    MOST_CHECKED,
    checked,
    entries_to_check,
    is_the_same,
)
from nanobot_memory_plugins.consolidation.extraction.without_quotes.grounding import Grounding
from nanobot_memory_plugins.consolidation.extraction.without_quotes.supersession import Closeness, not_close
from nanobot_memory_plugins.core.values import Message
from tests.consolidation.made_entries import entry
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving


def heard(*said: str) -> Grounding:
    return Grounding(statements([Message(role="user", text=text) for text in said]))


def close(value: float) -> Closeness:
    return lambda _statement, _entry: value


def known(*texts: str, **more: str):
    return {f"k{n}": entry(f"k{n}", text, 0.8, **more) for n, text in enumerate(texts)}


def test_what_a_statement_touches_is_checked_and_what_has_been_replaced_is_not():
    here = known("The user has a dog", "The user lives in Berlin", "The user likes jazz")
    here["old"] = entry("old", "The user lived in Berlin before", 0.8, superseded_by="k1")
    found = entries_to_check(["I moved away from Berlin"], here, not_close)
    assert [one.id for one in found] == ["k1"]
    assert entries_to_check(["I like boats"], here, not_close) == []


def test_what_lies_close_in_meaning_is_checked_without_a_common_word():
    here = known("The user is vegetarian")
    assert len(entries_to_check(["I eat meat again"], here, close(0.4))) == 1
    assert entries_to_check(["I eat meat again"], here, close(0.1)) == []


def test_of_many_those_that_are_touched_most_are_checked():
    here = known("The user owns a blue boat", *(f"The user owns boat {n}" for n in range(20)))
    found = entries_to_check(["I sold the blue boat"], here, not_close)
    assert len(found) == MOST_CHECKED
    assert found[0].id == "k0"


@each(
    ("before", "said", "now", "verdict"),
    in_both_scripts(
        [
            ("The user teaches at a school", "I left the school, I am a nurse now", "The user is a nurse", "changed"),
            ("The rent is 700 euros", "They raised my rent, it is 780 now", "The rent is 780 euros", "changed"),
            ("The user uses npm", "We don't use npm any more", "The user does not use npm any more", "changed"),
            ("用户订阅了晚报", "晚报我不订了，改看早报", "用户订阅了早报", "changed"),
            (
                "The user has a dog called Rex",
                "I bought a new leash for Rex",
                "The user has a dog called Rex",
                "unchanged",
            ),
            ("用户的狗叫旺财", "昨天给旺财买了新的牵引绳", "用户的狗叫旺财", "unchanged"),
            ("The user plays the violin", "My violin was repaired", "The user plays the repaired violin", "unchanged"),
            (
                "The user went hiking near the fjord",
                "I went hiking with friends in Oslo",
                "The user went hiking with friends in Oslo",
                "unchanged",  # two walks, and nothing that was true is so no more
            ),
            ("The user lives in Berlin", "I like it in Berlin now", "The user lives in Paris", "neither"),
            ("The rent is 700 euros", "They raised my rent", "The rent is 900 euros", "neither"),
            ("The user uses npm", "I use npm for everything", "The user does not use npm any more", "neither"),
            ("The user lives in Berlin", "Maybe I will live in Paris", "The user may live in Paris", "unchanged"),
        ]
    ),
)
def test_a_verdict_counts_when_the_statements_bear_it_out(before: str, said: str, now: str, verdict: str):
    found = checked({"k0": now}, known(before), heard(said))
    assert ("changed" if found.changed else "unchanged" if found.unchanged else "neither") == verdict


def test_a_verdict_on_what_nobody_knows_is_nothing():
    found = checked({"k9": "The user lives in Paris"}, known("The user likes tea"), heard("I live in Paris"))
    assert (dict(found.changed), found.unchanged) == ({}, frozenset())


def test_the_same_and_more_is_the_same_and_another_number_is_not():
    assert is_the_same("The user's dog Rex is old", "The user's dog is Rex")
    assert not is_the_same("The rent is 780 euros", "The rent is 700 euros")
    assert not is_the_same("The user does not like tea", "The user likes tea")


def test_verdicts_are_read_beside_candidates_also_from_a_broken_beginning():
    answer = read_answer('[k1", "now": "The user likes tea"}, {"content": "The user owns a boat", "category": "fact"}]')
    assert answer.now == {"k1": "The user likes tea"}
    assert [one.content for one in answer.candidates] == ["The user owns a boat"]
    both = read_answer('[{"id": "k1", "now": "x y", "content": "The user owns a boat", "category": "fact"}]')
    assert (both.now, len(both.candidates)) == ({"k1": "x y"}, 1)

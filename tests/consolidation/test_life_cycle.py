"""The arithmetic of scores, against figures computed by hand."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.model.scoring import (
    activate_entry,
    contradict_entry,
    current_entries,
    decay_entry,
    entry_as_of,
    expire_entry,
)
from nanobot_memory_plugins.consolidation.store.document import parse, render
from nanobot_memory_plugins.core.values.entries import Entry, Section
from tests.support.each import each

from .made_entries import NOW, days, drawn_entries, entry, times


@pytest.mark.accept("EB-09")
@each(
    ("after", "score"),
    [(0, 0.8), (7, 0.8), (7.99, 0.8), (8, 0.8 * 0.99), (17, 0.7235056600), (107, 0.2928258727)],
)
def test_an_entry_fades_by_one_percent_a_day_after_seven_days(after: float, score: float):
    assert decay_entry(entry(score=0.8), NOW + days(after)).score == pytest.approx(score, abs=1e-9)


@pytest.mark.accept("EB-09")
def test_an_entry_is_archived_below_a_score_of_a_fifth_and_hidden_below_a_twentieth():
    # .8 * .99 ** 137 = .2018..., ** 138 = .1998...; ** 275 = .0504..., ** 276 = .0499...
    one = entry(score=0.8)
    assert entry_as_of(one, NOW + days(7 + 137)).section is Section.ACTIVE
    assert entry_as_of(one, NOW + days(7 + 138)).section is Section.ARCHIVED
    assert len(current_entries([one], NOW + days(7 + 275))) == 1
    assert current_entries([one], NOW + days(7 + 276)) == []
    assert entry_as_of(one, NOW + days(7 + 276)).score < 0.05


@pytest.mark.accept("EB-10")
@given(drawn_entries, times, st.lists(times, max_size=5))
def test_fading_depends_only_on_the_current_time(one: Entry, now: datetime, before: list[datetime]):
    at_once = decay_entry(one, now)
    assert decay_entry(at_once, now) == at_once
    for moment in before:
        one = decay_entry(one, moment)
    assert decay_entry(one, now) == at_once


@pytest.mark.accept("EB-09")
@pytest.mark.parametrize("what", [{"importance": "high"}, {"pinned": True}, {"kind": "instruction"}])
def test_important_pinned_and_instruction_entries_stop_fading_at_one_half(what: dict[str, Any]):
    data = render(parse(b""), {"a1b2c3": entry(score=0.8, **what)}, now=NOW)
    for day in (20, 600):
        document = parse(data)
        faded = {id_: entry_as_of(one, NOW + days(day)) for id_, one in document.entries.items()}
        data = render(document, faded, now=NOW + days(day))
    one = parse(data).entries["a1b2c3"]
    assert one.score == 0.5
    assert activate_entry(one, NOW + days(600)).score == 0.6
    assert decay_entry(entry(score=0.8, importance="medium"), NOW + days(600)).score < 0.01


def test_replaced_and_expired_entries_keep_fading_even_if_important():
    old, _ = contradict_entry(entry(score=0.8, importance="high"), entry("new"))
    assert decay_entry(old, NOW + days(400)).score < 0.05
    assert decay_entry(entry(score=0.3, importance="high"), NOW + days(400)).score == 0.3
    over = expire_entry(entry(score=0.8, importance="high", expires_at=NOW), NOW)
    assert decay_entry(over, NOW + days(400)).score < 0.05


def test_setting_back_a_clock_that_was_ahead_restores_the_score():
    one = entry(score=0.8)
    ahead = decay_entry(one, NOW + days(200))
    assert ahead.score < 0.2
    assert decay_entry(ahead, NOW + days(1)) == one
    assert decay_entry(one, NOW - timedelta(days=4_000)) == one


@pytest.mark.accept("EB-14")
def test_a_contradicted_entry_is_halved_and_linked_once():
    old, new = entry("old", "lives in Bonn", 0.9), entry("new", "lives in Kiel", 0.6)
    old, new = contradict_entry(old, new)
    assert (old.score, old.superseded_by, new.supersedes, new.score) == (0.45, "new", ("old",), 0.6)
    assert contradict_entry(old, new) == (old, new)

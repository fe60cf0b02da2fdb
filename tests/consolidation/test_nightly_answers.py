"""Applying the answers of the daily consolidation, as a pure function of the entries."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.nightly.material import Material
from nanobot_memory_plugins.consolidation.nightly.operations import NightAnswer, apply
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.values import Origin, Scope, Visibility
from nanobot_memory_plugins.core.values.entries import Entry, Section
from nanobot_memory_plugins.core.values.scopes import OwnerFilter, owner_of
from tests.support.each import each
from tests.support.examples import examples

from .made_entries import NOW, days, entry

Item = dict[str, Any]


def item(text: str, *ends: str, **more: Any) -> Item:
    return {"text": text, "ends": ends, **more}


def of(*entries):
    return {one.id: one for one in entries}


def applied(
    entries, *items: Item, archive: tuple[str, ...] = (), notes: tuple[str, ...] = (), by: Origin = Origin.USER
) -> dict[str, Entry]:
    records = [TranscriptRecord(by.value, text, "", Scope(), by, time=NOW) for text in notes]
    material = Material(Visibility(owners=(OwnerFilter(),)), entries, records)
    text = json.dumps({"entries": items, "archive": archive})
    return apply(entries, [NightAnswer(material, entries, text)], now=NOW, owner_of=owner_of)


@given(st.text() | st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["entries", "archive", "text", "ends", "said"]), inner), max_leaves=12))  # fmt: skip
@settings(max_examples=examples(150))
def test_no_answer_raises(value: object):
    text = value if isinstance(value, str) else json.dumps(value)
    apply({}, [NightAnswer(Material(Visibility()), {}, text)], now=NOW, owner_of=owner_of)


def test_invalid_items_are_dropped_one_by_one():
    entries = of(entry("a", "likes green tea"), entry("b", "likes green tea a lot"), entry("c", "has a dog"),
                 entry("k", "has a cellar", pinned=True))  # fmt: skip
    done = applied(
        entries,
        item("likes green tea, a lot of it", "a", "b"),
        item("drinks black tea now", "a"),
        item("has a dog"),
        item("owns a castle in Spain", "c"),
        archive=("nobody", "b", "c", "k"),
        notes=("drinks black tea now",),
    )
    assert {one.content: one.section for one in done.values()} == {
        "likes green tea": Section.ARCHIVED,
        "likes green tea a lot": Section.ARCHIVED,
        "likes green tea, a lot of it": Section.ACTIVE,
        "has a dog": Section.ARCHIVED,
        "has a cellar": Section.ACTIVE,
    }


@each("ends", [(), ("old",)])
def test_an_item_needs_a_quotation_from_the_notes_and_the_users_own_to_replace_a_users_entry(ends: tuple[str, ...]):
    entries = of(entry("old", "The meeting with Acme is on Monday"))
    moved = "The meeting with Acme moved to Tuesday 14:30 in room 7"
    new = item("The meeting with Acme is on Tuesday 14:30", *ends, said=moved)
    assert len(applied(entries, new, notes=(moved,))) == 2
    assert len(applied(entries, new)) == 1
    by_assistant = applied(entries, new, notes=(moved,), by=Origin.ASSISTANT)
    assert [one.origin for one in by_assistant.values()][1:] == ([] if ends else [Origin.SUMMARY])
    # Words from several notes do not make a quotation.
    mixed = applied({}, item("Anna sold Berlin horses"), notes=("Anna went out", "Berlin is cold", "two horses"))
    assert mixed == {}


def test_a_replacement_inherits_score_hits_age_and_group_and_the_old_entries_are_archived_and_linked():
    old = entry("a", "x", 0.9, last_activated=NOW - days(107), hits=3, created_at=NOW - days(200), importance="high")
    new = entry("b", "z", 0.5, hits=4, created_at=NOW - days(3), group="work", records=("r",), category="preference")
    done = applied(of(old, new), item("x y z", "a", "b"), notes=("x y z",))
    (one,) = (one for one in done.values() if one.id not in "ab")
    assert one.score == pytest.approx(0.5)  # 0.9 has faded to 0.33
    assert (one.hits, one.created_at, one.group, one.importance) == (7, NOW - days(200), "work", "high")
    assert (one.supersedes, one.records, one.category) == (("a", "b"), ("r",), "fact")
    assert {(done[id_].section, done[id_].superseded_by) for id_ in "ab"} == {(Section.ARCHIVED, one.id)}
    # A quotation newer than the last use resets the score.
    again = applied(of(old), item("x and w", "a"), notes=("x and w",))
    assert next(one for one in again.values() if one.id != "a").score == 0.9


_items = st.one_of(
    st.builds(item, st.sampled_from(["likes tea", "has dog", "owns boat"]), st.sampled_from("abcdefghx")),
    st.lists(st.sampled_from("abcdefghx"), min_size=2, unique=True).map(lambda ids: item("tea and a dog", *ids)),
    st.builds(item, st.sampled_from(["likes tea", "sings songs", "owns boat"])),
)


@given(st.lists(_items, max_size=8), st.lists(st.sampled_from("abcdefghx"), max_size=5))
@settings(max_examples=examples(150))
def test_no_answer_loses_many_entries_or_invents_one(items: list[Item], archive: list[str]):
    texts = [
        "likes tea",
        "has dog",
        "likes tea daily",
        "has dog Bruno",
        "reads books",
        "runs far",
        "cooks well",
        "likes",
    ]
    entries = of(*(entry(id_, text, 0.6, hits=1) for id_, text in zip("abcdefgh", texts, strict=True)))
    done = applied(entries, *items, archive=tuple(archive), notes=("sings songs", "tea and a dog"))
    active = [one for one in done.values() if one.section is Section.ACTIVE]
    assert len(active) >= 5
    assert entries.keys() <= done.keys()
    assert all("boat" not in one.content for one in done.values())
    assert all(done[id_] == one or done[id_].section is Section.ARCHIVED for id_, one in entries.items())
    assert all(one.last_activated <= NOW + timedelta(0) for one in active)

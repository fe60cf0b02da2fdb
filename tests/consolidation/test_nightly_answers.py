"""Answers of models as operations, and operations as a pure function of the entries."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.model.entry import Category, Section
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.consolidation.nightly.material import Material
from nanobot_memory_plugins.consolidation.nightly.operations import (
    Answered,
    Applied,
    Operation,
    apply,
    joined,
    read_answer,
    tidied,
)
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.values import Origin, Scope, Visibility
from nanobot_memory_plugins.core.values.scopes import OwnerFilter, owner
from tests.support.each import each
from tests.support.examples import examples

from .made_entries import NOW, days, entry

ADD = {"op": "add", "content": "likes tea", "category": "preference", "importance": "high"}


def add(content: str, category: Category = Category.FACT, **more: Any) -> Operation:
    return Operation(op="add", content=content, category=category, **more)


def update(id_: str, content: str) -> Operation:
    return Operation(op="update", ids=(id_,), content=content)


def merge(content: str, *ids: str) -> Operation:
    return Operation(op="merge", ids=ids, content=content)


def archive(id_: str) -> Operation:
    return Operation(op="archive", ids=(id_,))


def of(*entries):
    return {one.id: one for one in entries}


def applied(entries, *operations: Operation, notes: tuple[str, ...] = (), shown=None) -> Applied:
    records = [TranscriptRecord("user", text, "", Scope(), Origin.USER, time=NOW) for text in notes]
    shown = entries if shown is None else shown
    material = Material(Visibility(owners=(OwnerFilter(),)), shown, records)
    return apply(entries, [Answered(material, shown, operations)], now=NOW, owner_of=owner)


@each(
    "text",
    [
        json.dumps({"operations": [ADD]}),
        json.dumps([ADD]),
        json.dumps(ADD),
        "<think>hm { </think>Here you are:\n```json\n" + json.dumps({"operations": [ADD]}) + "\n```\nDone.",
        json.dumps({"operations": [ADD, ADD]})[:-2],  # cut off
        str({"operations": [ADD]}),  # single quotes
        json.dumps({"operations": [{**ADD, "op": "ADD"}]}),
    ],
)
def test_an_operation_is_read_in_the_shapes_that_models_give_it(text: str):
    assert read_answer(text) == ([add("likes tea", Category.PREFERENCE, importance=Importance.HIGH)], [])


def test_bad_operations_are_left_out_one_by_one():
    rows = [
        {"op": "add"},
        {"op": "merge", "ids": ["a"], "content": "x"},
        {"op": "merge", "ids": ["a", "[b]"], "content": "x"},
        {"op": "update", "id": "[a1]", "content": "new\nwords"},
        {"op": "archive", "id": None},
        {"op": "buy", "content": "x"},
        {"op": "add", "content": "x", "category": "mood", "importance": 7, "expires_at": "soon"},
    ]
    answer = read_answer(json.dumps({"operations": rows}))
    assert answer is not None
    assert answer[0] == [merge("x", "a", "b"), update("a1", "new words"), add("x")]
    assert len(answer[1]) == 4


_keys = st.sampled_from(["op", "id", "ids", "content", "add", "merge", "operations"])
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["add", "merge", "archive"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=15,
)


@given(_values | st.text())
@settings(max_examples=examples(150))
def test_no_answer_raises(value: object):
    read_answer(value if isinstance(value, str) else json.dumps(value))


def test_operations_that_cannot_be_are_dropped_one_by_one():
    entries = of(entry("a", "likes green tea"), entry("b", "likes green tea a lot"), entry("c", "has a dog"))
    done = applied(
        entries,
        archive("nobody"),
        merge("likes green tea a lot", "a", "b"),
        update("a", "likes black tea"),
        archive("b"),
        update("c", "owns a castle in Spain"),
        archive("c"),
        notes=("drinks black tea now",),
    )
    assert [one.kind for one in done.done] == ["merge", "archive"]
    assert done.dropped == (
        "archive: there is no entry nobody as it was shown",
        "update: there is no entry a as it was shown",
        "archive: there is no entry b as it was shown",
        "update: neither the user nor the notes say it",
    )


def test_an_entry_that_is_archived_takes_no_other_with_it_and_one_that_is_updated_keeps_its_score():
    entries = of(entry("a", "has a cat"), entry("b", "has a dog"), entry("c", "lives in Lund", 0.9, anchor_days=90,
                 decayed_days=90, last_activated=NOW - days(97)))  # fmt: skip
    both = Operation(op="archive", ids=("a", "b"))
    done = applied(entries, both, update("c", "lives in Lund, Sweden"), notes=("lives in Lund, Sweden",), shown=entries)
    assert {one.id: one.content for one in done.entries.values()} == {
        "a": "has a cat", "b": "has a dog", "c": "lives in Lund, Sweden",
    }  # fmt: skip
    assert done.entries["c"].score >= 0.9


def test_what_is_added_is_quoted_from_the_notes():
    notes = ("The meeting with Acme moved to Tuesday 14:30 in room 7",)
    good = add("The meeting with Acme is on Tuesday 14:30", category=Category.TODO)
    done = applied({}, add("The user was born in Vienna"), notes=notes)
    assert (done.entries, done.dropped) == ({}, ("add: neither the user nor the notes say it",))
    assert len(applied({}, good, notes=notes).entries) == 1
    # Models give what is new an id of their own.
    assert len(applied({}, good.model_copy(update={"ids": ("new1",)}), notes=notes).entries) == 1
    # Words that happen to stand in several notes make no fact.
    mixed = applied({}, add("Anna sold Berlin horses"), notes=("Anna went out", "Berlin is cold", "two horses"))
    assert mixed.entries == {}


def test_a_merged_entry_has_the_highest_score_all_hits_the_first_day_and_all_links():
    old = entry(
        "a", "x", 0.9, last_activated=NOW - days(107), hits=3, created_at=NOW - days(200), supersedes=("p", "b")
    )
    new = entry("b", "x", 0.5, hits=4, created_at=NOW - days(3), supersedes=("q",), superseded_by="a", group="work")
    one = joined([old, new], "x y", NOW)
    assert one.score == pytest.approx(0.5)  # 0.9 has faded to 0.33
    assert (one.id, one.hits, one.created_at, one.group) == ("b", 7, NOW - days(200), "work")
    assert (one.supersedes, one.superseded_by, one.last_activated) == (("p", "q"), "", NOW)
    other = entry("c", "z", superseded_by="a", supersedes=("a",))
    done = applied(of(old, new, other), merge("x y z", "a", "b"), notes=("x y z words",))
    assert done.dropped or (done.entries["c"].superseded_by, done.entries["c"].supersedes) == ("b", ("b",))


_operations = st.one_of(
    st.builds(archive, st.sampled_from("abcdefghx")),
    st.builds(update, st.sampled_from("abcdefghx"), st.sampled_from(["likes tea", "has dog", "owns boat"])),
    st.lists(st.sampled_from("abcdefghx"), min_size=2, unique=True).map(lambda ids: merge("likes tea and dog", *ids)),
    st.builds(add, st.sampled_from(["likes tea", "sings songs", "owns boat"])),
)


@given(st.lists(_operations, max_size=12))
@settings(max_examples=examples(150))
def test_whatever_is_asked_few_entries_are_lost_and_none_is_made_up(operations):
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
    done = applied(entries, *operations, notes=("sings songs",))
    out_of_sight = {id_ for id_ in entries if id_ not in done.entries or done.entries[id_].section is Section.ARCHIVED}
    assert len(out_of_sight) <= 3
    assert all("boat" not in one.content for one in done.entries.values())
    assert sum(one.hits for one in done.entries.values()) == 8
    touched = {one.id for one in done.done} | {id_ for one in done.done for id_ in one.gone}
    assert all(done.entries[id_] == one for id_, one in entries.items() if id_ not in touched)


def test_the_same_words_become_one_without_a_model_and_twice_changes_nothing():
    entries = of(
        entry("a", "Likes tea.", 0.6, hits=1),
        entry("b", "likes  tea", 0.7, hits=2),
        entry("u", "likes tea", scope=Scope(user="bob")),
        entry("k", "likes tea", pinned=True),
        entry("s", "likes tea", superseded_by="z"),
        entry("z", "likes coffee", supersedes=("s",)),
    )
    once = tidied(entries, NOW)
    assert (set(once), once["b"].hits) == ({"b", "u", "k", "s", "z"}, 3)
    assert tidied(once, NOW) == once

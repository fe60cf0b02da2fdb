"""Candidates and entries become entries, by hand-computed scores."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.merge_candidates import BelievedCandidate, Merged, Source, merge
from nanobot_memory_plugins.consolidation.model.entry import Section
from nanobot_memory_plugins.core.values import Origin, Scope
from tests.support.examples import examples

from .made_entries import NOW, days, entry, entry_lists

SOURCE = Source("cli:direct", Scope(user="u"), Origin.USER)


def finding(
    content: str, made: str = "new1", importance: str = "high", category: str = "fact", **more: object
) -> BelievedCandidate:
    candidate = Candidate.model_validate({"content": content, "category": category, "importance": importance})
    return BelievedCandidate(candidate, made, **more)  # type: ignore[arg-type]


def merged(entries: list, *findings: BelievedCandidate, seen: list[str] | None = None, **more: object) -> Merged:
    known = {one.id: one for one in entries}
    return merge(known, findings, now=NOW, source=SOURCE, seen=known if seen is None else seen, **more)  # type: ignore[arg-type]


@pytest.mark.accept("EB-07")
@pytest.mark.parametrize(("importance", "score"), [("high", 0.8), ("medium", 0.6), ("low", 0.4), ("huge", 0.4)])
def test_what_is_new_begins_by_its_importance(importance: str, score: float):
    done = merged([], finding("likes tea", importance=importance))
    one = done.entries["new1"]
    assert (one.score, one.hits, one.created_at, one.last_activated) == (score, 0, NOW, NOW)
    assert (one.source_session, one.scope, one.origin) == ("cli:direct", Scope(user="u"), Origin.USER)
    assert (done.new, done.updated) == (("new1",), ())


@pytest.mark.accept("EB-08", "EB-12")
def test_what_is_known_is_used_after_it_has_faded():
    old = entry("old", "likes tea", 0.6, last_activated=NOW - days(17), hits=3)
    done = merged([old], finding("likes tea!", match="old"))
    faded = 0.6 * 0.99**10
    assert done.entries["old"].score == pytest.approx(faded + (1 - faded) * 0.2, abs=1e-6)
    assert (done.entries["old"].hits, done.entries["old"].last_activated) == (4, NOW)
    assert (done.new, done.updated) == ((), ("old",))


def test_it_is_used_once_in_a_merge_however_often_it_was_found():
    done = merged(
        [entry("old", "likes tea", 0.5)], finding("likes tea", match="old"), finding("tea", "n2", match="old")
    )
    assert done.entries["old"].score == 0.6
    assert done.updated == ("old",)


@pytest.mark.accept("EB-14")
def test_what_is_contradicted_is_halved_after_it_has_faded_and_linked():
    old = entry("old", "likes tea", 0.8, last_activated=NOW - days(8))
    done = merged([old], finding("likes coffee", contradicts="old"))
    assert done.entries["old"].score == pytest.approx(0.8 * 0.99 / 2, abs=1e-6)
    assert done.entries["old"].superseded_by == "new1"
    assert done.entries["new1"].supersedes == ("old",)
    assert (done.new, done.updated) == (("new1",), ("old",))


def test_everything_else_fades_and_what_is_over_is_archived():
    others = [
        entry("a", "one", 0.5, last_activated=NOW - days(27)),
        entry("b", "two", 0.21, last_activated=NOW - days(20)),
        entry("c", "three", 0.05, last_activated=NOW - days(20)),
        entry("d", "four", 0.9, category="todo", expires_at=NOW - days(1)),
    ]
    done = merged(others, finding("likes tea"))
    assert done.entries["a"].score == pytest.approx(0.5 * 0.99**20, abs=1e-6)
    assert done.entries["b"].section is Section.ARCHIVED
    assert "c" not in done.entries
    assert (done.entries["d"].score, done.entries["d"].section) == (0.15, Section.ARCHIVED)
    assert done.updated == ()


def test_what_came_in_meanwhile_is_compared_too():
    known = [entry("theirs", "The user prefers tea", 0.8)]
    done = merged(known, finding("The user likes tea"), seen=[])
    assert (done.new, done.updated) == ((), ("theirs",))
    done = merged(known, finding("The user likes coffee"), seen=[])
    assert done.new == ("new1",)


def test_two_findings_that_say_the_same_make_one_entry():
    done = merged([], finding("The user likes tea"), finding("The user prefers tea", "new2"))
    assert (done.new, set(done.entries)) == (("new1",), {"new1"})


def test_whoever_goes_back_to_what_had_been_replaced_holds_it_again():
    tea, coffee = (
        entry("tea", "likes tea", 0.4, superseded_by="coffee"),
        entry("coffee", "likes coffee", 0.8, supersedes=("tea",)),
    )
    done = merged([tea, coffee], finding("likes tea", match="tea"))
    assert (done.entries["tea"].superseded_by, done.entries["coffee"].superseded_by) == ("", "tea")
    assert (done.entries["tea"].score, done.entries["coffee"].score) == (0.52, 0.4)
    again = merge(done.entries, [finding("likes coffee", match="coffee")], now=NOW, source=SOURCE, seen=done.entries)
    assert (again.entries["coffee"].superseded_by, again.entries["tea"].superseded_by) == ("", "coffee")
    assert again.entries["tea"].score == 0.26


def test_along_a_chain_it_is_the_last_that_no_longer_holds():
    chain = [
        entry("a", "lives in A", 0.2, superseded_by="b"),
        entry("b", "lives in B", 0.4, superseded_by="c", supersedes=("a",)),
        entry("c", "lives in C", 0.8, supersedes=("b",)),
    ]
    done = merged(chain, finding("lives in D", contradicts="a"))
    assert (done.entries["c"].superseded_by, done.entries["c"].score) == ("new1", 0.4)
    assert (done.entries["a"].score, done.entries["a"].superseded_by) == (0.2, "b")
    back = merged(chain, finding("lives in A", match="a"))
    assert [back.entries[id_].superseded_by for id_ in "abc"] == ["", "c", "a"]


def test_the_same_contradiction_again_changes_nothing_but_the_use():
    done = merged([entry("old", "likes tea")], finding("likes coffee", contradicts="old"))
    again = merge(
        done.entries,
        [finding("likes coffee", match="new1", contradicts="old")],
        now=NOW,
        source=SOURCE,
        seen=done.entries,
    )
    assert again.entries["old"] == done.entries["old"]
    assert again.entries["new1"].hits == 1


def test_what_is_gone_or_somebody_elses_counts_as_new():
    theirs = entry("theirs", "likes tea", scope=Scope(user="other"))
    assert merged([], finding("likes tea", match="gone", contradicts="gone")).new == ("new1",)
    done = merged([theirs], finding("likes tea", match="theirs"), is_visible=lambda one: one.scope.user == "u")
    assert done.entries["theirs"] == theirs
    assert done.new == ("new1",)


def test_a_new_date_is_taken_over():
    over = entry("old", "send the report", category="todo", expires_at=NOW)
    later = NOW + timedelta(days=3)
    done = merged([over], finding("send the report", category="todo", match="old", expires_at=later))
    assert done.entries["old"].expires_at == later


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(entry_lists, st.data())
def test_whatever_is_merged_is_well_formed_and_a_second_time_nothing_is_new(entries: list, data: st.DataObject):
    ids = [one.id for one in entries] or [""]
    found = [
        finding(
            text,
            f"new{n}",
            match=data.draw(st.sampled_from([*ids, ""])),
            contradicts=data.draw(st.sampled_from([*ids, ""])),
        )
        for n, text in enumerate(data.draw(st.lists(st.sampled_from(["likes tea", "喜欢茶", "has a dog"]), max_size=3)))
    ]
    done = merged(entries, *found)
    assert all(0 <= one.score <= 1 for one in done.entries.values())
    assert all(one.id == id_ for id_, one in done.entries.items())
    itself = {one.id for one in entries if one.superseded_by == one.id}  # somebody's hand has written that
    assert all(one.superseded_by != id_ for id_, one in done.entries.items() if id_ not in itself)
    again = merge(done.entries, found, now=NOW, source=SOURCE, seen=())
    assert set(again.new) <= {one.id for one in found} - set(done.entries)

"""Two changes of the same entries: what people did wins, and nothing of either is lost."""

import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.scoring import activated
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.patch import patch_back, take_back
from nanobot_memory_plugins.consolidation.store.three_way_merge import adopted, merged

from .made_entries import EXAMPLE, NOW, days, entry, entry_lists

BASE = {"a": entry("a", "likes tea"), "b": entry("b", "has a dog")}


def test_what_only_one_side_changed_is_taken():
    theirs = {**BASE, "a": replace(BASE["a"], content="likes green tea")}
    ours = {**BASE, "b": activated(BASE["b"], NOW + days(1))}
    assert merged(BASE, theirs, ours) == {"a": theirs["a"], "b": ours["b"]}


def test_of_one_entry_each_field_is_merged_and_theirs_wins():
    theirs = {**BASE, "a": replace(BASE["a"].with_score(0.3), content="likes green tea")}
    ours = {**BASE, "a": replace(activated(BASE["a"], NOW + days(1)), content="drinks tea")}
    both = merged(BASE, theirs, ours)["a"]
    assert (both.content, both.score, both.hits) == ("likes green tea", 0.3, 1)


def test_what_they_deleted_is_gone_and_what_they_added_stays():
    theirs = {"b": BASE["b"], "c": entry("c", "plays chess")}
    ours = {**BASE, "a": activated(BASE["a"], NOW), "d": entry("d", "rides")}
    assert merged(BASE, theirs, ours) == {"b": BASE["b"], "c": theirs["c"], "d": ours["d"]}


def test_what_they_changed_stays_although_we_removed_it():
    theirs = {**BASE, "a": replace(BASE["a"], content="likes green tea")}
    assert merged(BASE, theirs, {}) == {"a": theirs["a"]}


@given(entry_lists, entry_lists)
def test_a_side_that_did_nothing_changes_nothing(first: list[Entry], second: list[Entry]):
    base, other = ({one.id: one for one in entries} for entries in (first, second))
    assert merged(base, base, other) == other
    assert merged(base, other, base) == other


def test_an_entry_that_is_moved_to_the_archive_by_hand_stays_there():
    text = EXAMPLE.split("### [d4e5f6]")
    block = "### [d4e5f6]" + text[1].split("###")[0]
    moved = EXAMPLE.replace(block, "") + "\n" + block
    entries = adopted(parse(moved.encode()), parse(EXAMPLE.encode()))
    assert entries["d4e5f6"].kept_in is Section.ARCHIVED
    assert entries["d4e5f6"].section is Section.ARCHIVED
    assert {one.kept_in for id_, one in entries.items() if id_ != "d4e5f6"} == {None}


def test_a_score_that_is_raised_by_hand_in_the_archive_brings_an_entry_back():
    changed = parse(EXAMPLE.replace("0.18", "0.70").encode())
    assert adopted(changed, parse(EXAMPLE.encode()))["x1y2z3"].section is Section.ACTIVE


@given(st.lists(st.sampled_from(["# a\n", "### [x]\ntext\n", "\n", "b\n", "```\n", "最后"]), max_size=12), st.data())
def test_a_patch_leads_back_exactly(pieces: list[str], data: st.DataObject):
    before = "".join(pieces).encode()
    after = "".join(data.draw(st.permutations(pieces))[: data.draw(st.integers(0, 12))]).encode()
    patch = patch_back(after, before)
    assert patch is not None
    assert take_back(after, patch) == before


def test_a_file_of_the_same_line_over_and_over_is_not_compared():
    same = b"## the same\n" * 9_000
    started = time.perf_counter()
    assert patch_back(b"one\n" + same + b"one", b"two\n" + same + b"## the same\ntwo") is None
    assert time.perf_counter() - started < 5

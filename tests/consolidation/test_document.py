"""The Markdown form of entries: reading, writing, and the preservation of people's text."""

import os
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.store.document import Slot, Text, parse, render
from nanobot_memory_plugins.core.values import Scope
from nanobot_memory_plugins.core.values.entries import Entry
from tests.support.examples import examples

from .made_entries import EXAMPLE, NOW, drawn_entries, entry, entry_lists, foreign

EXAMPLES = int(os.environ.get("NANOBOT_MEMORY_EXAMPLES", "120"))


def written(*entries: Entry, into: bytes = b"") -> bytes:
    return render(parse(into), {one.id: one for one in entries}, now=NOW)


def kept_lines(data: bytes) -> list[bytes]:
    """Return the lines of people's text in a file, without blank lines."""
    return [line for line in parse(data).foreign.removeprefix(b"# Agent Memory").splitlines() if line.strip()]


@pytest.mark.accept("EB-01")
def test_the_example_of_the_document_is_written_except_for_time_and_count():
    entries = parse(EXAMPLE.encode()).entries
    made = render(parse(b""), entries, now=NOW).decode()
    expected = EXAMPLE.replace("10:30:00", "10:30:00+00:00").replace("15 -->", "4 -->")
    assert made == expected


@pytest.mark.accept("EB-01")
@given(drawn_entries)
@settings(max_examples=examples(EXAMPLES))
def test_a_written_entry_is_read_back_unchanged(one: Entry):
    read = parse(written(one))
    assert read.problems == ()
    assert read.entries == {one.id: one}
    assert read.slots[one.id].section is one.section


@pytest.mark.accept("EB-04")
def test_each_section_is_sorted_by_score():
    given_scores = [0.1999, 0.2, 0.9, 0.05, 0.5]
    data = written(*(entry(f"id{n}", f"text {n}", score) for n, score in enumerate(given_scores)))
    slots = parse(data).slots
    assert [(id_, slot.section.value) for id_, slot in slots.items()] == [
        ("id2", "active"), ("id4", "active"), ("id1", "active"), ("id0", "archived"), ("id3", "archived"),
    ]  # fmt: skip
    assert data.index(b"## Active Memories") < data.index(b"[id1]") < data.index(b"## Archived Memories")


def mixed(texts: list[str], entries: list[Entry], newline: str, bom: bool, final: bool) -> bytes:
    """Return a file with people's text before, between and after entries."""
    document = parse(written(*entries))
    parts = iter(texts)
    pieces = [next(parts, "").encode()]
    for piece in document.pieces:
        if isinstance(piece, Slot):
            pieces += [piece.data.rstrip(b"\n"), next(parts, "").encode()]
        elif isinstance(piece, Text):
            pieces.append(piece.data.strip(b"\n"))
        else:
            pieces.append(piece.data.rstrip(b"\n"))
    data = b"\n\n".join(part for part in pieces if part) + (b"\n" if final else b"")
    data = data.replace(b"\n", newline.encode())
    return b"\xef\xbb\xbf" + data if bom else data


@given(
    st.lists(foreign, max_size=8),
    entry_lists,
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
    entry_lists,
    st.randoms(use_true_random=False),
)
@settings(max_examples=examples(EXAMPLES))
def test_peoples_text_is_preserved_byte_for_byte_whatever_happens_to_the_entries(
    texts, entries, newline, bom, final, new, random
):
    data = mixed(texts, entries, newline, bom, final)
    document = parse(data)
    assert render(document, document.entries, now=NOW) == data
    # With an odd number of fences the entries between decide which text is code, so only the bytes are checked.
    assume(b"never closed" not in data or data.count(b"```") == 1)
    wanted = {}
    for id_, one in document.entries.items():
        fate = random.choice(["stays", "goes", "rises", "falls", "is worded anew"])
        if fate == "goes":
            continue
        score = {"rises": 0.97, "falls": 0.1}.get(fate)
        changed = one if score is None else one.with_score(score)
        wanted[id_] = replace(changed, content="worded anew") if fate == "is worded anew" else changed
    wanted |= {one.id: one for one in new if one.id not in wanted}
    made = render(document, wanted, now=NOW)
    again = parse(made)
    assert again.entries == wanted
    assert kept_lines(made) == kept_lines(data)
    assert made.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    if newline == "\r\n" and wanted != document.entries:
        assert made.count(b"\n") == made.count(b"\r\n") or b"\r\n" not in data


@pytest.mark.accept("EB-02")
@pytest.mark.parametrize(
    "broken",
    [
        "### [x1] fact | high | 2026-01-10 | 2\ntext of the broken one",
        "### [x1] fact | 0.5\ntext of the broken one",
        "### [x1] fact | 0.5 | someday | 2\ntext of the broken one",
        "### [x1] fact | nan | 2026-01-10 | 2\ntext of the broken one",
        "### [x1] fact | 0.5 | 2026-01-10 | 2 | a remark\ntext of the broken one",
        "### [] fact | 0.5 | 2026-01-10 | 2\ntext of the broken one",
        "### [x1 fact | 0.5 | 2026-01-10 | 2\ntext of the broken one",
        "### [x1] fact | 0.5 | 2026-01-10 | 2\n\n\ntext of nobody",
    ],
)
def test_a_broken_entry_is_skipped_with_a_warning_and_preserved(broken: str):
    data = EXAMPLE.replace("### [d4e5f6]", broken + "\n\n### [d4e5f6]").encode()
    document = parse(data)
    assert list(document.entries) == ["a1b2c3", "d4e5f6", "g7h8i9", "x1y2z3"]
    assert len(document.problems) == 1
    assert "line 11" in document.problems[0]
    made = render(document, {"d4e5f6": document.entries["d4e5f6"]}, now=NOW)
    assert broken.encode() in made


@pytest.mark.parametrize(("shown", "score"), [("1.7", 1.0), ("-3", 0.0), ("1e300", 1.0)])
def test_a_score_outside_0_to_1_is_clamped(shown: str, score: float):
    document = parse(EXAMPLE.replace("0.92", shown).encode())
    assert document.entries["a1b2c3"].score == score
    assert len(document.problems) == 1


def test_a_score_edited_in_the_header_wins_over_the_exact_score():
    one = entry(score=0.7444, decayed_days=3)
    data = written(one).replace(b"| 0.72 |", b"| 0.35 |")
    read = parse(data).entries[one.id]
    assert read.score == 0.35
    assert read.decayed_days == 3


def test_blank_lines_inserted_by_a_formatter_do_not_change_the_entries():
    known = [
        entry("a", "likes tea", created_at=NOW, scope=Scope(user="ann")), entry("b", "lives in Rome", 0.1, hides=("b",))
    ]  # fmt: skip
    apart = written(*known).replace(b"| 0\n", b"| 0\n\n").replace(b"\n<!-- ", b"\n\n<!-- ")
    for data in (apart, apart.replace(b"\n", b"\r\n")):
        document = parse(data)
        assert document.entries == {one.id: one for one in known}
        left = render(document, {"b": document.entries["b"]}, now=NOW)
        assert parse(left).entries == {"b": document.entries["b"]}
        assert b"created" not in left

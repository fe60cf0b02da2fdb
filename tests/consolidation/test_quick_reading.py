"""Reading and comparing the usual form in one step gives what the careful way gives."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.store.block import extent, read_block, read_slowly, write_block
from nanobot_memory_plugins.consolidation.store.document import _TYPICAL, parse
from nanobot_memory_plugins.consolidation.store.patch import patch_back, take_back

from .made_entries import drawn_entries, entry

_FIELDS = [
    "created: 2026-02-18T09:12:00+00:00",
    "created: 2026-02-18T09:12:00+00:00; source: cli:x",
    "created: 2026-02-30T09:12:00+00:00",
    "created: 2026-02-18T09:12:00+00:00; activated: 2026-02-20T09:12:00+00:00; source: ",
    "a comment",
]
_TEXTS = ["likes tea", "a \\# b", "# title", "", " ", "\t", "```", "## Active Memories", "\u3000", "\ufeffx", "\x0b"]
_HEADERS = ["### [a1] fact | 0.80 | 2026-02-20 | 3", "### [b] x | 1.50 | 2026-13-40 | 1"]
_pieces = st.sampled_from([*_HEADERS, *_TEXTS, *(f"<!-- {one} -->" for one in _FIELDS)])
_lines = st.lists(_pieces, max_size=12).flatmap(
    lambda lines: st.lists(st.sampled_from(["\n", "\n\n", "\r\n"]), min_size=len(lines), max_size=len(lines)).map(
        lambda ends: "".join(line + end for line, end in zip(lines, ends, strict=True)).encode()
    )
)


@pytest.mark.slow
@given(drawn_entries)
@example(entry(content="likes tea", created_at=None))
@settings(max_examples=200)
def test_a_written_entry_is_read_quickly_as_it_is_read_slowly(one):
    data = write_block(one, None, b"\n")
    assert read_block(data) == read_slowly(data)


@pytest.mark.slow
@given(_lines)
@settings(max_examples=300)
def test_lines_of_any_kind_are_read_quickly_as_they_are_read_slowly(lines: bytes):
    data = b"### [a1] fact | 0.80 | 2026-02-20 | 3\n" + lines.rstrip(b"\n")
    assert read_block(data) == read_slowly(data)


@given(_lines)
@settings(max_examples=300)
def test_the_quick_look_finds_the_end_of_an_entry_where_the_careful_one_does(lines: bytes):
    data = b"### [a1] fact | 0.80 | 2026-02-20 | 3\n" + lines
    match = _TYPICAL.match(data)
    assert match is None or match.end() == extent(data, 0)
    assert b"".join(piece.data for piece in parse(b"## Active Memories\n\n" + data).pieces)[20:] == data


def test_the_usual_form_takes_the_quick_way():
    data = write_block(
        entry(content="用户喜欢喝茶", created_at=entry().last_activated, source_session="cli:x"), None, b"\n"
    )
    assert _TYPICAL.match(data + b"\n\n") is not None
    assert read_block(data) == read_slowly(data)


@pytest.mark.slow
@given(_lines, _lines, _lines, _lines)
@settings(max_examples=300)
def test_a_patch_leads_back_whatever_differs(first: bytes, before: bytes, after: bytes, last: bytes):
    old, new = first + before + last, first + after + last
    patch = patch_back(new, old)
    assert patch is not None
    assert take_back(new, patch) == old


@given(st.permutations(range(12)), st.permutations(range(12)))
@settings(max_examples=100)
def test_a_patch_leads_back_through_any_order(before: list[int], after: list[int]):
    old, new = (b"".join(b"### [%d]\ntext %d\n\n" % (n, n) for n in order) for order in (before, after))
    patch = patch_back(new, old)
    assert patch is not None
    assert take_back(new, patch) == old


def test_the_patch_of_one_moved_entry_is_small():
    texts = [b"### [%d] fact\ntext number %d\n\n" % (n, n) for n in range(2_000)]
    old = b"<!-- Last updated: 1 -->\n<!-- Total entries: 1 -->\n" + b"".join(texts)
    moved = [*texts[:10], texts[500], *texts[10:500], *texts[501:]]
    new = b"<!-- Last updated: 2 -->\n<!-- Total entries: 1 -->\n" + b"".join(moved)
    patch = patch_back(new, old)
    assert patch is not None
    assert take_back(new, patch) == old
    assert sum(len(hunk.before) for hunk in patch) < 200

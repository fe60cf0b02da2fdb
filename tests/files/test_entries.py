from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.files.notes import NoteEntry, Passage, parse_notes, render_note
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope
from tests.support.each import each
from tests.support.examples import examples

SHANGHAI = timezone(timedelta(hours=8))
TIME = datetime(2026, 2, 16, 14, 20, 33, 120_000, tzinfo=SHANGHAI)

# Pieces that could forge a heading, a field, an entry, a section or a fence.
TRICKY = st.sampled_from(
    [
        "# x", "## Active Memories", "### 2026-02-16 14:20", "### [ab12] fact | 0.9 | x | 1", "#", "###\t",
        " ## y", "   ### z", "\\# a", "\\\\## b", "####", "#hash", "---", "===", "```", "~~~",
        "<!-- Total entries: 3 -->", "id: 0123456789abcdef", "type: bug", "details:", "tl;dr: x",
        "\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\0",
        "\ud800", "\udfff", "\ud83d\ude00", "\ufeff", "记忆", "，", " ", "\t", ",", "：",
    ]
)  # fmt: skip
ANY_TEXT = st.lists(TRICKY | st.text(max_size=8) | st.characters(), max_size=12).map("".join)
NOTES = st.builds(
    Note,
    tldr=ANY_TEXT,
    details=ANY_TEXT,
    type=st.sampled_from(NoteType),
    tags=st.lists(ANY_TEXT, max_size=4).map(tuple),
    title=ANY_TEXT,
    origin=st.sampled_from(Origin),
    searchable=st.booleans(),
)
SCOPES = st.builds(Scope, agent=ANY_TEXT, user=ANY_TEXT, channel=ANY_TEXT, session=ANY_TEXT)
TIMES = st.datetimes(timezones=st.sampled_from([UTC, SHANGHAI, timezone(timedelta(hours=-9, minutes=-30))]))


def cleaned(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")


def on_one_line(text: str) -> str:
    return " ".join(part for part in cleaned(text).splitlines() if part).strip()


def entries(text: bytes | str) -> list[NoteEntry]:
    return [item for item in parse_notes(text) if isinstance(item, NoteEntry)]


@pytest.mark.accept("LR-01")
@each("kind", NoteType)
def test_a_note_is_written_in_the_documented_format(kind: NoteType) -> None:
    note = Note("stay with sqlite", "- cheap\n- simple", type=kind, tags=("cloudflare", "sqlite"), origin=Origin.TOOL)
    text = render_note(note, id="5f0c2a9be1d04437", time=TIME, scope=Scope(session="cli:direct"))
    assert text == (
        "### 2026-02-16 14:20\n"
        f"type: {kind}\n"
        "tags: cloudflare, sqlite\n"
        "tl;dr: stay with sqlite\n"
        "id: 5f0c2a9be1d04437\n"
        "time: 2026-02-16T14:20:33.120+08:00\n"
        "origin: tool\n"
        "session: cli:direct\n"
        "\n"
        "details:\n"
        "- cheap\n"
        "- simple\n"
        "\n"
    )
    (entry,) = entries(text)
    assert (entry.type, entry.tags, entry.tldr) == (kind, ("cloudflare", "sqlite"), "stay with sqlite")
    assert entry.details == "- cheap\n- simple"


@settings(max_examples=examples(300), deadline=None)
@given(NOTES, SCOPES, TIMES)
@example(Note(tldr="", details="\ufeff# x"), Scope(), datetime(2000, 1, 1, tzinfo=UTC))
def test_what_is_rendered_is_parsed_again(note: Note, scope: Scope, time: datetime) -> None:
    before, after = "# Notes\nsomebody's own text\n\n", "## Next\nmore of it\n"
    text = before + render_note(note, id="0a1b", time=time, scope=scope) + after
    first, entry, last = parse_notes(text)
    assert isinstance(entry, NoteEntry)
    assert (first, last) == (
        Passage(before, 0, len(before), 1, "Notes"),
        Passage(after, entry.offset + entry.length, len(after), 4 + text.count("\n") - 5, "Next"),
    )
    assert entry.time == time
    assert entry.details == cleaned(note.details)
    assert (entry.id, entry.type, entry.origin) == ("0a1b", note.type, note.origin)
    assert entry.searchable is note.searchable
    assert entry.tldr == on_one_line(note.tldr)
    assert entry.title == on_one_line(note.title)
    tags = [on_one_line(tag) for tag in note.tags]
    tags = [tag.replace(",", " ").replace("，", " ").replace("、", " ").strip() for tag in tags]
    assert entry.tags == tuple(filter(None, tags))
    assert entry.scope == Scope(*map(on_one_line, (scope.agent, scope.user, scope.channel, scope.session)))


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.binary(max_size=6) | ANY_TEXT.map(lambda text: cleaned(text).encode()), max_size=20))
def test_every_byte_of_any_file_is_read_exactly_once(pieces: list[bytes]) -> None:
    data = b"\n".join(pieces)
    at, line = 100, 7
    for item in parse_notes(data, offset=100, line=7):
        assert (item.offset, item.line) == (at, line)
        assert item.length > 0
        line += data.count(b"\n", at - 100, at - 100 + item.length)
        at += item.length
        if isinstance(item, Passage):
            start = item.offset - 100
            text = data[start : start + item.length].decode("utf-8", "replace")
            assert item.text == text.removeprefix("\ufeff")
    assert at == 100 + len(data)


@each(
    ("text", "kind", "details"),
    [
        ("### 2026-02-16 14:20\ntype: surprise\n", NoteType.NOTE, ""),
        ("### 2026-02-16 14:20\ntype: bug\ntime: yesterday\nmood: good\n", NoteType.BUG, ""),
        ("### 2026-02-16 14:20\ntype: bug\ndetails: at once\nmore\n", NoteType.BUG, "at once\nmore"),
        ("### 2026-02-16 14:20\ntype: bug\nText without a blank line: yes.\n", NoteType.BUG, None),
        ("### 2026-02-16 14:20\ntype: bug\nmood: good\nRemember: milk", NoteType.BUG, "Remember: milk"),
        ("### 2026-02-16 14:20\ntl;dr: x\n\n\n  details:\n\nlater", NoteType.NOTE, "\nlater"),
    ],
)
def test_missing_and_unknown_fields_get_defaults(text: str, kind: NoteType, details: str | None) -> None:
    (entry,) = entries(text)
    assert entry.type == kind
    assert entry.details == ("Text without a blank line: yes." if details is None else details)
    assert entry.time.replace(tzinfo=None) == datetime(2026, 2, 16, 14, 20)


@each(
    "text",
    [
        "### 2026-02-16 14:20\nno fields here\n",
        "### 2026-02-30 14:20\ntype: bug\n",
        "### [ab12] fact | 0.9 | 2026-02-16 | 1\ntext of a scored entry\n",
        "#### 2026-02-16 14:20\ntype: bug\n",
        "## Section\n- type: bug\n",
        "```markdown\n### 2026-02-16 14:20\ntype: bug\n```\n",
    ],
)
def test_other_text_is_a_passage(text: str) -> None:
    (passage,) = parse_notes(text)
    assert isinstance(passage, Passage)
    assert passage.text == text

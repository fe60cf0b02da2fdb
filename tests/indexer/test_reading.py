"""Reading memory files into documents."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.values import Note, Origin, Scope
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.sources import reader
from nanobot_memory_plugins.storage.sources.pieces import FilePiece
from nanobot_memory_plugins.storage.sources.reader import read_pieces
from nanobot_memory_plugins.storage.sources.source_files import SourceFinder
from tests.support.examples import examples

TIME = datetime(2026, 2, 16, 14, 20, 33, tzinfo=UTC)


def pieces(workspace: Path, relative: str, start: dict[str, Any] | None = None, **chunking: int) -> list[FilePiece]:
    (source,) = (one for one in SourceFinder(MemoryPaths.of(workspace)).find() if one.relative == relative)
    with source.path.open("rb") as file:
        return list(read_pieces(file, source, Chunking(**chunking), **(start or {})))


def documents(workspace: Path, relative: str, **chunking: int) -> list[Document]:
    return [document for piece in pieces(workspace, relative, **chunking) for document in piece.documents]


def write(workspace: Path, relative: str, data: bytes | str) -> Path:
    path = workspace / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return path


def entry(note: Note, id: str) -> str:  # noqa: A002
    return render_note(note, id=id, time=TIME, scope=Scope(session="cli:direct", user="ann"))


def message(text: str, id: str, **fields: object) -> bytes:  # noqa: A002
    record = TranscriptRecord(
        role="user", text=text, session_key="cli:direct", scope=Scope(), origin=Origin.USER, id=id, time=TIME
    )
    return render_transcript_line(record)


def test_a_note_is_one_document_with_everything_it_says(tmp_path: Path):
    note = Note(tldr="Use SQLite", details="It is one file.", tags=("db", "sqlite"), title="database choice")
    write(tmp_path, "memory/2026-02-16.md", "# 2026-02-16\n\n" + entry(note, "aa11"))
    (found,) = documents(tmp_path, "memory/2026-02-16.md")
    assert found.key == "memory/2026-02-16.md#aa11"
    assert (found.source, found.origin, found.line) == ("note", Origin.ASSISTANT, 3)
    assert (found.heading, found.tldr, found.tags) == ("database choice", "Use SQLite", ("db", "sqlite"))
    assert "Use SQLite" in found.text
    assert "It is one file." in found.text
    assert found.scope == Scope(session="cli:direct", user="ann")
    assert found.time == TIME


@pytest.mark.accept("NC-02")
def test_free_text_is_split_by_heading(tmp_path: Path):
    write(tmp_path, "memory/projects/alpha.md", "# Alpha\n\n## Goal\nShip it.\n\n## Team\nAnn and Bo.\n")
    found = documents(tmp_path, "memory/projects/alpha.md")
    assert [(one.heading, one.line, one.source) for one in found] == [("Goal", 3, "document"), ("Team", 6, "document")]
    assert {one.origin for one in found} == {Origin.USER}


def test_the_score_of_an_entry_is_not_indexed(tmp_path: Path):
    text = "# Memory\n\n## Active Memories\n\n### [a1b2] preference | {} | 2026-02-16 | {}\nLikes tea.\n"
    write(tmp_path, "memory/MEMORY.md", text.format("0.80", 1))
    (before,) = documents(tmp_path, "memory/MEMORY.md")
    write(tmp_path, "memory/MEMORY.md", text.format("0.79", 2))
    (after,) = documents(tmp_path, "memory/MEMORY.md")
    assert before == after
    assert (after.key, after.text, after.heading) == ("memory/MEMORY.md#a1b2", "Likes tea.", "preference")
    assert after.source == "long_term"


def test_the_fields_of_an_entry_are_not_text_but_set_its_scope_and_origin(tmp_path: Path):
    fields = "<!-- created: 2026-01-01T00:00:00+00:00; origin: web; user: ada%3b%20x; session: cli:direct -->"
    entries = f"## Active Memories\n\n### [a1b2] fact | 0.80 | 2026-01-01 | 0\nOnce lived in Rome.\n{fields}\n\n"
    entries += "### [c3d4] fact | 0.80 | 2026-01-01 | 0\nWrites Rust. <!-- a comment of the text -->\n"
    write(tmp_path, "memory/ENTRIES.md", entries)
    first, second = documents(tmp_path, "memory/ENTRIES.md")
    assert (first.text, first.origin) == ("Once lived in Rome.", Origin.WEB)
    assert first.scope == Scope(user="ada; x", session="cli:direct")
    assert second.text.startswith("Writes Rust. <!--")
    assert (second.origin, second.scope) == (Origin.USER, Scope())


def test_fields_that_a_formatter_has_moved_still_belong_to_the_entry(tmp_path: Path):
    header, created = "### [{}] fact | 0.80 | 2026-01-01 | 0\n\n", "created: 2026-01-01T00:00:00+00:00"
    entries = f"{header.format('a1')}Likes tea.\n\n<!-- {created}; user: ada -->\n\n{header.format('b2')}Lives in Rome."
    write(tmp_path, "memory/ENTRIES.md", f"{entries}\n\n<!-- {created}; hides: b2 m1 -->\n\nMine.\n")
    tea, mine = documents(tmp_path, "memory/ENTRIES.md")
    assert (tea.text, tea.scope, mine.text.strip()) == ("Likes tea.", Scope(user="ada"), "Mine.")


def test_an_unfinished_line_is_not_read(tmp_path: Path):
    whole, torn = message("first", "m1"), message("second", "m2")[:-1]
    write(tmp_path, "memory/sessions/cli.jsonl", whole + torn)
    read = pieces(tmp_path, "memory/sessions/cli.jsonl")
    assert b"".join(piece.raw for piece in read) == whole


def test_of_a_huge_text_the_head_and_the_tail_are_indexed(tmp_path: Path):
    text = "beginning " + "middle " * 300_000 + "ending"
    write(tmp_path, "memory/sessions/cli.jsonl", message(text, "m1"))
    found = documents(tmp_path, "memory/sessions/cli.jsonl")
    assert "beginning" in found[0].text
    assert "ending" in found[-1].text
    assert sum(len(one.text) for one in found) < 400_000


@pytest.mark.accept("V3-18")
def test_equal_texts_get_different_keys(tmp_path: Path):
    write(tmp_path, "memory/notes.md", "## A\nsame\n## A\nsame\n## A\nsame\n")
    keys = [one.key for one in documents(tmp_path, "memory/notes.md")]
    assert len(set(keys)) == 3
    assert keys[1:] == [f"{keys[0]}~2", f"{keys[0]}~3"]


blocks = st.lists(
    st.one_of(
        st.builds(
            lambda text, number: entry(Note(tldr=text, details=text), f"{number:04x}"),
            st.text(st.characters(codec="utf-8"), max_size=40),
            st.integers(0, 99),
        ),
        st.sampled_from(["## heading\n", "text\n", "\n", "```\n", "# title\n\n", "a line without end\n", "### x\n"]),
    ),
    max_size=12,
)


@settings(max_examples=examples(60), deadline=None)
@given(blocks=blocks, cut=st.integers(0, 12))
def test_resuming_after_a_closed_piece_reads_the_same_documents(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[str], cut: int
):
    """The file grows by whole blocks, as it does when entries are appended."""
    workspace = tmp_path_factory.mktemp("grow")
    first = write(workspace, "memory/2026-02-16.md", "".join(blocks[:cut]))
    before = pieces(workspace, "memory/2026-02-16.md")
    closed = [piece for piece in before if piece.closed]
    known = {document.key for piece in closed for document in piece.documents}
    start = {
        "offset": sum(len(piece.raw) for piece in closed),
        "line": 1 + sum(piece.raw.count(b"\n") for piece in closed),
        "ordinal": len(known),
        "is_used": known.__contains__,
    }
    with first.open("ab") as file:
        file.write("".join(blocks[cut:]).encode("utf-8"))
    resumed = closed + pieces(workspace, "memory/2026-02-16.md", start)
    whole = pieces(workspace, "memory/2026-02-16.md")
    assert b"".join(piece.raw for piece in whole) == first.read_bytes()
    assert [one for piece in resumed for one in piece.documents] == [one for piece in whole for one in piece.documents]


def test_a_line_that_is_too_long_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reader, "_LONGEST_LINE", 2_000)
    lines = [message(text, f"m{number}") for number, text in enumerate(("before", "wave " * 1_000, "behind"))]
    write(tmp_path, "memory/sessions/s.jsonl", b"".join(lines))
    assert [(one.text, one.line) for one in documents(tmp_path, "memory/sessions/s.jsonl")] == [
        ("before", 1),
        ("behind", 3),
    ]


ENTRY = "### [aaaaaaaa] fact | 0.80 | 2026-02-20 | 0"
FIELDS = "<!-- created: 2026-02-20T10:00:00+00:00; user: alice; channel: web -->"
LINES = [
    "",
    "   ",
    "text one",
    "  text two",
    FIELDS,
    f"text {FIELDS}",
    "<!-- a comment -->",
    "#### sub",
    "- bullet",
    "```",
]


@settings(max_examples=examples(300), deadline=None, database=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=6))
def test_the_index_and_the_entries_agree_on_the_scope_of_an_entry_whatever_is_written_around_it(lines: list[str]):
    from nanobot_memory_plugins.consolidation.store.document import parse

    text = "\n".join(["## Active Memories", "", ENTRY, *lines, ""])
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), "memory/ENTRIES.md", text)
        indexed = [one for one in documents(Path(folder), "memory/ENTRIES.md") if one.heading == "fact"]
    for entry in parse(text.encode()).entries.values():
        assert {one.scope.user for one in indexed} <= {entry.scope.user}

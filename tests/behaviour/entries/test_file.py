"""The entries' file: the document's format is read and written, and people's text is preserved."""

import re

import pytest

from tests.behaviour.kit.life import Life

HEADER = re.compile(r"^### \[(\w+)\] (\w+) \| (\d\.\d\d) \| (\d{4}-\d\d-\d\d) \| (\d+)$", re.MULTILINE)
DOCUMENT = """# Agent Memory

Some words of my own.

<!-- Last updated: 2026-02-10T10:30:00 -->
<!-- Total entries: 3 -->

## Active Memories

### [a1b2c3] preference | 0.95 | 2026-02-10 | 12
用户喜欢简洁的代码风格，不喜欢过多注释

### [b2c3d4] fact | 0.40 | 2026-02-09 | 3
The user mostly writes Python

### [x9] preference | high | sometime
This one is broken.

## Archived Memories

### [d4e5f6] experience | 0.15 | 2026-02-01 | 1
The tests of the parser were slow

## Mine

Keep this, too.
"""


@pytest.mark.accept("EB-01", "EB-02", "EB-03", "EB-04")
def test_the_document_format_is_read_and_written_and_peoples_text_is_preserved(life: Life):
    file = life.memory / "ENTRIES.md"
    assert life.entries() == []
    file.write_text("\n", encoding="utf-8")
    assert life.entries() == []
    file.write_text(DOCUMENT, encoding="utf-8")
    read = life.command("entries", "list", "--json").json
    assert [(one["id"], one["category"], one["hits"], one["section"]) for one in read["entries"]] == [
        ("a1b2c3", "preference", 12, "active"),
        ("b2c3d4", "fact", 3, "active"),
        ("d4e5f6", "experience", 1, "archived"),
    ]
    assert len(read["problems"]) == 1
    assert read["entries"][0]["score"] == 0.95

    before, place = file.read_bytes(), file.stat().st_ino
    life.command("entries", "remember", "The user has a dog", "--importance", "medium")
    text = file.read_text(encoding="utf-8")
    assert (life.memory / "ENTRIES.md.bak").read_bytes() == before
    assert file.stat().st_ino != place  # the file was replaced atomically
    assert [float(score) for *_, score, _, _ in HEADER.findall(text)] == [0.95, 0.6, 0.4, 0.15]
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings[:2] == ["## Active Memories", "## Archived Memories"]
    assert "<!-- Last updated: 2026-02-16T14:20:00" in text
    assert "<!-- Total entries: 4 -->" in text
    for kept in ("Some words of my own.", "This one is broken.", "## Mine\n\nKeep this, too."):
        assert text.count(kept) == 1
    again = life.entries()
    assert len(again) == 4
    assert [one for one in again if one["content"] != "The user has a dog"] == read["entries"]
    assert life.command("entries", "list").status == 0
    assert file.read_text(encoding="utf-8") == text


def test_edits_and_deletions_by_a_person_are_kept(life: Life):
    file = life.memory / "ENTRIES.md"
    for text in ("The user lives in Bonn", "The user has a dog", "The user likes tea"):
        life.command("entries", "remember", text)
    edited = re.sub(r"### \[\w+\][^#]*has a dog[^#]*", "", file.read_text(encoding="utf-8")).replace("Bonn", "Köln")
    file.write_text(edited, encoding="utf-8")
    life.command("entries", "remember", "The user reads a lot")
    assert {one["content"] for one in life.entries()} == {
        "The user lives in Köln",
        "The user likes tea",
        "The user reads a lot",
    }


@pytest.mark.accept("EB-03")
@pytest.mark.parametrize("has_backup", [True, False])
def test_a_destroyed_file_is_recovered(life: Life, has_backup: bool):
    for text in ("The user lives in Bonn", "The user has a dog", "The user likes tea"):
        life.command("entries", "remember", text)
    (life.memory / "ENTRIES.md").write_bytes(b"\0" * 300)
    if not has_backup:
        (life.memory / "ENTRIES.md.bak").unlink()
    life.command("entries", "remember", "The user reads a lot")
    assert b"\0" not in (life.memory / "ENTRIES.md").read_bytes()
    assert {"The user lives in Bonn", "The user has a dog", "The user reads a lot"} <= {
        one["content"] for one in life.entries()
    }

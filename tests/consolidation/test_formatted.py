"""Entries after an editor or a formatter has been over the file: they say the same, and are still their user's."""

from collections.abc import Callable

import pytest

from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.rendering import render

from .made_entries import NOW

FIELDS = "<!-- created: 2026-02-20T10:00:00+00:00; source: s; user: alice; channel: web; expires: 2026-03-01 -->"
FILE = f"""# Agent Memory

## Active Memories

### [aaaaaaaa] fact | 0.80 | 2026-02-20 | 0
the attic key hangs by the stove
{FIELDS}

### [bbbbbbbb] fact | 0.80 | 2026-02-20 | 0
the boat is blue
"""
Edit = Callable[[str], str]


def _blank_below_headings(text: str) -> str:
    return "".join(f"{line}\n" if line.startswith("#") else line for line in text.splitlines(keepends=True))


def _joined_lines(text: str) -> str:
    return text.replace(f"\n{FIELDS}", f" {FIELDS}")


def _both(text: str) -> str:
    return _joined_lines(_blank_below_headings(text))


def _with_crlf(text: str) -> str:
    return _both(text).replace("\n", "\r\n")


def _with_spaces_at_the_ends(text: str) -> str:
    return "".join(f"{line}  \n" for line in text.splitlines())


def _with_text_behind(text: str) -> str:
    return _both(text).replace(FIELDS, f"{FIELDS}\n\nWritten by hand.")


EDITS = [_blank_below_headings, _joined_lines, _both, _with_crlf, _with_spaces_at_the_ends, _with_text_behind]


@pytest.mark.parametrize("edit", EDITS)
def test_a_formatter_changes_nothing_of_what_an_entry_says(edit: Edit):
    document = parse(edit(FILE).encode())
    assert document.entries == parse(FILE.encode()).entries
    assert document.entries["aaaaaaaa"].scope.user == "alice"
    assert document.problems == ()
    assert render(document, document.entries, now=NOW) == edit(FILE).encode()


def test_a_comment_that_somebody_writes_at_the_end_of_a_line_is_text():
    text = FILE.replace("the boat is blue", "the boat is blue <!-- as: ever -->")
    assert parse(text.encode()).entries["bbbbbbbb"].content == "the boat is blue <!-- as: ever -->"

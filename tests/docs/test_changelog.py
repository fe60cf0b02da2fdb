"""CHANGELOG.md has the form of Keep a Changelog, which people and the release read."""

import re
from datetime import date
from pathlib import Path

from release.changelog import KINDS, sections

TEXT = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")


def test_every_section_is_a_version_with_its_day_and_the_first_is_what_comes_next():
    found = sections(TEXT)
    assert found[0].version == "Unreleased"
    assert len({one.version for one in found}) == len(found)
    for one in found[1:]:
        assert VERSION.fullmatch(one.version)
    days = [date.fromisoformat(one.day) for one in found[1:]]
    assert days == sorted(days, reverse=True)
    assert [line for line in TEXT.splitlines() if line.startswith("## ")] == [one.heading for one in found]


def test_changes_stand_under_the_six_kinds_each_once_a_section():
    for one in sections(TEXT):
        kinds = re.findall(r"^### (.*)$", one.text, re.MULTILINE)
        assert set(kinds) <= set(KINDS)
        assert len(set(kinds)) == len(kinds)


def test_every_entry_is_a_sentence_and_stands_once():
    entries = [" ".join(entry.split()) for entry in re.findall(r"^- ((?:.|\n(?=  ))*)", TEXT, re.MULTILINE)]
    assert len(entries) > 20
    assert len(set(entries)) == len(entries)
    assert [entry for entry in entries if not entry.endswith((".", ")"))] == []


def test_nothing_but_headings_entries_and_the_words_at_the_top_of_a_section():
    for one in sections(TEXT):
        for part in re.split(r"^###+ .*$", one.text, flags=re.MULTILINE)[1:]:
            for line in filter(None, part.splitlines()):
                assert line.startswith(("- ", "  ")), line

"""Reads CHANGELOG.md, which has the format of Keep a Changelog 1.1.0."""

import re
from dataclasses import dataclass

KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
UNRELEASED = "Unreleased"
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<day>\d{4}-\d\d-\d\d))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """The changes of one version. ``day`` is the ISO 8601 date of its release, empty for unreleased changes."""

    version: str
    day: str
    heading: str
    text: str


def sections(text: str) -> list[Section]:
    """Return the sections of a changelog in order."""
    found = list(_HEADING.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [
        Section(match["version"], match["day"] or "", match[0], text[match.end() : end].strip())
        for match, end in zip(found, ends, strict=True)
    ]


def problems(text: str, version: str) -> list[str]:
    """Return why a changelog is not ready for the release of a version, one sentence each."""
    found = {section.version: section for section in sections(text)}
    section = found.get(version)
    if section is None:
        return [f"CHANGELOG.md has no section [{version}]: rename [{UNRELEASED}] to it, with the day."]
    wrong = [] if section.day else [f"The section [{version}] of CHANGELOG.md has no day."]
    wrong += [] if "\n- " in f"\n{section.text}" else [f"The section [{version}] of CHANGELOG.md says nothing."]
    unreleased = found.get(UNRELEASED)
    if unreleased is not None and unreleased.text:
        wrong.append(f"CHANGELOG.md still holds changes under [{UNRELEASED}].")
    return wrong

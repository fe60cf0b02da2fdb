"""The languages of the command line: English, and each that has a catalogue, ``cli/catalogues/<language>.po``."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

ENGLISH: Final = "en"
CATALOGUES: Final = Path(__file__).parents[1] / "cli" / "catalogues"
# A text and its translation are a line each, as JSON writes them.
_ENTRY: Final = re.compile(r'^msgid (".+")\nmsgstr (".*")$', re.MULTILINE)


def languages() -> list[str]:
    """Return the languages that there are."""
    return sorted({ENGLISH, *(file.stem for file in CATALOGUES.glob("*.po"))})


def language_named(name: str) -> str | None:
    """Return the language that a name or a locale asks for; nothing where it has no catalogue.

    The longest part of the name that is known counts: de for ``de_AT.UTF-8``, zh for ``zh-Hant-TW``.
    """
    parts = re.split("[-_]", re.split("[.@]", name)[0].lower())
    known = {one.lower(): one for one in languages()}
    tried = ("_".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((known[one] for one in tried if one in known), None)


def read_catalogue(language: str) -> dict[str, str]:
    """Return the translations by their English texts, empty where there is none yet.

    Of no catalogue, or a damaged one, nothing.
    """
    translations: dict[str, str] = {}
    with suppress(FileNotFoundError, ValueError):
        text = (CATALOGUES / f"{language}.po").read_text(encoding="utf-8")
        translations = json.loads(f"{{{','.join(map(':'.join, _ENTRY.findall(text)))}}}")
    return translations

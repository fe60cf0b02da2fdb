"""The languages of the command line: English, and those with a catalogue, ``cli/catalogues/<language>.po``."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

ENGLISH: Final = "en"
CATALOGUES: Final = Path(__file__).parents[1] / "cli" / "catalogues"
# A text and its translation are one line each, quoted as in JSON.
_ENTRY: Final = re.compile(r'^msgid (".+")\nmsgstr (".*")$', re.MULTILINE)


def languages() -> list[str]:
    """Return the codes of the available languages."""
    return sorted({ENGLISH, *(file.stem for file in CATALOGUES.glob("*.po"))})


def language_named(name: str) -> str | None:
    """Return the language of a name or locale, or None if it has no catalogue.

    The longest known beginning of the name is used: de for ``de_AT.UTF-8``, zh for ``zh-Hant-TW``.
    """
    parts = re.split("[-_]", re.split("[.@]", name)[0].lower())
    known = {one.lower(): one for one in languages()}
    candidates = ("_".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((known[one] for one in candidates if one in known), None)


def read_catalogue(language: str) -> dict[str, str]:
    """Return the translations of a language by their English texts; a text that is not translated yet has an empty one.

    A missing or damaged catalogue gives an empty dictionary.
    """
    translations: dict[str, str] = {}
    with suppress(FileNotFoundError, ValueError):
        text = (CATALOGUES / f"{language}.po").read_text(encoding="utf-8")
        translations = json.loads(f"{{{','.join(map(':'.join, _ENTRY.findall(text)))}}}")
    return translations

"""The languages of the command line: English, and each that has a catalogue."""

import re
from pathlib import Path
from typing import Final

ENGLISH: Final = "en"
# The name under which gettext finds the catalogue of a language.
DOMAIN: Final = "nanobot-memory"
CATALOGUES: Final = Path(__file__).parents[1] / "cli" / "catalogues"
# Countries that write Chinese in traditional characters, where a name says nothing of the script.
_TRADITIONAL: Final = {"hk", "mo", "tw"}


def languages() -> list[str]:
    """Return the languages that there are."""
    return sorted({ENGLISH, *(file.parents[1].name for file in CATALOGUES.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))})


def language_named(name: str) -> str | None:
    """Return the language that a name or a locale asks for; nothing where it has no catalogue.

    The longest part of the name that is known counts: de for ``de_AT.UTF-8``, zh_Hant for ``zh-Hant-TW``, ``zh_HK``.
    """
    parts = re.split("[-_]", re.split("[.@]", name)[0].lower())
    if parts[0] == "zh" and not {"hans", "hant"}.intersection(parts) and _TRADITIONAL.intersection(parts):
        parts = ["zh", "hant"]
    known = {one.lower(): one for one in languages()}
    tried = ("_".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((known[one] for one in tried if one in known), None)


def base_language(language: str) -> str:
    """Return a language without its script or country: zh for zh_Hant."""
    return language.partition("_")[0]


def catalogue_file(language: str) -> Path:
    """Return the compiled catalogue of a language, which may not exist."""
    return CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.mo"

"""The file of a language as TOML: what is read of it before a text needs its rules."""

import tomllib
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import ConfigurationError
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What stands behind a common word in a text that is cut at blanks.
_MARKS = ("", ",", ".", "!", "?", ":", ";", "…")


def tables_of(path: Path) -> dict[str, Any]:
    """Return what a file of a language holds: its common words are checked, the rest is not.

    What cannot be read is a `ConfigurationError` that names the file.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise unusable(path, "", str(error)) from error
    common = tables.get("common")
    if not (isinstance(common, list) and common and all(isinstance(word, str) and word for word in common)):
        raise unusable(path, "common", "it is no list of words")
    return tables


def common_words(tables: dict[str, Any]) -> frozenset[str]:
    """Return the common words of a file as they may stand in a text that is cut at blanks."""
    return frozenset(f"{word}{mark}".lower() for word in tables.get("common", ()) for mark in _MARKS)


def shortened_words(tables: dict[str, Any]) -> frozenset[str]:
    """Return the words of a file that a full stop may shorten; what is no word is left out."""
    words = tables.get("abbreviations")
    return frozenset(word for word in words if isinstance(word, str)) if isinstance(words, list) else frozenset()


def unusable(path: Path, key: str, why: str) -> ConfigurationError:
    """Return the error that a file cannot be used, with the key at which it is so."""
    return ConfigurationError(
        Sentence(
            "The rules of a language cannot be read: {place}: {why}.",
            place=f"{path.name}, {key}" if key else path.name,
            why=why.rstrip("."),
        ),
        hint="Correct it as CONTRIBUTING.md says; without the file the other languages go on.",
    )

"""The languages of the command line: English, and each that has a catalogue."""

from pathlib import Path
from typing import Final

ENGLISH: Final = "en"
CATALOGUES: Final = Path(__file__).parents[1] / "cli" / "catalogues"


def languages() -> list[str]:
    """Return the languages that there are."""
    return sorted({ENGLISH, *(file.stem for file in CATALOGUES.glob("*.mo"))})


def catalogue_file(language: str) -> Path:
    """Return the compiled catalogue of a language, which may not exist."""
    return CATALOGUES / f"{language}.mo"

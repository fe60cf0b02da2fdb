"""``python -m release.look_alikes`` writes the table of letters that look like Latin ones, from Unicode's."""

import json
import re
import sys
import unicodedata
from importlib.resources import files
from pathlib import Path
from string import ascii_letters

TABLE = Path(__file__).parents[1] / "nanobot_memory_plugins" / "core" / "characters" / "look_alike_table.py"

# Letters whose names say which Latin letter they are: small capitals, letters with a stroke or a hook, letters on a
# dark circle or square, the letters of which flags are made.
_NAMED = re.compile(
    r"LATIN LETTER SMALL CAPITAL ([A-Z])"
    r"|LATIN (?P<case>SMALL|CAPITAL) LETTER (?:SCRIPT |DOTLESS )?([A-Z])(?: WITH .+)?"
    r"|(?:NEGATIVE|CROSSED NEGATIVE) (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER ([A-Z])"
    r"|REGIONAL INDICATOR SYMBOL LETTER ([A-Z])"
)
# What Unicode does not list, since it compares the letters in one typeface.
_CHOSEN = {"п": "n", "г": "r", "т": "t", "н": "h", "м": "m", "в": "b", "к": "k", "П": "N", "Г": "R"}
_CHOSEN |= dict(zip("ετμβηκωχ", "etmbnkwx", strict=True))
# Characters of a line.
_LINE = 50

_TEXT = '''"""Letters that look like Latin ones, and those, place by place.

Made by ``python -m release.look_alikes`` from the confusables of Unicode, as confusable-homoglyphs {version} (MIT) has
them, and the names of characters; not to be edited by hand.
"""

ALIKE = (
{alike}
)
LATIN = (
{latin}
)
'''


def pairs() -> dict[str, str]:
    """Return every letter beyond ASCII that looks like a Latin letter, with that. Compatibility forms are left out."""
    confusables = json.loads((files("confusable_homoglyphs") / "confusables.json").read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    for code in range(0x80, sys.maxunicode + 1):
        if match := _NAMED.fullmatch(unicodedata.name(chr(code), "")):
            letter = next(group for group in match.groups() if group and len(group) == 1)
            found[chr(code)] = letter if match["case"] == "CAPITAL" else letter.lower()
    for letter in ascii_letters:
        for row in (*confusables.get(letter, ()), *(confusables["rn"] if letter == "m" else ())):
            found.setdefault(row["c"], letter)
    found |= _CHOSEN
    # Text is folded in lower case, too, and both cases of a letter look like one Latin letter or the other.
    for one, letter in list(found.items()):
        if len(lower := one.lower()) == 1 and lower != one:
            found.setdefault(lower, letter.lower())
    return {one: found[one] for one in sorted(found) if _is_kept(one)}


def _is_kept(one: str) -> bool:
    if len(one) != 1 or one.isascii() or unicodedata.category(one)[0] not in "LNS":
        return False
    return not unicodedata.normalize("NFKD", one)[0].isascii()


def text_of_the_table(version: str) -> str:
    """Return the module that holds the table."""
    found = pairs()
    return _TEXT.format(version=version, alike=_lines("".join(found)), latin=_lines("".join(found.values())))


def _lines(characters: str) -> str:
    return "\n".join(f'    "{_escaped(characters[at : at + _LINE])}"' for at in range(0, len(characters), _LINE))


def _escaped(characters: str) -> str:
    """Return characters as source: letters that are written from right to left would turn the lines."""
    return "".join(
        char if unicodedata.bidirectional(char) not in ("R", "AL", "AN") else ascii(char)[1:-1] for char in characters
    )


if __name__ == "__main__":
    from importlib.metadata import version

    TABLE.write_text(text_of_the_table(version("confusable-homoglyphs")), encoding="utf-8")
    print(f"{TABLE.name}: {len(pairs())} letters.", file=sys.stderr)

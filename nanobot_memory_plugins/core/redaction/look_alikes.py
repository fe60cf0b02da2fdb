"""Letters of other scripts that look like Latin ones: ``pаssword`` with a Cyrillic ``а`` is a word for a secret."""

from __future__ import annotations

import re

_LIKE = {
    "аеорсухіѕһӏгтнмвкԁԝјԛ": "aeopcyxishlrthmbkdwjq",
    "АВЕКМНОРСТУХІЅЈ": "ABEKMHOPCTYXISJ",
    "αεορτινμβηκυωχ": "aeoptinmbnkuwx",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "ABEZHIKMNOPTYX",
    "ɡıɑɩ": "giai",
}
_TABLE = {ord(one): ord(other) for left, right in _LIKE.items() for one, other in zip(left, right, strict=True)}
_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,40}")
_LATIN = re.compile(r"[A-Za-z]")
_OTHER = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0500-\u052f\u0250-\u02af\u0131]")


def unmixed(text: str) -> str:
    """Return ``text`` with the words that mix scripts in Latin letters; every character stays at its place.

    Nobody mixes them by chance; words of one script ("пароль", "ключ") stay words of their language.
    """
    if text.isascii() or not _OTHER.search(text):
        return text
    return _WORD.sub(_in_latin, text)


def _in_latin(word: re.Match[str]) -> str:
    found = word.group()
    return found.translate(_TABLE) if _LATIN.search(found) and _OTHER.search(found) else found

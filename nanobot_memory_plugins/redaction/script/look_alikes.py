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
_OTHERS = "\\u0370-\\u03ff\\u0400-\\u04ff\\u0500-\\u052f\\u0250-\\u02af\\u0131"
_OTHER = re.compile(f"[{_OTHERS}]")
# A word with letters of both kinds.
_MIXED = re.compile(rf"(?<![^\W\d_])(?=[^\W\d_]{{0,39}}[A-Za-z])(?=[^\W\d_]{{0,39}}[{_OTHERS}])[^\W\d_]{{2,40}}")


def unmixed(text: str) -> str:
    """Return ``text`` with the words that mix scripts in Latin letters; every character stays at its place.

    Nobody mixes them by chance; words of one script ("пароль", "ключ") stay words of their language.
    """
    if text.isascii() or not _OTHER.search(text):
        return text
    return _MIXED.sub(lambda word: word.group().translate(_TABLE), text)

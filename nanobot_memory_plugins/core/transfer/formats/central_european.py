"""Western and Central European text in one byte a letter, told apart by which language writes all of its letters.

The same bytes are letters in each of these encodings: `Gyõr` is as good a text as `Győr`. No language has both the
letters of Czech and those that they come out as.
"""

import re

# The likelier first: of two that fit alike the first one counts.
ENCODINGS = ("cp1252", "iso8859_15", "cp1250", "iso8859_2")
_WESTERN = (
    "äöüß",  # German
    "àâæçèéêëîïôœùûüÿ",  # French
    "áéíñóúü¿¡",  # Spanish
    "àáâãçéêíóôõúü",  # Portuguese
    "àèéìòóù",  # Italian
    "àçèéíïòóúü·",  # Catalan
    "äåéöü",  # Swedish, Finnish
    "æøåéèêóòôäöü",  # Danish, Norwegian
    "áæðéíóöúýþ",  # Icelandic
    "áéëèêïíóöüú",  # Dutch
    "äöõüšž",  # Estonian
)
_CENTRAL = (
    "ąćęłńóśźż",  # Polish
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "ăâîşţ",  # Romanian
    "čćđšž",  # Croatian, Bosnian, Slovene
    "äöüß",  # German
)
_LANGUAGES = {"cp1252": _WESTERN, "iso8859_15": _WESTERN, "cp1250": _CENTRAL, "iso8859_2": _CENTRAL}
# What says nothing: marks that every language writes, and signs of measures and counts.
_NEUTRAL = re.compile(
    r"(?<=m)[²³]|(?<=\d)[ºª°]|[©®™](?!\w)|(?<![^\W\d_])[¼½¾](?![^\W\d_])|[«»„“”‘’–—…•·°§€×÷\u00a0\u00ad]"
)
# Portuguese writes a tilde before few letters; Hungarian and Romanian have other vowels in its place, before any.
_NO_PORTUGUESE = re.compile(r"õ(?!e)|ã(?![oes]|\b)")
_FITS = 0.9


def european(data: bytes) -> tuple[str, str] | None:
    """Return the text and its encoding where one language explains nearly all of its letters, else None."""
    best, score = None, _FITS
    for encoding in ENCODINGS:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        fit = _explained(text, _LANGUAGES[encoding])
        # Strictly better than what is likelier.
        if fit >= _FITS and (best is None or fit > score):
            best, score = (text, encoding), fit
    return best


def _explained(text: str, languages: tuple[str, ...]) -> float:
    """Return the greatest share of the letters beyond ASCII that one of the languages writes."""
    lowered = _NEUTRAL.sub("", text.lower())
    letters = [character for character in lowered if not character.isascii()]
    if not letters:
        return 1.0
    strange = len(_NO_PORTUGUESE.findall(lowered))
    return max(
        (sum(letter in language for letter in letters) - (strange if "ã" in language else 0) for language in languages),
    ) / len(letters)

"""The text in people's files: UTF-8 mostly, else GBK, Big5, Latin-1, or what charset-normalizer makes of it."""

import codecs
import re

from nanobot_memory_plugins.core.files.reading import damage_in
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The common characters of GB 2312 and Big5 (level 1): the first bytes that they have, and what the second may be.
# Text in one of the two is nearly all such characters, and in the other it is not.
_COMMON = {"gb18030": (range(0xB0, 0xD8), range(0xA1, 0xFF)), "big5": (range(0xA4, 0xC7), range(0x40, 0xFF))}
_PUNCTUATION = range(0xA1, 0xA4)
_MOSTLY = 0.6
_RARE = 12
_WIDE = re.compile(rb"[\x80-\xff]{2}")
# So many letters beyond ASCII for one that cannot be read: then it is UTF-8, and damaged.
_FEW = 5


class NoTextError(Exception):
    """The bytes are no text. The message says why, in words that follow "it is damaged:"."""


def known_encoding(name: str) -> str:
    """Return the name that Python has for an encoding of text, or nothing where there is no such encoding."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    # Others turn bytes into bytes: base64, zip.
    return found.name if getattr(found, "_is_text_encoding", True) else ""


def decoded(data: bytes, encoding: str = "") -> tuple[str, str]:
    """Return the text that bytes hold, and the name of its encoding, which is empty for UTF-8.

    What is no UTF-8 is in ``encoding``, where it is named; else it is told from the bytes. Raises `NoTextError`.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _whole(data, "utf-16"), "UTF-16"
    if b"\0" in data or b"\xff" * 4 in data:
        raise NoTextError(damage_in(data))
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        pass
    if encoding:
        return _whole(data, encoding), encoding.upper()
    lenient = data.decode("utf-8-sig", "replace")
    if sum(not one.isascii() for one in lenient) > _FEW * lenient.count("\ufffd"):
        return lenient, "UTF-8 with damaged letters"
    found = _detected(data)
    return _whole(data, found), found.upper()


def _whole(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        raise NoTextError(Sentence("it is no {upper}", upper=encoding.upper())) from error


def _detected(data: bytes) -> str:
    """Tell an encoding from the bytes: of Chinese by its common characters, of Europe by how many letters are ASCII."""
    beyond = [byte for byte in data if byte >= 0x80]
    letters = sum(byte >= 0xC0 for byte in beyond)
    # Letters of Europe stand alone between those of ASCII, and so does a sign in English text.
    if _WIDE.search(data) is None and (2 * letters >= len(beyond) or len(data) > _RARE * len(beyond)):
        return "cp1252"
    shares = {name: _share_of_common(data, name) for name in _COMMON}
    likely = max(shares, key=shares.__getitem__)  # of two that fit alike the first: Big5 hardly ever looks like GBK
    if shares[likely] >= _MOSTLY:
        return likely
    if sum(byte > 0x20 for byte in data) >= 2 * len(beyond):
        return "cp1252"
    from charset_normalizer import from_bytes  # it takes longer to import than most files to read

    best = from_bytes(data).best()
    if best is None:
        raise NoTextError("its encoding cannot be told")
    return best.encoding


def _share_of_common(data: bytes, encoding: str) -> float:
    """Return how many of the characters of two bytes are common ones; 0 where the bytes are not in that encoding."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 0
    first, second = _COMMON[encoding]
    pairs = [pair for one in text if len(pair := one.encode(encoding)) > 1]
    pairs = [pair for pair in pairs if pair[0] not in _PUNCTUATION] or pairs
    fitting = sum((pair[0] in first or pair[0] in _PUNCTUATION) and pair[1] in second for pair in pairs)
    return fitting / len(pairs) if pairs else 0

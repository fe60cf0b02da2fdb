"""Text of people as it stands in files of theirs: UTF-8 mostly, and whatever an editor of ten years ago wrote."""

import codecs
from collections.abc import Iterator

from nanobot_memory_plugins.core.files.damage import damage_in
from nanobot_memory_plugins.core.transfer.formats.central_european import european
from nanobot_memory_plugins.core.transfer.formats.common_characters import commonness
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What is tried where a text is no UTF-8, the likelier first: of two that fit alike the first one counts.
_TRIED = ("gb18030", "cp1252", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "cp1250")
_NAMES = {
    "gb18030": "GBK (GB18030)",
    "cp1252": "Latin-1 (Windows-1252)",
    "iso8859_15": "Latin-9 (ISO 8859-15)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859_2": "ISO 8859-2 (Central European)",
    "big5": "Big5",
    "shift_jis": "Shift JIS",
}
# Windows writes a few more characters of these than the standards have.
_WIDER = {"big5": "cp950", "shift_jis": "cp932", "euc_kr": "cp949", "gbk": "gb18030", "gb2312": "gb18030"}
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Of UTF-16 without a mark nearly every second byte of plain text is NUL.
_NULS = 0.3
# East Asian text is what comes out mostly as characters that are common there.
_EAST_ASIAN = ("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr")
_COMMON = 0.6
# Bytes that are looked at to tell the encoding.
_LOOKED_AT = 1 << 18
# So many letters beyond ASCII for one that cannot be read: then it is UTF-8, and damaged.
_MOSTLY = 4


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

    What is no UTF-8 and bears no mark is in ``encoding``, where it is named; else it is guessed. Raises `NoTextError`.
    """
    for mark, marked in _MARKS.items():
        if data.startswith(mark):
            return _whole(data, marked), marked.upper()
    if not encoding and (wide := _utf16(data)) is not None:
        return _whole(data, wide), "UTF-16"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    else:
        if damage := damage_in(data):
            raise NoTextError(damage)
        return text, ""
    if encoding:
        text = _whole(data, _WIDER.get(encoding, encoding))
        if "\0" in text:
            raise NoTextError(damage_in(data) or "it is no text")
        return text, _NAMES.get(encoding, encoding.upper())
    if b"\0" in data or b"\xff" * 4 in data:
        raise NoTextError(damage_in(data) or "it is no text")
    lenient = data.decode("utf-8-sig", "replace")
    beyond = sum(not character.isascii() for character in lenient)
    lost = lenient.count("\ufffd")
    if beyond > (_MOSTLY + 1) * lost:
        return lenient, "UTF-8 with damaged letters"
    return _detected(data)


def _whole(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise NoTextError(Sentence("it is no {upper}", upper=encoding.upper())) from error


def _utf16(data: bytes) -> str | None:
    """Return the byte order of UTF-16 without a mark, or None."""
    sample = data[:4_096]
    if len(sample) < 8:
        return None
    odd, even = sample[1::2].count(0) / len(sample[1::2]), sample[::2].count(0) / len(sample[::2])
    if odd > _NULS and even < _NULS / 10:
        return "utf-16-le"
    return "utf-16-be" if even > _NULS and odd < _NULS / 10 else None


def _detected(data: bytes) -> tuple[str, str]:
    best = max(
        ((commonness(text), name, text) for name, text in _east_asian(data)), default=None, key=lambda one: one[0]
    )
    if best is not None and best[0] >= _COMMON:
        return best[2], _NAMES.get(best[1], best[1].upper())
    if (told := european(data)) is not None:
        return told[0], _NAMES[told[1]]
    from charset_normalizer import from_bytes  # it takes longer to import than most files to read

    found = from_bytes(data[:_LOOKED_AT], cp_isolation=list(_TRIED))
    likely = sorted(found, key=lambda one: (round(one.chaos, 2), -one.coherence, _TRIED.index(one.encoding)))
    for one in likely:
        try:
            return data.decode(one.encoding), _NAMES.get(one.encoding, one.encoding.upper())
        except UnicodeDecodeError:
            continue
    raise NoTextError("its encoding cannot be told")


def _east_asian(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the texts that the bytes may hold in East Asia, each with its encoding."""
    for name in _EAST_ASIAN:
        try:
            yield name, data.decode(_WIDER.get(name, name))
        except UnicodeDecodeError:
            continue

"""Where a text may be cut: between paragraphs, else between lines, else anywhere but inside a character."""

import re
import unicodedata

_PARAGRAPH_BREAK = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")
# How far from the exact place a border may lie, as shares of the part: beyond that it would cost too much text.
_PARAGRAPH_SHARE = 4
_LINE_SHARE = 2
# How many code points are followed that belong to one visible character; longer sequences are noise.
_SEQUENCE = 32
# Two letters make a flag, so where a pair begins is found only by counting back to the first.
_FLAG_LETTERS = 2_000
_JOINER = "\u200d"


def head_end(text: str, most: int) -> int:
    """Return where a head of at most ``most`` characters ends, without the line break there. Less than the text."""
    if most <= 0:
        return 0
    lowest = most - most // _PARAGRAPH_SHARE
    breaks = [found.start() for found in _PARAGRAPH_BREAK.finditer(text, lowest, most + 4) if found.start() <= most]
    if breaks:
        return breaks[-1]
    line = text.rfind("\n", most - most // _LINE_SHARE, most + 1)
    if line > 0:
        return line - 1 if text[line - 1] == "\r" else line
    for end in range(most, max(0, most - _SEQUENCE), -1):
        if not _belong_together(text, end):
            return end
    return most


def tail_start(text: str, most: int) -> int:
    """Return where a tail of at most ``most`` characters starts, after a line break where there is one."""
    if most <= 0:
        return len(text)
    start = len(text) - most
    highest = start + most // _PARAGRAPH_SHARE
    for found in _PARAGRAPH_BREAK.finditer(text, max(0, start - 4), highest):
        if found.end() >= start:
            return found.end()
    line = text.find("\n", max(0, start - 1), start + most // _LINE_SHARE)
    if line >= 0:
        return line + 1
    for place in range(start, min(len(text), start + _SEQUENCE)):
        if not _belong_together(text, place):
            return place
    return start


def _belong_together(text: str, place: int) -> bool:
    """Return whether the characters on both sides of a place are parts of one: a cut there would spoil it."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if _JOINER in (before, after) or unicodedata.category(after).startswith("M"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\u1160" <= after <= "\u11ff":  # skin tones; inner Hangul letters
        return True
    return _is_flag_letter(before) and _is_flag_letter(after) and _flag_letters_before(text, place) % 2 == 1


def _flag_letters_before(text: str, place: int) -> int:
    count = 0
    while count < _FLAG_LETTERS and place - count > 0 and _is_flag_letter(text[place - count - 1]):
        count += 1
    return count


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"

"""Finding the value that follows a name: quoted, bare, in a query string, or in a block of YAML."""

from typing import NamedTuple

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.script.folding import QUOTES

_LONGEST = 16_384
# The end of a bare value is searched beyond the judged characters, or the rest would stay readable.
_LONGEST_BARE = 1_024
_CJK = "\uff0c\uff1b\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_BARE = lazy_re(rf"[^\s{_CJK}\x00-\x1f\ue0f1-\ue0f9]{{1,{_LONGEST_BARE}}}")
_NEXT_PAIR = lazy_re(r"\]\[|[&;,](?=\s?[A-Za-z_][A-Za-z0-9_.\[\]-]{0,60}[=:])")
_ENTITY_END = lazy_re(r"</|<br|/>")
_LONGEST_INDENT = 40
_BLOCK_START = lazy_re(r"[:=][ \t]*[|>][-+0-9]{0,2}[ \t]*\r?\Z")
_BLOCK_SCALAR = lazy_re(r"[|>][-+0-9]{0,2}[ \t]*\r?[\n\x0b]([ \t]+)")
_STRING_PREFIX = lazy_re(r"(?:[rbuRBU]{1,2}|@|\$|L)(?=[\"'])")
_PREFIX_STARTS = frozenset("rbuRBU@$L")
_STRUCTURE_START = lazy_re(r"[(\[{]+(?:[\"'\s\[{(]|[A-Za-z_*.]*[,:(\[\s.)\]}*]|$)")
# Characters of the line after a value that are checked.
_LINE_REACH = 512
_QUERY_END = lazy_re(r"[&#\"'`<>\\)\]]")
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_CLOSERS_BY_OPENER = {opener: closer for closer, opener in _CLOSERS.items()}


class Value(NamedTuple):
    """A value's position in the text, whether it is quoted, and for a bare value the rest of its line."""

    start: int
    end: int
    quoted: bool
    rest_of_line: str = ""

    @property
    def running_text(self) -> bool:
        """Return whether ordinary words follow the value on its line."""
        return bool(self.rest_of_line) and _is_followed_by_words(self.rest_of_line)


def value_at(text: str, at: int, *, in_query: bool = False) -> Value | None:
    """Return the value that begins at ``at``. ``in_query`` says that it is in a URL's query and ends at & or #."""
    if at >= len(text):
        return None
    if text[at] in _PREFIX_STARTS and (prefix := _STRING_PREFIX.match(text, at)):
        at = prefix.end()
    if text[at] in QUOTES:
        return _quoted_value(text, at)
    if text[at] in "([{":
        # The first string of a list is read as the value; anything else in brackets is structure.
        if text[at] == "[" and text[at + 1 : at + 2] in ('"', "'"):
            return _quoted_value(text, at + 1)
        if _STRUCTURE_START.match(text, at):
            return None
    if text[at] not in "|>":
        return _bare_value(text, at, in_query)
    block = _BLOCK_SCALAR.match(text, at)
    if block:
        end = _end_of_line(text, block.end())
        return Value(block.end(), end, True) if end > block.end() else None
    return _bare_value(text, at, in_query)


def _quoted_value(text: str, at: int) -> Value | None:
    quote = text[at]
    if text.startswith(quote * 3, at):
        if quote == "`":
            return None  # a Markdown fence
        end = text.find(quote * 3, at + 3, at + 3 + _LONGEST)
        if end > at + 3:
            return Value(at + 3, end, True)
    start = at + 1
    end = text.find(quote, start, start + _LONGEST)
    line_end = _end_of_line(text, start)
    while quote == "'" and 0 <= end < line_end and text[end + 1 : end + 2] == "'" and end > start:
        end = text.find(quote, end + 2, start + _LONGEST)  # '' inside a quoted value is one quote
    while 0 <= end < line_end and text[end - 1] == "\\" and text[end - 2] == "\\" and _is_odd_run(text, end):
        end = text.find(quote, end + 1, start + _LONGEST)
    if 0 <= end <= line_end:
        return Value(start, end, True) if end > start else None
    bare = _BARE.match(text, start)  # the closing quote was cut off
    return Value(start, bare.end(), True) if bare else None


def end_of_block(text: str, value: Value) -> int:
    """Return the end of the YAML block whose first line is ``value``, which includes lines with the same indent."""
    line = text.rfind("\n", max(0, value.start - _LONGEST_INDENT), value.start) + 1
    if not line or not _BLOCK_START.search(text, max(0, line - _LONGEST_INDENT), line - 1):
        return value.end
    end, indent = value.end, text[line : value.start]
    while not indent.strip() and indent and text.startswith(indent, end + 1) and end - value.start < _LONGEST:
        end = _end_of_line(text, end + 1)
    return end


def _is_odd_run(text: str, end: int) -> bool:
    run = 0
    while end - 1 - run >= 0 and text[end - 1 - run] == "\\":
        run += 1
    return run % 2 == 1


def _bare_value(text: str, at: int, in_query: bool) -> Value | None:
    match = _BARE.match(text, at)
    if match is None:
        return None
    start, end = match.span()
    stop = (_QUERY_END if in_query else _ENTITY_END).search(text, start, end)
    end = stop.start() if stop else end
    if not in_query:
        following = _NEXT_PAIR.search(text, start, end)
        end = min(following.start() if following else end, _enclosing_quote(text, start, end))
        end = start + len(_strip_closers(text[start:end]))
    if end <= start:
        return None
    if in_query:
        return Value(start, end, False)
    line_end = text.find("\n", end, end + _LINE_REACH)
    return Value(start, end, False, text[end : end + _LINE_REACH if line_end < 0 else line_end])


def _enclosing_quote(text: str, start: int, end: int) -> int:
    """Return the position of a quote that closes one opened earlier on the line, or ``end``."""
    line = max(text.rfind("\n", max(0, start - 2048), start), start - 2048) + 1
    for quote in "\"'`":
        at = text.find(quote, start, end)
        if at >= 0 and text.count(quote, line, start) % 2:
            end = min(end, at)
    return end


def _strip_closers(run: str) -> str:
    """Remove the punctuation that ends a sentence, a list item or a call, but not brackets paired inside the value."""
    end = len(run)
    unpaired = {closer: run.count(closer) - run.count(opener) for closer, opener in _CLOSERS.items() if closer in run}
    while end:
        last = run[end - 1]
        closes = unpaired.get(last, 0) > 0
        if last in ",;\"'`" or (last in ".:" and end > 1) or closes or (last in "([{" and end > 1) or last == "\\":
            if last in unpaired:
                unpaired[last] -= 1
            elif last in "([{" and (closer := _CLOSERS_BY_OPENER[last]) in unpaired:
                unpaired[closer] += 1
            end -= 1
        else:
            break
    return run[:end]


_PAIR_FOLLOWS = lazy_re(r"[,;.:)\]}\"']*[ \t]+[A-Za-z_-]+[=:]")
_WORDS_FOLLOW = lazy_re(r"[,;.:)\]}\"']*[ \t]+(?:[a-z]{2,}|I|a)(?:[ ,.;:!?')]|$)")


def _is_followed_by_words(rest_of_line: str) -> bool:
    """Return whether ordinary words follow on the line, not ``# comment`` or ``key=value``."""
    return bool(_WORDS_FOLLOW.match(rest_of_line) and not _PAIR_FOLLOWS.match(rest_of_line))


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at, at + _LONGEST)
    return min(len(text), at + _LONGEST) if end < 0 else end


def line_before(text: str, at: int, limit: int = 200) -> str:
    """Return the text before ``at`` on its line, at most ``limit`` characters."""
    start = max(
        text.rfind("\n", max(0, at - limit), at) + 1, text.rfind("\x0b", max(0, at - limit), at) + 1, at - limit, 0
    )
    return text[start:at]

"""The sentences around forgotten words, in a note, a message or JSON: what is taken out with them."""

from bisect import bisect_left, bisect_right

from nanobot_memory_plugins.core.text.sentences import sentence_marks
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern

# What of a line of a note is no text: the heading's time, the name of a field, a bullet, the number of a list.
_PREFIX = LazyPattern(r"#{1,3} \d{4}-\d\d-\d\d \d\d:\d\d[ \t]*|[a-z;]+:[ \t]*|[-*][ \t]+|\d{1,3}[.)][ \t]+")


class Sentences:
    """Where the sentences of one text end, found once."""

    def __init__(self, text: str, *, is_escaped: bool) -> None:
        self._text = text
        self._marks = list(sentence_marks(text, in_json=is_escaped))
        self._ends = [end for _, end in self._marks]

    def around(self, start: int, end: int) -> tuple[int, int]:
        """Return the sentences in which a stretch stands, from their first letter to their full stop."""
        text = self._text
        before = bisect_right(self._ends, start)
        begin = self._ends[before - 1] if before else 0
        if start and text[start - 1] in ".;":
            return start, self._finish(end)
        while begin < start and text[begin].isspace():
            begin += 1
        prefix = _PREFIX.match(text, begin) if begin == 0 or text[begin - 1] == "\n" else None
        if prefix is not None and prefix.end() <= start:
            begin = prefix.end()
        return begin, self._finish(end)

    def _finish(self, end: int) -> int:
        text = self._text
        behind = bisect_left(self._marks, (end, 0))
        if behind == len(self._marks):
            return max(len(text.rstrip()), end)
        first, last = self._marks[behind]
        is_outside = text[first] in '\n\\"'
        return first if is_outside else first + len(text[first:last].rstrip("\n"))

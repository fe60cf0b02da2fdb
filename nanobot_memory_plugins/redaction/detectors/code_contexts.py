"""Codes by what is said around them: a number that a clause links to a word for what opens, unlocks or confirms.

The order is free: "the code for the side gate, in case, is 4471", "4471 opens it". What a number counts, or numbers, is
no code: 12 lines, room 405, error code 5012.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.detectors.chinese_codes import CHINESE_CUES, ChineseCodes
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values import code_words as of

CODE_CUES = CHINESE_CUES | KeywordIndex(
    of.SURE
    | of.LOCKS
    | of.DEVICES
    | {word for word in of.OPEN_TO_DOUBT if len(word) > 2}
    | words("enter verify approve disarm")
    | {"lock box", "key box", "key safe", "key code", "lock screen", "access number"}
)
"""Words of which one stands in every text that tells such a code."""
_CANDIDATE = lazy_re(
    r"(?<![A-Za-z0-9_./$€£¥+#*&=-])(?<![0-9]:)(?<![0-9],)(?<![$€£¥] )(?<!\[)"
    r"(?P<secret>[#*]?(?:(?=[A-Z0-9-]{0,24}[A-Z])(?=[A-Z-]{0,24}[0-9])[A-Z0-9]{2,6}(?:-[A-Z0-9]{2,6}){2,5}"
    r"|[0-9]{1,4}(?:-[0-9]{1,4}){2,3}|[A-Z0-9](?:[ ][A-Z0-9]){3,7}|[0-9]{2,4}[ -][0-9]{2,4}(?:[ -][0-9]{2,4}){0,2}"
    r"|[0-9]{3,10}"
    r"|[A-Z]{1,3}-?[0-9]{2,8}[A-Z]{0,2}|[0-9]{2,6}[A-Z]{1,3}[0-9]{0,4})[#*]?)"
    r"(?![A-Za-z0-9_%€$£°#*]|[.,:/-][0-9]|-[A-Za-z]|[(\[=])"
)
_WORD = lazy_re(r"[A-Za-z\u00e0-\u00ff][A-Za-z0-9\u00e0-\u00ff]*(?:['’][a-z]{1,2})?")
_AROUND = f" *({QUOTES}"
_LINKING_MARKS = frozenset(":=→>—–,(~-…")
_CLOSE_MARKS = frozenset(":=→>—–-")
_YEAR = lazy_re(r"(?:19[4-9]|20[0-4])[0-9]")
_DATED = lazy_re(r"(?:19|20)[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}")
_ERROR_CODE = lazy_re(r"[A-Z][0-9]{2,4}|[A-Z]{1,3}-?[0-9]{2,5}")
_SENTENCE_END = lazy_re(r"[!。！？；]|[.?;](?=[ \n]|\Z)")
# A sentence that goes on with the value: "the gate code? it's 4471".
_GOES_ON = lazy_re(r"(?i)[ ]{0,2}(?:it['’]?s|it[ ]is|that['’]?s|its|i[ ]think|try|use|enter|type|here|[0-9#*])")
_COUNTS = lazy_re(r"[ ]?(?P<word>%|[A-Za-z']{1,14})|[-–](?:bit|digit|char|day|year|page|word|line)")
_BEHIND = lazy_re(r"[\s\"'`*)]{0,3}(?P<mark>[,;:=→—–(-]|->)?")
# What stands between two codes of one list, or one sentence.
_JOINS = lazy_re(r"[\s,;、|/>*•-]{1,8}|[^\n.!?。！？]{0,48}")
_CHANGES = lazy_re(r"(?i)(?:to|has|have|gets|uses|or|and|改成|换成|变成)[ ]?\Z")
_STOPS_BEHIND = words("and or but in from at on with people after before when while not")
_FEWEST, _MOST = 3, 10
_REACH, _REACH_BEHIND = 72, 64
_MOST_WORDS = 16
_BARE = 4
_LONG_NUMBER = 5


def find_codes_in_context(text: str, lower: Lowered) -> Iterator[Span]:
    """Find codes by what the clauses of the folded ``text`` say of them; ``lower`` is it in lower case."""
    if not CODE_CUES.meets(lower):
        return
    candidates = list(_CANDIDATE.finditer(text))
    if not candidates:
        return
    clauses = _Clauses(text)
    chinese = None if text.isascii() else ChineseCodes(text)
    taken = {
        index
        for index, match in enumerate(candidates)
        if _has_length_of_code(match["secret"])
        and (
            (not _counts(text, match.end()) and (clauses.name_before(match) or clauses.name_behind(match)))
            or (chinese is not None and chinese.tell(match))
        )
    }
    for index in sorted(taken | _siblings(text, candidates, taken)):
        yield Span(*candidates[index].span("secret"), "access_code", REDACTED, RANK_KEYED)


class _Clauses:
    """The words of a text, and whether those around a number make a code of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        found = [match.span() for match in _WORD.finditer(text)]
        self._spans = found
        self._starts = [start for start, _ in found]
        self._words = [text[start:end].lower().replace("’", "'") for start, end in found]

    def name_before(self, match: re.Match[str]) -> bool:
        """Tell whether what stands before the number names it a code."""
        start, found = match.start("secret"), match["secret"]
        last = bisect_left(self._starts, start) - 1
        if last < 0:
            return False
        link = self._link(last, start)
        begin = max(self._text.rfind("\n", max(0, start - _REACH), start), start - _REACH)
        for at in range(last, max(-1, last - _MOST_WORDS), -1):
            if self._spans[at][0] < begin:
                break
            noun = self._noun(at)
            if noun and self._reaches(at, start):
                return self._is_code(at, noun, last, link, found)
            if noun:
                break
        return self._is_typed(last, start, match)

    def name_behind(self, match: re.Match[str]) -> bool:
        """Tell whether what stands behind the number says that it is a code, or opens something."""
        start, end, found = match.start("secret"), match.end(), match["secret"]
        if len(found) < _BARE or _YEAR.fullmatch(found):
            return False
        first = bisect_left(self._starts, end)
        mark = _BEHIND.match(self._text, end)
        is_marked = mark is not None and bool(mark["mark"])
        if first == len(self._words) or not (is_marked or self._words[first] in _STARTS_BEHIND):
            return False
        here = self._between(first, end)
        if not here or (self._spans[here[0]][0] - end > 4):
            return False
        before = self._last_words(start, 8)
        if before and (before[-1] in of.NUMBERED or not of.MONEY.isdisjoint(before)):
            return False
        follow = [self._words[at] for at in here]
        if self._says_code(here, follow, is_marked=is_marked):
            return True
        return _opens(follow)

    def _noun(self, at: int) -> str:
        """Give the name of a code, or of what opens, that ends at the word; nothing where there is none."""
        start, end = self._spans[at]
        word = self._words[at]
        if start and self._text[start - 1] in '_./"':
            return ""
        if at and start - self._spans[at - 1][1] == 1 and (pair := self._words[at - 1] + word) in of.JOINED:
            return pair
        if end < len(self._text) and self._text[end] in '_/"':
            return ""
        word = word.removesuffix("'s")
        return word if word in _NOUNS else ""

    def _reaches(self, at: int, start: int) -> bool:
        between = self._text[self._spans[at][1] : start]
        end = _SENTENCE_END.search(between)
        return end is None or bool(_GOES_ON.match(self._text, self._spans[at][1] + end.end()))

    def _link(self, last: int, start: int) -> str:
        """Give what links a number to the words before it: ``close``, ``loose``, or nothing."""
        between = self._text[self._spans[last][1] : start].rstrip(_AROUND)
        opened = self._text[self._spans[last][1] : start].strip(f" *{QUOTES}")
        if between or opened == "(":
            mark = (between or opened)[-1]
            return "close" if mark in _CLOSE_MARKS else "loose" if mark in _LINKING_MARKS or mark == "(" else ""
        word = self._words[last]
        if word in of.CLOSE_LINKS or word.endswith("'s"):
            return "close"
        return "loose" if word in of.LINKS else ""

    def _is_code(self, at: int, noun: str, last: int, link: str, found: str) -> bool:
        between = self._words[at + 1 : last + 1]
        is_next = not between and (not link or link == "close")
        link = link or ("close" if not between else "")
        if noun in of.LOCKS or noun in of.DEVICES:
            return self._opens_by(noun, between, found, link=link, gap=self._text[self._spans[at][1] :][:2])
        if not link or (between and between[-1] in of.NUMBERED and link != "close"):
            return False
        before = self._words[max(0, at - 6) : at]
        if before and before[-1] in of.HARMLESS_BEFORE and self._is_beside(at):
            return False
        if between and (between[0] in of.HARMLESS_BEHIND or (noun in ("pin", "pins") and between[0] in _VERB_OF_PIN)):
            return False
        is_year = bool(_YEAR.fullmatch(found))
        if is_year and (link != "close" or (is_next and noun in of.OPEN_TO_DOUBT)):
            return False
        numbered = any(map(str.isdigit, self._text[self._spans[at][1] : self._spans[last][1]]))
        if link == "loose" and numbered and (not between or between[-1] not in ("to", "now")):
            return False
        opens = of.OPENERS.isdisjoint(between) and not (before and before[-1] in of.OPENERS)
        if _ERROR_CODE.fullmatch(found) and opens:
            return False
        raw = self._text[slice(*self._spans[at])]
        if noun in of.SURE or raw in of.SURE_IN_CAPITALS:
            return True
        if noun in ("pin", "pins"):
            return len(found) >= _BARE
        opener = not of.OPENERS.isdisjoint(before) or not of.OPENERS.isdisjoint(between)
        if len(found) < _BARE and not (found[0].isalpha() or not of.OPENERS.isdisjoint(before)):
            return False
        return opener or self._is_somebodys(at, before, link)

    def _is_somebodys(self, at: int, before: list[str], link: str) -> bool:
        """Tell whether a bare "code" is somebody's, a service's, or one that is to be typed."""
        if not _GIVEN.isdisjoint(before):
            return True
        if link != "close" or not before:
            return False
        name = self._text[slice(*self._spans[at - 1])]
        return before[-1] in ("your", "her", "his", "their", "the") or (name[0].isupper() and len(name) > 2)

    def _is_beside(self, at: int) -> bool:
        return at > 0 and self._spans[at][0] - self._spans[at - 1][1] <= 1

    def _opens_by(self, lock: str, between: list[str], found: str, *, link: str, gap: str) -> bool:
        """Tell whether the thing called ``lock`` opens by the number, though nothing calls it a code."""
        digits = sum(map(str.isdigit, found))
        if digits > of.MOST_DIGITS_OF_LOCK or (len(found) < _BARE and lock not in _SHORT_CODES):
            return False
        if found[0].isalpha() and (digits < _FEWEST or (between and link != "close")):
            return "opens" in between or "unlocks" in between
        is_year = bool(_YEAR.fullmatch(found))
        if not between:
            if lock in of.SURE_LOCKS and not (is_year and lock == "safe"):
                return True
            is_label = gap.strip()[:1] in (":", "=", "→", "-", "—")
            if is_year:
                return is_label and lock in ("alarm", "keysafe", "lockbox", "keybox")
            return lock not in of.DEVICES and (is_label or len(found) >= _LONG_NUMBER)
        if lock in ("unlock", "lockscreen") and between == ["to"]:
            return True
        if is_year or (between[-1] in ("in", "to", "by") and len(between) == 1):
            return False
        if between == ["with"] and (lock in of.SURE_LOCKS or lock in of.DEVICES):
            return len(found) >= _BARE or lock in _SHORT_CODES
        if not _DOES.isdisjoint(between) and between[-1] in of.LOCK_VERBS:
            return True
        if lock in of.DEVICES or link != "close":
            return False
        return len(between) <= 3 and between[-1] not in of.NUMBERED and (between[-1] != "is" or len(between) == 1)

    def _is_typed(self, last: int, start: int, match: re.Match[str]) -> bool:
        """Tell whether the number is to be typed in, for something that wants a code."""
        typed = [self._words[at] for at in range(max(0, last - 3), last + 1)]
        if typed[-1] not in of.TYPED or of.TYPING.isdisjoint(typed) or len(match["secret"]) < _BARE:
            return False
        if start - self._spans[last][1] > 2 or _YEAR.fullmatch(match["secret"]):
            return False
        first = bisect_left(self._starts, match.end())
        around = self._last_words(start, 14)[:-1] + [self._words[at] for at in self._between(first, match.end())]
        if of.MONEY.isdisjoint(around) and any(word.startswith(of.ACTIONS) for word in around):
            return True
        return "#" in self._text[match.end() : match.end() + 24]

    def _between(self, first: int, end: int) -> range:
        """Give the words of the sentence behind a number."""
        stop = end + _REACH_BEHIND
        over = _SENTENCE_END.search(self._text, end, stop)
        line = self._text.find("\n", end, stop)
        stop = min(stop, over.start() if over else stop, line if line >= 0 else stop)
        return range(first, bisect_left(self._starts, stop, first, min(len(self._starts), first + _MOST_WORDS)))

    def _last_words(self, start: int, number: int) -> list[str]:
        """Give at most so many words of the line before a number."""
        begin = max(0, start - 96)
        begin = max(begin, self._text.rfind("\n", begin, start) + 1)
        last = bisect_left(self._starts, start)
        return [self._words[at] for at in range(max(0, last - number), last) if self._spans[at][0] >= begin]

    def _says_code(self, here: range, follow: list[str], *, is_marked: bool) -> bool:
        if not is_marked and follow[0] not in _SAYS and follow[0] not in ("your", "my", "the", "our"):
            return False
        for place, word in enumerate(follow[:8]):
            if word in of.SURE or word in of.OPEN_TO_DOUBT:
                if place + 1 < len(follow) and follow[place + 1] in of.HARMLESS_BEHIND:
                    return False
                if place and follow[place - 1] in of.HARMLESS_BEFORE:
                    return False
                is_sure = word in of.SURE or self._text[slice(*self._spans[here[place]])] in of.SURE_IN_CAPITALS
                return is_sure or not of.OPENERS.isdisjoint(follow[:place]) or word in ("pin", "combination")
            if word in _STOPS_BEHIND and place:
                return False
        return False


_NOUNS = of.SURE | of.OPEN_TO_DOUBT | of.LOCKS | of.DEVICES
_SHORT_CODES = words("lock lockbox padlock suitcase luggage keypad")
_VERB_OF_PIN = words("the a an it this that them version to on at your")
_GIVEN = words("enter use type send text give gives gave tell dial punch press got gets get has uses sent me")
_SAYS = words("is was are that's it's this as being for remains")
_DOES = of.LOCK_VERBS - words("for with by using to in has")
_OPENS = words("opens unlocks disarms")
_TO_OPEN = words("open unlock disarm enter verify confirm log sign turn get approve")
_STARTS_BEHIND = _SAYS | _OPENS | words("your my the our to gets lets turns works for on at into")


def _opens(follow: list[str]) -> bool:
    """Tell whether the words behind a number say that it opens something."""
    first, rest = follow[0], follow[1:]
    target = any(word.startswith(of.ACTIONS) for word in follow) or not of.OPENERS.isdisjoint(rest[:6])
    if first in _OPENS:
        return target
    if first == "to" and rest and rest[0] in _TO_OPEN:
        return target or rest[:2] == ["get", "in"]
    if first in ("gets", "lets", "turns", "works") and len(rest) > 1:
        return target or "in" in rest[:2]
    if first in ("for", "on", "at", "into") and len(rest) > 1 and rest[0] in ("the", "our", "my", "that", "your"):
        return not (of.LOCKS - words("lift alarm shed drawer")).isdisjoint(rest[1:3])
    return False


def _has_length_of_code(found: str) -> bool:
    digits = sum(map(str.isdigit, found))
    if found.count("-") > 1 and digits < len(found) - found.count("-"):
        return True  # groups of capitals and digits
    return (_FEWEST <= digits <= _MOST or (found[0].isalpha() and digits >= 2)) and not _DATED.fullmatch(found)


def _counts(text: str, end: int) -> bool:
    """Tell whether a number that ends there counts something."""
    match = _COUNTS.match(text, end)
    if match is None:
        return False
    word = (match["word"] or "").lower()
    if not word or word == "%" or word in of.COUNTED:
        return True
    return (
        len(word) > 2
        and word.endswith("s")
        and word not in of.NOT_COUNTED
        and match["word"].islower()
        and "'" not in word
    )


def _siblings(text: str, candidates: list[re.Match[str]], taken: set[int]) -> set[int]:
    """Give the numbers of the same shape that stand in a list, or a sentence, with one that is a code."""
    more: set[int] = set()
    for index in taken:
        for step in (1, -1):
            other = index + step
            while 0 <= other < len(candidates) and other not in taken and other not in more:
                left, right = sorted((candidates[other - step], candidates[other]), key=lambda one: one.start())
                between = text[left.end() : right.start("secret")]
                if len(between) > _REACH or _shape(left["secret"]) != _shape(right["secret"]):
                    break
                if not _JOINS.fullmatch(between) or not _has_length_of_code(candidates[other]["secret"]):
                    break
                last = _WORD.findall(between)[-1:]
                if _counts(text, candidates[other].end()) or (
                    last and last[0].lower() in of.NUMBERED and not _CHANGES.search(between)
                ):
                    break
                more.add(other)
                other += step
    return more


def _shape(found: str) -> tuple[int, ...]:
    return tuple(map(len, found.strip("#*").replace("-", " ").split(" ")))

"""Secrets that answer a question: on the line below it, in what was copied from a chat or a transcript.

An answer is read as what follows the question's words after a colon.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, words
from nanobot_memory_plugins.redaction.rules.rule import Span

ANSWER_CUES = KeywordIndex(words("pass pw wifi wi-fi secret pin otp cvv code comb key token 密 口令 暗号 令牌 码 碼"))
"""The words of which one is in every question for a secret."""
# One of them, in the sentence that ends there.
_ASKS = lazy_re(
    r"(?i)(?:pass|pwd?(?![a-z])|wi-?fi|secret|(?<![a-z])(?:pin|otp|cvv)(?![a-z])|code|comb"
    r"|(?:api|access|wifi|wi-fi|licen[cs]e|security|secret)[ _-]?key|token"
    r"|密|口令|暗号|令牌|[验驗提][证證取]?[码碼])[^\n.!?。！？=:]{0,60}\Z"
)
_SENTENCE = lazy_re(r"[^\n.!?。！？]{0,80}\Z")
_REACH = 140
# The line that is answered: a question, or "they sent me a code".
_END = lazy_re(r"(?:[?？][^\n?？]{0,24}|(?:(?<=code)|(?<=码))[^\n0-9?？]{0,12})\n")
_IS_TOLD = lazy_re(r"[?？]|(?i:(?<![a-z])(?:sent|texted)(?![a-z]))|发")
# Who answers, and when: "> ", "[12:03] Ben: ", "A: ".
_SPEAKER = lazy_re(
    r"\s*(?:[>*-][ ]?){0,3}(?:[\[(][^\])\n]{1,24}[\])][ ]?)?(?:[^\s:：]{1,20}(?:[ ][^\s:：]{1,20}){0,2}[:：][ ]{1,2})?"
)
# How an answer may begin, and what none is.
_OPENING = lazy_re(
    r"(?i)\s*(?:(?:it['’]?s|it is|that['’]?s|got it|sure|yes|yeah|yep|ok(?:ay)?|here|try|的?是|好的?)(?![a-z])"
    r"[,.:，。：—-]?\s*){0,3}"
)
_WORD = lazy_re(r"[A-Za-z]*+(?![0-9])")
_NO_ANSWER = words(
    "no nope none nothing dunno sorry thanks thank please what which where when who maybe never always not forgot there"
    " forgotten later tomorrow today yesterday hello great really exactly perhaps both either neither anything"
    " something nobody only the in on very"
)
_LONGEST = 2_000


def find_answers(text: str, find: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    """Find what answers the questions of the folded ``text``; ``find`` gives the secrets of a text."""
    find = cache(find)
    for end in _END.finditer(text):
        first = max(0, end.start() - _REACH)
        if not _ASKS.search(text, first, end.start()):
            continue
        speaker = _SPEAKER.match(text, end.end())
        opening = _OPENING.match(text, speaker.end() if speaker else end.end())
        question = _SENTENCE.search(text, first, end.start())
        if opening is None or question is None or not _IS_TOLD.search(question.group() + end.group()):
            continue
        word, start = _WORD.match(text, opening.end()), opening.end()
        line = text[start : start + _LONGEST].partition("\n")[0]
        if word is not None and word.group().lower() in _NO_ANSWER:
            continue
        before = f"{question.group()}: "
        for span in find(before + line):
            if span.start >= len(before):
                shift = start - len(before)
                yield span._replace(start=span.start + shift, end=span.end + shift)

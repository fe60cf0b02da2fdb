"""Secrets across turns: the answer to a question for a secret, and secrets that were given earlier.

In text copied from a chat, the answer is on the line below its question. It is checked as if it followed the words of
the question after a colon.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import words
from nanobot_memory_plugins.redaction.rules.rule import CONTACT_PLACEHOLDERS, REDACTED
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, looks_random

# A shorter value is not hidden in the rest of a conversation, where it may mean something else.
_SHORTEST_SECRET, _SHORTEST_LASTING, _LONGEST_READ, _QUESTION_TAIL = 4, 6, 2_000, 300

# A word for a secret near the end of a sentence.
_SECRET_QUESTION = lazy_re(
    r"(?i)(?:pass|pwd?(?![a-z])|wi-?fi|secret|(?<![a-z])(?:pin|otp|cvv)(?![a-z])|code|comb"
    r"|(?:api|access|wifi|wi-fi|licen[cs]e|security|secret)[ _-]?key|token"
    r"|密|口令|暗号|令牌|[验驗提][证證取]?[码碼])[^=:]{0,60}\Z"
)
# The end of a sentence.
_SENTENCE_END = lazy_re(r"[\n.!?。！？]")
_REACH = 80
# The end of the line before an answer: a question, or "they sent me a code".
_QUESTION_END = lazy_re(r"(?:[?？][^\n?？]{0,24}|(?:(?<=code)|(?<=码))[^\n0-9?？]{0,12})\n")
_QUESTION_OR_SENDING = lazy_re(r"[?？]|(?i:(?<![a-z])(?:sent|texted)(?![a-z]))|发")
# The speaker and time of an answer ("> ", "[12:03] Ben: ", "A: "), its opening words, and its first word.
_ANSWER = lazy_re(
    r"(?i)(?>\s*(?:[>*-][ ]?){0,3}(?:[\[(][^\])\n]{1,24}[\])][ ]?)?"
    r"(?:[^\s:：]{1,20}(?:[ ][^\s:：]{1,20}){0,2}[:：][ ]{1,2})?"
    r"\s*(?:(?:it['’]?s|it is|that['’]?s|got it|sure|yes|yeah|yep|ok(?:ay)?|here|try|的?是|好的?)(?![a-z])"
    r"[,.:，。：—-]?\s*){0,3})(?!\Z|[^\n]{0,80}(?:[?？]|code|码)\n)(?P<word>[a-z]*+(?![0-9])|)"
)
# Words that no answer begins with.
_NOT_ANSWERS = words(
    "no nope none nothing dunno sorry thanks thank please what which where when who maybe never always not forgot there"
    " forgotten later tomorrow today yesterday hello great really exactly perhaps both either neither anything"
    " something nobody only the in on very"
)
_DROPPED_CHARACTER = "\u200b"


def hide_answer(question: str, answer: str) -> str:
    """Return ``answer`` without the secret that ``question``, the message before it, asks for.

    A long message is not treated as an answer.
    """
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor  # it imports this module

    if len(answer) > _LONGEST_READ or not question.rstrip(" \n\"'”’)*").endswith(("?", "？")):
        return answer
    before = f"{question.rstrip()[-_QUESTION_TAIL:]}\n"
    for one in reversed(Redactor().findings(before + answer)):
        if one.start >= len(before) and one.placeholder not in CONTACT_PLACEHOLDERS:
            start, end = one.start - len(before), one.end - len(before)
            answer = answer[:start] + one.placeholder + answer[end:]
    return answer


@lru_cache(maxsize=512)
def secrets_in(text: str) -> tuple[str, ...]:
    """Return the secret values in a message, the longest first; of a long message only those at its beginning."""
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor  # it imports this module

    text = text[:_LONGEST_READ]
    values = {text[one.start : one.end] for one in Redactor().findings(text) if one.placeholder == REDACTED}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=len, reverse=True))


def is_lasting_secret(value: str) -> bool:
    """Return whether a value is hidden wherever it occurs again in the same conversation."""
    return len(value) >= _SHORTEST_LASTING and (
        any(map(str.isdigit, value)) or has_password_marks(value) or looks_random(value)
    )


def hide_values(text: str, values: Iterable[str]) -> str:
    """Return ``text`` with each of ``values`` hidden where it occurs as a whole word."""
    for value in values:
        if value in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", REDACTED, text)
    return text


def join_answers(text: str) -> str:
    """Return the questions for a secret in the folded ``text``, each with a colon and the line that answers it.

    Every character keeps its position: the text between is replaced with characters that folding removes.
    """
    pieces: list[str] = []
    at = 0
    for end in _QUESTION_END.finditer(text):
        question = _SENTENCE_END.split(text[max(at, end.start() - _REACH) : end.start()])[-1]
        if not (_SECRET_QUESTION.search(question) and _QUESTION_OR_SENDING.search(question + end.group())):
            continue
        answer = _ANSWER.match(text, end.end())
        if answer is not None and answer["word"].lower() not in _NOT_ANSWERS:
            start, gap = answer.start("word"), answer.start("word") - end.start()
            before = _DROPPED_CHARACTER * (end.start() - len(question) - at)
            at = text.find("\n", start) + 1 or len(text)
            pieces += before, question, ": "[:gap].ljust(gap, _DROPPED_CHARACTER), text[start:at]
    return "".join(pieces)

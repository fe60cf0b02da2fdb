"""Secrets that answer a question: on the line below it, in what was copied from a chat or a transcript.

An answer is read as what follows the question's words after a colon.
"""

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import words

# A word for a secret, near the end of a sentence.
_ASKS = lazy_re(
    r"(?i)(?:pass|pwd?(?![a-z])|wi-?fi|secret|(?<![a-z])(?:pin|otp|cvv)(?![a-z])|code|comb"
    r"|(?:api|access|wifi|wi-fi|licen[cs]e|security|secret)[ _-]?key|token"
    r"|密|口令|暗号|令牌|[验驗提][证證取]?[码碼])[^=:]{0,60}\Z"
)
# What ends one.
_SENTENCE_END = lazy_re(r"[\n.!?。！？]")
_REACH = 80
# The line that is answered: a question, or "they sent me a code".
_END = lazy_re(r"(?:[?？][^\n?？]{0,24}|(?:(?<=code)|(?<=码))[^\n0-9?？]{0,12})\n")
_IS_TOLD = lazy_re(r"[?？]|(?i:(?<![a-z])(?:sent|texted)(?![a-z]))|发")
# Who answers, and when ("> ", "[12:03] Ben: ", "A: "), how an answer may begin, and its first word: no other question.
_ANSWER = lazy_re(
    r"(?i)(?>\s*(?:[>*-][ ]?){0,3}(?:[\[(][^\])\n]{1,24}[\])][ ]?)?"
    r"(?:[^\s:：]{1,20}(?:[ ][^\s:：]{1,20}){0,2}[:：][ ]{1,2})?"
    r"\s*(?:(?:it['’]?s|it is|that['’]?s|got it|sure|yes|yeah|yep|ok(?:ay)?|here|try|的?是|好的?)(?![a-z])"
    r"[,.:，。：—-]?\s*){0,3})(?!\Z|[^\n]{0,80}(?:[?？]|code|码)\n)(?P<word>[a-z]*+(?![0-9])|)"
)
# What no answer begins with.
_NO_ANSWER = words(
    "no nope none nothing dunno sorry thanks thank please what which where when who maybe never always not forgot there"
    " forgotten later tomorrow today yesterday hello great really exactly perhaps both either neither anything"
    " something nobody only the in on very"
)
_DROPPED = "\u200b"


def joined_to_answers(text: str) -> str:
    """Give of the folded ``text`` the questions for a secret, each with a colon and the line that answers it.

    Every character stays at its place: what stood between becomes characters that folding drops.
    """
    pieces: list[str] = []
    at = 0
    for end in _END.finditer(text):
        question = _SENTENCE_END.split(text[max(at, end.start() - _REACH) : end.start()])[-1]
        if not (_ASKS.search(question) and _IS_TOLD.search(question + end.group())):
            continue
        answer = _ANSWER.match(text, end.end())
        if answer is not None and answer["word"].lower() not in _NO_ANSWER:
            start, gap = answer.start("word"), answer.start("word") - end.start()
            before = _DROPPED * (end.start() - len(question) - at)
            at = text.find("\n", start) + 1 or len(text)
            pieces += before, question, ": "[:gap].ljust(gap, _DROPPED), text[start:at]
    return "".join(pieces)

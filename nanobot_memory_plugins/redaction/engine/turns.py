"""Secrets that take several turns: asked for and answered, given earlier, or cut over two results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from nanobot_memory_plugins.redaction.rules.keyword_index import words
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER, REDACTED
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random

_TAIL = 300
# A question about a secret, to the end of what was said.
_ASKS = lazy_re(
    r"(?i)(?:(?<![a-z])(?P<word>pass[ -]?(?:word|phrase|code)|pw|pwd|wi-?fi|(?:security|secret)[ ](?:question|answer))"
    r"|(?<![a-z])(?<!error )(?<!zip )(?<!postal )(?<!area )(?<!status )(?<!promo )(?<!source )(?<!country )(?<!qr )"
    r"(?P<code>pin|code|combination|combo|otp|cvv)"
    r"|(?<![a-z])(?<!public )(?<!primary )(?P<key>(?:api[ ]|secret[ ]|access[ ]|private[ ])?(?:key|token)|secret)"
    r"|(?P<chinese>[密验驗校提][码碼证證取]码?|口令|暗号|密[钥鑰]|令牌))(?![a-z])[^\n?？=:]{0,60}[?？][\"'”’)*]{0,2}\Z"
)
_ANSWER = lazy_re(
    r"\s*(?:(?:it['’]?s|it is|that['’]?s|sure|yes|ok|okay|here|try|的?是|好的?)[,.:，。：—-]? {0,2}){0,3}[\"'`*]{0,2}"
    r"(?P<secret>[!-~]{3,128}?)[\"'`*]{0,2}(?=\s*(?:[.!,;，。！)]?\s*(?:\n|\Z)|[,.，。！!;] |[，。；！]))",
    re.IGNORECASE,
)
_DIGITS = lazy_re(r"[0-9#*][0-9 #*-]{1,11}[0-9#*]?")
_WORD = lazy_re(r"[A-Za-z]{5,24}|[a-z]{3,12}(?:[-_.][a-z]{3,12}){1,7}")
_NO_ANSWER = words(
    "yes yeah nope none nothing dunno sorry thanks thank please what which where when maybe never always unknown"
    " forgot forgotten wrong right correct there here sure okay later tomorrow today hello great really exactly"
    " perhaps both either neither anything something nobody hidden secret password token required optional invalid"
    " expired null empty error"
)
# What stays a secret for all of a conversation: a word, or a number of fewer digits, is something else by then.
_SHORTEST_SECRET, _SHORTEST_LASTING, _LONGEST_READ = 4, 6, 2_000
# The run of a token at the end of one text, and at the beginning of the next; a longer one is none.
_RUN = re.compile(r"[A-Za-z0-9+/=_.~-]{4,400}")
_LONGEST_RUN = 400
_ENDS_IN_PLACEHOLDER = re.compile(rf"{PLACEHOLDER.pattern}\Z")


def hide_answer(question: str, answer: str) -> str:
    """Return ``answer`` with a placeholder for the secret that ``question``, the message before it, asks for.

    A long message is no answer.
    """
    asked = _ASKS.search(question.rstrip()[-_TAIL:]) if len(answer) <= _LONGEST_READ else None
    found = _ANSWER.match(answer) if asked else None
    if asked is None or found is None or not _is_answer(asked, found["secret"]):
        return answer
    return f"{answer[: found.start('secret')]}{REDACTED}{answer[found.end('secret') :]}"


def _is_answer(asked: re.Match[str], found: str) -> bool:
    if _DIGITS.fullmatch(found):
        return asked["key"] is None and sum(map(str.isdigit, found)) >= 3
    word = found.lower().strip(".,!")
    if is_placeholder(found) or word in _NO_ANSWER or word.endswith("ly") or "://" in found:
        return False
    if has_password_marks(found) or looks_random(found, allow_hex=True):
        return True
    if asked["code"]:
        return len(found) <= 10 and any(map(str.isdigit, found)) and found.isalnum()
    return not asked["key"] and bool(_WORD.fullmatch(found))


@lru_cache(maxsize=512)
def secrets_in(text: str) -> tuple[str, ...]:
    """Return the secret values in a message, the longest first; of a long message only those of its beginning."""
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor  # which walks values by this module

    text = text[:_LONGEST_READ]
    values = {text[one.start : one.end] for one in Redactor().findings(text) if one.placeholder == REDACTED}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=len, reverse=True))


def is_lasting_secret(value: str) -> bool:
    """Return whether a value stays secret wherever it occurs in the same conversation."""
    return len(value) >= _SHORTEST_LASTING and (
        any(map(str.isdigit, value)) or has_password_marks(value) or looks_random(value)
    )


def hide_values(text: str, values: Iterable[str]) -> str:
    """Return a text without these values, where each occurs as a whole word."""
    for value in values:
        if value in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", REDACTED, text)
    return text


def last_run(text: str) -> str:
    """Return the run of characters of a token with which a text ends, or nothing."""
    backwards = _RUN.match(text[: -_LONGEST_RUN - 1 : -1])
    return backwards.group()[::-1] if backwards else ""


def without_token_end(before: str, text: str, redact: Callable[[str], str]) -> str:
    """Return ``text`` without the rest of a token that began in ``before``, the run with which another text ended."""
    first = _RUN.match(text) if before else None
    if first is None:
        return text
    whole = redact(before + first.group())
    if (whole.startswith(before) and first.group() in whole) or not _ENDS_IN_PLACEHOLDER.search(whole):
        return text  # nothing of it is hidden
    return f"{REDACTED}{text[first.end() :]}"

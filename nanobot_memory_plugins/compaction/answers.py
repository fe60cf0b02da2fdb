"""Telling a usable summary from what a model answers otherwise."""

import re
from collections.abc import Sequence

from nanobot_memory_plugins.compaction.excerpts import tidy
from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.evidence import Evidence, is_no_reply, is_refusal, terms, without_thoughts
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# An answer is junk when fewer of its terms than this occur in what it was made of.
_GROUNDED_SHARE = 0.2
# An answer is an echo when more of its characters than this are whole lines of the prompt.
_ECHO_SHARE = 0.7
# An answer that repeats itself has fewer different lines, or words, than this share of them.
_DIFFERENT_LINES = 0.4
_DIFFERENT_WORDS = 0.15
# The shortest answers: for a long text, and for any.
_SHORTEST_TOKENS = 12
_LONG_TEXT_TOKENS = 400
_SHORTEST_CHARS = 8
# A longer answer says something, also where it says these words.
_LONGEST_REFUSAL = 150

_FENCE = re.compile(r"\A```[a-z]*\n(.*?)(?:\n```\s*)?\Z", re.DOTALL)
_LEAD = re.compile(
    r"\A(?:sure|certainly|of course|okay|ok|here (?:is|are)|below (?:is|are)|好的|当然|以下是|下面是|这是)"
    r"[^\n]{0,120}[:：.。!！]\s*\n",
    re.IGNORECASE,
)
_DATA = re.compile(r"\A\s*(?:\{|\[\s*[{\"\[]|<\?xml|<html|<!doctype)", re.IGNORECASE)
_SPEAKER = re.compile(r"(?:user|assistant|tool)\b")
_HAN_RUN = re.compile("[\u3400-\u9fff]+")
_LATIN_WORD = re.compile(r"[a-z0-9][a-z0-9_-]+", re.IGNORECASE)


def clean(answer: str) -> str:
    """Return an answer without thoughts, code fence and phrases before it."""
    text = without_thoughts(tidy(answer))
    fenced = _FENCE.match(text)
    text = (fenced[1] if fenced else text).strip()
    lead = _LEAD.match(simplified(text))
    return text[lead.end() if lead else 0 :].strip()


def fault(answer: str, *, source: str, prompt: Sequence[str]) -> str:
    """Return what is wrong with a cleaned answer in one or two words; nothing when it can be used.

    ``source`` is everything that it was made of: the text and the earlier summary; ``prompt`` is what is in each
    prompt.
    """
    if not answer:
        return "empty"
    is_short = estimate_tokens(answer) < _LONGEST_REFUSAL
    if len(answer) < _SHORTEST_CHARS or (is_short and is_no_reply(answer)):
        return "nothing in it"
    if is_short and is_refusal(answer):
        return "refusal"
    if _DATA.match(answer):
        return "data, not text"
    if estimate_tokens(answer) < _SHORTEST_TOKENS and estimate_tokens(source) > _LONG_TEXT_TOKENS:
        return "too short"
    if _is_echo(answer, source, prompt):
        return "echo"
    if _repeats_itself(answer):
        return "repetition"
    if not _is_grounded(answer, source, prompt):
        return "not about the conversation"
    return ""


def _is_echo(answer: str, source: str, prompt: Sequence[str]) -> bool:
    if any(sentence.strip()[:60] in answer for sentence in prompt):
        return True
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    # The lines of an earlier summary may occur again; what was said, with who said it, may not.
    spoken = [line for line in lines if _SPEAKER.match(line)]
    if not spoken:
        return False
    given = {line.strip() for line in source.splitlines()}
    return sum(len(line) for line in spoken if line in given) > _ECHO_SHARE * sum(map(len, lines))


def _repeats_itself(answer: str) -> bool:
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if len(lines) >= 6 and len(set(lines)) < _DIFFERENT_LINES * len(lines):
        return True
    words = _words(answer)
    return len(words) >= 40 and len(set(words)) < _DIFFERENT_WORDS * len(words)


def _is_grounded(answer: str, source: str, prompt: Sequence[str]) -> bool:
    """Return whether enough of what an answer is about occurs in the source.

    What the prompt asks for by name is in any answer, and does not count.
    """
    asked = terms(answer).difference(*map(terms, prompt))
    known = sum(map(Evidence([source]).holds, asked))
    return known > 0 and known >= _GROUNDED_SHARE * len(asked)


def _words(text: str) -> list[str]:
    """Return Latin words and pairs of Chinese characters, lower case."""
    words = [word.lower() for word in _LATIN_WORD.findall(text)]
    for run in _HAN_RUN.findall(simplified(text)):
        words += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return words

"""Codes that are all of a turn: a dialogue speaks of a code, and some turns later one says nothing but a number."""

from __future__ import annotations

from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.sentence_values import told_span

_CUES = KeywordIndex(words("code pin passcode otp 码 combination combo screen"))
_ASKED = lazy_re(
    r"(?i)(?<![a-z_])(?<!error )(?<!zip )(?<!postal )(?<!area )(?<!status )(?<!promo )(?<!dress )(?<!source )(?<!qr )"
    r"(?:code|pin|passcode|otp|combination|combo|number[ ]on[ ](?:the|your)[ ]screen)(?![a-z_])"
    r"|验证码|驗證碼|密码|密碼|取件码|门禁码"
)
_ASKS = lazy_re(
    r"(?i)[?？]|(?<![a-z])(?:get|got|send|sent|need|remember|enter|provide|type|tell|give"
    r"|what)(?![a-z])|多少|发|給|给|输入|記|记"
)
_TURN = lazy_re(r"[ \t]{0,4}(?P<who>>|[-–—][ ]|\[[^\]\n]{1,30}\]|[^\W\d_][^\n:：_=]{0,24}[:：])?[ \t]*(?P<said>[^\n]*)")
_ALONE = lazy_re(
    r"(?i)(?:(?:yes|yep|ok|okay|sure|here|it['’]?s|is)[,:]?[ ]){0,2}(?P<secret>[A-Z]-[0-9]{4,8}"
    r"|[0-9]{3}[- ][0-9]{3}|[0-9]{1,2}(?:-[0-9]{1,2}){2,3}|[#*]?[0-9]{4,8}[#*]?)"
    r"(?=[ ]*(?:[.!,]|\Z|and[ ]))"
)
_YEAR = lazy_re(r"(?:19|20)[0-9]{2}")
_BACK, _LONGEST, _FEWEST_TURNS = 4, 90, 3


def find_lone_answers(text: str, lower: Lowered) -> Iterator[Span]:
    """Find codes that are a turn of their own in the folded ``text``; ``lower`` is the same in lower case."""
    if text.count("\n") < _FEWEST_TURNS - 1 or not _CUES.meets(lower):
        return
    at = 0
    before: list[tuple[bool, bool]] = []  # whether a line names who speaks, and whether it speaks of a code
    for line in text.split("\n"):
        begin, at = at, at + len(line) + 1
        turn = _TURN.match(line)
        said = turn["said"] if turn else ""
        is_turn = bool(turn and turn["who"])
        answer = _ALONE.match(said) if len(line) <= _LONGEST else None
        recent = before[-_BACK:]
        if answer is not None and turn is not None and not _YEAR.fullmatch(answer["secret"]):
            speakers = sum(one for one, _ in recent) + is_turn
            if speakers >= _FEWEST_TURNS - 1 and any(asked for _, asked in recent):
                start = begin + turn.start("said")
                yield told_span(start + answer.start("secret"), start + answer.end("secret"))
        before.append((is_turn, len(line) <= _LONGEST and bool(_ASKED.search(line) and _ASKS.search(line))))

"""Secrets on the lines below one that announces them: backup codes, seed words, a password below its label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nanobot_memory_plugins.redaction.detectors.password_contexts import looks_told
from nanobot_memory_plugins.redaction.rules.effort import count_value
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.sentence_values import told_span
from nanobot_memory_plugins.redaction.values.value_shapes import looks_random

_PASSWORD = words(
    "password passphrase passwd passcode passwort kennwort wachtwoord contrase\u00f1a pw 密码 口令 密钥 令牌"
)
_CODES = {
    f"{kind} {what}"
    for kind in ("backup", "recovery", "rescue", "scratch", "emergency", "verification", "2fa", "one-time", "login")
    for what in ("code", "key", "phrase", "word", "sheet", "card", "kit", "list")
} | words("备用码 恢复码 备份码 救援码 备用验证码 一次性密码")
_WORDS = words(
    "mnemonic seed metamask ledger trezor wallet phantom electrum exodus phrase 助记词 恢复短语 钱包 种子词"
) | {"12 words", "24 words", "twelve words", "these words", "write these down"}
_NUMBERS = {
    "identification number",
    "your pin",
    "new pin",
    "security code",
    "access code",
    "your code",
    "the code",
    "this code",
    "following code",
    "login code",
}
_SPACED = lazy_re(
    r"[0-9](?:[ ][0-9]){3,7}|[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|(?=[A-Z-]{0,4}[0-9])[A-Z0-9]{3,4}-[A-Z0-9]{3,4}"
)
_CUES = KeywordIndex(_PASSWORD | _CODES | _WORDS | _NUMBERS)
_LONGEST_HEAD, _LONGEST_LABEL, _MOST_LINES = 160, 60, 26
_LINE = lazy_re(r"[ \t>|]{0,8}(?:[-*•☐]|[0-9]{1,2}[.):]|\[[ x]\])?[ \t]*(?P<text>[^\n]*?)[ \t]*(?:\r?\n|\Z)")
_NUMBERED_WORDS = lazy_re(
    r"(?:[0-9]{1,2}[.):]?[ \t]{0,3})?[a-z]{3,8}(?:[ \t,;|]{1,6}(?:[0-9]{1,2}[.):]?[ \t]{0,3})?[a-z]{3,8}){0,23}"
)
_WORD = lazy_re(r"[a-z]{3,8}")
_GROUP = r"[A-Za-z0-9]{3,12}(?:[ -][A-Za-z0-9]{3,12}){0,5}"
_GROUPS = lazy_re(rf"{_GROUP}(?:[ \t,;|]{{1,6}}{_GROUP}){{0,3}}")
# A sentence between the head and what it announces.
_PROSE_LINE = lazy_re(r"(?:[ \t]*\r?\n)?[A-Z\u4e00-\u9fff](?=[^\n]{0,100}[ ，])[^\n]{10,110}[.:。：][ \t]*\r?\n")
_PROSE = words("the and are for with from was were not but its this that you your they have has had into will can all")
_SIZES = frozenset({12, 15, 18, 21, 24})
_FEWEST_CODES = 2


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def find_announced(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets below lines of the folded ``text`` that announce them; ``lower`` is the same in lower case."""
    if "\n" not in text or not _CUES.meets(lower):
        return
    done = 0
    for start, end, word in _CUES.find(text, lower):
        if start < done:
            continue
        head_end = text.find("\n", end)
        if head_end < 0:
            return
        head_start = text.rfind("\n", max(0, start - _LONGEST_HEAD), start) + 1
        head = text[max(head_start, start - _LONGEST_HEAD) : head_end].rstrip()
        done = head_end
        if len(head) > _LONGEST_HEAD or not (head.endswith((":", "：", "-", ")")) or len(head) <= _LONGEST_LABEL):
            continue
        first = next(iter(_lines_below(text, head_end + 1, 1)), None)
        if first is None:
            continue
        if word in _WORDS or word in _CODES:
            if _NUMBERED_WORDS.fullmatch(first.text) or _GROUPS.fullmatch(first.text):
                lines = _lines_below(text, head_end + 1, _MOST_LINES)
                count_value(
                    sum(len(line.text) for line in lines)
                )  # where every line is a head, each reads the next ones
                yield from _judge_words(lines)
                yield from _judge_codes(lines)
        elif (head.endswith((":", "：")) and " " not in first.text and looks_told(first.text)) or (
            word in _NUMBERS and _SPACED.fullmatch(first.text)
        ):
            yield told_span(first.start, first.end)


def _lines_below(text: str, at: int, most: int) -> list[_Line]:
    """Give the first lines of the block at ``at``, one empty line before it at most, without their bullets."""
    lines: list[_Line] = []
    first = True
    prose = _PROSE_LINE.match(text, at)
    at = prose.end() if prose else at
    while at < len(text) and len(lines) < most:
        match = _LINE.match(text, at)
        if match is None or match.end() == at:
            break
        at = match.end()
        if match["text"]:
            lines.append(_Line(*match.span("text"), match["text"]))
            if most > 1 and not (_NUMBERED_WORDS.fullmatch(match["text"]) or _GROUPS.fullmatch(match["text"])):
                break
        elif not first:
            break
        first = False
    return lines


def _judge_words(lines: list[_Line]) -> Iterator[Span]:
    """Find the words of a wallet, where there are as many as wallets have."""
    met: list[_Line] = []
    for line in lines:
        if not _NUMBERED_WORDS.fullmatch(line.text):
            break
        met.append(line)
    found = [word for line in met for word in _WORD.findall(line.text)]
    if len(found) in _SIZES and _PROSE.isdisjoint(found):
        yield told_span(met[0].start, met[-1].end)


def _judge_codes(lines: list[_Line]) -> Iterator[Span]:
    """Find codes for the day on which all else is lost: lines of one shape."""
    met: list[_Line] = []
    for line in lines:
        if not _GROUPS.fullmatch(line.text) or (met and _shape(line.text) != _shape(met[0].text)):
            break
        met.append(line)
    if len(met) >= _FEWEST_CODES and _are_codes([line.text for line in met]):
        for line in met:
            yield told_span(line.start, line.end)


def _shape(found: str) -> tuple[int, ...]:
    return tuple(map(len, re.split(r"[ ,;|-]+", found)))


def _are_codes(lines: list[str]) -> bool:
    """Tell whether lines of one shape are codes, and no words or dates."""
    digits = sum(any(map(str.isdigit, line)) for line in lines)
    joined = "".join(char for line in lines for char in line if char.isalnum())
    return digits * 2 > len(lines) and (looks_random(joined) or joined.isdigit() or digits == len(lines))

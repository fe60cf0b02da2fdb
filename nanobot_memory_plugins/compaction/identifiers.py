"""Identifiers that users stated and a model's summary lacks, as lines ``name: value``.

A value is what nobody can say in other words: an address, a path, a number that names something. Its name is what the
user's own clause says before it. What is asked, denied, guessed, supposed, reported or over gives none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.compaction.excerpts import tidy
from nanobot_memory_plugins.compaction.identifier_shapes import (
    ABOUT_THE_ASSISTANT,
    AMOUNT,
    BREAK,
    COPULA,
    CORRECTS,
    DIGITS,
    ENDS,
    JOINED,
    LEAD,
    MAY_HAVE_ONE,
    NAMED,
    OVER,
    PRONOUN,
    VALUE,
)
from nanobot_memory_plugins.core import Language, Message, estimate_tokens
from nanobot_memory_plugins.core.text import Act, Clause, authored_text, fold, reading_of

MOST_LINES = 10
HEADING: dict[Language, str] = {"en": "Identifiers that the user gave:", "zh": "用户给出的标识："}
# Of a history the newest messages are read; of each its beginning.
_READ_CHARS, _MESSAGE_CHARS = 8_000, 2_000
_LONGEST_NAME, _NAME_WORDS = 40, 6


@dataclass(frozen=True, slots=True)
class Identifier:
    """A value of message ``index`` and its name, as the user wrote both."""

    name: str
    value: str
    kind: str
    index: int


def missing_identifiers(
    messages: Sequence[Message],
    *,
    summary: str,
    limit: int,
    language: Language,
    earlier: str = "",
    redact: Callable[[str], str] = str,
) -> str:
    """Return lines of what users named and a ``summary`` lacks, at most ``limit`` tokens; of more the newest.

    What stands in the ``earlier`` summary is read as if it had been said first. What ``redact`` hides gives no line.
    """
    said = summary.translate(_NO_MARKUP)
    lacking = [one for one in identifiers(messages, earlier=earlier) if not _is_in(one, said)]
    chosen: list[str] = []
    left = limit - estimate_tokens(HEADING[language]) - 1
    for one in reversed(lacking):
        line = f"- {one.name}: {one.value}"
        if redact(line) != line:
            continue
        left -= estimate_tokens(line) + 1
        if left < 0 or len(chosen) == MOST_LINES:
            break
        chosen.append(line)
    return "\n".join([HEADING[language], *reversed(chosen)]) if chosen else ""


_NO_MARKUP = str.maketrans(dict.fromkeys("*`", ""))


def identifiers(messages: Sequence[Message], *, earlier: str = "") -> list[Identifier]:
    """Return what users named, each name with its last value, in the order in which it was said."""
    found: list[Identifier] = []
    for index, text in _texts(messages, earlier):
        for one in _of_text(text, index):
            same = _replaced(found, one, corrects=CORRECTS.search(fold(text).lstrip()) is not None)
            if same is not None:
                found.remove(same)
                one = one if one.name else Identifier(same.name, one.value, one.kind, index)
            if one.name:
                found.append(one)
    return found


def _texts(messages: Sequence[Message], earlier: str) -> Iterator[tuple[int, str]]:
    """Yield the texts that may hold an identifier, in their order; of too many the newest."""
    chosen: list[tuple[int, str]] = []
    left = _READ_CHARS
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.role != "user" or not MAY_HAVE_ONE.search(message.text[: 4 * _MESSAGE_CHARS]):
            continue
        text = tidy(authored_text(message)[:_MESSAGE_CHARS])
        left -= len(text)
        if left < 0:
            break
        chosen.append((index, text))
    if earlier:
        yield -1, tidy(earlier).translate(_NO_MARKUP)
    yield from reversed(chosen)


def _of_text(text: str, index: int) -> Iterator[Identifier]:
    for sentence in reading_of(text).sentences:
        if not MAY_HAVE_ONE.search(sentence.text):
            continue
        for clause in sentence.clauses:
            if clause.act is Act.STATES and MAY_HAVE_ONE.search(clause.text) and not _denies(clause):
                yield from _of_clause(clause.text, index)


def _denies(clause: Clause) -> bool:
    return clause.denies and not CORRECTS.match(fold(clause.text))


def _of_clause(text: str, index: int) -> Iterator[Identifier]:
    end = 0
    for match in VALUE.finditer(text):
        before, begin = text[end : match.start()], match.start()
        end = match.end()
        kind, value = match.lastgroup or "", match[0].rstrip(".,:;!?。，")
        folded = _folded(before)
        named = NAMED.search(folded)
        is_sure = kind in ("url", "mail", "path", "host", "phone") or (kind == "code" and _is_long(value))
        if OVER.search(folded) or ABOUT_THE_ASSISTANT.search(folded):
            continue
        if not is_sure and not (named or PRONOUN.fullmatch(_bare(folded))):
            continue
        if not is_sure and not ENDS.match(text, begin + len(value)):
            continue
        yield Identifier(_name(before, folded, named), value, kind, index)


def _is_long(code: str) -> bool:
    return len(code) >= 5 and len(DIGITS.compiled.findall(code)) >= 3 and not AMOUNT.fullmatch(code)


def _folded(before: str) -> str:
    """Return what stands before a value, behind the last comma, for comparing."""
    folded = fold(before)
    border = BREAK.match(folded)
    return folded[border.end() :] if border is not None else folded


def _bare(folded: str) -> str:
    """Return what names a value: without "is" behind it, and without "and the" before it."""
    copula = COPULA.search(folded)
    return LEAD.sub("", (folded[: copula.start()] if copula is not None else folded).strip())


def _name(before: str, folded: str, named: re.Match[str] | None) -> str:
    if named is not None and not (named["copula"] or named["copula_zh"]):
        start, bare = named.start(), named[0].strip(" #")
    else:
        bare = _bare(folded)
        start = folded.find(bare)
    written = before[len(before) - len(folded) :][start : start + len(bare)].strip(" \t\n\"'`([（")
    if not bare or PRONOUN.fullmatch(bare):
        return ""
    return " ".join(written.split()[-_NAME_WORDS:])[-_LONGEST_NAME:]


def _replaced(found: Iterable[Identifier], new: Identifier, *, corrects: bool) -> Identifier | None:
    """Return what was said before of the same name, or what a correction without a name takes the place of."""
    for one in reversed(list(found)):
        if one.index == new.index:
            if one.name == new.name and one.value == new.value:
                return one
            continue
        if one.kind == new.kind and (_same_name(one.name, new.name) or (not new.name and corrects)):
            return one
        if new.name and _same_name(one.name, new.name):
            return one
    return None


def _same_name(one: str, other: str) -> bool:
    return bool(other) and fold(one) == fold(other)


def _is_in(identifier: Identifier, summary: str) -> bool:
    """Return whether a summary has a value, or another one of the kind under the same name."""
    joined = JOINED.sub("", fold(summary))
    if JOINED.sub("", fold(identifier.value)) in joined:
        return True
    name = fold(identifier.name)
    word = name[-2:] if not name.isascii() else name.split()[-1]
    return any(
        match.lastgroup == identifier.kind
        for line in summary.splitlines()
        if word in fold(line)
        for match in VALUE.finditer(line)
    )

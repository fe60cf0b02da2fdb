"""What is kept when the model gives nothing usable: the conversation's own words, chosen by rules."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import islice

from nanobot_memory_plugins.core import Message, Note, Origin
from nanobot_memory_plugins.core.text.conversation import GAP, content_of
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.markdown import clean_markdown, one_line
from nanobot_memory_plugins.core.text.pasted import authored_text
from nanobot_memory_plugins.core.text.sentences import only_asks, sentences_of
from nanobot_memory_plugins.flush.preparing import hidden
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

TAGS = ("archive", "flush")

# A sentence is cut to this many characters; longer ones are logs and pasted files.
_SENTENCE_CHARS = 320
# Sentences that are looked at in one message, from its beginning and from its end.
_SENTENCES = 200
# Of the excerpts, the share that belongs to the user's words when the others fill their share.
_USERS_SHARE = 0.65
_TLDR_CHARS = 160

_WISH = re.compile(
    r"\b(decid\w*|prefer\w*|remember|always|never|must|should|want\w*|need\w*|choose|chose|chosen|use|using|agree\w*"
    r"|plan\w*|will|my name|i am|i'm|i live|i work|call me|like|love|hate|allerg\w*|deadline|important|todo|don'?t"
    r"|instead|because|fixed|solved|cause\w*|password|budget|birthday)\b"
    r"|决定|喜欢|偏好|记住|务必|必须|不要|别用|改用|使用|选择|选用|希望|想要|需要|计划|打算|我叫|我是|我住|我在|过敏|截止"
    r"|重要|待办|因为|原因|修复|解决|预算|生日|负责|讨厌|约定|要求",
    re.IGNORECASE,
)
_EXACT = re.compile(r"\d|[/\\][\w.-]+|\b[A-Z]{2,}\b|(?<!\w)\w+[_-]\w+|[\"“「『`]|@")
_MOST_EXACT = 3  # what counts at most
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_FILLER = re.compile(
    r"\W*(ok(ay)?|thanks?( you)?|yes|no|sure|great|fine|done|understood|got it|hello|hi"
    r"|好的?|谢谢|嗯|是的?|可以|明白|知道了|你好)\W*",
    re.IGNORECASE,
)

_TLDR = {"en": "Said before the history was cut: {text}", "zh": "历史压缩前的对话：{text}"}
_ROLES = {
    "en": {"assistant": "assistant", "tool": "tool"},
    "zh": {"assistant": "助手", "tool": "工具", "user": "用户"},
}
# Base weight of a sentence by who said it.
_WEIGHTS = {"user": 2.0, "assistant": 1.0, "tool": 0.2}
_QUESTIONS_COST = 1.0


@dataclass(frozen=True, slots=True)
class _Sentence:
    message: int
    place: int
    role: str
    text: str
    weight: float
    is_read: bool = False  # whether its weight knows that it only asks


def archive(messages: Sequence[Message], *, language: Language, chars: int) -> list[Note]:
    """Return the excerpts of a conversation as notes, the user's own words in one of their own.

    ``chars`` bounds them together. Texts must have been redacted: cutting first would leave pieces of secrets.
    """
    sentences = [one for index, message in enumerate(messages) for one in _sentences(index, message)]
    others = _best((one for one in sentences if one.role != "user"), chars)
    room = max(int(chars * _USERS_SHARE), chars - sum(len(one.text) for one in others))
    users = _best((one for one in sentences if one.role == "user"), room)
    others = _best(others, chars - sum(len(one.text) for one in users))
    notes = []
    if users:
        notes.append(_note(users, language, Origin.USER))
    if others:
        notes.append(_note(others, language, Origin.SUMMARY))
    return notes


def archive_whole(messages: Sequence[Message], *, language: Language, redact: Callable[[str], str]) -> list[Note]:
    """Return everything that was said as notes: for when there is no transcript that holds it.

    Each text is redacted before it is joined with others: the beginning of a line tells most.
    """
    parts: dict[Origin, list[str]] = {Origin.USER: [], Origin.SUMMARY: []}
    for message in messages:
        text = clean_markdown(content_of(message)).strip()
        if text and message.role != "system":
            # A user's message that holds somebody else's text is nobody's word as a whole.
            own = message.role == "user" and authored_text(message) == text
            role = _ROLES[language].get(message.role, message.role)
            safe = hidden(text, redact)
            parts[Origin.USER if own else Origin.SUMMARY].append(f"- {safe}" if own else f"- {role}: {safe}")
    return [
        Note(
            tldr=_tldr((line.removeprefix("- ") for line in lines), language),
            details="\n".join(lines),
            tags=TAGS,
            title="archive",
            origin=origin,
        )
        for origin, lines in parts.items()
        if lines
    ]


def _sentences(index: int, message: Message) -> list[_Sentence]:
    """Return the sentences of a message that say something, with their weights."""
    if message.role == "system":
        return []
    text = authored_text(message) if message.role == "user" else clean_markdown(content_of(message))
    parts = sentences_of(text)
    if len(parts) > 2 * _SENTENCES:
        parts = parts[:_SENTENCES] + parts[-_SENTENCES:]
    found = []
    for place, part in enumerate(parts):
        text = one_line(part)
        if len(text) > _SENTENCE_CHARS:
            half = (_SENTENCE_CHARS - len(GAP)) // 2
            text = text[:half] + GAP + text[-half:]
        if len(text) > 1 and not _FILLER.fullmatch(simplified(text)):
            found.append(_Sentence(index, place, message.role, text, _weight(message.role, text)))
    return found


def _weight(role: str, text: str) -> float:
    """Return what a sentence weighs by who said it and its words, questions not distinguished."""
    weight = _WEIGHTS.get(role, 0.5)
    weight += 3.0 if _WISH.search(simplified(text)) else 0.0
    weight += min(2.0, 0.7 * sum(1 for _ in islice(_EXACT.finditer(text), _MOST_EXACT)))
    weight += min(1.0, 0.5 * len(_NAME.findall(text)))
    return weight


def _best(sentences: Iterable[_Sentence], chars: int) -> list[_Sentence]:
    """Return the weightiest sentences within ``chars`` characters, in their order; the same words once.

    A question weighs less. Whether one is a question takes long to decide, and is asked of the weightiest alone, while
    there is room.
    """
    chosen: dict[str, _Sentence] = {}
    waiting = [(_rank(one), one) for one in sentences]
    heapify(waiting)
    while waiting:
        _, one = heappop(waiting)
        if one.text in chosen or len(one.text) + 3 > chars:
            continue
        if not one.is_read:
            one = replace(one, weight=one.weight - _QUESTIONS_COST * only_asks(one.text), is_read=True)
            heappush(waiting, (_rank(one), one))
            continue
        chosen[one.text] = one
        chars -= len(one.text) + 3
    return sorted(chosen.values(), key=lambda one: (one.message, one.place))


def _rank(sentence: _Sentence) -> tuple[float, int, int]:
    """Return what puts the weightiest first; of those that weigh the same, what was said last."""
    return (-sentence.weight, -sentence.message, sentence.place)


def _note(sentences: Sequence[_Sentence], language: Language, origin: Origin) -> Note:
    roles = _ROLES[language]
    lines = [
        f"- {one.text}" if origin is Origin.USER else f"- {roles.get(one.role, one.role)}: {one.text}"
        for one in sentences
    ]
    by_weight = sorted(sentences, key=lambda one: -one.weight)
    return Note(
        tldr=_tldr((one.text for one in by_weight), language),
        details="\n".join(lines),
        tags=TAGS,
        title="archive",
        origin=origin,
    )


def _tldr(texts: Iterable[str], language: Language) -> str:
    """Return one line that names the weightiest things said."""
    line = ""
    for text in texts:
        flat = one_line(text)
        if line and len(line) + len(flat) > _TLDR_CHARS:
            break
        line = f"{line} {flat}".strip()
    return _TLDR[language].replace("{text}", line[: 2 * _TLDR_CHARS])

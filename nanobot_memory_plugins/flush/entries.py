"""The answer of a silent turn as entries: read leniently, believed only as far as the conversation grounds it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import json_repair

from nanobot_memory_plugins.core import Message, NoteType
from nanobot_memory_plugins.core.text import (
    Evidence,
    QuotedConversation,
    Support,
    authored_text,
    clean_markdown,
    is_refusal,
    one_line,
    says_nothing,
    without_thoughts,
)
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Of an answer; a sensible one is a few thousand characters.
_ANSWER_CHARS = 40_000
_TLDR_CHARS = 300
_DETAILS_CHARS = 1_500
_TAGS, _TAG_CHARS = 8, 40
# Share of an entry's terms that must stand in the conversation. Paraphrases have well above it, inventions and random
# words below.
_GROUNDED_SHARE = 0.35
_QUOTES, _QUOTE_CHARS = 6, 1_000

_KEYS = {
    "tldr": (
        "tldr",
        "tl;dr",
        "tl_dr",
        "summary",
        "content",
        "text",
        "note",
        "fact",
        "statement",
        "摘要",
        "内容",
        "总结",
    ),
    "type": ("type", "kind", "category", "类型"),
    "tags": ("tags", "tag", "keywords", "topics", "标签"),
    "details": ("details", "detail", "reason", "why", "context", "description", "详情", "原因"),
    "quote": ("said", "quote", "quotes", "evidence", "source", "引用", "原文", "原话"),
}
_FIELD_OF = {name: field for field, names in _KEYS.items() for name in names}
_TYPE_WORDS = {
    NoteType.DECISION: ("decision", "decide", "preference", "prefer", "choice", "决定", "决策", "偏好", "选择"),
    NoteType.BUG: ("bug", "problem", "issue", "error", "fix", "问题", "错误", "修复"),
    NoteType.TODO: ("todo", "to-do", "to do", "task", "reminder", "待办", "任务", "提醒"),
    NoteType.IDEA: ("idea", "plan", "想法", "计划"),
    NoteType.CONFIG: ("config", "setting", "constraint", "requirement", "environment", "配置", "设置", "约束", "要求"),
}
_FENCE_LINE = re.compile(r"^[^\S\n]*+(?:`{3,}|~{3,})[\w-]*+[^\S\n]*+$", re.MULTILINE)
_JSON_START = re.compile(r"\[\s*[{\"\[]|\{\s*[\"'\w]")
_FIELD_LINE = re.compile(r"\s*(?:[-*]\s+)?\**([\w;]+)\**\s*[:：]\**\s*(.*)")
_BULLET = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)、])\s+(.*)")
_LABEL = re.compile(r"\**([\w\u4e00-\u9fff]{2,12})\**\s*[:：]\**\s*(.+)", re.DOTALL)
_SPLIT_TAGS = re.compile(r"[,，、;；#]+")


@dataclass(frozen=True, slots=True)
class FlushedEntry:
    """One thing worth remembering. ``quotes`` are the words that the model says it rests on."""

    tldr: str
    details: str = ""
    type: NoteType = NoteType.NOTE
    tags: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


def read_entries(answer: str) -> list[FlushedEntry]:
    """Return the entries in an answer, as JSON, as Markdown entries, as a list or as plain sentences.

    What is left of broken JSON is repaired. Refusals and the word for "nothing" are no entries.
    """
    text = _FENCE_LINE.sub("", without_thoughts(answer[:_ANSWER_CHARS])).strip()
    if not text or is_refusal(text):
        return []
    start = _JSON_START.search(text)
    entries = list(_from_json(text[start.start() :])) if start is not None else []
    if not entries and not says_nothing(text):
        entries = list(_from_fields(text)) or (list(_from_lines(text)) if start is None else [])
    unique: dict[str, FlushedEntry] = {}
    for entry in entries:
        if entry.tldr and not says_nothing(entry.tldr) and not is_refusal(entry.tldr):
            unique.setdefault(folded(entry.tldr), entry)
    return list(unique.values())


def grounded(entries: Iterable[FlushedEntry], messages: Sequence[Message]) -> list[FlushedEntry]:
    """Return the entries that say what the conversation says: junk and inventions are left out."""
    evidence = Evidence(message.text for message in messages if message.role != "system")
    return [entry for entry in entries if evidence.share(f"{entry.tldr} {entry.details}") >= _GROUNDED_SHARE]


class UserWords:
    """Tells which entries are the user's own: their quotes are, and they say what the quotes say."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._support = Support(QuotedConversation([_in_own_words(message) for message in messages]))
        self.tools_spoke = any(message.role == "tool" for message in messages)

    def hold(self, entry: FlushedEntry) -> bool:
        """Return whether the user has said what an entry says; its details may rest on other words than it does."""
        supports = self._support
        return supports.objection(entry.tldr, entry.quotes) is None and (
            not entry.details
            or supports.objection(entry.details, entry.quotes) is None
            or supports.holds(entry.details)
        )


def _in_own_words(message: Message) -> Message:
    return replace(message, text=authored_text(message)) if message.role == "user" else message


def folded(text: str) -> str:
    """Return a text in the spelling in which quotes and entries are compared: one script, letters, numbers, spaces."""
    plain = simplified(unicodedata.normalize("NFKC", text)).casefold()
    return " ".join(re.findall(r"\w+", plain))


def _from_json(text: str) -> Iterator[FlushedEntry]:
    try:
        read = json_repair.loads(text)
    except Exception:  # a repair of nonsense may fail in any way
        return
    yield from _from_value(read, depth=4)


def _from_value(value: object, *, depth: int) -> Iterator[FlushedEntry]:
    """Yield the entries in whatever a model has put around them."""
    if depth == 0:
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _from_value(item, depth=depth - 1)
    elif isinstance(value, Mapping):
        fields = {_FIELD_OF.get(simplified(str(key)).strip().casefold(), ""): item for key, item in value.items()}
        if isinstance(fields.get("tldr"), str) and fields["tldr"].strip():
            yield _entry(fields)
            return
        for item in value.values():
            if isinstance(item, (list, Mapping)):
                yield from _from_value(item, depth=depth - 1)
    elif isinstance(value, str) and value.strip():
        yield _labelled(value)


def _from_fields(text: str) -> Iterator[FlushedEntry]:
    """Yield Markdown entries: lines of ``type:``, ``tags:``, ``tl;dr:`` and ``details:``."""
    fields: dict[str, Any] = {}
    last = ""
    for line in text.splitlines():
        found = _FIELD_LINE.fullmatch(line)
        name = _FIELD_OF.get(simplified(found[1]).casefold(), "") if found else ""
        if name and found:
            # A field that was there already, or a new beginning after the details, starts the next entry.
            if name in fields or (name in ("type", "tldr") and "details" in fields):
                if fields.get("tldr"):
                    yield _entry(fields)
                fields = {}
            fields[name], last = found[2], name
        elif line.lstrip().startswith("#"):
            if fields.get("tldr"):
                yield _entry(fields)
            fields, last = {}, ""
        elif last in ("details", "quote") and line.strip():
            fields[last] = f"{fields[last]}\n{line}"
    if fields.get("tldr"):
        yield _entry(fields)


def _from_lines(text: str) -> Iterator[FlushedEntry]:
    """Yield bullets, or else whole lines."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    bullets = [found[1] for line in lines if (found := _BULLET.fullmatch(line))]
    for line in bullets or lines:
        yield _labelled(line)


def _labelled(text: str) -> FlushedEntry:
    """Return a sentence as an entry; ``Decision: ...`` says its type."""
    found = _LABEL.fullmatch(text.strip())
    kind = _type_of(found[1]) if found else NoteType.NOTE
    return _entry({"tldr": found[2] if found and kind is not NoteType.NOTE else text, "type": kind.value})


def _entry(fields: Mapping[str, Any]) -> FlushedEntry:
    tags = fields.get("tags") or ()
    if isinstance(tags, str):
        tags = _SPLIT_TAGS.split(tags.strip("[]"))
    details = fields.get("details") or ""
    if isinstance(details, (list, tuple)):
        details = "\n".join(f"- {item}" for item in details)
    tldr = one_line(fields.get("tldr") or "").strip("*\"' ")
    quotes = fields.get("quote")
    return FlushedEntry(
        tldr=tldr[:_TLDR_CHARS],
        details=clean_markdown(str(details)).strip()[:_DETAILS_CHARS],
        type=_type_of(str(fields.get("type") or "")),
        tags=tuple(dict.fromkeys(filter(None, (one_line(tag)[:_TAG_CHARS].strip("\"' ") for tag in tags))))[:_TAGS]
        if isinstance(tags, (list, tuple))
        else (),
        quotes=tuple(
            one_line(quote)[:_QUOTE_CHARS]
            for quote in (quotes if isinstance(quotes, (list, tuple)) else [quotes])[:_QUOTES]
            if isinstance(quote, str) and quote.strip()
        ),
    )


def _type_of(word: str) -> NoteType:
    folded_word = simplified(word).strip().casefold()
    for kind, words in _TYPE_WORDS.items():
        if any(folded_word.startswith(one) for one in words):
            return kind
    return NoteType.NOTE

"""The model's answer: candidates for entries, and verdicts on known ones. What is neither is left out."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import json_repair
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from nanobot_memory_plugins.consolidation.model.entry import Category, content_of
from nanobot_memory_plugins.consolidation.model.groups import plain_group
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.core.text import is_refusal, says_nothing, without_thoughts
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Of an answer, and of one candidate; a sentence is far shorter.
_ANSWER_CHARS, _CONTENT_CHARS = 40_000, 400
_MOST = 60
# Quotes and ids of one candidate, and characters of a quote.
_QUOTES, _QUOTE_CHARS = 8, 1_000
# A word for "nothing" is no longer; a story may hold it as well.
_SHORT_CHARS = 60
_FENCE_LINE = re.compile(r"^[^\S\n]*+(?:`{3,}|~{3,})[\w-]*+[^\S\n]*+$", re.MULTILINE)
_JSON_START = re.compile(r"[\[{]")
_ID = re.compile(r"[^\s\[\]\"',|]{1,64}")
_NESTED = 4
# A small model forgets the beginning of the first object: [k1", "now": ...
_HEADLESS = re.compile(r'(?<![\w"\-])([\w-]{2,64})"\s*,\s*"now"\s*:')

_KEYS = {
    "content": ("content", "text", "memory", "fact", "statement", "description", "内容", "记忆", "描述"),
    "category": ("category", "type", "kind", "类别", "分类", "类型"),
    "importance": ("importance", "priority", "重要性", "重要程度"),
    "expires_at": ("expires_at", "expires", "expiresat", "due", "deadline", "date", "过期时间", "截止日期", "到期"),
    "contradicts": ("contradicts", "replaces", "supersedes", "矛盾"),
    "reinforces": ("reinforces", "confirms", "same_as", "强化"),
    "group": ("group", "分组"),
    "said": ("said", "quote", "quotes", "引用", "原话", "原文"),
    "ends": ("ends", "结束"),
    "id": ("id", "编号"),
    "now": ("now", "现在"),
}
_FIELD_OF = {name: field for field, names in _KEYS.items() for name in names}
# Words that models use for the kinds.
_KINDS = {
    Category.PREFERENCE: "preference preferences like likes dislike style taste setting settings 偏好 喜好",
    Category.FACT: "fact facts personal personal_info person people identity profile information info background"
    " contact relationship location event project 事实 信息 事实信息 个人信息 身份 关系",
    Category.EXPERIENCE: "experience experiences lesson lessons knowledge insight solution procedure process"
    " 经验 教训 流程",
    Category.WORKFLOW: "workflow workflows habit habits routine routines practice 习惯 工作流 工作习惯",
    Category.DECISION: "decision decisions choice agreement 决定 决策 重要决策",
    Category.SKILL_USAGE: "skill_usage skill skills tool tools usage 技能 技能使用",
    Category.TODO: "todo todos to_do task tasks plan plans goal goals reminder appointment deadline meeting action"
    " 待办 任务 计划 提醒 跟进 日程",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_IMPORTANCES = {
    "high": Importance.HIGH,
    "medium": Importance.MEDIUM,
    "middle": Importance.MEDIUM,
    "normal": Importance.MEDIUM,
    "low": Importance.LOW,
    "高": Importance.HIGH,
    "中": Importance.MEDIUM,
    "低": Importance.LOW,
}


class Candidate(BaseModel):
    """One thing that the model holds worth remembering. ``expires_at`` is as the model wrote it; ids may be unknown."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    content: str = Field(min_length=2)
    category: Category
    importance: Importance = Importance.LOW
    expires_at: str = ""
    contradicts: str = ""
    reinforces: str = ""
    group: str = ""
    said: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    @field_validator("content", mode="before")
    @classmethod
    def _one_line(cls, value: object) -> object:
        text = content_of(value[: 4 * _CONTENT_CHARS]).strip("\"'“”`*- ") if isinstance(value, str) else value
        return f"{text[: _CONTENT_CHARS - 1]}…" if isinstance(text, str) and len(text) > _CONTENT_CHARS else text

    @field_validator("category", mode="before")
    @classmethod
    def _known_kind(cls, value: object) -> object:
        for word in re.split(r"[|/,、]", str(value)):
            kind = _KIND_OF.get(re.sub(r"[\s-]+", "_", simplified(word).strip().casefold()))
            if kind is not None:
                return kind
        return value

    @field_validator("importance", mode="before")
    @classmethod
    def _known_importance(cls, value: object) -> Importance:
        text = simplified(str(value)).strip().casefold()
        number = re.fullmatch(r"\d+(?:\.\d+)?", text)
        if number is not None:  # of 1, of 5 or of 10
            share = float(text) / (1 if float(text) <= 1 else 5 if float(text) <= 5 else 10)
            return Importance.HIGH if share >= 0.75 else Importance.MEDIUM if share >= 0.45 else Importance.LOW
        return _IMPORTANCES.get(text.removesuffix("级"), _IMPORTANCES.get(text[:1], Importance.LOW))

    @field_validator("contradicts", "reinforces", mode="before")
    @classmethod
    def _one_id(cls, value: object) -> str:
        if isinstance(value, (list, tuple)):
            value = value[0] if value else ""
        found = _ID.search(value) if isinstance(value, str) else None
        return "" if found is None or simplified(found[0]).casefold() in ("none", "null", "id", "无") else found[0]

    @field_validator("said", mode="before")
    @classmethod
    def _quotes(cls, value: object) -> tuple[str, ...]:
        quotes = value if isinstance(value, (list, tuple)) else [value]
        return tuple(one[:_QUOTE_CHARS] for one in quotes[:_QUOTES] if isinstance(one, str) and one.strip())

    @field_validator("ends", mode="before")
    @classmethod
    def _ids(cls, value: object) -> tuple[str, ...]:
        ids = value if isinstance(value, (list, tuple)) else [value]
        found = [cls._one_id(one) for one in ids[:_QUOTES]]
        return tuple(dict.fromkeys(one for one in found if one))

    @field_validator("expires_at", "group", mode="before")
    @classmethod
    def _short_text(cls, value: object) -> str:
        return content_of(value[:200]) if isinstance(value, str) else ""

    @field_validator("group")
    @classmethod
    def _group_name(cls, value: str) -> str:
        return plain_group(value)


class AnswerOutcome(StrEnum):
    """What an answer amounts to."""

    ITEMS = "items"
    """Candidates or verdicts."""
    CUT = "cut"
    """The same, broken off in the middle."""
    NOTHING = "nothing"
    """It says that there is nothing."""
    NONE = "none"
    """It is no answer: empty, a refusal, prose, a thought alone, or JSON of another kind."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model holds worth remembering, and what is true now of the entries that it was asked about, by id."""

    candidates: tuple[Candidate, ...] = ()
    now: Mapping[str, str] = field(default_factory=dict)
    kind: AnswerOutcome = AnswerOutcome.NONE


def read_answer(answer: str) -> Answer:
    """Return what an answer says: broken JSON is repaired, what is neither candidate nor verdict is left out."""
    text = _FENCE_LINE.sub("", without_thoughts(answer[:_ANSWER_CHARS])).strip()
    unique: dict[str, Candidate] = {}
    now: dict[str, str] = {}
    repeats = False
    for fields in _objects(_read(text), _NESTED):
        verdict, id_ = fields.get("now"), fields.get("id")
        if isinstance(verdict, str) and isinstance(id_, str) and (found := _ID.search(id_)):
            now.setdefault(found[0], content_of(verdict[: 4 * _CONTENT_CHARS])[:_CONTENT_CHARS])
        try:
            candidate = Candidate.model_validate(fields)
        except ValidationError:
            continue
        if not says_nothing(candidate.content):
            repeats = repeats or candidate.content.casefold() in unique
            unique.setdefault(candidate.content.casefold(), candidate)
    if not unique and not now:
        return Answer(kind=AnswerOutcome.NOTHING if _is_nothing(text) else AnswerOutcome.NONE)
    # A small model says the same again and again until it is cut off: it has nothing more to say.
    is_cut = not repeats and len(unique) < _MOST and _is_cut(text)
    kind = AnswerOutcome.CUT if is_cut else AnswerOutcome.ITEMS
    return Answer(tuple(unique.values())[:_MOST], now, kind)


def _is_nothing(text: str) -> bool:
    """Return whether a text without items says that there are none: an empty list, or a word for it."""
    if is_refusal(text):
        return False
    start = _JSON_START.search(text)
    if start is None:
        return len(text) <= _SHORT_CHARS and says_nothing(text)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start.start())
    except (ValueError, RecursionError):
        return False
    return not value or (isinstance(value, dict) and not any(value.values()))


def _is_cut(text: str) -> bool:
    """Return whether JSON breaks off in the middle of an item."""
    start = _JSON_START.search(text)
    try:
        json.JSONDecoder().raw_decode(text, start.start() if start else 0)
    except (ValueError, RecursionError):
        behind = text[max(text.rfind("}"), text.rfind("]")) + 1 :].lstrip()
        return text.count("{") > text.count("}") or behind.startswith(",")
    return False


def _read(text: str) -> object:
    """Return the JSON of an answer, or nothing."""
    start = _JSON_START.search(text)
    if start is None or is_refusal(text):
        return []
    try:
        return json_repair.loads(_HEADLESS.sub(r'{"id": "\1", "now":', text[start.start() :]))
    except Exception:  # a repair of nonsense may fail in any way
        return []


def _objects(value: object, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the objects that have a content or a verdict, in whatever a model has put around them."""
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _objects(item, depth - 1)
    elif isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        for key, item in value.items():
            field = _FIELD_OF.get(simplified(str(key)).strip().casefold())
            if field is not None:
                fields.setdefault(field, item)
        if isinstance(fields.get("content"), str) or isinstance(fields.get("now"), str):
            yield fields
            return
        for item in value.values():
            yield from _objects(item, depth - 1)

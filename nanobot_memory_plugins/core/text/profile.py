"""A profile as text, for a model: by kind, since when and from which words, what is over apart."""

from collections.abc import Sequence
from datetime import UTC

from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.entries import KnownEntry, Profile

# Tokens that a profile takes of a prompt.
_TOKENS = 1_500
_TEXTS: dict[Language, dict[str, str]] = {
    "en": {
        "head": "All that is remembered of {who}, by kind (tell it as it stands; nothing else is known for long):",
        "user": "the user",
        "none": "Nothing is remembered of the user for long.",
        "names": "{who} is also called {names}.",
        "heading": "{kind}:",
        "since": "since {day}",
        "said": 'said: "{words}"',
        "unsaid": "not said by the user, but from: {origin}",
        "ended": "over, replaced or faded",
        "more": "and {count} more: `nanobot-memory profile` shows all",
    },
    "zh": {
        "head": "关于{who}长期记住的全部内容，按类别（照实说，没有别的）：",
        "user": "用户",
        "none": "关于用户没有长期记住的内容。",
        "names": "{who}又叫{names}。",
        "heading": "{kind}：",
        "since": "自{day}",
        "said": "原话：“{words}”",
        "unsaid": "并非用户所说，来自：{origin}",
        "ended": "已结束、已被取代或已淡忘",
        "more": "还有 {count} 条：`nanobot-memory profile` 可查看全部",
    },
}
_NAMES: dict[Language, dict[str, str]] = {
    "en": {},
    "zh": {
        "preference": "偏好",
        "fact": "事实",
        "experience": "经历",
        "workflow": "流程",
        "decision": "决定",
        "skill_usage": "技能",
        "todo": "待办",
        "assistant": "助手",
        "tool": "工具",
        "web": "网页",
        "summary": "摘要",
        "notes": "笔记",
    },
}
"""What kinds and origins are called, where that is another word than in the files."""


def profile_text(found: Profile, about: str, language: Language) -> str:
    """Return what a model is told of the user or of ``about``; nothing where nothing is known of a name."""
    texts = _TEXTS[language]
    if not found.entries:
        return "" if about else texts["none"]
    head = texts["head"].format(who=about or texts["user"])
    return "\n".join([head, *_lines(found, language, tokens=_TOKENS)])


def _lines(found: Profile, language: Language, *, tokens: int) -> list[str]:
    """Return the other names, and the entries by kind, within some tokens."""
    texts, names = _TEXTS[language], _NAMES[language]
    lines: list[str] = []
    if len(found.names) > 1:
        lines.append(texts["names"].format(who=found.names[0], names=", ".join(found.names[1:])))
    parts: list[tuple[str, Sequence[KnownEntry]]] = [*found.known.items()]
    parts += [(texts["ended"], found.ended)] if found.ended else []
    left = len(found.entries)
    for heading, told in parts:
        lines.append(texts["heading"].format(kind=names.get(heading, heading)))
        for one in told:
            line = _line(one, texts, names)
            tokens -= estimate_tokens(line) + 1
            if tokens < 0:
                return [*lines, texts["more"].format(count=left)]
            lines.append(line)
            left -= 1
    return lines


def _line(known: KnownEntry, texts: dict[str, str], names: dict[str, str]) -> str:
    since, origin = known.entry.created_at, known.entry.origin
    about = [
        texts["since"].format(day=f"{since.astimezone(UTC):%Y-%m-%d}") if since else "",
        texts["said"].format(words=known.words) if known.words else "",
        texts["unsaid"].format(origin=names.get(origin.value, origin.value))
        if not known.words and origin is not Origin.USER
        else "",
    ]
    told = "; ".join(filter(None, about))
    return f"- [{known.entry.id}] {' '.join(known.entry.text.split())}{f' ({told})' if told else ''}"

"""A profile as text for a model: entries by kind, each with its day and its quote, those that are over separately."""

from collections.abc import Iterable, Sequence
from datetime import UTC

from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.folding import fold_text
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.entries import ARCHIVE_BELOW, Entry
from nanobot_memory_plugins.core.values.scopes import Visibility

# Tokens of a profile, at most.
_TOKENS = 1_500
_TEXTS: dict[Language, dict[str, str]] = {
    "en": {
        "head": "All that is remembered of {who}, by kind (tell it as it stands; nothing else is known for long):",
        "user": "the user",
        "none": "Nothing is remembered of the user for long.",
        "heading": "{kind}:",
        "since": "since {day}",
        "said": 'said: "{words}"',
        "unsaid": "not said by the user, but from: {origin}",
        "ended": "over, replaced or faded",
        "more": "and {count} more: `nanobot-memory entries list` shows all",
    },
    "zh": {
        "head": "关于{who}长期记住的全部内容，按类别（照实说，没有别的）：",
        "user": "用户",
        "none": "关于用户没有长期记住的内容。",
        "heading": "{kind}：",
        "since": "自{day}",
        "said": "原话：“{words}”",
        "unsaid": "并非用户所说，来自：{origin}",
        "ended": "已结束、已被取代或已淡忘",
        "more": "还有 {count} 条：`nanobot-memory entries list` 可查看全部",
    },
}


def entries_about(entries: Iterable[Entry], about: str, visible: Visibility) -> list[Entry]:
    """Return the visible entries that mention ``about``, or all when it is empty, the highest score first."""
    name = fold_text(about.strip())
    mentions = (entry for entry in entries if name in fold_text(f"{entry.content} {entry.quote}"))
    return sorted(
        (entry for entry in mentions if visible.allows(entry.session_scope)), key=lambda one: (-one.score, one.id)
    )


def profile_text(entries: Sequence[Entry], about: str, language: Language) -> str:
    """Return the profile of the user or of ``about`` for a model; empty when nothing is known about a name."""
    texts = _TEXTS[language]
    if not entries:
        return "" if about else texts["none"]
    parts: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=_is_over):
        parts.setdefault(texts["ended"] if _is_over(entry) else entry.category, []).append(entry)
    lines, room, remaining = [texts["head"].format(who=about or texts["user"])], _TOKENS, len(entries)
    for heading, part in parts.items():
        lines.append(texts["heading"].format(kind=heading))
        for entry in part:
            line = _line(entry, texts)
            room -= estimate_tokens(line) + 1
            if room < 0:
                return "\n".join([*lines, texts["more"].format(count=remaining)])
            lines.append(line)
            remaining -= 1
    return "\n".join(lines)


def _is_over(entry: Entry) -> bool:
    # Not by its section: unconfirmed notes of the model are archived as well, and may still hold.
    return entry.score < ARCHIVE_BELOW or bool(entry.superseded_by)


def _line(entry: Entry, texts: dict[str, str]) -> str:
    since, origin = entry.created_at, entry.origin
    about = [
        texts["since"].format(day=f"{since.astimezone(UTC):%Y-%m-%d}") if since else "",
        texts["said"].format(words=entry.shown_quote) if entry.shown_quote else "",
        texts["unsaid"].format(origin=origin.value) if not entry.shown_quote and origin is not Origin.USER else "",
    ]
    remarks = "; ".join(filter(None, about))
    return f"- [{entry.id}] {' '.join(entry.content.split())}{f' ({remarks})' if remarks else ''}"

"""A conversation as text for a prompt or a note, within a token budget, and its language."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from nanobot_memory_plugins.core.clock import in_local_zone, time_of
from nanobot_memory_plugins.core.text.fence import CJK, Language
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.text.tokens import estimate_tokens, truncate_to_tokens
from nanobot_memory_plugins.core.values import Message

# Tokens that chat APIs add to a message for its role and delimiters, and the rough cost of a picture, sound or file.
_MESSAGE_TOKENS, _MEDIA_TOKENS = 4, 1_000
_MEDIA = ("image", "audio", "video", "file", "document")
# Characters that are read to detect the language, in all and per message: long pasted texts should not decide it.
_SAMPLE = 8_000
_SAMPLE_OF_MESSAGE = 1_000
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ÿ]{2,}")
# A text is Chinese from this ratio on: Chinese texts contain English names, and a character is about 2/3 of a word.
_CJK_PER_LATIN_WORD = 0.6

# Replaces the omitted part of an excerpt.
GAP = " […] "
_GAP_TOKENS = estimate_tokens(GAP)
# The share of an excerpt that is taken from the beginning of the text.
_HEAD_SHARE = 0.7
# Tokens of a heading that names a day, and of the role before a message.
_DAY_TOKENS, _PREFIX_TOKENS = 12, 4
# The most tokens of a tool's result.
_TOOL_TOKENS = 120
# An excerpt of fewer tokens is useless.
_LEAST_TOKENS = 12


def dominant_language(messages: Iterable[Message]) -> Language:
    """Return ``zh`` when the users write mostly Chinese, else ``en``. Without user text all messages count."""
    spoken = [message for message in messages if message.role != "system"]
    texts = [message.text for message in spoken if message.role == "user" and message.text[:_SAMPLE_OF_MESSAGE].strip()]
    sample = ""
    # The newest messages decide, because people switch languages.
    for text in reversed(texts or [message.text for message in spoken]):
        sample += text[:_SAMPLE_OF_MESSAGE] + "\n"
        if len(sample) > _SAMPLE:
            break
    chinese = len(CJK.findall(sample))
    return "zh" if chinese and chinese >= _CJK_PER_LATIN_WORD * len(_LATIN_WORD.findall(sample)) else "en"


def excerpt(text: str, tokens: int) -> str:
    """Return ``text`` cut to ``tokens`` estimated tokens: its beginning and its end, with `GAP` between them."""
    if tokens <= 0:
        return ""
    # Four characters are at least one token, so this much of either end of a very long text is enough.
    reach = 4 * tokens + 1
    if len(text) <= 4 * tokens and estimate_tokens(text) <= tokens:
        return text
    text = text[:reach] + text[-reach:] if len(text) > 2 * reach else text
    room = tokens - _GAP_TOKENS
    if room < _LEAST_TOKENS:
        return truncate_to_tokens(text, tokens)
    head = truncate_to_tokens(text, max(1, int(room * _HEAD_SHARE))).rstrip()
    # A text and its reverse have the same estimate.
    tail = truncate_to_tokens(text[: -reach - 1 : -1], room - estimate_tokens(head))[::-1].lstrip()
    return f"{head}{GAP}{tail}"


def content_of(message: Message) -> str:
    """Return the text of a message, or the names of the tools that it calls."""
    if message.text.strip():
        return message.text
    names = [str(function_of(call).get("name") or "") for call in message.tool_calls]
    return f"[{', '.join(filter(None, names))}]" if any(names) else ""


def function_of(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the mapping with name and arguments of a tool call: its ``function``, or the call itself."""
    function = call.get("function")
    return function if isinstance(function, Mapping) else call


def message_tokens(message: Message) -> int:
    """Return the estimated tokens of a message, including its tool calls and media."""
    if message.tokens:
        return message.tokens
    content = message.raw.get("content")
    media = 0
    if isinstance(content, tuple):
        media = sum(
            isinstance(part, Mapping) and any(kind in str(part.get("type")) for kind in _MEDIA) for part in content
        )
    texts = (message.text, *map(str, message.tool_calls))
    return sum(map(estimate_tokens, texts)) + _MESSAGE_TOKENS + _MEDIA_TOKENS * media


def message_time(message: Message) -> datetime | None:
    """Return the time of a message, if its host gives one: in the given time zone, or the machine's for UTC or none.

    UTC is the zone of clocks, and does not tell where the user lives.
    """
    for name in ("timestamp", "time", "created_at"):
        if name in message.raw and (time := time_of(message.raw[name])) is not None:
            return time if time.utcoffset() else in_local_zone(time)
    return None


def day_label(day: date, language: Language) -> str:
    """Return a day as text for a prompt, with the day of the week, which models often get wrong."""
    return f"{day:%Y-%m-%d}，星期{'一二三四五六日'[day.weekday()]}" if language == "zh" else f"{day:%Y-%m-%d, %A}"


def render_conversation(
    messages: Sequence[Message],
    *,
    tokens: int,
    names: dict[str, str] | None = None,
    days: Language | None = None,
    today: date | None = None,
) -> str:
    """Return a conversation as text, one line per message, within ``tokens`` estimated tokens.

    Long messages are cut first; if that is not enough, the oldest messages are left out. ``names`` replaces the names
    of roles. With ``days``, a language, headings name the days when the messages are from several; messages without a
    time are from ``today``.
    """
    spoken = [(message, content_of(message)) for message in messages if message.role != "system"]
    spoken = [
        (message, excerpt(text, _TOOL_TOKENS) if message.role == "tool" else text.strip())
        for message, text in spoken
        if text.strip()
    ]
    if not spoken or tokens <= 0:
        return ""
    dates = [time.date() if days and (time := message_time(message)) else today for message, _ in spoken]
    headings = min(len(set(dates)), tokens // (4 * _DAY_TOKENS)) if len(set(dates)) > 1 else 0
    tokens -= headings * _DAY_TOKENS
    labels = names or {}
    prefixes = [f"{labels.get(message.role, message.role)}: " for message, _ in spoken]
    # No message can get more than all tokens, so only that much of each is measured.
    sizes = [min(tokens, estimate_tokens(text[: 4 * tokens + 4])) for _, text in spoken]
    limit = max(_LEAST_TOKENS, fair_limit(sizes, tokens - _PREFIX_TOKENS * len(spoken)))
    shares = [min(size, limit) for size in sizes]
    lines: list[str] = []
    left = tokens
    for index in range(len(spoken) - 1, -1, -1):
        left -= shares[index] + _PREFIX_TOKENS
        if left < 0:
            break
        text = spoken[index][1]
        lines.append(prefixes[index] + (text if sizes[index] <= limit else excerpt(text, limit)))
        day = dates[index]
        is_first = not index or dates[index - 1] != day or left < shares[index - 1] + _PREFIX_TOKENS
        if days and day and headings and is_first:
            lines.append(day_label(day, days) + ("：" if days == "zh" else ":"))
            headings -= 1
    return clean_markdown("\n".join(reversed(lines)))


def fair_limit(sizes: Sequence[int], room: int) -> int:
    """Return the largest limit, at least 1, for which the sizes fit into ``room`` when larger ones are cut to it."""
    ordered = sorted(sizes)
    for index, size in enumerate(ordered):
        remaining = len(ordered) - index
        if size * remaining > room:
            return max(1, room // remaining)
        room -= size
    return max([1, *sizes])

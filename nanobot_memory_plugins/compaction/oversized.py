"""Messages that are too large for a summary call."""

from collections.abc import Sequence

from nanobot_memory_plugins.compaction.excerpts import cut, one_line, tidy
from nanobot_memory_plugins.compaction.transcript import label
from nanobot_memory_plugins.core import Language, Message

_SHOWN = 5
_END_CHARS = 80

_HEAD = {
    "en": "Left out because of their size ({count} messages, about {tokens:,} tokens):",
    "zh": "因过大而略去（{count}条消息，约{tokens:,}个token）：",
}
_LINE = {
    "en": '- {label}, about {tokens:,} tokens: "{begin}" … "{end}"',
    "zh": "- {label}，约{tokens:,}个token：“{begin}”……“{end}”",
}


def note_left_out(messages: Sequence[Message], sizes: Sequence[int], *, limit: int, language: Language) -> str:
    """Return a note of the messages that no summary call saw whole, at most ``limit`` tokens; nothing without any."""
    if not messages:
        return ""
    lines = [_HEAD[language].format(count=len(messages), tokens=sum(sizes))]
    for message, size in list(zip(messages, sizes, strict=True))[-_SHOWN:]:
        begin, end = _ends(message.text)
        lines.append(_LINE[language].format(label=label(message), tokens=size, begin=begin, end=end))
    return cut("\n".join(lines), limit)


def _ends(text: str) -> tuple[str, str]:
    begin = one_line(tidy(text[: 4 * _END_CHARS]), _END_CHARS)
    end = " ".join(tidy(text[-2 * _END_CHARS :]).split())[-_END_CHARS:]
    return begin, end

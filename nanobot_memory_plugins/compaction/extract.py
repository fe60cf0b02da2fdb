"""The last resort: a deterministic summary without a language model.

It contains the earlier summary, the user's last messages, and from the messages before them the first and last
sentences and those with decisions, names, numbers or paths. Decisions are recognised by a short list of words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.compaction.transcript import one_line
from nanobot_memory_plugins.core import Message, estimate_tokens
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.core.text.tokens import cut

# The number of the user's last messages, the characters of each and of another sentence, and the shortest sentence.
_LAST_MESSAGES, _LAST_MESSAGE_CHARS, _SENTENCE_CHARS, _SHORTEST = 4, 220, 240, 4
# The largest share of the limit for an earlier summary.
_EARLIER_SHARE = 0.45
# The largest share for the user's last messages, so that earlier decisions have room.
_LAST_MESSAGES_SHARE = 0.4
_MOST_TOOLS = 8
# Characters that are read from either end of a message, and of all messages together, the newest first.
_MESSAGE_CHARS, _READ_CHARS = 2_000, 400_000

_DECISION_WORDS = re.compile(
    r"\b(?:decid\w+|agreed|chose|choose|settled|switch\w*|instead|must|need\w*|todo|deadline|always|never|prefer\w*"
    r"|allerg\w+|budget|remember)\b"
    r"|决定|选定|采用|改用|确定|同意|待办|必须|需要|截止|记得|不要|喜欢|偏好|过敏|预算|希望",
    re.IGNORECASE,
)
_EXACT_VALUE = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}\.\w+|https?://\S+|(?:[\w.-]{0,64}[/\\])+[\w.-]+|\b\w{0,64}\d[\w.:-]*"
    r"|(?<=[a-z,] )[A-Z]\w+|`[^`]+`"
)
_MOST_COUNTED_VALUES = 4
_FACTORS = {"user": 1.0, "assistant": 0.6}

_HEADINGS: dict[Language, tuple[str, str, str, str]] = {
    "en": ("From before:", "The user's last messages:", "Said before that:", "Tools used:"),
    "zh": ("更早的内容：", "用户最近的话：", "此前说到：", "用过的工具："),
}
_FIRST_LINE: dict[Language, str] = {
    "en": "[Session context was compacted: {count} messages, {tokens} tokens. Put together without a language model.]",
    "zh": "[会话上下文已压缩：{count} 条消息，{tokens} 个 token。未经语言模型整理。]",
}
_VALUES_HEADING: dict[Language, str] = {"en": "Given by the user:", "zh": "用户给出的："}
_MOST_VALUE_SENTENCES = 10


@dataclass(frozen=True, slots=True)
class _Sentence:
    index: int
    place: int
    text: str
    weight: float


def extract(messages: Sequence[Message], *, limit: int, language: Language, earlier: str = "") -> str:
    """Return a summary of at most ``limit`` tokens that continues the ``earlier`` one. It is never empty."""
    earlier_heading, last_heading, sentences_heading, tools_heading = _HEADINGS[language]
    tokens = estimate_tokens("".join([message.text for message in messages]))
    count = _FIRST_LINE[language].format(count=len(messages), tokens=tokens)
    page = _Page([count], limit - estimate_tokens(count) - 1)
    if earlier:
        page.add(earlier_heading, [cut(earlier, int(limit * _EARLIER_SHARE))])
    last_messages = _last_user_messages(messages, int(limit * _LAST_MESSAGES_SHARE))
    page.add(last_heading, [f"- {line}" for line in last_messages])
    last_text = "\n".join(last_messages)
    sentences = {f"- {item.text}": item for item in _sentences(messages) if item.text not in last_text}
    best = sorted(sentences, key=lambda line: (-sentences[line].weight, -sentences[line].index, sentences[line].place))
    # Those with the highest weight that fit, in their original order.
    if fitting := page.add(sentences_heading, best):
        page.lines[-len(fitting) :] = sorted(fitting, key=lambda line: (sentences[line].index, sentences[line].place))
    page.add(tools_heading, _tools(messages))
    # In the smallest windows not even the first line fits.
    return cut("\n".join(page.lines), limit) or count[: max(1, limit)]


def missing_values(
    messages: Sequence[Message], summary: str, *, limit: int, language: Language, earlier: str = ""
) -> str:
    """Return sentences with addresses, paths and numbers that a summary lacks, as many as fit into ``limit`` tokens.

    Half of the room is for the first such sentences of an ``earlier`` summary, the rest for the user's sentences with
    the highest weight.
    """
    left = limit - estimate_tokens(_VALUES_HEADING[language]) - 1
    earlier_lines = [line for part in earlier.splitlines() for line in _sentence_lines(Message("user", part))]
    carried, left = _with_missing_values(earlier_lines, summary, left // 2, left)
    user_sentences = _sentences([message for message in messages if message.role == "user"])
    best = sorted(user_sentences, key=lambda item: (-item.weight, -item.index, -item.place))
    given, _ = _with_missing_values((item.text for item in best), "\n".join([summary, *carried]), left, left)
    lines = [*carried, *given]
    return "\n".join([_VALUES_HEADING[language], *lines]) if lines else ""


def _with_missing_values(sentences: Iterable[str], summary: str, room: int, left: int) -> tuple[list[str], int]:
    """Return the first sentences with values that a summary lacks, as many as fit ``room``, and the tokens left."""
    chosen: list[str] = []
    for sentence in sentences:
        values = [value.rstrip(".,:;") for value in _EXACT_VALUE.findall(sentence) if any(map(str.isdigit, value))]
        if not values or all(value in summary for value in values):
            continue
        if len(chosen) == _MOST_VALUE_SENTENCES:
            break
        cost = estimate_tokens(sentence) + 3
        if cost > room:
            continue
        room, left = room - cost, left - cost
        chosen.append(f"- {sentence}")
    return chosen, left


class _Page:
    """Lines under headings, within a number of tokens."""

    def __init__(self, lines: list[str], left: int) -> None:
        self.lines = lines
        self._left = left

    def add(self, heading: str, lines: Iterable[str]) -> list[str]:
        """Add a heading and those lines that fit, and return the added lines."""
        cost = estimate_tokens(heading) + 1
        self._left -= cost
        added = [line for line in lines if line and self._fits(line)]
        if added:
            self.lines += [heading, *added]
        else:
            self._left += cost
        return added

    def _fits(self, line: str) -> bool:
        cost = estimate_tokens(line) + 1
        if cost > self._left:
            return False
        self._left -= cost
        return True


def _sentences(messages: Sequence[Message]) -> Iterator[_Sentence]:
    """Yield the sentences of the newest messages, without repetitions."""
    known: set[str] = set()
    left = _READ_CHARS
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        factor = _FACTORS.get(message.role)
        if factor is None or left < 0:
            continue
        left -= min(len(message.text), 2 * _MESSAGE_CHARS)
        found = list(_sentence_lines(message))
        for place, text in enumerate(found):
            if text not in known:
                known.add(text)
                is_edge = place in (0, len(found) - 1)
                values = min(_MOST_COUNTED_VALUES, len(set(_EXACT_VALUE.findall(text))))
                is_question = text.endswith(("?", "？"))
                weight = 1.0 * is_edge + 2.0 * bool(_DECISION_WORDS.search(text)) + 0.5 * values - 1.5 * is_question
                yield _Sentence(index, place, text, factor * weight)


def _sentence_lines(message: Message) -> Iterator[str]:
    text = message.text
    if len(text) > 2 * _MESSAGE_CHARS:
        text = f"{text[:_MESSAGE_CHARS]}\n{text[-_MESSAGE_CHARS:]}"
    for sentence in sentences_of(text):
        line = one_line(sentence.lstrip("-*•#>| \t"), _SENTENCE_CHARS)
        if len(line) >= _SHORTEST:
            yield line


def _last_user_messages(messages: Sequence[Message], room: int) -> list[str]:
    user_texts = [message.text for message in messages if message.role == "user" and message.text.strip()]
    lines: list[str] = []
    for text in reversed(user_texts[-_LAST_MESSAGES:]):
        line = one_line(text, _LAST_MESSAGE_CHARS)
        room -= estimate_tokens(line) + 3
        if room < 0:
            break
        lines.append(line)
    return lines[::-1]


def _tools(messages: Sequence[Message]) -> list[str]:
    names = Counter(call["name"] for message in messages for call in message.tool_calls if call["name"])
    used = ", ".join(f"{name} ({count})" for name, count in names.most_common(_MOST_TOOLS))
    return [f"- {used}"] if used else []

"""The last resort: a summary by rules alone, in English and Chinese, the same for the same messages."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.compaction.cues import HEADING, SentenceKind, kind_of
from nanobot_memory_plugins.compaction.excerpts import cut, one_line, tidy
from nanobot_memory_plugins.compaction.sentences import ScoredSentence, find_sentences, readable_part, split_sentences
from nanobot_memory_plugins.core import Language, Message, estimate_tokens
from nanobot_memory_plugins.core.text import Act, ReadSentence, denies, sentence_spans

# What of a sentence may stand in a summary made by rules, by the clauses of the one reading.
#
# Of the user's sentences that is their own word, of the assistant's what it states or proposes and the user does not
# turn down. A question stands there only as long as nobody has answered.
_ANSWERED_BY = {"user": "assistant", "assistant": "user"}
# Of a reply its beginning tells whether it turns something down.
_REPLY_CHARS = 200


class Statements:
    """The sentences of one history. Each is read when somebody asks for it."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._last = {one.role: index for index, one in enumerate(messages) if one.text.strip()}

    def of(self, sentence: ScoredSentence) -> ScoredSentence | None:
        """Return a sentence as it may be listed, under the kind that it is; None when nothing of it may."""
        role = self._messages[sentence.index].role
        if role not in _ANSWERED_BY:
            return sentence
        read = ReadSentence(sentence.text, 0)
        says_open = kind_of(sentence.text) is SentenceKind.QUESTION
        if read.only_asks and not says_open:
            is_open = self._last.get(_ANSWERED_BY[role], -1) < sentence.index
            return replace(sentence, kind=SentenceKind.QUESTION) if is_open else None
        text = sentence.text if read.only_asks else read.own_word
        if role == "assistant":
            stated = [one.text for one in read.clauses if one.act in (Act.STATES, Act.REQUESTS)]
            text = "" if not (stated or says_open) or self._is_turned_down(sentence.index) else text
        if not text:
            return None
        kind = sentence.kind
        if read.asks and not says_open:
            # What the question is about is not decided: only what stands beside it counts.
            kind = kind_of(text) or SentenceKind.FACT
        return replace(sentence, text=text, kind=kind)

    def _is_turned_down(self, index: int) -> bool:
        reply = next((one.text for one in self._messages[index + 1 :] if one.role == "user"), "")[:_REPLY_CHARS]
        return any(denies(reply[start:end]) for start, end in list(sentence_spans(reply))[:1])


# The user's last wishes: how many, and how long each.
_WISHES = 4
_WISH_CHARS = 220
# Of the limit an earlier summary keeps at most this share.
_EARLIER_SHARE = 0.45
_TOOLS = 8
_OPENINGS = 6
_OPENING_CHARS = 160

_LAST = {"en": "The user's last messages:", "zh": "用户最近的话："}
_EARLIER = {"en": "From before:", "zh": "更早的内容："}
_USED = {"en": "Tools used:", "zh": "用过的工具："}
_SAID = {"en": "Also said:", "zh": "还说到："}
_COUNT = {
    "en": "({count} messages, put together by rules without a language model.)",
    "zh": "（共{count}条消息，由规则整理，未经语言模型。）",
}


def extract(messages: Sequence[Message], *, limit: int, language: Language, earlier: str = "") -> str:
    """Return a summary of at most ``limit`` tokens, never empty, with the ``earlier`` one carried on.

    It holds the user's last messages, decisions, TODOs, open questions, wishes, and sentences with names,
    numbers and identifiers, as far as the limit goes; where none is found, the beginnings of what was said. What only
    asks, and was answered, reports or supposes is none of these (`Statements`).
    """
    page = _Page(limit)
    count = _COUNT[language].format(count=len(messages))
    page.reserve(count)
    if earlier:
        page.add(_EARLIER[language], [cut(earlier, int(limit * _EARLIER_SHARE))], bullet="")
    wishes = _last_wishes(messages)
    page.add(_LAST[language], wishes)
    sentences = [one for one in find_sentences(messages) if not any(one.text in wish for wish in wishes)]
    _add_by_kind(page, sentences, Statements(messages), language)
    page.add(_USED[language], _tools(messages))
    if not sentences:
        page.add(_SAID[language], _openings(messages))
    text = "\n".join([*page.lines(), count])
    # In the smallest windows not even the closing line fits.
    return cut(text, limit) or count[: max(1, limit)]


class _Page:
    """Lines under headings, as many as a number of tokens allows."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._sections: dict[str, list[str]] = {}

    def reserve(self, line: str) -> None:
        """Keep room for a line that is added elsewhere."""
        self._left -= estimate_tokens(line) + 1

    def add(self, heading: str, lines: Iterable[str], *, bullet: str = "- ") -> None:
        """Add lines under a heading, as long as they fit."""
        for line in lines:
            if line:
                self.add_line(heading, bullet + line)

    def add_line(self, heading: str, line: str) -> bool:
        """Add a line; say whether it fitted."""
        new = heading not in self._sections
        cost = estimate_tokens(line) + 1 + (estimate_tokens(heading) + 1 if new else 0)
        if cost > self._left:
            return False
        self._left -= cost
        self._sections.setdefault(heading, []).append(line)
        return True

    def arrange(self, heading: str, lines: list[str]) -> None:
        """Put the lines of a section into another order."""
        if heading in self._sections:
            self._sections[heading] = lines

    def lines(self) -> list[str]:
        """Return headings and lines."""
        return [line for heading, lines in self._sections.items() for line in (heading, *lines)]


def _add_by_kind(page: _Page, sentences: Sequence[ScoredSentence], statements: Statements, language: Language) -> None:
    """Add the best sentences of each kind in turn, so that no kind takes all the room; each kind in order of time."""
    queues = {
        kind: sorted((one for one in sentences if one.kind is kind), key=lambda one: (-one.score, -one.index))
        for kind in SentenceKind
    }
    chosen: dict[SentenceKind, list[ScoredSentence]] = {kind: [] for kind in SentenceKind}
    listed: set[str] = set()
    full = False
    while not full and any(queues.values()):
        for queue in queues.values():
            if not queue:
                continue
            sentence = statements.of(queue.pop(0))
            if sentence is None or sentence.text in listed:
                continue
            if not page.add_line(HEADING[language][sentence.kind], f"- {sentence.text}"):
                full = True
                break
            listed.add(sentence.text)
            chosen[sentence.kind].append(sentence)
    for kind, kept in chosen.items():
        kept.sort(key=lambda one: one.index)
        page.arrange(HEADING[language][kind], [f"- {one.text}" for one in kept])


def _last_wishes(messages: Sequence[Message]) -> list[str]:
    wishes: list[str] = []
    for message in reversed(messages):
        if len(wishes) == _WISHES:
            break
        if message.role == "user" and message.text.strip():
            wishes.append(one_line(tidy(message.text[: 4 * _WISH_CHARS]), _WISH_CHARS))
    return wishes[::-1]


def _tools(messages: Sequence[Message]) -> list[str]:
    names: Counter[str] = Counter()
    for message in messages:
        for call in message.tool_calls:
            inner = call.get("function", call)
            name = inner.get("name") if hasattr(inner, "get") else None
            if isinstance(name, str) and name:
                names[one_line(tidy(name[:64]), 64)] += 1
    used = ", ".join(f"{name} ({count})" for name, count in names.most_common(_TOOLS))
    return [used] if used else []


def _openings(messages: Sequence[Message]) -> list[str]:
    """Return the first sentences of messages from all over the history."""
    speaking = [message for message in messages if message.text.strip() and message.role in ("user", "assistant")]
    step = max(1, -(-len(speaking) // _OPENINGS))
    first = (next(split_sentences(readable_part(message.text)), "") for message in speaking[::step])
    return list(dict.fromkeys(one_line(sentence, _OPENING_CHARS) for sentence in first if sentence))

"""What of a sentence may stand in a summary made by rules, by the clauses of the one reading.

Of the user's sentences that is their own word, of the assistant's what it states or proposes and the user does not turn
down. A question stands there only as long as nobody has answered.
"""

from collections.abc import Sequence
from dataclasses import replace

from nanobot_memory_plugins.compaction.cues import SentenceKind, kind_of
from nanobot_memory_plugins.compaction.sentences import ScoredSentence
from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.text import Act, ReadSentence, denies, sentence_spans

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

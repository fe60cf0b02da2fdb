"""What users have said in the last days, from the transcripts: their own words, and what they answered.

Only that makes an entry the user's. Sessions that nobody speaks in are left out, and so is what was forgotten on
somebody's order and can still be brought back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from nanobot_memory_plugins.core import Message, Origin, Scope, logger
from nanobot_memory_plugins.core.files.hidden_records import hidden_records
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, recent_records
from nanobot_memory_plugins.core.text.pasted import authored_text
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.core.values import Visibility

# Messages of all sessions, and of one; characters of one message that are looked at, and of a question that is shown.
_MESSAGES, _OF_SESSION = 400, 200
_CHARACTERS, _ASKED = 4_000, 120
# An answer that is longer is understood without its question.
_SHORT = 60
_ROLES = {"user": Origin.USER, "assistant": Origin.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message: a user's in their own words, or the assistant's. ``whose`` is whose it is, ``visible`` who sees it."""

    message: Message
    time: datetime
    whose: Scope
    visible: Visibility

    @property
    def text(self) -> str:
        """What it says."""
        return self.message.text

    @property
    def by_user(self) -> bool:
        """Whether a user has said it."""
        return self.message.role == "user"


def spoken_since(
    paths: MemoryPaths,
    since: datetime,
    *,
    redact: Callable[[str], str],
    narrow: Callable[[Scope], Visibility],
    background: Sequence[str] = (),
) -> list[Spoken]:
    """Return what was said since a moment, session by session in their order, the newest of too much. It blocks."""
    sessions: list[list[Spoken]] = []
    hidden = hidden_records(paths)
    for path in sorted(paths.sessions.glob("*.jsonl")) if paths.sessions.is_dir() else ():
        try:
            if path.stat().st_mtime < since.timestamp():
                continue
            records = recent_records(path, since, _OF_SESSION)
        except OSError as error:
            logger.warning("consolidation: a transcript cannot be read: {}", type(error).__name__)
            continue
        said = [
            Spoken(Message(one.role, text), one.time, one.scope, narrow(one.scope))
            for one in records
            if one.id not in hidden
            and one.time is not None
            and _ROLES.get(one.role) is one.origin
            and not one.session_key.startswith(tuple(background))
            and (text := _text(one, redact))
        ]
        if said:
            sessions.append(said)
    sessions.sort(key=lambda said: said[-1].time)
    return [one for said in sessions for one in said][-_MESSAGES:]


def _text(record: TranscriptRecord, redact: Callable[[str], str]) -> str:
    text = redact(record.text[: 2 * _CHARACTERS])
    return (authored_text(Message("user", text)) if record.role == "user" else text)[:_CHARACTERS].strip()


def shown_lines(spoken: Sequence[Spoken]) -> list[tuple[Spoken, str]]:
    """Return what users said as lines, newest first; a short answer with the question before it."""
    lines: list[tuple[Spoken, str]] = []
    for number, one in enumerate(spoken):
        if not one.by_user:
            continue
        before = spoken[number - 1] if number else None
        asked = ""
        if before is not None and not before.by_user and before.whose.session == one.whose.session:
            sentence = (sentences_of(before.text) or [""])[-1]
            if len(one.text) <= _SHORT and sentence.rstrip().endswith(("?", "？")):
                asked = f"({' '.join(sentence[-_ASKED:].split())}) "
        lines.append((one, asked + one.text))
    return lines[::-1]

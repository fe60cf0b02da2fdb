"""What a host's history, and what a model makes of it, is without what was forgotten for good.

A host keeps its own messages, and hands them over long after the words were purged here. They are known by their
fingerprints, which another process may have written a moment ago. From such a message the words themselves are known
again, in memory and until the session ends, so that a reply, a note or a summary made of it can be told as well.
"""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints, Known, SaidAgain, words_of
from nanobot_memory_plugins.core.erasure.letters import GAP, Letters, plain, without
from nanobot_memory_plugins.core.erasure.recognition import RecognisedText, matches_in, places_in
from nanobot_memory_plugins.core.text.conversation import message_time
from nanobot_memory_plugins.core.text.on_record import on_record
from nanobot_memory_plugins.core.values import Message, Note
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# Sessions whose words are known, the last messages of each that came by here, and texts whose letters were looked at.
_SESSIONS, _HEARD, _LOOKED_AT = 500, 40, 2_000
_DEPTH = 32


@dataclass(slots=True)
class _Session:
    """What is known of a live session: forgotten words that it still holds, with their fingerprints."""

    words: dict[str, set[str]] = field(default_factory=dict)
    heard: "deque[Message]" = field(default_factory=lambda: deque(maxlen=_HEARD))
    looked_at: Known | None = None


class HistoryFilter:
    """Takes what was forgotten out of all that plugins are given and give back. It blocks: call it in a thread.

    Every call but `hear` and `is_needed` raises `MemoryFileError` when what was forgotten cannot be told.
    """

    def __init__(self, fingerprints: Fingerprints, *, clock: Clock, redact: Callable[[str], str]) -> None:
        self._fingerprints = fingerprints
        self._clock = clock
        self._redact = redact
        self._lock = threading.RLock()
        self._told: deque[tuple[str, Message | None]] = deque(maxlen=_SESSIONS * _HEARD)
        self._sessions: BoundedDict[str, _Session] = BoundedDict(_SESSIONS)
        self._seen: BoundedDict[str, tuple[Letters, list[RecognisedText]]] = BoundedDict(_LOOKED_AT)
        self._seen_of: Known | None = None

    def is_needed(self) -> bool:
        """Return whether anything was forgotten: one look at a file, and no more while there is none."""
        return self._fingerprints.exist()

    def hear(self, session: str, role: str, text: str) -> None:
        """Learn what has just been said, so that an order in the middle of a turn finds it."""
        time = self._clock.now().isoformat()
        self._note(session, Message(role, text, raw=MappingProxyType({"time": time})))

    def said(self, session: str, text: str) -> None:
        """Learn what the user says now: what was forgotten before, and is said again, counts."""
        known = self._fingerprints.known()
        if known is None:
            return
        with self._lock:
            state = self._prepared(session, known)
            again = {match.record.id for match in self._look(text, known)[1]}
            letters = Letters(text)
            spoken = {words: ids for words, ids in state.words.items() if letters.find(words)}
            # Who names a word again has not said the whole message again: that stays hidden.
            named = {words_of(id_) for ids in spoken.values() for id_ in ids}
            self._release(session, state, again, again | named)

    def messages(self, session: str, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return a history without what was forgotten: as many messages, the words of some taken out."""
        known = self._fingerprints.known()
        if known is None:
            return tuple(messages)
        with self._lock:
            state = self._prepared(session, known)
            places = self._recover(session, state, messages, known)
            return tuple(
                self._without(message, places.get(index, []), session, known) if kept is message else kept
                for index, (message, kept) in enumerate(zip(messages, on_record(messages), strict=True))
            )

    def text(self, session: str, text: str) -> str:
        """Return a text that a model or a tool has made in a session without what was forgotten."""
        return str(self.value(session, text))

    def value(self, session: str, value: Any) -> Any:
        """Return the same of every text in a value, however it is nested; the same object where nothing is."""
        known = self._fingerprints.known()
        if known is None:
            return value
        with self._lock:
            self._prepared(session, known)
            return _mapped(value, lambda text: self._made(text, session, known))

    def sent(self, session: str, text: str) -> str:
        """Return an answer of the model without what was forgotten. What it knows from elsewhere is new here."""
        known = self._fingerprints.known()
        if known is None:
            return text
        with self._lock:
            state = self._prepared(session, known)
            left = self._made(text, session, known)
            new = {match.record.id for match in self._look(left, known)[1]} if left else set()
            self._release(session, state, new, new)
            return left

    def notes(self, session: str, notes: Iterable[Note]) -> list[Note]:
        """Return notes without what was forgotten; one that said nothing else is left out."""
        kept = []
        for note in notes:
            parts = (note.tldr, note.details, note.title, note.tags)
            tldr, details, title, tags = left = self.value(session, parts)
            if left is parts:
                kept.append(note)
            elif says_something(tldr) or says_something(details):
                kept.append(replace(note, tldr=tldr or GAP, details=details, title=title, tags=tags))
        return kept

    def end(self, session: str) -> None:
        """Forget a session that has ended."""
        self._note(session, None)

    def _note(self, session: str, message: Message | None) -> None:
        """Note what is told on an event loop: nobody waits there for a thread that holds the lock for long."""
        self._told.append((session, message))
        if self._lock.acquire(blocking=False):
            try:
                self._take_up()
            finally:
                self._lock.release()

    # --- inside, under the lock -------------------------------------------------------------------------------

    def _take_up(self) -> None:
        """Take up what was told meanwhile: a message, or that a session has ended."""
        while self._told:
            session, message = self._told.popleft()
            if message is None:
                self._sessions.pop(session, None)
            else:
                self._sessions.setdefault(session, _Session()).heard.append(message)
                self._sessions.move_to_end(session)

    def _session(self, key: str) -> _Session:
        self._take_up()
        session = self._sessions.setdefault(key, _Session())
        self._sessions.move_to_end(key)
        return session

    def _prepared(self, key: str, known: Known) -> _Session:
        """Return a session, with the words that an order since then has taken out of what came by here."""
        state = self._session(key)
        if state.looked_at is not known:
            state.looked_at = known
            self._recover(key, state, list(state.heard), known)
        return state

    def _release(self, session: str, state: _Session, texts: set[str], all_of: set[str]) -> None:
        """Write down what is said again in a session, and no longer look for its words there."""
        if not all_of:
            return
        now = self._clock.now()
        self._fingerprints.add([SaidAgain(id_, session, now) for id_ in sorted(all_of)])
        gone = texts | {id_ for id_ in all_of if id_ == words_of(id_)}
        state.words = {
            words: left
            for words, ids in state.words.items()
            if (left := {id_ for id_ in ids if id_ not in gone and words_of(id_) not in gone})
        }

    def _recover(
        self, session: str, state: _Session, messages: Sequence[Message], known: Known
    ) -> dict[int, list[RecognisedText]]:
        """Know the forgotten words of a history again; return the messages that are known by their place."""
        places: dict[int, list[RecognisedText]] = {}
        for index, match in places_in(session, messages, known, self._redact):
            places.setdefault(index, []).append(match)
        for index, message in enumerate(messages):
            found = [match for text in _texts(message.text) for match in self._look(text, known)[1]]
            live = [one for one in [*found, *places.get(index, [])] if self._hides(one, message, session, known)]
            if index in places:
                places[index] = [one for one in places[index] if one in live]
            for match in live:
                id_ = match.record.id
                if known.is_hidden(words_of(id_), session, match.record.time):
                    for words in match.words:
                        state.words.setdefault(words, set()).add(id_)
        return places

    def _hides(self, match: RecognisedText, message: Message, session: str, known: Known) -> bool:
        """Return whether a forgotten text is to be hidden in a message: not where it was said again."""
        record = match.record
        if not known.is_hidden(record.id, session, record.time):
            return False
        if message.role == "user":
            time = message_time(message)
            return time is None or time <= record.time
        # Where somebody has said it again, an answer may know it from there; not where the old message still stands.
        return not known.is_said_again(record.id) or self._holds(session, record.id)

    def _holds(self, session: str, id_: str) -> bool:
        return any(id_ in ids for ids in self._session(session).words.values())

    def _without(self, message: Message, places: Sequence[RecognisedText], session: str, known: Known) -> Message:
        words = self._session(session).words if message.role != "user" else {}

        def clean(text: str) -> str:
            letters, found = self._look(text, known)
            gaps = [gap for one in found if self._hides(one, message, session, known) for gap in one.gaps]
            gaps += [gap for one in places for gap in one.gaps] if text == message.text else []
            gaps += [span for one in words for span in letters.find(one)]
            return _cut(letters, gaps) if gaps else text

        text = _mapped(message.text, clean)
        if text is message.text and not message.tool_calls and len(message.raw) <= 2:
            return message
        raw, calls = _mapped(message.raw, clean), _mapped(message.tool_calls, clean)
        if text is not message.text and "content" in raw and (places or isinstance(raw["content"], str)):
            raw = MappingProxyType({**raw, "content": text})
        if text is message.text and raw is message.raw and calls is message.tool_calls:
            return message
        return replace(message, text=text, raw=raw, tool_calls=calls)

    def _made(self, text: str, session: str, known: Known) -> str:
        if not text:
            return text
        made = Message("assistant", text)
        return self._without(made, (), session, known).text

    def _look(self, text: str, known: Known) -> tuple[Letters, list[RecognisedText]]:
        """Return the letters of a text and what is forgotten in them, in its redacted form where that shows more."""
        if self._seen_of is not known:
            self._seen_of, self._seen = known, BoundedDict(_LOOKED_AT)
        looked = self._seen.get(text)
        if looked is None:
            letters = Letters(text)
            found = matches_in(letters, known)
            if not found and known.has_redacted and (safe := self._redact(text)) != text:
                redacted = Letters(safe)
                if found := matches_in(redacted, known):
                    letters = redacted
            looked = self._seen[text] = letters, found
        self._seen.move_to_end(text)
        return looked


def _cut(letters: Letters, gaps: Iterable[tuple[int, int]]) -> str:
    """Return a text without the sentences that hold some letters; nothing of it where nothing else is said."""
    left = without(letters.text, [letters.sentences(*gap) for gap in gaps])
    return left if says_something(left) else ""


def says_something(text: str) -> bool:
    """Return whether a text holds more than gaps."""
    return bool(plain(text.replace(GAP, "")))


def _texts(text: str) -> Iterator[str]:
    """Yield a text, or those in it where it is JSON."""
    found: list[str] = []

    def note(one: str) -> str:
        found.append(one)
        return one

    _mapped(text, note)
    yield from found


def _mapped(value: Any, change: Callable[[str], str], depth: int = _DEPTH) -> Any:
    """Return a value with every text in it changed, JSON inside of a text too; the same object where nothing is."""
    if isinstance(value, str):
        if value[:1] in ("{", "[") and depth:
            with suppress(ValueError, RecursionError):
                inside = json.loads(value)
                changed = _mapped(inside, change, depth - 1)
                return value if changed is inside else json.dumps(changed, ensure_ascii=False)
        changed_text = change(value)
        return value if changed_text == value else changed_text
    if depth == 0 or not isinstance(value, (Mapping, list, tuple)):
        return value
    if isinstance(value, Mapping):
        pairs = {key: _mapped(one, change, depth - 1) for key, one in value.items()}
        is_same = all(pairs[key] is one for key, one in value.items())
        return value if is_same else (pairs if isinstance(value, dict) else MappingProxyType(pairs))
    items = [_mapped(one, change, depth - 1) for one in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    return items if isinstance(value, list) else tuple(items)

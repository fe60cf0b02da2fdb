"""The entries' block for prompts as they are built: a look at the files' times, and the same text until they change."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from nanobot_memory_plugins.consolidation.model.entry import Entry, is_at_hand, is_visible
from nanobot_memory_plugins.consolidation.model.scoring import as_of
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.render import Language, changes_at, prompt_text
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.rendering import TITLE
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Clock, Message, PromptEntries, Scope, SystemClock, logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.text.conversation import dominant_language
from nanobot_memory_plugins.core.values import Visibility

# Titles of our sections, folded; a text without them holds no entries. A host may give all of `base_context`.
_TITLES = ("active memories", "archived memories")
_KEPT_TEXTS = 64

Signature = tuple[tuple[str, int, int, int], ...]


class _Look(NamedTuple):
    """The entries as they were when the files had this signature."""

    signature: Signature
    entries: tuple[Entry, ...]


class PromptSource:
    """Answers ``prompt_entries``, from any thread.

    ``owner_of`` is that of the plugin's context.
    """

    def __init__(
        self,
        workspace: str | Path,
        options: ConsolidationOptions,
        *,
        redact: Callable[[str], str],
        owner_of: Callable[[Scope], Scope] = lambda scope: scope,
        clock: Clock | None = None,
    ) -> None:
        self._repository = EntryRepository(workspace, redact=redact)
        self._redact = redact
        self._options = options
        self._owner_of = owner_of
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._look: _Look | None = None
        self._texts: dict[tuple[Signature, Language, Visibility], tuple[datetime, datetime, str]] = {}
        self._stripped: tuple[str, str] = ("", "")

    def answer(self, long_term: str, visible: Visibility) -> PromptEntries:
        """Return the block for whoever sees ``visible``, and the long-term text without the entries' sections."""
        return PromptEntries(self._text(visible), self._without_entries(long_term))

    def _text(self, visible: Visibility) -> str:
        look = self._current()
        if look is None:
            return ""
        language = self._language_of(look.entries)
        key = (look.signature, language, visible)
        with self._lock:
            known = self._texts.get(key)
        now = self._clock.now()
        if known is None or not known[0] <= now < known[1]:
            # As they are now: nobody may have written since they faded.
            stay = (as_of(entry, now) for entry in look.entries)
            seen = [entry for entry in stay if is_at_hand(entry, visible) and is_visible(entry, visible)]
            shown = prompt_text(
                [self._with_speaker(entry) for entry in seen] if visible.is_of_group else seen,
                language,
                in_group=visible.is_of_group,
                most=self._options.prompt_entries,
                min_score=self._options.prompt_min_score,
                tokens=self._options.prompt_tokens,
                now=now,
            )
            # An entry that somebody wrote by hand may hold a secret.
            known = now, changes_at(seen, now), self._redact(shown)
            with self._lock:
                if len(self._texts) >= _KEPT_TEXTS:
                    self._texts.clear()
                self._texts[key] = known
        return known[2]

    def _with_speaker(self, entry: Entry) -> Entry:
        """Return an entry that says whose fact it is."""
        who = self._owner_of(entry.scope).user
        return replace(entry, content=f"{who}: {entry.content}") if who else entry

    def _language_of(self, entries: Sequence[Entry]) -> Language:
        if self._options.prompt_language != "auto":
            return self._options.prompt_language
        return dominant_language([Message("user", entry.content) for entry in entries])

    def _current(self) -> _Look | None:
        """Return the entries as the file has them now."""
        signature = self._signature()
        with self._lock:
            look = self._look
        if look is None or look.signature != signature:
            look = self._read(signature)
        return look

    def read_ahead(self) -> None:
        """Read the entries now, so that the first prompt has them. It blocks: call it in a thread."""
        self._read(self._signature())

    def _read(self, signature: Signature) -> _Look:
        try:
            look = _Look(signature, tuple(self._repository.load().shown()))
        except MemoryFileError as error:
            logger.warning("the entries in the prompt stay as they were: {}", error.cause)
            look = _Look(signature, self._look.entries if self._look else ())
        with self._lock:
            self._look = look
        return look

    def _signature(self) -> Signature:
        path = self._repository.path
        try:
            status = os.stat(path)
        except OSError:
            return ()
        return ((path.name, status.st_mtime_ns, status.st_size, status.st_ino),)

    def _without_entries(self, long_term: str) -> str:
        folded = long_term.casefold() if len(long_term) < 1 << 24 else ""
        if not any(title in folded for title in _TITLES):
            return long_term
        with self._lock:
            if self._stripped[0] == long_term:
                return self._stripped[1]
        rest = parse(long_term.encode("utf-8", "surrogatepass")).foreign.decode("utf-8", "surrogatepass")
        rest = rest.rstrip().removesuffix(TITLE).rstrip() + "\n" if rest.rstrip().endswith(TITLE) else rest
        rest = rest if rest.strip() else ""
        with self._lock:
            self._stripped = (long_term, rest)
        return rest

"""The entries' block for prompts as they are built: a look at the file's times, and the same text until they change."""

import os
import threading
from dataclasses import dataclass, field, replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry, is_at_hand, is_visible
from nanobot_memory_plugins.consolidation.model.scoring import as_of
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.render import Language, changes_at, prompt_text
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.rendering import TITLE
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Message, PluginContext, PromptEntries, logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.text.conversation import dominant_language
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_KEPT_TEXTS = 64


@dataclass(frozen=True, slots=True)
class _Text:
    """What stood in a prompt, from when on, and until when."""

    text: str
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class _Look:
    """The entries as they were when the file had this signature, and the texts that were made of them."""

    signature: tuple[int, ...] | None
    entries: tuple[Entry, ...]
    language: Language
    texts: BoundedDict[Visibility, _Text] = field(default_factory=lambda: BoundedDict(_KEPT_TEXTS))


class PromptSource:
    """Answers ``prompt_entries``, from any thread."""

    def __init__(self, repository: EntryRepository, context: PluginContext) -> None:
        self._repository = repository
        self._context = context
        self._options: ConsolidationOptions = context.options
        self._lock = threading.Lock()
        self._look: _Look | None = None
        self._stripped = ("", "")

    def answer(self, long_term: str, visible: Visibility) -> PromptEntries:
        """Return the block for whoever sees ``visible``, and the long-term text without the entries' sections."""
        with self._lock:
            return PromptEntries(self._text(visible), self._without_entries(long_term))

    def read_ahead(self) -> None:
        """Read the entries now, so that the first prompt has them. It blocks: call it in a thread."""
        with self._lock:
            self._current()

    def _text(self, visible: Visibility) -> str:
        look, now = self._current(), self._context.clock.now()
        known = look.texts.get(visible)
        if known is None or not known.since <= now < known.until:
            # As they are now: nobody may have written since they faded.
            current = (as_of(entry, now) for entry in look.entries)
            visible_entries = [entry for entry in current if is_at_hand(entry, visible) and is_visible(entry, visible)]
            named = [self._with_speaker(entry) for entry in visible_entries] if visible.is_of_group else visible_entries
            text = prompt_text(named, look.language, now, self._options, in_group=visible.is_of_group)
            # An entry that somebody wrote by hand may hold a secret.
            known = look.texts[visible] = _Text(self._context.redact_said(text), now, changes_at(visible_entries, now))
        return known.text

    def _with_speaker(self, entry: Entry) -> Entry:
        """Return an entry whose text names its owner."""
        owner = self._context.scopes.owner(entry.scope).user
        return replace(entry, content=f"{owner}: {entry.content}") if owner else entry

    def _current(self) -> _Look:
        """Return the entries as the file has them now."""
        signature: tuple[int, ...] | None
        try:
            status = os.stat(self._repository.path)
            signature = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            signature = None
        if self._look is None or self._look.signature != signature:
            try:
                entries = tuple(self._repository.load().shown())
            except MemoryFileError as error:
                logger.warning("the entries in the prompt stay as they were: {}", error.cause)
                entries, signature = self._look.entries if self._look else (), ()
            self._look = _Look(signature, entries, self._language_of(entries))
        return self._look

    def _language_of(self, entries: tuple[Entry, ...]) -> Language:
        if self._options.prompt_language != "auto":
            return self._options.prompt_language
        return dominant_language([Message("user", entry.content) for entry in entries])

    def _without_entries(self, long_term: str) -> str:
        if self._stripped[0] != long_term:
            document = parse(long_term.encode("utf-8", "surrogatepass"))
            rest = document.foreign.decode("utf-8", "surrogatepass").rstrip()
            rest = rest.removesuffix(TITLE).rstrip()
            has_entries = len(document.foreign) < len(document.data)
            self._stripped = (long_term, (rest and f"{rest}\n") if has_entries else long_term)
        return self._stripped[1]

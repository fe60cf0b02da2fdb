"""What a host calls while it builds a prompt, or looks at the files: synchronous, and the same for the same files."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.host.bootstrap_files import BootstrapTexts, BootstrapTrimmer
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
from nanobot_memory_plugins.core.host.recorded import RecordedMessages
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike, Scopes
from nanobot_memory_plugins.core.values import Origin, PromptEntries, Scope, Visibility
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.printable import printable

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.clock import Clock
    from nanobot_memory_plugins.core.config.models import MemoryConfig
    from nanobot_memory_plugins.core.host.hook_calls import HookCalls
    from nanobot_memory_plugins.core.host.offered_tools import OfferedTools
    from nanobot_memory_plugins.core.host.plugin_set import PluginSet
    from nanobot_memory_plugins.core.host.privacy import Privacy
    from nanobot_memory_plugins.core.host.recorder import TurnRecorder
    from nanobot_memory_plugins.core.host.sessions import Sessions
    from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
    from nanobot_memory_plugins.core.session_reading.reader import SessionReader

# Scopes whose last answer is kept.
_KEPT_ANSWERS = 64
# Without one of these, in any case, a text holds no note that names its owner or its source.
_TELLING = ("origin", "session", "channel", "user", "agent", "group_chat", "project")


class HostParts(ABC):
    """The parts of one `MemoryHost`, which makes them. Its calls are in the classes that derive from this one."""

    config: "MemoryConfig"
    privacy: "Privacy"
    _clock: "Clock"
    _scopes: Scopes
    _redaction: ContactRedaction
    _files: MemoryFiles
    _sessions: "Sessions"
    _plugins: "PluginSet"
    _tools: "OfferedTools"
    _recorder: "TurnRecorder"
    _hooks: "HookCalls"
    _reader: "SessionReader"
    _background: "OwnedTasks"

    @abstractmethod
    async def start(self) -> None:
        """Start where that was not done yet."""

    async def _owner_of(self, session_key: str, scope: ScopeLike) -> Scope:
        """Start where that was not done yet, and return the owner of a session."""
        await self.start()
        return self._scopes.of(session_key, scope)


class PromptCalls(HostParts):
    """The calls of a host that make a prompt. They may be made from any thread."""

    def __init__(self) -> None:
        self._bootstrap = BootstrapTrimmer(self._plugins)
        self._entries = _EntriesInPrompt(self._plugins)
        self.entries_text = ""  # as the last prompt held it
        self._long_term_given = self._long_term_shown = ""
        self._last_base_context = ("", "")

    def trim_bootstrap(
        self, files: Mapping[str, str | Path | None], *, overhead: Mapping[str, int] | None = None
    ) -> BootstrapTexts:
        """Return what of each bootstrap file goes into the prompt, at once; files without readable text are left out.

        ``overhead`` is the characters that the host puts around each: by default ``## NAME`` and a rule.
        """
        texts = self._bootstrap.trim(files, overhead)
        for name, text in files.items() if isinstance(files, Mapping) else ():
            if isinstance(text, str) and text == self._long_term_given:
                self._long_term_shown = texts.get(name, "")
        return texts

    def prompt_entries(self, long_term: str = "", *, session_key: str = "", scope: ScopeLike = None) -> PromptEntries:
        """Return what is known of the user for long, at once: ``text``, for the system prompt.

        ``long_term`` is the text of the long-term file where the host shows that too: the answer's ``long_term`` is
        what is left of it next to the block, without the notes that the user's words do not support. The text stays the
        same until what is known changes.
        """
        owner = self._scopes.known(session_key, scope)
        shown = printable(without_others_notes(long_term, self._scopes.visible(owner)))
        found = self._entries.ask(shown, owner)
        self._redaction.learn(found.text, found.long_term)
        self.entries_text = found.text
        if found.long_term != self._long_term_given:
            self._long_term_given = self._long_term_shown = found.long_term
        return found

    def _in_prompt(self, scope: Scope) -> str:
        """Return what the last system prompt for ``scope`` holds of memory: its entries, and the long-term file."""
        given = self._entries.given(scope)
        long_term = self._long_term_shown if given.long_term == self._long_term_given else given.long_term
        return f"{given.text}\n\n{long_term}".strip()

    def history(self, session_key: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the last messages of a session from its transcript: role, content and time, oldest first."""
        return self._files.history(session_key, limit=limit)

    def has_user_message(self, session_key: str, text: str) -> bool:
        """Return whether the transcript of a session holds a message of its user's. It blocks."""
        return RecordedMessages.read(self._files.paths, [session_key]).take("user", text)

    def base_context(self) -> str:
        """Return the text of MEMORY.md and ENTRIES.md without secrets: the Markdown alone, never a recall result."""
        text = self._files.base_context()
        last, hidden = self._last_base_context
        if last != text:
            hidden = printable(self._redaction.of_people(text))
            self._last_base_context = (text, hidden)
            self._redaction.learn(hidden)
        return hidden

    def redact(self, text: str) -> str:
        """Return a text as it would be written: without secrets, and without contact data that no user said."""
        return self._redaction.of_others(text)

    def hold_scope(self, *, session_key: str, scope: ScopeLike) -> Scope:
        """Learn the owner of a session, and return its whole scope; tools get nothing but the session's key."""
        return self._scopes.of(session_key, scope)

    def child_scope(self, parent: str, session_key: str) -> Scope:
        """Return the scope of a session that another one began: a sub-agent's, or a fork's."""
        return replace(self._scopes.of_session(parent), session=session_key)

    def visible_scope(self, scope: Scope) -> Visibility:
        """Return what may be seen on behalf of ``scope``, as ``share`` says: the ``scope`` of a query."""
        return self._scopes.visible(scope)


class _EntriesInPrompt:
    """Asks the plugins' ``prompt_entries``, each with what the one before it has left of the long-term file.

    Their texts are put one below the other. Where a plugin fails, its last answer is used.
    """

    def __init__(self, host: PluginHost) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._given: BoundedDict[Scope, PromptEntries] = BoundedDict(_KEPT_ANSWERS)
        self._answers: BoundedDict[tuple[str, Scope], tuple[str, PromptEntries]] = BoundedDict(_KEPT_ANSWERS * 4)

    def given(self, scope: Scope) -> PromptEntries:
        """Return what was answered last."""
        with self._lock:
            return self._given.get(scope, PromptEntries())

    def ask(self, long_term: str, scope: Scope) -> PromptEntries:
        """Ask every plugin, one after the other."""
        texts: list[str] = []
        for plugin in self._host.plugins_with("prompt_entries"):
            asked = {"long_term": long_term, "scope": scope}
            answers = self._host.call_sync("prompt_entries", plugin, asked)
            with self._lock:
                for found in answers:
                    if isinstance(found, PromptEntries):
                        answer = replace(found, text=printable(found.text))
                        self._answers[plugin, scope] = long_term, answer
                before, kept = self._answers.get((plugin, scope), ("", PromptEntries()))
            texts += [kept.text] if kept.text.strip() else []
            long_term = kept.long_term if before == long_term else long_term
        given = PromptEntries("\n\n".join(texts), long_term)
        with self._lock:
            self._given[scope] = given
        return given


@lru_cache(maxsize=8)
def without_others_notes(long_term: str, visible: Visibility) -> str:
    """Return a long-term text without the structured notes that are not for this prompt; the rest stays as it is.

    What a model notes on its own account may be what a web page asked it to: recall has it, inside its fence. A note
    without an origin was written by a person, and one that names nobody is everybody's; ``visible`` says which
    of the others are. What is about another project than the one that is worked in is left out.
    """
    folded = long_term.casefold()
    if "###" not in folded or not any(word in folded for word in _TELLING):
        return long_term
    data = long_term.encode("utf-8", "surrogatepass")
    kept = [
        data[part.offset : part.offset + part.length]
        for part in parse_notes(data)
        if not isinstance(part, NoteEntry) or (part.origin is Origin.USER and _is_for(part, visible))
    ]
    return b"".join(kept).decode("utf-8", "surrogatepass")


def _is_for(note: NoteEntry, visible: Visibility) -> bool:
    return visible.allows(note.scope) and note.scope.project in ("", visible.project)

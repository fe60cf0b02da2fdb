"""What a host calls while it builds a prompt, or looks at the files: synchronous, and the same for the same files."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.host.host_parts import HostParts
from nanobot_memory_plugins.core.host.prompt_texts import BootstrapTexts, without_others_notes
from nanobot_memory_plugins.core.host.recorded import RecordedMessages
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.values import PromptEntries, Scope
from nanobot_memory_plugins.redaction.script.printable import printable


class PromptCalls(HostParts):
    """The calls of a host that make a prompt. They may be made from any thread."""

    def trim_bootstrap(
        self, files: Mapping[str, str | Path | None], *, overhead: Mapping[str, int] | None = None
    ) -> BootstrapTexts:
        """Return what of each bootstrap file goes into the prompt, at once; files without readable text are left out.

        ``overhead`` is the characters that the host puts around each: by default ``## NAME`` and a rule.
        """
        return self._prompt.trimmed(files, overhead)

    def prompt_entries(self, long_term: str = "", *, session_key: str = "", scope: ScopeLike = None) -> PromptEntries:
        """Return what is known of the user for long, at once: ``text``, for the system prompt.

        ``long_term`` is the text of the long-term file where the host shows that too: the answer's ``long_term`` is
        what is left of it next to the block, without the notes that the user's words do not support. The text stays the
        same until what is known changes.
        """
        owner = self._scopes.known(session_key, scope)
        shown = printable(without_others_notes(long_term, self._scopes.visible(owner)))
        found = self._prompt.entries(shown, owner)
        self._redaction.learn(found.text, found.long_term)
        return found

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

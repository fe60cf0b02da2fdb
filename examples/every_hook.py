"""One implementation of every hook: copy what you need. `core/hookspecs.py` describes their arguments and results."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import (
    ContextBlock,
    Finding,
    Health,
    Hit,
    InputError,
    Level,
    Message,
    Note,
    NoteType,
    PluginContext,
    PromptEntries,
    Query,
    SearchResult,
    Store,
    StoreStatus,
    Summary,
    hookimpl,
)
from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from nanobot_memory_plugins.core.values import Trace
from nanobot_memory_plugins.core.values.entries import Entry, EntryEdit, EntryList, EntryRun
from nanobot_memory_plugins.core.values.session_reading import ReadingPart, SessionReading

REMINDERS = ["Buy tea on Friday.", "When do we deploy?"]


@hookimpl
def on_message_received(text: str, **_: object) -> ContextBlock | None:
    """Add a line to messages about deployments."""
    return ContextBlock(text="Deployments are frozen on Fridays.") if "deploy" in text else None


@hookimpl
def on_tool_executed(tool_name: str, error: str | None, **_: object) -> Note | None:
    """Note each tool that failed."""
    if error is None:
        return None
    return Note(tldr=f"{tool_name} failed", details=error, type=NoteType.BUG, tags=("tools",))


@hookimpl
def on_session_idle(session_key: str, history: tuple[Message, ...], **_: object) -> Note | None:
    """Write a note with the number of messages in a session, and the last one."""
    said = [message.text for message in history if message.role == "user"]
    return Note(tldr=f"{session_key}: {len(said)} messages, the last: {said[-1]}", tags=("diary",)) if said else None


@hookimpl
def before_compaction(messages: tuple[Message, ...], **_: object) -> list[Note | Summary]:
    """Keep the last four messages, and the user's requests before them."""
    wishes = [message.text for message in messages if message.role == "user"]
    summary = Summary(text="The user asked: " + "; ".join(wishes[-5:]), keep_from=max(0, len(messages) - 4))
    return [Note(tldr=summary.text, tags=("compaction",)), summary]


@hookimpl
def on_turn_finished(session_key: str, context_tokens: int, context_window: int, **_: object) -> Note | None:
    """Write a note when the window is nearly full."""
    if context_tokens < 0.9 * context_window:
        return None
    return Note(tldr=f"{session_key} has nearly filled its window", tags=("window",))


@hookimpl
def contribute_reading(**_: object) -> ReadingPart:
    """Ask about the user's mood, as part of the one request that reads a session."""

    async def take(reading: SessionReading) -> Sequence[Note]:
        mood = reading.fields.get("mood")
        return [Note(tldr=f"The mood was {mood}.", tags=("mood",))] if isinstance(mood, str) else []

    return ReadingPart("mood", take, question="mood: the user's mood at the end, in one word.")


@hookimpl
def on_draft_written(draft: str, **_: object) -> ContextBlock | None:
    """Have an unsure draft answered again with what the memory knows."""
    return ContextBlock(text="The port is 8080.") if "not sure" in draft else None


@hookimpl
def trim_bootstrap(files: Mapping[str, str], **_: object) -> dict[str, str]:
    """Leave one file out of the prompt."""
    return {name: text for name, text in files.items() if name != "TOOLS.md"}


@hookimpl
def prompt_entries(long_term: str, **_: object) -> PromptEntries:
    """Add a block to the system prompt."""
    return PromptEntries(text="# Memory of earlier conversations\n\n- The user likes tea.", long_term=long_term)


class EmptyStore:
    """A store without contents; examples/shelf_store has some."""

    async def search(self, query: Query) -> SearchResult:
        return SearchResult()

    async def read(self, hit_id: str) -> Hit | None:
        return None

    def notify(self, path: Path) -> None: ...

    async def flush(self) -> None: ...

    def status(self) -> StoreStatus:
        return StoreStatus(level=Level.MARKDOWN)

    async def close(self) -> None: ...


@hookimpl
def open_store(**_: object) -> EmptyStore:
    """Replace the SQLite store."""
    return EmptyStore()


@hookimpl
def open_shared_store(context: PluginContext, **_: object) -> Store:
    """Add a store for several machines in front of this machine's own."""
    return context.store or EmptyStore()


class NoEntries:
    """An entry access without entries."""

    def version(self) -> str:
        return "none"

    def entries(self) -> EntryList:
        return EntryList("memory/ENTRIES.md")

    def gone(self) -> Sequence[Entry]:
        return []

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        return []

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        raise InputError("Nothing is remembered here.")

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        raise InputError(f"There is no entry {entry_id}.")

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        raise InputError("There are no such entries.")

    def restore(self, entry_id: str) -> EntryRun | None:
        raise InputError(f"There is no entry {entry_id}.")

    def undo(self, run_id: str = "") -> EntryRun | None:
        raise InputError("There is nothing to undo.")


@hookimpl
def open_entries(**_: object) -> NoEntries:
    """Give access to the entries."""
    return NoEntries()


@hookimpl
async def on_start(context: PluginContext, **_: object) -> None:
    """Create the plugin's folder."""
    (context.workspace / "memory").mkdir(parents=True, exist_ok=True)


@hookimpl
def on_stop(**_: object) -> None:
    """Release resources; this plugin has none."""


class ClockTool:
    """A tool for the model."""

    name = "memory_clock"
    description = "Say when the memory began."
    parameters: Mapping[str, Any] = {"type": "object", "properties": {}}

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        return "In the spring."


@hookimpl
def contribute_tools(**_: object) -> ClockTool:
    """Offer a tool."""
    return ClockTool()


@hookimpl
def on_purge(texts: tuple[str, ...], words: tuple[str, ...], dry_run: bool, **_: object) -> list[Trace]:
    """Remove the purged text from the reminders."""
    matcher = ErasureMatcher(texts, words=words)
    found = [one for one in REMINDERS if matcher.count(one)]
    if not dry_run:
        REMINDERS[:] = [one for one in REMINDERS if one not in found]
    return [Trace("reminders", len(found))] if found else []


@hookimpl
def diagnose(**_: object) -> Finding:
    """Report to `nanobot-memory doctor`."""
    return Finding("tide table", "older than a year", Health.DEGRADED, hint="Fetch a new one.")

"""The hooks that a plugin may implement: the contract between host and plugins, on one page.

An implementation declares only the parameters that it needs, and may be a plain or an async function. Values are
frozen. What it raises, or returns of a wrong type, is logged and affects no other plugin. ``session_key`` names the
conversation ("cli:direct"), ``scope`` says whose call it is, and ``context`` is the plugin's own `PluginContext`.
``examples/every_hook.py`` implements each hook once.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pluggy

from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.protocols import EntryAccess, MemoryTool, Store
from nanobot_memory_plugins.core.values import (
    ContextBlock,
    Message,
    Note,
    PromptEntries,
    Scope,
    Summary,
    Trace,
)
from nanobot_memory_plugins.core.values.diagnosis import Finding
from nanobot_memory_plugins.core.values.session_reading import ReadingPart, ReadingRequest

PROJECT_NAME: Final = "nanobot_memory_plugins"
hookspec = pluggy.HookspecMarker(PROJECT_NAME)
hookimpl = pluggy.HookimplMarker(PROJECT_NAME)


@hookspec
def on_message_received(
    session_key: str,
    text: str,
    history: tuple[Message, ...],
    spoken: bool,
    scope: Scope,
    context: PluginContext,
) -> ContextBlock | Note | Sequence[ContextBlock | Note] | None:
    """React to a user's message, before the prompt is built.

    ``text`` is what the user wrote; of more than 40,000 characters only the first and last 6,000 are passed.
    ``history`` holds the messages before it in the live context. ``spoken`` is False for a message that the host writes
    in the user's place: it may need memories, but is neither a request nor a statement of the user's.
    Return blocks to inject next to the message, notes to keep, both in a list, or None.
    """


@hookspec
def on_tool_executed(
    session_key: str,
    tool_name: str,
    arguments: Mapping[str, Any],
    result: object,
    error: str | None,
    duration_ms: float,
    scope: Scope,
    context: PluginContext,
) -> Note | Sequence[Note] | None:
    """React to a tool call that finished or failed.

    ``error`` is None when the call succeeded; it took ``duration_ms`` milliseconds. ``arguments`` and ``result`` are
    unredacted. Of lists and mappings only the first thousand values and 262,144 characters are passed, with the number
    of those left out (``[… 9 more]``). Core redacts the notes that you return; redact what you use in other ways.
    Return notes to keep, or None.
    """


@hookspec
def on_session_idle(
    session_key: str,
    history: tuple[Message, ...],
    ended: bool,
    scope: Scope,
    context: PluginContext,
) -> Note | Sequence[Note] | None:
    """React to a session that has been quiet for a while (300 s by default), or that has ``ended``.

    ``history`` holds its messages, oldest first. The user does not wait for the answer.
    Return notes to keep, or None.
    """


@hookspec
def before_compaction(
    session_key: str,
    messages: tuple[Message, ...],
    context_window: int,
    room: int,
    reason: str,
    replaceable: bool,
    scope: Scope,
    context: PluginContext,
) -> Note | Summary | Sequence[Note | Summary] | None:
    """React before history is cut.

    ``messages`` are those that may be cut. ``context_window`` is in tokens, and ``room`` is the part of it that the
    summary and the remaining messages may take together. ``reason`` is ``token_pressure``, ``overflow``, ``idle``,
    ``command``, ``session_ended`` (then no message remains), or a word of the host's. The notes of all plugins are
    kept; the first summary, in the order of the plugins, replaces the messages that are cut. ``replaceable`` is False
    where the host writes its own summary, for which the plugin's is only advice.
    """


@hookspec
def on_turn_finished(
    session_key: str,
    messages: Sequence[Message],
    context_tokens: int,
    context_window: int,
    scope: Scope,
    context: PluginContext,
) -> Note | ReadingRequest | Sequence[Note | ReadingRequest] | None:
    """React to the end of a turn: the user has the reply, and nobody waits for the answer.

    ``messages`` are the last ones of the live context. ``context_tokens`` is the estimated size of the whole context,
    with what the host sends besides messages, and ``context_window`` is the model's window, both in tokens.
    Return notes to keep, a `ReadingRequest` to have the session read now, or None.
    """


@hookspec
def contribute_reading(
    session_key: str,
    messages: tuple[Message, ...],
    unread: Mapping[str, int],
    reason: str,
    scope: Scope,
    context: PluginContext,
) -> ReadingPart | Sequence[ReadingPart] | None:
    """Contribute a part to the question that the language model answers about a session, and handle the answer.

    One request is made for all plugins, after the turn. ``messages`` are those since the last reading, oldest first; of
    them the last ``unread[field]`` are new for a field of the answer that was read before. ``reason`` is ``turn`` (a
    plugin returned a `ReadingRequest`), ``idle``, ``ended``, ``compaction``, or ``start`` for messages that an earlier
    process left unread. Return parts, or None.
    """


@hookspec
def on_draft_written(
    session_key: str,
    text: str,
    draft: str,
    history: tuple[Message, ...],
    scope: Scope,
    context: PluginContext,
) -> ContextBlock | Sequence[ContextBlock] | None:
    """Review the ``draft`` of an answer to ``text`` before the user sees it. ``history`` precedes ``text``.

    Return blocks with more evidence when the answer should be generated again with them, or None.
    """


@hookspec
def trim_bootstrap(
    files: Mapping[str, str], overhead: Mapping[str, int], context: PluginContext
) -> dict[str, str] | None:
    """Shorten the files that open a prompt.

    Synchronous, since hosts build prompts synchronously: an async implementation is refused. ``files`` maps file names
    to texts, in the order in which the host shows them and as earlier plugins shortened them. ``overhead`` is the
    number of characters that the host adds around each file. Called again only after a file has changed. Return the
    texts by name, without the files to leave out, or None.
    """


@hookspec
def prompt_entries(long_term: str, scope: Scope, context: PluginContext) -> PromptEntries | None:
    """Contribute a block to the system prompt: the long-term knowledge about the user, or something else.

    Synchronous, and called for every prompt: cache the text and change it only when its sources change, since a
    provider's prompt cache is valid only while the prompt stays the same. ``long_term`` is the text of the long-term
    file as the host would show it, or as an earlier plugin shortened it; ``scope`` is the prompt's owner. The blocks of
    several plugins follow each other. When a call fails, the plugin's previous answer is used. Return the block and
    the part of ``long_term`` that still goes into the prompt, or None.
    """


@hookspec(firstresult=True)
def open_store(context: PluginContext) -> Store | None:
    """Open the index of the workspace. All plugins use the first store that is returned."""


@hookspec(firstresult=True)
def open_shared_store(context: PluginContext) -> Store | None:
    """Open a store that several machines share. ``context.store`` is the store of this machine.

    All plugins use the returned store instead of this machine's. It falls back on this machine's store, and closes it.
    """


@hookspec(firstresult=True)
def open_entries(context: PluginContext) -> EntryAccess | None:
    """Give access to the scored entries of the workspace, for people who view and change them.

    Called by user interfaces, which start nothing else of the plugin: `on_start` may not have been called. The first
    answer is used.
    """


@hookspec
def on_start(context: PluginContext) -> None:
    """Start: the host has started, and the store is open. Limit: 10 s."""


@hookspec
def on_stop(context: PluginContext) -> None:
    """Stop: release what `on_start` acquired. The store is closed afterwards."""


@hookspec
def contribute_tools(context: PluginContext) -> MemoryTool | Sequence[MemoryTool] | None:
    """Offer tools to the model. Called once, at start.

    The attributes ``reads_only`` and ``destroys`` of a tool are for hosts that ask a person before a call.
    """


@hookspec
def on_purge(
    texts: tuple[str, ...],
    words: tuple[str, ...],
    ids: tuple[str, ...],
    dry_run: bool,
    everywhere: bool,
    records: tuple[str, ...],
    sessions: tuple[str, ...],
    context: PluginContext,
) -> Trace | Sequence[Trace] | None:
    """Purge texts: remove every trace of them from the data that the plugin stores.

    The memory files are already clean. ``texts`` are all texts that the entries ``ids`` ever had, ``words`` are others
    that a person named, ``records`` are the ids of removed messages and notes, and ``sessions`` the keys of removed
    conversations. With ``dry_run`` change nothing; with ``everywhere`` include text that people wrote. Return what was
    found, and what could not be removed and why. Do not store the texts. The hook may be called again with the same
    arguments: an interrupted purge is finished at the next start. All arguments are empty when files were cleaned in
    another way: then remove what you derived from them.
    """


@hookspec
def diagnose(context: PluginContext) -> Finding | Sequence[Finding] | None:
    """Report the plugin's health for ``nanobot-memory doctor``: one finding per check, with a hint for each problem."""

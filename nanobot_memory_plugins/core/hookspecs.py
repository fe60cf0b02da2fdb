"""The hooks that a plugin may implement: the contract of the set, on one page.

An implementation names only the arguments that it wants; none is fine. It may be a plain or an async
function. Values are frozen. Whatever it raises or returns by mistake is logged and costs only itself.
``session_key`` names the conversation ("cli:direct"), ``scope`` whose call it is, and ``context`` is the plugin's own
`PluginContext`. ``examples/every_hook.py`` implements each of them.
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
    """Answer a user's message, before the prompt is built.

    ``text`` is what the user wrote, of more than 40,000 characters the first and last 6,000; ``history`` the messages
    that precede it in the live context. What a host says in the user's place is not ``spoken``: it may call for
    memories, and is no order, nor the user's word.
    Answer with blocks to inject next to the message, notes to keep, both in a list, or None.
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
    """Answer a tool that finished or failed.

    ``tool_name`` was called, and took ``duration_ms`` milliseconds. ``error`` is None when it succeeded.
    ``arguments`` and ``result`` are as they were, secrets included; of lists and
    mappings the first thousand values and 262,144 characters alone, with how many more there were (``[… 9 more]``).
    What you return as a note is redacted by core before it is written, what you do yourself is not.
    Answer with notes to keep, or None.
    """


@hookspec
def on_session_idle(
    session_key: str,
    history: tuple[Message, ...],
    ended: bool,
    scope: Scope,
    context: PluginContext,
) -> Note | Sequence[Note] | None:
    """Answer a session that has been quiet for a while (300 s by default), or that has ``ended``.

    ``history`` are its messages, oldest first. Nobody waits for the answer.
    Answer with notes to keep, or None.
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
    """Answer that history is about to be cut.

    ``messages`` are the messages at stake, ``context_window`` is in tokens, and ``room`` is what the summary and
    the messages that stay may take of it together. ``reason`` is ``token_pressure``, ``idle``,
    ``command``, ``session_ended`` (then nothing stays), or a word of the host's.
    Everybody's notes are kept; the first summary, in the order of the
    plugins, replaces what is cut. Where the host makes a summary of its own they are not ``replaceable``: then it is
    advice for that one.
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
    """Answer that a turn is over: the user has the reply, and nobody waits for you.

    ``messages`` are the last of those in the live context now. ``context_tokens`` is about how many tokens all of them
    are, with what the host sends besides them, and ``context_window`` is the model's window in tokens.
    Answer with notes to keep, with a request that the session be read now, or None.
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
    """Say what you want to know of a session that the language model is about to read, and take the answer.

    One question is asked for all plugins, after the turn. ``messages`` are what was said since the session was read,
    oldest first; of them the last ``unread[field]`` are new for a field of the answer that was read before. ``reason``
    is ``turn`` (somebody asked for it by a `ReadingRequest`), ``idle``, ``ended``, ``compaction``, or ``start`` for
    what an earlier process has left. Answer with parts, or None where there is nothing to know.
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
    """Look at the ``draft`` of an answer to ``text`` before the user sees it; ``history`` precedes ``text``.

    Answer with blocks when the answer should be made again with more evidence next to the message, or None.
    """


@hookspec
def trim_bootstrap(
    files: Mapping[str, str], overhead: Mapping[str, int], context: PluginContext
) -> dict[str, str] | None:
    """Shorten the files that open a prompt.

    Synchronous, since hosts build prompts synchronously: an async implementation is refused. ``files`` are the texts by
    file name, in the order in which the host shows them, ``overhead`` is the
    characters that the host puts around each file. Called once for each state of the files, with what other plugins
    left of them; the answer holds until one changes. Answer with the texts by name, without those to leave out, or
    None.
    """


@hookspec
def prompt_entries(long_term: str, scope: Scope, context: PluginContext) -> PromptEntries | None:
    """Say what is known of the user for long, or what else the system prompt shall hold.

    Synchronous, and called for every prompt: keep the text, and make it anew only when what it is made of has changed,
    since providers' prompt caches hold only as long as the prompt stays the same. ``long_term`` is the text of the
    long-term file as the host would show it, or what another plugin has left of it; ``scope`` is the prompt's owner.
    The blocks of several plugins are put one below the other. An answer holds when a later call fails. Answer with the
    block and with what of ``long_term`` still goes into the prompt, or None.
    """


@hookspec(firstresult=True)
def open_store(context: PluginContext) -> Store | None:
    """Open the index of the workspace. The first store that is returned serves everybody."""


@hookspec(firstresult=True)
def open_shared_store(context: PluginContext) -> Store | None:
    """Put a store that many machines share before the one of this machine, which is ``context.store``.

    What is returned serves everybody in its place, answers from it where nothing else does, and closes it.
    """


@hookspec(firstresult=True)
def open_entries(context: PluginContext) -> EntryAccess | None:
    """Give access to the scored entries of the workspace, for people who look at them and change them.

    Called by panels and the like, which start nothing else of you: `on_start` need not have been called. The first
    answer serves everybody.
    """


@hookspec
def on_start(context: PluginContext) -> None:
    """Begin: the host has started, and the store is open. Limit: 10 s."""


@hookspec
def on_stop(context: PluginContext) -> None:
    """End: give back what `on_start` took. The store is closed after this."""


@hookspec
def contribute_tools(context: PluginContext) -> MemoryTool | Sequence[MemoryTool] | None:
    """Offer tools to the model. Called once, at start.

    ``reads_only`` and ``destroys`` tell hosts that ask a person before a call.
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
    """Forget texts for good: take every trace of them out of what you keep.

    The memory files are clean already when it is called. ``texts`` is what the entries of these ``ids`` ever said,
    ``words`` what a person named besides. With ``dry_run`` nothing is written; ``everywhere`` reaches text of people;
    ``records`` are messages and notes that went, by their ids, ``sessions`` whole conversations by their keys. Answer
    with what was found, and what had to stay and why. Do not write the texts down. It may be called again with the
    same: a forgetting that was broken off is finished at the next start. All are empty when files were cleaned
    otherwise: then erase what you made of what they held.
    """


@hookspec
def diagnose(context: PluginContext) -> Finding | Sequence[Finding] | None:
    """Report the plugin's health for ``nanobot-memory doctor``: one finding a check, with a hint where it is bad."""

"""Notes of tool executions.

Secrets are hidden before the text is cut: cutting first could leave fragments of secrets that no rule recognises.
"""

import asyncio
from collections.abc import Mapping
from fnmatch import fnmatch
from typing import Any

from pydantic import Field

from nanobot_memory_plugins.core import Note, NoteType, Origin, PluginContext, PluginOptions, hookimpl, redact_text
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.redaction import safe_preview
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.engine.views import hide_token_end, trailing_token
from nanobot_memory_plugins.redaction.rules.rule import UNCHECKED

TAG = "observation"
_TLDR_CHARS = 160
_SESSIONS = 1_000
# The processor time for the redaction of a note, and the share of the hook's time limit that it may take on a busy
# machine. Text that is not redacted by then is left out of the note.
_REDACTION_SECONDS = 0.1
_LIMIT_SHARE = 0.7


class ObservationOptions(PluginOptions):
    """Options of the observation plugin. Sizes are characters, counted after redaction."""

    tools: tuple[str, ...] = Field(
        default=("*",), description="names of the tools to observe; * matches any characters"
    )
    exclude: tuple[str, ...] = Field(
        default=("memory_search", "memory_get", "remember", "forget", "recall_memory"),
        description="names of tools that are not observed: the memory's own, which return memories",
    )
    max_argument_chars: int = Field(default=300, ge=0, le=20_000, description="characters kept of the arguments")
    max_result_chars: int = Field(default=2_000, ge=0, le=100_000, description="characters kept of the result")
    max_error_chars: int = Field(default=300, ge=0, le=20_000, description="characters kept of an error")


class ObservationPlugin:
    """Returns a note of each tool execution: the tool, its arguments, and its result or error."""

    Options = ObservationOptions

    def __init__(self) -> None:
        # The token at the end of each session's last result.
        self._last_tokens: BoundedDict[str, str] = BoundedDict(_SESSIONS)

    @hookimpl
    async def on_tool_executed(
        self,
        session_key: str,
        tool_name: str,
        arguments: Mapping[str, Any],
        result: object,
        error: str | None,
        duration_ms: float,
        context: PluginContext,
    ) -> Note | None:
        """Return the note, or None for a tool that is not observed."""
        options: ObservationOptions = context.options
        if not is_observed(tool_name, options):
            return None
        previous_token = self._exchange_last_token(session_key, result) if error is None else ""
        limit = context.host.time_limit("on_tool_executed")
        seconds = limit * _LIMIT_SHARE if limit is not None else None
        shown_arguments, outcome = await _previews(arguments, result, error, previous_token, options, seconds)
        duration = f"- duration: {duration_ms:.0f} ms"
        call = f"{tool_name} {shown_arguments} {'failed' if error is not None else 'returned'}:"
        gist = " ".join(f"{call} {outcome}".split())
        is_complete = len(gist) <= _TLDR_CHARS and "\n" not in outcome
        return Note(
            tldr=gist[:_TLDR_CHARS],
            # Details that begin with the gist are indexed instead of it, so that nothing is found twice.
            details=duration if is_complete else f"{call}\n{outcome}\n{duration}",
            type=NoteType.BUG if error is not None else NoteType.NOTE,
            tags=(TAG, tool_name),
            title=f"tool {tool_name}",
            origin=Origin.WEB if is_web(tool_name) else Origin.TOOL,
        )

    def _exchange_last_token(self, session_key: str, result: object) -> str:
        """Store the last token of this result, and return that of the one before: a page may be read in parts."""
        previous = self._last_tokens.pop(session_key, "")
        if not isinstance(result, str):
            return ""
        self._last_tokens[session_key] = trailing_token(result)
        return previous


async def _previews(
    arguments: Mapping[str, Any],
    result: object,
    error: str | None,
    previous_token: str,
    options: ObservationOptions,
    seconds: float | None,
) -> tuple[str, str]:
    """Return redacted previews of the arguments, and of the result or the error, or placeholders after ``seconds``.

    They are made in a thread, so that no result can block the event loop. ``previous_token`` is the token at the end
    of the session's last result, whose rest may be at the beginning of this one.
    """

    def make_previews() -> tuple[str, str]:
        from nanobot_memory_plugins.redaction import Budget  # imports the detectors, for which this thread may wait

        budget = Budget(_REDACTION_SECONDS)
        shown_arguments = safe_preview(arguments, max_chars=options.max_argument_chars, budget=budget)
        if error is not None:
            return shown_arguments, safe_preview(error, max_chars=options.max_error_chars, budget=budget)
        whole = hide_token_end(previous_token, result, redact_text) if isinstance(result, str) else result
        return shown_arguments, safe_preview(whole, max_chars=options.max_result_chars, budget=budget)

    making = asyncio.ensure_future(run_in_daemon_thread(make_previews))
    try:
        done, _ = await asyncio.wait((making,), timeout=seconds)
        return making.result() if done else (UNCHECKED, UNCHECKED)
    finally:
        making.cancel()


def is_observed(tool_name: str, options: ObservationOptions) -> bool:
    """Return whether the options include this tool."""
    return any(fnmatch(tool_name, pattern) for pattern in options.tools) and not any(
        fnmatch(tool_name, pattern) for pattern in options.exclude
    )


def is_web(tool_name: str) -> bool:
    """Return whether a tool returns text from the web, judging by its name."""
    return any(word in tool_name.lower() for word in ("web", "fetch", "browser", "http", "search_online"))

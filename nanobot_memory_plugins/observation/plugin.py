"""Tool executions as notes.

Secrets are hidden first and the text is cut afterwards: cutting first leaves fragments of secrets that no rule
recognises any more.
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
# Processor time for looking for secrets in what is shown, and which part of the hook's limit a busy machine may take
# for it: what is not checked by then is not shown, and the note is kept.
_SECONDS_TO_CHECK = 0.1
_PART_OF_LIMIT = 0.7


class ObservationOptions(PluginOptions):
    """Options of the observation plugin. Sizes are characters, counted after redaction."""

    tools: tuple[str, ...] = Field(default=("*",), description="names of the tools to observe; * stands for any run")
    exclude: tuple[str, ...] = Field(
        default=("memory_search", "memory_get", "remember", "forget", "recall_memory"),
        description="names of tools that are not observed: ours, whose answers are memories already",
    )
    max_argument_chars: int = Field(default=300, ge=0, le=20_000, description="characters kept of the arguments")
    max_result_chars: int = Field(default=2_000, ge=0, le=100_000, description="characters kept of the result")
    max_error_chars: int = Field(default=300, ge=0, le=20_000, description="characters kept of an error")


class ObservationPlugin:
    """Takes a note of each tool execution: what was called, with what, and what came of it."""

    Options = ObservationOptions

    def __init__(self) -> None:
        self._ended: BoundedDict[str, str] = BoundedDict(_SESSIONS)  # the run with which a session's last result ended

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
        before = self._before(session_key, result) if error is None else ""
        limit = context.host.time_limit("on_tool_executed")
        seconds = limit * _PART_OF_LIMIT if limit is not None else None
        called, outcome = await _views(arguments, result, error, before, options, seconds)
        took = f"- duration: {duration_ms:.0f} ms"
        call = f"{tool_name} {called} {'failed' if error is not None else 'returned'}:"
        gist = " ".join(f"{call} {outcome}".split())
        is_complete = len(gist) <= _TLDR_CHARS and "\n" not in outcome
        return Note(
            tldr=gist[:_TLDR_CHARS],
            # Details that begin with the gist are indexed in its place: nothing is found twice.
            details=took if is_complete else f"{call}\n{outcome}\n{took}",
            type=NoteType.BUG if error is not None else NoteType.NOTE,
            tags=(TAG, tool_name),
            title=f"tool {tool_name}",
            origin=Origin.WEB if is_web(tool_name) else Origin.TOOL,
        )

    def _before(self, session_key: str, result: object) -> str:
        """Return the run with which the session's last result ended: a page may be read in parts."""
        before = self._ended.pop(session_key, "")
        if not isinstance(result, str):
            return ""
        self._ended[session_key] = trailing_token(result)
        return before


async def _views(
    arguments: Mapping[str, Any],
    result: object,
    error: str | None,
    before: str,
    options: ObservationOptions,
    seconds: float | None,
) -> tuple[str, str]:
    """Give what is shown of the arguments, and of the result or the error; what is not checked in ``seconds`` is not.

    A thread does it: whatever a tool returns, the host's loop goes on. ``before`` is the run that the session's last
    result ended with.
    """

    def look() -> tuple[str, str]:
        from nanobot_memory_plugins.redaction import Budget  # with the detectors: this thread may wait for them

        budget = Budget(_SECONDS_TO_CHECK)
        called = safe_preview(arguments, max_chars=options.max_argument_chars, budget=budget)
        if error is not None:
            return called, safe_preview(error, max_chars=options.max_error_chars, budget=budget)
        whole = hide_token_end(before, result, redact_text) if isinstance(result, str) else result
        return called, safe_preview(whole, max_chars=options.max_result_chars, budget=budget)

    looking = asyncio.ensure_future(run_in_daemon_thread(look))
    try:
        done, _ = await asyncio.wait((looking,), timeout=seconds)
        return looking.result() if done else (UNCHECKED, UNCHECKED)
    finally:
        looking.cancel()


def is_observed(tool_name: str, options: ObservationOptions) -> bool:
    """Return whether the options ask for notes of this tool."""
    return any(fnmatch(tool_name, pattern) for pattern in options.tools) and not any(
        fnmatch(tool_name, pattern) for pattern in options.exclude
    )


def is_web(tool_name: str) -> bool:
    """Return whether a tool brings text from the web, by its name."""
    return any(word in tool_name.lower() for word in ("web", "fetch", "browser", "http", "search_online"))

"""What type checkers hold an implementation of a hook against: one Protocol a hook.

The decorators of `hookimpl` take these: ``@hookimpl.on_message_received``. All that a hook hands over is named, so an
implementation that wants less ends with ``**_: object``. ``self`` stands for that of a method; functions never see it.
"""

# ruff: noqa: D102, N805  # the classes say what each is; what an object itself is called as comes first

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.protocols import EntryAccess, MemoryTool, Store
from nanobot_memory_plugins.core.session_reading.part import ReadingPart, ReadingRequest
from nanobot_memory_plugins.core.values import (
    ContextBlock,
    Message,
    Note,
    PromptEntries,
    Scope,
    Summary,
    Trace,
    Withheld,
)
from nanobot_memory_plugins.core.values.diagnosis import Finding

_T = TypeVar("_T")

# What a plain function returns, and what an async one does.
Answer: TypeAlias = _T | Awaitable[_T]


class OnMessageReceivedHook(Protocol):
    """What implements `on_message_received`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        session_key: str,
        text: str,
        history: tuple[Message, ...],
        spoken: bool,
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[ContextBlock | Note | Sequence[ContextBlock | Note] | None]: ...


class OnToolExecutedHook(Protocol):
    """What implements `on_tool_executed`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        session_key: str,
        tool_name: str,
        arguments: Mapping[str, Any],
        result: object,
        error: str | None,
        duration_ms: float,
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[Note | Sequence[Note] | None]: ...


class OnSessionIdleHook(Protocol):
    """What implements `on_session_idle`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        session_key: str,
        history: tuple[Message, ...],
        ended: bool,
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[Note | Sequence[Note] | None]: ...


class BeforeCompactionHook(Protocol):
    """What implements `before_compaction`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        session_key: str,
        messages: tuple[Message, ...],
        context_window: int,
        room: int,
        reason: str,
        replaceable: bool,
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[Note | Summary | Sequence[Note | Summary] | None]: ...


class OnTurnFinishedHook(Protocol):
    """What implements `on_turn_finished`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        session_key: str,
        messages: Sequence[Message],
        context_tokens: int,
        context_window: int,
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[Note | ReadingRequest | Sequence[Note | ReadingRequest] | None]: ...


class ContributeReadingHook(Protocol):
    """What implements `contribute_reading`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        session_key: str,
        messages: tuple[Message, ...],
        unread: Mapping[str, int],
        reason: str,
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[ReadingPart | Sequence[ReadingPart] | None]: ...


class OnDraftWrittenHook(Protocol):
    """What implements `on_draft_written`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        session_key: str,
        text: str,
        draft: str,
        history: tuple[Message, ...],
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[ContextBlock | Sequence[ContextBlock] | None]: ...


class TrimBootstrapHook(Protocol):
    """What implements `trim_bootstrap`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        files: Mapping[str, str],
        overhead: Mapping[str, int],
        context: PluginContext[Any],
    ) -> dict[str, str] | None: ...


class PromptEntriesHook(Protocol):
    """What implements `prompt_entries`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        long_term: str,
        scope: Scope,
        context: PluginContext[Any],
    ) -> PromptEntries | None: ...


class OpenStoreHook(Protocol):
    """What implements `open_store`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        context: PluginContext[Any],
    ) -> Answer[Store | None]: ...


class ShareStoreHook(Protocol):
    """What implements `share_store`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        context: PluginContext[Any],
    ) -> Answer[Store | None]: ...


class OpenEntriesHook(Protocol):
    """What implements `open_entries`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        context: PluginContext[Any],
    ) -> Answer[EntryAccess | None]: ...


class OnStartHook(Protocol):
    """What implements `on_start`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        context: PluginContext[Any],
    ) -> Answer[None]: ...


class OnStopHook(Protocol):
    """What implements `on_stop`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        context: PluginContext[Any],
    ) -> Answer[None]: ...


class ContributeToolsHook(Protocol):
    """What implements `contribute_tools`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        context: PluginContext[Any],
    ) -> Answer[MemoryTool | Sequence[MemoryTool] | None]: ...


class WithheldTextsHook(Protocol):
    """What implements `withheld_texts`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        scope: Scope,
        context: PluginContext[Any],
    ) -> Answer[Withheld | Sequence[Withheld] | None]: ...


class OnPurgeHook(Protocol):
    """What implements `on_purge`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        texts: tuple[str, ...],
        words: tuple[str, ...],
        ids: tuple[str, ...],
        dry_run: bool,
        everywhere: bool,
        nearly: bool,
        records: tuple[str, ...],
        context: PluginContext[Any],
    ) -> Answer[Trace | Sequence[Trace] | None]: ...


class DiagnoseHook(Protocol):
    """What implements `diagnose`."""

    def __call__(
        _,
        /,
        *,
        self: Any,
        context: PluginContext[Any],
    ) -> Answer[Finding | Sequence[Finding] | None]: ...

"""The decorators that mark the implementations of hooks."""

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, overload

import pluggy

from nanobot_memory_plugins.core import typing as hooks

PROJECT_NAME: Final = "nanobot_memory_plugins"

_Hook = TypeVar("_Hook", contravariant=True)
_Function = TypeVar("_Function")
_marker = pluggy.HookimplMarker(PROJECT_NAME)


class HookDecorator(Generic[_Hook]):
    """Marks an implementation of one hook, whatever its name, and lets type checkers hold it against the hook."""

    def __init__(self, hook: str) -> None:
        self._hook = hook

    @overload
    def __call__(self, function: _Hook, /) -> Callable[..., Any]: ...

    @overload
    def __call__(self, *, tryfirst: bool = False, trylast: bool = False) -> Callable[[_Hook], Callable[..., Any]]: ...

    def __call__(self, function: Any = None, *, tryfirst: bool = False, trylast: bool = False) -> Any:
        """Mark ``function``, or return what marks one so."""
        return _marker(function, specname=self._hook, tryfirst=tryfirst, trylast=trylast)


class HookImplementationMarker:
    """Marks implementations: called, any function named like a hook; by an attribute, one that is checked, too."""

    @overload
    def __call__(self, function: _Function, /) -> _Function: ...

    @overload
    def __call__(
        self,
        *,
        hookwrapper: bool = False,
        optionalhook: bool = False,
        tryfirst: bool = False,
        trylast: bool = False,
        specname: str | None = None,
        wrapper: bool = False,
    ) -> Callable[[_Function], _Function]: ...

    def __call__(self, function: Any = None, **options: Any) -> Any:
        """Mark ``function``, or return what marks one so. The options are pluggy's."""
        return _marker(function, **options)

    on_message_received: Final = HookDecorator[hooks.OnMessageReceivedHook]("on_message_received")
    on_tool_executed: Final = HookDecorator[hooks.OnToolExecutedHook]("on_tool_executed")
    on_session_idle: Final = HookDecorator[hooks.OnSessionIdleHook]("on_session_idle")
    before_compaction: Final = HookDecorator[hooks.BeforeCompactionHook]("before_compaction")
    on_turn_finished: Final = HookDecorator[hooks.OnTurnFinishedHook]("on_turn_finished")
    contribute_reading: Final = HookDecorator[hooks.ContributeReadingHook]("contribute_reading")
    on_draft_written: Final = HookDecorator[hooks.OnDraftWrittenHook]("on_draft_written")
    trim_bootstrap: Final = HookDecorator[hooks.TrimBootstrapHook]("trim_bootstrap")
    prompt_entries: Final = HookDecorator[hooks.PromptEntriesHook]("prompt_entries")
    open_store: Final = HookDecorator[hooks.OpenStoreHook]("open_store")
    share_store: Final = HookDecorator[hooks.ShareStoreHook]("share_store")
    open_entries: Final = HookDecorator[hooks.OpenEntriesHook]("open_entries")
    on_start: Final = HookDecorator[hooks.OnStartHook]("on_start")
    on_stop: Final = HookDecorator[hooks.OnStopHook]("on_stop")
    contribute_tools: Final = HookDecorator[hooks.ContributeToolsHook]("contribute_tools")
    withheld_texts: Final = HookDecorator[hooks.WithheldTextsHook]("withheld_texts")
    on_purge: Final = HookDecorator[hooks.OnPurgeHook]("on_purge")
    diagnose: Final = HookDecorator[hooks.DiagnoseHook]("diagnose")


hookimpl: Final = HookImplementationMarker()

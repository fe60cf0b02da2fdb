"""Testing a plugin: making its context, calling a hook as the host does, and installing the plugin for one test."""

import asyncio
import inspect
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from pydantic import BaseModel
from typing_extensions import TypeVar

from nanobot_memory_plugins.core.clock import Clock, ManualClock
from nanobot_memory_plugins.core.context import HostServices, PluginContext
from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.host.history import plain_history
from nanobot_memory_plugins.core.host.plugin_host import PluginHost
from nanobot_memory_plugins.core.isolation.failure import Failure
from nanobot_memory_plugins.core.protocols import Complete, Store, VisibleScopes
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.scopes.scopes import Scopes
from nanobot_memory_plugins.core.values import Message, Scope, Summary
from nanobot_memory_plugins.core.values.conversation import freeze

_OptionsT = TypeVar("_OptionsT", default=None)

# The default workspace does not exist, so that a test without a workspace writes nothing.
_NOWHERE = Path("/nowhere")
_START = datetime(2026, 1, 1, tzinfo=UTC)
_SYNCHRONOUS = frozenset({"trim_bootstrap", "prompt_entries"})

SAMPLES: Mapping[str, object] = MappingProxyType(
    {
        "session_key": "cli:direct",
        "text": "hello",
        "draft": "hello",
        "history": (Message(role="user", text="hello"),),
        "messages": (Message(role="user", text="hello"),),
        "spoken": True,
        "scope": Scope(session="cli:direct"),
        "tool_name": "exec",
        "arguments": MappingProxyType({"command": "ls"}),
        "result": "done",
        "error": None,
        "duration_ms": 1.5,
        "ended": False,
        "context_tokens": 900,
        "context_window": 1_000,
        "room": 1_000,
        "reason": "token_pressure",
        "replaceable": True,
        "files": MappingProxyType({"AGENTS.md": "Be kind."}),
        "overhead": MappingProxyType({"AGENTS.md": 21}),
        "long_term": "",
        "texts": (),
        "words": (),
        "ids": (),
        "dry_run": False,
        "everywhere": False,
        "sessions": (),
        "records": (),
        "unread": MappingProxyType({}),
    }
)
"""The arguments of this project's hooks that `run_hook` uses for those that a test leaves out."""


def plugin_context(
    options: _OptionsT = None,  # type: ignore[assignment]  # the default of the parameter is that of its type
    *,
    plugin_name: str = "plugin",
    workspace: Path = _NOWHERE,
    clock: Clock | None = None,
    complete: Complete | None = None,
    store: Store | None = None,
    redact: Callable[[str], str] = redact_text,
    scopes: VisibleScopes | None = None,
) -> PluginContext[_OptionsT]:
    """Return a context with these options. Without a clock, its time is always the beginning of 2026 in UTC.

    Without ``scopes``, everybody shares all memories, as with a host that names no users.
    """
    clock = clock or ManualClock(_START)
    return PluginContext(
        plugin_name=plugin_name,
        workspace=workspace,
        options=options,
        clock=clock,
        complete=complete,
        redact=redact,
        redact_said=redact,
        scopes=scopes or Scopes("agent"),
        host=HostServices(store=lambda: store),
    )


def run_hook(plugin: object, hook: str, /, **settings: Any) -> list[Any]:
    """Call a hook like `run_hook_async`, from code that does not run in an event loop."""
    return asyncio.run(run_hook_async(plugin, hook, **settings))


async def run_hook_async(
    plugin: object,
    hook: str,
    /,
    *,
    context: PluginContext[Any] | None = None,
    hookspecs: Sequence[ModuleType] = (),
    **arguments: object,
) -> list[Any]:
    """Call one hook of a plugin (a module, an object or a class) and return its answers.

    The call is checked, bounded and run in threads as by a host. Missing arguments come from `SAMPLES`, and without a
    ``context`` the plugin gets its default options. Messages may also have the form of a chat API. ``hookspecs`` are
    modules with a framework's own hooks, for which a test passes all arguments. Raises `PluginError`, from the original
    exception, if the plugin fails, cannot be registered, or gives an answer that the host ignores, and for a hook or
    argument that does not exist.
    """
    context = context or plugin_context(_default_options(plugin))
    host = PluginHost(time_limits={}, specifications=hookspecs)
    given = _all_arguments(hook, host.arguments_of(hook), arguments)
    try:
        implemented = host.register(context.plugin_name, plugin() if inspect.isclass(plugin) else plugin, context)
        if hook not in implemented:
            raise PluginError(f"The plugin does not implement {hook}.", hint=f"It has: {', '.join(implemented)}.")
        if hook in _SYNCHRONOUS:
            values = await asyncio.to_thread(host.call_sync, hook, context.plugin_name, given)
        else:
            answers = await host.call(hook, given)
            values = tuple(value for plugin_values in answers.values() for value in plugin_values)
    finally:
        await host.close()
    outcome = host.last_outcome
    if isinstance(outcome, Failure):
        raise PluginError(f"The plugin failed in {hook}: {outcome.reason} at {outcome.place}.") from outcome.error
    length = len(given.get("messages", ()))
    if any(isinstance(one, Summary) and not 0 <= one.keep_from <= length for one in values):
        raise PluginError(f"The plugin answered {hook} with a keep_from outside of the messages, which counts as none.")
    return list(values)


def install_plugin(folder: Path, monkeypatch: Any, name: str, source: str, *, attribute: str = "") -> None:
    """Put a distribution with one plugin module on the import path, until ``monkeypatch`` is undone.

    ``monkeypatch`` is pytest's, or an object with its ``syspath_prepend`` and ``delitem``. The entry point names the
    module, or an ``attribute`` of it.
    """
    module = f"third_party_{name}"
    (folder / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    value = f"{module}:{attribute}" if attribute else module
    (info / "entry_points.txt").write_text(f"[{PLUGIN_GROUP}]\n{name} = {value}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, module, raising=False)


def _default_options(plugin: object) -> BaseModel | None:
    model = getattr(plugin, "Options", None)
    return model() if isinstance(model, type) and issubclass(model, BaseModel) else None


def _all_arguments(hook: str, names: Collection[str], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return all arguments of a hook, in the form in which the host passes them."""
    given: dict[str, Any] = {name: sample for name, sample in SAMPLES.items() if name in names} | dict(arguments)
    if given.keys() != set(names):
        raise PluginError(
            f"{hook} was called with {', '.join(given) or 'nothing'}.", hint=f"It has: {', '.join(sorted(names))}."
        )
    for name in {"history", "messages"} & arguments.keys():
        given[name] = plain_history(given[name])
    return {name: freeze(value) if name in ("arguments", "result", "files") else value for name, value in given.items()}

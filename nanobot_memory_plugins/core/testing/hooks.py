"""Calling one hook of one plugin, as the host calls it: checked, with copies, in its threads, within its bounds."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.errors import InputError, PluginError
from nanobot_memory_plugins.core.host.hidden_answers import plain_history
from nanobot_memory_plugins.core.host.hook_calls import fault_of_summaries
from nanobot_memory_plugins.core.host.plugins.implementation import Implementation
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
from nanobot_memory_plugins.core.isolation.attempt import Outcome, WrongAnswer
from nanobot_memory_plugins.core.isolation.failure import Failure
from nanobot_memory_plugins.core.testing.contexts import default_options, plugin_context
from nanobot_memory_plugins.core.values import Message, Scope, Summary, freeze

# What a hook is handed where a test does not say.
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
_SYNCHRONOUS = frozenset({"trim_bootstrap", "prompt_entries"})


def run_hook(
    plugin: object, hook: str, /, *, context: PluginContext[Any] | None = None, **arguments: object
) -> list[Any]:
    """Call one hook of a plugin (a module, an object or a class) and return the values that it answers with.

    Arguments that are left out have samples, and without a context there is one with the plugin's default options; chat
    messages may be those of the APIs. Raises `PluginError`, from the exception itself, where the plugin fails, is
    refused at its registration, or answers what counts as none. In an async test await `call_hook`.
    """
    return asyncio.run(call_hook(plugin, hook, context=context, **arguments))


async def call_hook(
    plugin: object, hook: str, /, *, context: PluginContext[Any] | None = None, **arguments: object
) -> list[Any]:
    """Do what `run_hook` does, in a loop that runs already."""
    context = context or plugin_context(default_options(plugin))
    whole = _whole(hook, arguments)
    host = _TellingHost(time_limits={})
    try:
        implemented = host.register(context.plugin_name, plugin() if inspect.isclass(plugin) else plugin, context)
        if hook not in implemented:
            raise PluginError(f"The plugin does not implement {hook}.", hint=f"It has: {', '.join(implemented)}.")
        accept = accepted_types(hook)
        if hook in _SYNCHRONOUS:
            given = sum(len(str(value)) for value in whole.values())
            name = context.plugin_name
            values = await asyncio.to_thread(host.call_sync, hook, name, whole, accept=accept, given=given)
        else:
            check = fault_of_summaries(len(_messages(whole))) if Summary in accept else None
            answers = await host.call(hook, whole, accept=accept, check=check)
            values = tuple(value for answer in answers for value in answer.values)
    finally:
        await host.close()
    host.raise_what_failed(hook)
    return list(values)


@cache
def accepted_types(hook: str) -> tuple[type, ...]:
    """Return the types of the values that a hook may answer with, as its specification names them."""
    return tuple(dict.fromkeys(_types(get_type_hints(_specification(hook))["return"])))


def _specification(hook: str) -> Any:
    found = vars(hookspecs).get(hook)
    if not hasattr(found, f"{hookspecs.PROJECT_NAME}_spec"):
        hooks = [name for name, value in vars(hookspecs).items() if hasattr(value, f"{hookspecs.PROJECT_NAME}_spec")]
        raise InputError(f"There is no hook {hook}.", hint=f"The hooks are: {', '.join(sorted(hooks))}.")
    return found


def _types(annotation: Any) -> list[type]:
    origin = get_origin(annotation)
    if annotation is NoneType:
        return []
    if origin in (Union, UnionType, Sequence):
        return [kind for part in get_args(annotation) for kind in _types(part)]
    return [origin or annotation]


def _whole(hook: str, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return all arguments of a hook, in the form in which the host hands them over."""
    names = [name for name in inspect.signature(_specification(hook)).parameters if name != "context"]
    if unknown := sorted(arguments.keys() - set(names)):
        raise InputError(f"{hook} has no argument {', '.join(unknown)}.", hint=f"It has: {', '.join(names)}.")
    whole = {name: arguments.get(name, SAMPLES[name]) for name in names}
    for name in {"history", "messages"} & arguments.keys():
        whole[name] = plain_history(_messages(whole, name))
    return {name: freeze(value) if name in ("arguments", "result", "files") else value for name, value in whole.items()}


def _messages(whole: Mapping[str, object], name: str = "messages") -> Sequence[object]:
    value = whole.get(name, ())
    return value if isinstance(value, Sequence) else ()


class _TellingHost(PluginHost):
    """A plugin host that keeps what a plugin did wrong."""

    def raise_what_failed(self, hook: str) -> None:
        """Raise `PluginError` for the failure or the wrong answer of the last call, if it was one."""
        outcome = self._outcome
        if isinstance(outcome, Failure):
            raise PluginError(f"The plugin failed in {hook}: {outcome.reason} at {outcome.place}.") from outcome.error
        if isinstance(outcome, WrongAnswer):
            raise PluginError(f"The plugin answered {hook} with {outcome.what}, which counts as none.")

    _outcome: Outcome | None = None

    def _conclude(self, implementation: Implementation, outcome: Outcome) -> tuple[object, ...]:
        self._outcome = outcome
        return super()._conclude(implementation, outcome)

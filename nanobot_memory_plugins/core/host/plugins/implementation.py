"""Finds the functions of a plugin that implement hooks."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pluggy

from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.isolation.attempt import Implementation
from nanobot_memory_plugins.core.isolation.breaker import CircuitBreaker
from nanobot_memory_plugins.core.isolation.failure import CodeLocation
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.redaction.script.messages import Sentence

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def find_implementations(
    manager: pluggy.PluginManager,
    name: str,
    plugin: object,
    hooks: Mapping[str, frozenset[str]],
    *,
    context: PluginContext,
    threads: DaemonThreadPool,
    new_breaker: Callable[[], CircuitBreaker],
) -> dict[str, Implementation]:
    """Return the implementations in a plugin, by hook.

    ``hooks`` names the arguments of each hook. Raises `PluginError` for what cannot be called.
    """
    found: dict[str, Implementation] = {}
    waits = False  # for a host that has its hook
    for attribute in dir(plugin):
        if attribute.startswith("__"):
            continue
        options = manager.parse_hookimpl_opts(plugin, attribute)
        if options is None:
            continue
        hook = options.get("specname") or attribute
        where = Sentence("{attribute} of plugin {name}", attribute=attribute, name=name)
        if options.get("wrapper") or options.get("hookwrapper"):
            raise PluginError(
                Sentence("{where} is a hook wrapper, and wrappers are not called.", where=where),
                hint="Implement the hook without wrapper=True.",
            )
        if hook not in hooks:
            if options.get("optionalhook"):
                waits = True
                continue
            raise PluginError(
                Sentence("{where} implements {hook}, and there is no such hook.", where=where, hook=hook),
                hint=Sentence(
                    "The hooks are: {names}. hookimpl(optionalhook=True) allows others.",
                    names=", ".join(sorted(hooks)),
                ),
            )
        if hook in found:
            raise PluginError(
                Sentence("Plugin {name} implements {hook} twice.", name=name, hook=hook),
                hint="Join both functions in one.",
            )
        function = getattr(plugin, attribute)
        found[hook] = Implementation(
            plugin_name=name,
            hook=hook,
            function=function,
            takes=_arguments_taken(function, hooks[hook], where),
            rank=bool(options.get("trylast")) - bool(options.get("tryfirst")),
            is_async=inspect.iscoroutinefunction(function),
            home=CodeLocation.of(function),
            context=context,
            threads=threads,
            breaker=new_breaker(),
        )
    if not found and not waits:
        raise PluginError(
            Sentence("Plugin {name} implements no hook.", name=name),
            hint="Decorate a function that is named like a hook with hookimpl.",
        )
    return found


def accepted_types(specification: Callable[..., Any]) -> tuple[type, ...]:
    """Return the types of the values that a hook may answer with, as its specification names them."""
    return tuple(dict.fromkeys(_types(get_type_hints(specification).get("return", object))))


def _types(annotation: Any) -> list[type]:
    origin = get_origin(annotation)
    if annotation is NoneType:
        return []
    if origin in (Union, UnionType, Sequence):
        return [kind for part in get_args(annotation) for kind in _types(part)]
    return [object if annotation is Any else origin or annotation]


def _arguments_taken(function: Callable[..., Any], known: frozenset[str], where: str) -> frozenset[str]:
    """Return the arguments of its hook that an implementation takes: those that it names, with ``**more`` all.

    A parameter with a default may be one that only another version of the hook has. Raises `PluginError` for another
    that the hook does not have.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise PluginError(Sentence("{where} has no signature that can be read.", where=where)) from None
    unknown = [
        one.name for one in parameters if one.kind in _NAMED and one.default is one.empty and one.name not in known
    ]
    if unknown:
        raise PluginError(
            Sentence(
                "{where} asks for {unknown}, which the hook does not have.", where=where, unknown=", ".join(unknown)
            ),
            hint=Sentence("The hook has: {names}.", names=", ".join(sorted(known))),
        )
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
    return known if takes_all else known.intersection(one.name for one in parameters)

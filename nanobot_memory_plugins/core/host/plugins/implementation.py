"""One function of one plugin that implements one hook."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pluggy

from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.isolation.attempt import Call
from nanobot_memory_plugins.core.isolation.breaker import CircuitBreaker
from nanobot_memory_plugins.core.isolation.failure import CodeLocation
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.redaction.script.messages import Sentence

_BY_POSITION = inspect.Parameter.POSITIONAL_ONLY
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Signature:
    """Which arguments of a hook an implementation takes, and how."""

    positional: tuple[str, ...]
    named: tuple[str, ...]
    everything: bool

    def pick(self, arguments: Mapping[str, object]) -> tuple[list[object], Mapping[str, object]]:
        """Return what to call the implementation with. Raises KeyError when the host forgot an argument."""
        positional = [arguments[name] for name in self.positional]
        names = [name for name in arguments if name not in self.positional] if self.everything else self.named
        return positional, {name: arguments[name] for name in names}


@dataclass(frozen=True, slots=True, eq=False)
class Implementation:
    """An implementation, with all that its calls need."""

    name: str
    plugin_name: str
    hook: str
    function: Callable[..., Any]
    signature: Signature
    is_async: bool
    context: PluginContext
    home: CodeLocation
    threads: DaemonThreadPool
    breaker: CircuitBreaker

    def call(self, arguments: Mapping[str, object]) -> Call:
        """Return the call of it with these arguments of the hook. Raises KeyError when the host forgot one."""
        positional, named = self.signature.pick({**arguments, "context": self.context})
        return Call(self.plugin_name, self.function, positional, named, self.is_async, self.home, self.threads)


def read_signature(function: Callable[..., Any], known: frozenset[str], where: str) -> Signature:
    """Match an implementation's parameters with the arguments of its hook.

    A parameter with a default is filled in when the hook has it, and may be one that only another version of
    the hook has. ``**name`` takes everything that is not named, and nothing where its name begins
    with an underscore. Raises `PluginError` for a parameter that
    the hook does not have.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise PluginError(Sentence("{where} has no signature that can be read.", where=where)) from None
    unknown = [
        parameter.name
        for parameter in parameters
        if parameter.name not in known
        and (parameter.kind is _BY_POSITION or parameter.kind in _NAMED)
        and (parameter.kind is _BY_POSITION or parameter.default is parameter.empty)
    ]
    if unknown:
        raise PluginError(
            Sentence(
                "{where} asks for {unknown}, which the hook does not have.", where=where, unknown=", ".join(unknown)
            ),
            hint=Sentence("The hook has: {names}.", names=", ".join(sorted(known))),
        )
    return Signature(
        positional=tuple(parameter.name for parameter in parameters if parameter.kind is _BY_POSITION),
        named=tuple(parameter.name for parameter in parameters if parameter.kind in _NAMED and parameter.name in known),
        everything=any(
            parameter.kind is inspect.Parameter.VAR_KEYWORD and not parameter.name.startswith("_")
            for parameter in parameters
        ),
    )


@dataclass(frozen=True, slots=True)
class FoundImplementation:
    """An implementation as it stands in a plugin."""

    function: Callable[..., Any]
    signature: Signature
    tryfirst: bool
    trylast: bool


def find_implementations(
    manager: pluggy.PluginManager, name: str, plugin: object, hooks: Mapping[str, frozenset[str]]
) -> dict[str, FoundImplementation]:
    """Return the implementations in a plugin, by hook.

    ``hooks`` names the arguments of each hook. Raises `PluginError` for what cannot be called.
    """
    found: dict[str, FoundImplementation] = {}
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
        found[hook] = FoundImplementation(
            function=function,
            signature=read_signature(function, hooks[hook], where),
            tryfirst=bool(options.get("tryfirst")),
            trylast=bool(options.get("trylast")),
        )
    if not found:
        raise PluginError(
            Sentence("Plugin {name} implements no hook.", name=name),
            hint="Decorate a function that is named like a hook with hookimpl.",
        )
    return found

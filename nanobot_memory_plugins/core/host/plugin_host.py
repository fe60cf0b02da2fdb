"""Calls the hooks of all plugins in isolation: nothing that a plugin does reaches the caller, except its answer."""

import asyncio
import inspect
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import TypeVar

import pluggy

from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.host.discovery import accepted_types
from nanobot_memory_plugins.core.isolation.attempt import (
    Attempt,
    CircuitBreaker,
    Implementation,
    Outcome,
    run_sync,
    wait_within,
)
from nanobot_memory_plugins.core.isolation.failure import Failure, exception_name, is_traced, log_traceback
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

_T = TypeVar("_T")

SERIAL_HOOKS = ("before_compaction", "on_purge")
"""Hooks whose plugins are called one after the other: each may read what the ones before have written."""

# Characters of a value in a trace, and of its representation that they are taken from.
_TRACED_CHARS, _SCANNED_CHARS = 60, 4_000
# Threads of one plugin, at most.
_MAX_THREADS = 32


Answers = Mapping[str, tuple[object, ...]]
"""The answers by plugin name: for each at least one value, of types that the specification names."""


def values_of(answers: Answers, kind: type[_T]) -> list[_T]:
    """Return the values of one type among the answers."""
    return [value for values in answers.values() for value in values if isinstance(value, kind)]


class _Manager(pluggy.PluginManager):
    """Ignores attributes with an underscore in front: inspecting them would take most of the start."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        return None if name.startswith("_") else super().parse_hookimpl_opts(plugin, name)


class PluginHost:
    """Registers plugins and calls their hooks.

    ``time_limits`` are seconds by hook, ``default_limit`` applies to the other hooks. After ``failures`` in a row, a
    plugin's hook rests for ``rest_seconds``. ``grace_seconds`` is the time that an implementation over its limit has to
    clean up in the background before it is dropped. ``specifications`` are further modules of hookspecs.

    This cannot stop an async function that blocks: the loop stands still until it returns, and its answer is too late
    to be used. Nor can it stop tasks and threads that a plugin starts, or code that ends the process on purpose.
    """

    def __init__(
        self,
        *,
        time_limits: Mapping[str, float],
        default_limit: float = 60.0,
        failures: int = 3,
        rest_seconds: float = 60.0,
        clock: Clock | None = None,
        grace_seconds: float = 1.0,
        specifications: Iterable[ModuleType] = (),
    ) -> None:
        self._time_limits = dict(time_limits)
        self._default_limit = default_limit
        self._failures, self._rest_seconds = failures, rest_seconds
        self._clock = clock or SystemClock()
        self._grace_seconds = grace_seconds
        self._manager = _Manager(hookspecs.PROJECT_NAME)
        for module in (hookspecs, *specifications):
            self._manager.add_hookspecs(module)
        self._specs = {
            name: caller.spec
            for name, caller in vars(self._manager.hook).items()
            if isinstance(caller, pluggy.HookCaller) and caller.spec is not None
        }
        for spec in self._specs.values():
            spec.argnames = tuple(dict.fromkeys((*spec.argnames, "context")))  # available to all implementations
        self._registered: dict[pluggy.HookImpl, Implementation] = {}
        self._threads: dict[str, DaemonThreadPool] = {}
        self._attempts: set[Attempt] = set()
        self._closed = False
        self.last_outcome: Outcome = ()
        self._is_traced = is_traced()

    def register(self, name: str, plugin: object, context: PluginContext) -> tuple[str, ...]:
        """Register a plugin and return the hooks that it implements.

        Raises `PluginError`, without registering it, if it implements no hook or an unknown one, or takes an argument
        that the hook does not have.
        """
        try:
            self._manager.register(plugin, name)
            self._manager.check_pending()  # raises for an unknown hook
            implemented = self._manager.get_hookcallers(plugin)
            if not implemented:
                raise PluginError(
                    Sentence("Plugin {name} implements no hook.", name=name),
                    hint="Mark a function that has the name of a hook with @hookimpl.",
                )
            callers = [one for one in implemented if one.has_spec()]  # the others are optional hooks of other hosts
            threads = self._threads[name] = DaemonThreadPool(_MAX_THREADS, name=f"nanobot-memory {name}")
            for caller in callers:
                for hookimpl in caller.get_hookimpls():
                    if hookimpl.plugin is plugin:
                        self._registered[hookimpl] = Implementation(
                            plugin_name=name,
                            hook=caller.name,
                            function=hookimpl.function,
                            parameters=_parameters(hookimpl.function, frozenset(self._specs[caller.name].argnames)),
                            answer_types=accepted_types(self._specs[caller.name].function),
                            is_async=inspect.iscoroutinefunction(hookimpl.function),
                            context=context,
                            threads=threads,
                            breaker=CircuitBreaker(self._failures, self._rest_seconds, self._clock),
                        )
        except BaseException as error:
            self._manager.unregister(name=name)
            if isinstance(error, PluginError):
                raise
            log_traceback(name, error)
            is_refused = isinstance(error, pluggy.PluginValidationError)  # whose text names the wrong argument
            what = " ".join(str(error).split()) if is_refused else f"looking at it raises {exception_name(error)}"
            raise PluginError(Sentence("Plugin {name} cannot be registered: {what}.", name=name, what=what)) from None
        return tuple(sorted(caller.name for caller in callers))

    async def call(self, hook: str, arguments: Mapping[str, object], *, limit: float | None = None) -> Answers:
        """Call a hook of all plugins and return the answers, in pluggy's order.

        The implementations run concurrently; those of `SERIAL_HOOKS` run one after the other, and those of a
        ``firstresult`` hook until one answers. An answer is None, a value of a type that the hook's specification
        names, or a list or tuple of such values; anything else is a failure. Dataclasses arrive as validated copies.
        ``limit`` is in seconds, by default that of the hook. Only a cancellation of the caller is raised.
        """
        implementations = self._implementations(hook)
        limit = self.time_limit(hook) if limit is None else limit
        answers: dict[str, tuple[object, ...]] = {}
        first_wins = self._specs[hook].opts["firstresult"]
        for batch in [(one,) for one in implementations] if first_wins or hook in SERIAL_HOOKS else [implementations]:
            for name, values in await self._run(batch, arguments, limit):
                answers[name] = (*answers.get(name, ()), *values)
            if answers and first_wins:
                break
        return answers

    def call_sync(self, hook: str, plugin: str, arguments: Mapping[str, object]) -> tuple[object, ...]:
        """Call a hook of one plugin, wait in the caller's thread, and return the values of its answer.

        This is for hosts that cannot await; async implementations are refused. The function runs in a thread of the
        plugin, and is abandoned after its time limit. The user's Ctrl-C is raised.
        """
        one = next((one for one in self._implementations(hook) if one.plugin_name == plugin), None)
        if one is None or one.breaker.is_resting:
            return ()
        began = time.monotonic()
        outcome = run_sync(one, arguments, self.time_limit(hook))
        return self._conclude(one, arguments, outcome, time.monotonic() - began)

    def plugins_with(self, hook: str) -> tuple[str, ...]:
        """Return the names of the plugins that implement a hook, in the order of the calls."""
        return tuple(one.plugin_name for one in self._implementations(hook))

    def failing_plugins(self, hook: str) -> Mapping[str, str]:
        """Return the plugins whose hook rests, or failed at the last call, with the reason."""
        return {
            one.plugin_name: f"resting after: {one.breaker.reason}" if one.breaker.is_resting else one.breaker.reason
            for one in self._implementations(hook)
            if one.breaker.is_resting or one.breaker.failures
        }

    def arguments_of(self, hook: str) -> frozenset[str]:
        """Return the names of a hook's arguments. Raises `PluginError` for an unknown hook."""
        self._implementations(hook)
        return frozenset(self._specs[hook].argnames) - {"context"}

    def time_limit(self, hook: str) -> float:
        """Return the time limit of a hook, in seconds."""
        return self._time_limits.get(hook, self._default_limit)

    async def close(self) -> None:
        """Stop calling plugins, and end the calls that still run on this loop.

        They are cancelled, and dropped after the grace time. Threads cannot be stopped; they are daemons.
        """
        self._closed = True
        for threads in self._threads.values():
            threads.shutdown()
        loop = asyncio.get_running_loop()
        attempts = [one for one in self._attempts if one.task.get_loop() is loop]
        for one in attempts:
            one.abandon(self._clock, self._grace_seconds)
        if tasks := [one.task for one in attempts if not one.task.done()]:
            await asyncio.wait(tasks, timeout=2 * self._grace_seconds)

    def _implementations(self, hook: str) -> Sequence[Implementation]:
        if hook not in self._specs:
            names = ", ".join(sorted(self._specs))
            raise PluginError(
                Sentence("There is no hook {hook}.", hook=hook), hint=Sentence("The hooks are: {names}.", names=names)
            )
        # Pluggy calls the last one first.
        hookimpls = () if self._closed else reversed(getattr(self._manager.hook, hook).get_hookimpls())
        return [self._registered[one] for one in hookimpls]

    async def _run(
        self, implementations: Iterable[Implementation], arguments: Mapping[str, object], limit: float
    ) -> list[tuple[str, tuple[object, ...]]]:
        """Run implementations concurrently, each until its end or its deadline."""
        attempts = [Attempt(one, arguments, limit) for one in implementations if not one.breaker.is_resting]
        if not attempts:
            return []
        self._attempts = {one for one in self._attempts if not one.task.done()}.union(attempts)
        try:
            await wait_within(attempts, limit, self._clock)
        finally:
            for attempt in attempts:
                attempt.abandon(self._clock, self._grace_seconds)
        answers = []
        for attempt in attempts:
            one = attempt.implementation
            if values := self._conclude(one, arguments, attempt.outcome(), attempt.seconds):
                answers.append((one.plugin_name, values))
        return answers

    def _conclude(
        self, implementation: Implementation, arguments: Mapping[str, object], outcome: Outcome, seconds: float
    ) -> tuple[object, ...]:
        """Count, log and trace the outcome of a call, and return the values of its answer."""
        breaker, self.last_outcome = implementation.breaker, outcome
        where = (implementation.plugin_name, implementation.hook)
        if self._is_traced:
            _trace(".".join(where), arguments, outcome, seconds)
        if isinstance(outcome, Failure):
            logger.warning("plugin {} failed in {}: {} at {}", *where, outcome.reason, outcome.place)
            if breaker.fail(outcome.reason):
                logger.warning("plugin {}: circuit open for {:g} s in {}", where[0], self._rest_seconds, where[1])
            return ()
        if breaker.succeed():
            logger.info("plugin {}: recovered in {}", *where)
        return outcome


def _parameters(function: Callable[..., object], available: frozenset[str]) -> frozenset[str]:
    parameters = inspect.signature(function).parameters
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    return available if takes_all else available.intersection(parameters)


def _trace(name: str, arguments: Mapping[str, object], outcome: Outcome, seconds: float) -> None:
    """Print one call on standard error, short and without secrets: ``plugin.hook(arguments) -> answer (seconds)``."""
    given = ", ".join(f"{key}={_shorten(value)}" for key, value in arguments.items())
    if isinstance(outcome, Failure):
        answer = f"failed: {outcome.reason} at {outcome.place}"
    else:
        answer = ", ".join(map(_shorten, outcome)) if outcome else "nothing"
    line = f"{name}({given}) -> {answer} ({seconds:.3f} s)"
    sys.stderr.write(f"memory: {_without_secrets(line)}\n")


def _shorten(value: object) -> str:
    if isinstance(value, (tuple, list)) and len(value) > 1:
        return f"[{len(value)} of {type(value[-1]).__name__}]"
    # Redacted before it is cut: the beginning of a secret is not recognised as one.
    text = _without_secrets(" ".join(repr(value)[:_SCANNED_CHARS].split()))
    return text if len(text) <= _TRACED_CHARS else f"{text[:_TRACED_CHARS]}…"


def _without_secrets(text: str) -> str:
    from nanobot_memory_plugins.redaction import redact_text  # only imported for a trace

    return redact_text(text)

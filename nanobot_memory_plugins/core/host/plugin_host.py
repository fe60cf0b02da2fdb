"""Calls the hooks of every plugin, and lets nothing that a plugin does reach the caller but its answer."""

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
    end_within,
    run_plain,
)
from nanobot_memory_plugins.core.isolation.failure import Failure, exception_name, is_traced, log_traceback
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

_T = TypeVar("_T")

IN_ORDER = ("before_compaction", "on_purge")
"""Hooks whose plugins are called one after the other: what one has written, the next may read."""

# What of a value is shown of a call, and looked at for that.
_SHORT, _LOOKED_AT = 60, 4_000
# Threads that one plugin can keep busy at a time.
_THREADS = 32


Answers = Mapping[str, tuple[object, ...]]
"""What plugins answered, by their names: each at least one value of a type that the caller accepts."""


def values_of(answers: Answers, kind: type[_T]) -> list[_T]:
    """Return the values of one type among the answers."""
    return [value for values in answers.values() for value in values if isinstance(value, kind)]


class _Manager(pluggy.PluginManager):
    """Takes nothing for a hook that begins with an underscore: to look at each such attribute is most of a start."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        return None if name.startswith("_") else super().parse_hookimpl_opts(plugin, name)


class PluginHost:
    """Registers plugins and calls their hooks.

    ``time_limits`` are seconds by hook, ``default_limit`` holds for the others. So many ``failures`` in a row let a
    plugin's hook rest for ``rest_seconds``. The clock drives both. ``grace_seconds`` is what an implementation over its
    limit gets to clean up, in the background, before it is dropped. ``specifications`` are modules of hookspecs besides
    ours.

    What it cannot hold: code that blocks inside an async function blocks the loop until it comes back (its answer is
    late then, and not used), tasks and threads that a plugin starts itself, and anything that ends or stops the process
    on purpose.
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
            spec.argnames = tuple(dict.fromkeys((*spec.argnames, "context")))  # every implementation may ask for it
        self._registered: dict[pluggy.HookImpl, Implementation] = {}
        self._threads: dict[str, DaemonThreadPool] = {}
        self._attempts: set[Attempt] = set()
        self._closed = False
        self.last_outcome: Outcome = ()
        self._is_traced = is_traced()

    def register(self, name: str, plugin: object, context: PluginContext) -> tuple[str, ...]:
        """Take a plugin in and return the hooks that it implements.

        Raises `PluginError`, and takes nothing in, when it implements no hook, or one that does not exist, or asks for
        an argument that the hook does not have.
        """
        try:
            self._manager.register(plugin, name)
            self._manager.check_pending()  # it raises for a hook that does not exist
            implemented = self._manager.get_hookcallers(plugin)
            if not implemented:
                raise PluginError(
                    Sentence("Plugin {name} implements no hook.", name=name),
                    hint="Decorate a function that is named like a hook with hookimpl.",
                )
            callers = [one for one in implemented if one.has_spec()]  # others are for other hosts
            threads = self._threads[name] = DaemonThreadPool(_THREADS, name=f"nanobot-memory {name}")
            for caller in callers:
                for one in caller.get_hookimpls():
                    if one.plugin is plugin:
                        self._registered[one] = Implementation(
                            plugin_name=name,
                            hook=caller.name,
                            function=one.function,
                            takes=_taken(one.function, frozenset(self._specs[caller.name].argnames)),
                            accepts=accepted_types(self._specs[caller.name].function),
                            is_async=inspect.iscoroutinefunction(one.function),
                            context=context,
                            threads=threads,
                            breaker=CircuitBreaker(self._failures, self._rest_seconds, self._clock),
                        )
        except BaseException as error:
            self._manager.unregister(name=name)
            if isinstance(error, PluginError):
                raise
            log_traceback(name, error)
            is_refused = isinstance(error, pluggy.PluginValidationError)  # which says what is wrong with what it takes
            what = " ".join(str(error).split()) if is_refused else f"looking at it raises {exception_name(error)}"
            raise PluginError(Sentence("Plugin {name} cannot be registered: {what}.", name=name, what=what)) from None
        return tuple(sorted(caller.name for caller in callers))

    async def call(self, hook: str, arguments: Mapping[str, object], *, limit: float | None = None) -> Answers:
        """Call a hook of every plugin and return the answers, in pluggy's order.

        The implementations run side by side, those of `IN_ORDER` one after the other; where the specification says
        ``firstresult``, one after the other until one answers. An answer is None, a value of a type that the hook's
        specification names, or a list or tuple of such values; anything else is a failure. Values that are
        dataclasses arrive as checked copies. ``limit`` is in seconds, that of the hook when None is given. Only the
        cancellation of the caller is raised.
        """
        implementations = self._implementations(hook)
        limit = self.time_limit(hook) if limit is None else limit
        answers: dict[str, tuple[object, ...]] = {}
        first_wins = self._specs[hook].opts["firstresult"]
        for batch in [(one,) for one in implementations] if first_wins or hook in IN_ORDER else [implementations]:
            for name, values in await self._run(batch, arguments, limit):
                answers[name] = (*answers.get(name, ()), *values)
            if answers and first_wins:
                break
        return answers

    def call_sync(self, hook: str, plugin: str, arguments: Mapping[str, object]) -> tuple[object, ...]:
        """Call a hook of one plugin, wait in the caller's thread, and return the values of its answer.

        It is for hosts that cannot await. An async implementation is refused. It runs in a thread of the plugin's; one
        that has not answered within its time limit is left behind, and the caller goes on. The user's Ctrl-C is raised.
        """
        one = next((one for one in self._implementations(hook) if one.plugin_name == plugin), None)
        if one is None or one.breaker.resting:
            return ()
        began = time.monotonic()
        outcome = run_plain(one, arguments, self.time_limit(hook))
        return self._conclude(one, arguments, outcome, time.monotonic() - began)

    def plugins_with(self, hook: str) -> tuple[str, ...]:
        """Return the plugins that implement a hook, in the order in which they are called."""
        return tuple(one.plugin_name for one in self._implementations(hook))

    def failing_plugins(self, hook: str) -> Mapping[str, str]:
        """Return the plugins that rest in a hook, or failed when it was called last, each with the reason."""
        return {
            one.plugin_name: f"resting after: {one.breaker.reason}" if one.breaker.resting else one.breaker.reason
            for one in self._implementations(hook)
            if one.breaker.resting or one.breaker.failures
        }

    def arguments_of(self, hook: str) -> frozenset[str]:
        """Return the arguments that a hook is called with. Raises `PluginError` for one that does not exist."""
        self._implementations(hook)
        return frozenset(self._specs[hook].argnames) - {"context"}

    def time_limit(self, hook: str) -> float:
        """Return for how many seconds a plugin's answer to a hook is waited for."""
        return self._time_limits.get(hook, self._default_limit)

    async def close(self) -> None:
        """Call nothing any more, and end the calls that still run on this loop.

        They are cancelled and, after the grace, dropped. Threads cannot be ended; they are daemons.
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
        # Pluggy calls the last first.
        made = () if self._closed else reversed(getattr(self._manager.hook, hook).get_hookimpls())
        return [self._registered[one] for one in made]

    async def _run(
        self, implementations: Iterable[Implementation], arguments: Mapping[str, object], limit: float
    ) -> list[tuple[str, tuple[object, ...]]]:
        """Run implementations side by side, each until its end or its deadline."""
        attempts = [Attempt(one, arguments, limit) for one in implementations if not one.breaker.resting]
        if not attempts:
            return []
        self._attempts = {one for one in self._attempts if not one.task.done()}.union(attempts)
        try:
            await end_within(attempts, limit, self._clock)
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
        """Count, log and trace what became of a call, and return the values of its answer."""
        breaker, self.last_outcome = implementation.breaker, outcome
        where = (implementation.plugin_name, implementation.hook)
        if self._is_traced:
            _show(".".join(where), arguments, outcome, seconds)
        if isinstance(outcome, Failure):
            logger.warning("plugin {} failed in {}: {} at {}", *where, outcome.reason, outcome.place)
            if breaker.fail(outcome.reason):
                logger.warning("plugin {}: circuit open for {:g} s in {}", where[0], self._rest_seconds, where[1])
            return ()
        if breaker.succeed():
            logger.info("plugin {}: recovered in {}", *where)
        return outcome


def _taken(function: Callable[..., object], known: frozenset[str]) -> frozenset[str]:
    parameters = inspect.signature(function).parameters
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    return known if takes_all else known.intersection(parameters)


def _show(name: str, arguments: Mapping[str, object], outcome: Outcome, seconds: float) -> None:
    """Show one call on standard error, short and without secrets: ``plugin.hook(arguments) -> answer (seconds)``."""
    given = ", ".join(f"{key}={_short(value)}" for key, value in arguments.items())
    if isinstance(outcome, Failure):
        answer = f"failed: {outcome.reason} at {outcome.place}"
    else:
        answer = ", ".join(map(_short, outcome)) if outcome else "nothing"
    line = f"{name}({given}) -> {answer} ({seconds:.3f} s)"
    sys.stderr.write(f"memory: {_without_secrets(line)}\n")


def _short(value: object) -> str:
    if isinstance(value, (tuple, list)) and len(value) > 1:
        return f"[{len(value)} of {type(value[-1]).__name__}]"
    # Hidden before it is cut: of the beginning of a secret nothing shows what it is.
    text = _without_secrets(" ".join(repr(value)[:_LOOKED_AT].split()))
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _without_secrets(text: str) -> str:
    from nanobot_memory_plugins.redaction import redact_text  # a host that is not traced does not import it here

    return redact_text(text)

"""Calls the hooks of every plugin, and lets nothing that a plugin does reach the caller but its answer."""

import asyncio
import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import ModuleType

import pluggy

from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.host.plugins import trace
from nanobot_memory_plugins.core.host.plugins.implementation import (
    FoundImplementation,
    Implementation,
    find_implementations,
)
from nanobot_memory_plugins.core.isolation.answers import Expected, bound_of, prepare
from nanobot_memory_plugins.core.isolation.attempt import Attempt, Outcome, WrongAnswer, run_plain
from nanobot_memory_plugins.core.isolation.breaker import BreakerSettings, CircuitBreaker
from nanobot_memory_plugins.core.isolation.failure import CodeLocation, Failure, exception_name, log_traceback
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import ContextBlock, Note, PromptEntries, Summary
from nanobot_memory_plugins.core.values.diagnosis import Finding
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Threads that one plugin can keep busy at a time.
_THREADS = 32


class PluginState(StrEnum):
    """How a plugin stands.

    ``resting``: at least one of its hooks is not called at present, after repeated failures. ``disabled``: it
    is not registered. ``failed``: it could not be registered.
    """

    ACTIVE = "active"
    RESTING = "resting"
    DISABLED = "disabled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PluginAnswer:
    """What one plugin answered: at least one value, each of a type that the caller accepts."""

    plugin_name: str
    values: tuple[object, ...]


class PluginHost:
    """Registers plugins and calls their hooks.

    ``time_limits`` are seconds by hook, ``default_limit`` holds for the others. The clock drives the
    breakers and the time limits. ``grace_seconds`` is what an implementation over its limit
    gets to clean up, in the background, before it is dropped. ``specifications`` are modules of hookspecs beside ours.

    What it cannot hold: code that blocks inside an async function blocks the loop until it comes back (its
    answer is late then, and not used), tasks and threads that a plugin starts itself, and anything that ends or stops
    the process on purpose.
    """

    def __init__(
        self,
        *,
        time_limits: Mapping[str, float],
        default_limit: float = 60.0,
        breaker: BreakerSettings = BreakerSettings(),  # noqa: B008  # frozen
        clock: Clock | None = None,
        grace_seconds: float = 1.0,
        specifications: Iterable[ModuleType] = (),
    ) -> None:
        self._time_limits = dict(time_limits)
        self._default_limit = default_limit
        self._breaker = breaker
        self._clock = clock or SystemClock()
        self._grace_seconds = grace_seconds
        self._manager = pluggy.PluginManager(hookspecs.PROJECT_NAME)
        for module in (hookspecs, *specifications):
            self._manager.add_hookspecs(module)
        self._hooks: dict[str, frozenset[str]] = {
            name: frozenset(caller.spec.argnames)
            for name, caller in vars(self._manager.hook).items()
            if isinstance(caller, pluggy.HookCaller) and caller.spec is not None
        }
        self._callable: dict[str, tuple[Implementation, ...]] = dict.fromkeys(self._hooks, ())
        self._plugins: dict[str, tuple[Implementation, ...]] = {}
        self._threads: list[DaemonThreadPool] = []
        self._attempts: dict[asyncio.Task[None], Attempt] = {}
        self._failed: set[str] = set()
        self._complained: set[Implementation] = set()
        self._reasons: dict[str, str] = {}
        self._closed = False
        self._is_traced = trace.is_traced()
        prepare((Note, ContextBlock, Summary, Finding, PromptEntries))

    def register(self, name: str, plugin: object, context: PluginContext) -> tuple[str, ...]:
        """Take a plugin in and return the hooks that it implements.

        Raises `PluginError`, and takes nothing in, when it implements no hook, or one that does not exist,
        asks for an argument that the hook does not have, is a hook wrapper, or is there already.
        """
        try:
            return self._register(name, plugin, context)
        except BaseException as error:
            if name not in self._plugins:
                self._failed.add(name)
            if isinstance(error, PluginError):
                raise
            log_traceback(name, error)
            what = exception_name(error)
        raise PluginError(
            Sentence("Plugin {name} cannot be registered: looking at it raises {what}.", name=name, what=what)
        )

    def unregister(self, name: str) -> None:
        """Call a plugin no more; calls that run are left to end. An unknown name is no error."""
        self._failed.discard(name)
        if self._plugins.pop(name, None) is not None:
            self._manager.unregister(name=name)
            self._order_implementations()

    async def call(
        self,
        hook: str,
        arguments: Mapping[str, object],
        *,
        accept: tuple[type, ...],
        sequential: bool = False,
        check: Callable[[object], str] | None = None,
    ) -> list[PluginAnswer]:
        """Call a hook of every plugin and return the answers, in pluggy's order.

        The implementations run side by side, or with ``sequential`` one after the other. An answer is None, a value
        of a type in ``accept``, or a list or tuple of such values; anything else counts as none. Values that are
        dataclasses arrive as checked copies. ``check`` says in a few words what else is wrong with a value,
        which then counts as none with all of its answer. An answer over the hook's bound is a failure of
        the plugin. Only the cancellation of the caller is raised.
        """
        expected = Expected(accept, bound_of(hook), check)
        answers: list[PluginAnswer] = []
        implementations = self._implementations(hook)
        batches = [(one,) for one in implementations] if sequential else [implementations]
        for batch in batches:
            answers += await self._run(batch, arguments, expected)
        return answers

    async def call_first(
        self, hook: str, arguments: Mapping[str, object], *, accept: tuple[type, ...]
    ) -> PluginAnswer | None:
        """Call a hook of one plugin after the other until one answers, and return its answer."""
        expected = Expected(accept, bound_of(hook))
        for implementation in self._implementations(hook):
            answers = await self._run((implementation,), arguments, expected)
            if answers:
                return answers[0]
        return None

    def call_sync(
        self,
        hook: str,
        arguments: Mapping[str, object],
        *,
        accept: tuple[type, ...],
        given: int = 0,
        plugin: str = "",
    ) -> list[PluginAnswer]:
        """Call a hook and wait in the caller's thread, for hosts that cannot await.

        An async implementation is refused. Each runs in a thread of its plugin's; one that has not answered
        within its time limit is left behind, and the caller goes on. The user's Ctrl-C is raised. ``given`` is how many
        characters an answer may hold beyond the hook's bound, since they were handed over. ``plugin`` names the
        only one to ask.
        """
        expected = Expected(accept, bound_of(hook, given))
        answers: list[PluginAnswer] = []
        for implementation in self._implementations(hook):
            if plugin not in ("", implementation.plugin_name):
                continue
            permit = implementation.breaker.begin()
            if permit is None:
                continue
            began = time.monotonic()
            try:
                outcome = run_plain(implementation.call(arguments), expected, self.time_limit(hook))
            except BaseException:
                implementation.breaker.release(permit)
                raise
            if self._is_traced:
                trace.show(implementation.name, arguments, outcome, time.monotonic() - began)
            answers += self._conclude(implementation, permit, outcome)
        return answers

    def plugins_with(self, hook: str) -> tuple[str, ...]:
        """Return the plugins that implement a hook, in the order in which they are called."""
        return tuple(one.plugin_name for one in self._implementations(hook))

    def state(self, name: str) -> PluginState:
        """Return how a plugin stands."""
        if name in self._plugins:
            resting = any(one.breaker.resting for one in self._plugins[name])
            return PluginState.RESTING if resting else PluginState.ACTIVE
        return PluginState.FAILED if name in self._failed else PluginState.DISABLED

    def failures(self) -> Mapping[tuple[str, str], int]:
        """Return the failures in a row, by plugin and hook."""
        return {
            (one.plugin_name, one.hook): one.breaker.failures
            for implementations in self._plugins.values()
            for one in implementations
        }

    def unheard(self, hook: str) -> Mapping[str, str]:
        """Return the plugins that rest in a hook, or did not answer when it was called last, each with the reason."""
        found = self._implementations(hook)
        return {
            one.plugin_name: f"resting after: {why}" if one.breaker.resting else why
            for one in found
            if one.breaker.resting or one.breaker.failures
            for why in [self._reasons.get(one.name, "it failed")]
        }

    async def close(self) -> None:
        """Call nothing any more, and end the calls that still run on this loop.

        They are cancelled and, after the grace, dropped. Threads cannot be ended; they are daemons.
        """
        self._closed = True
        for threads in self._threads:
            threads.shutdown()
        loop = asyncio.get_running_loop()
        attempts = [one for one in self._attempts.values() if one.task.get_loop() is loop]
        for end in (Attempt.abandon, Attempt.drop):
            for one in attempts:
                end(one)
            if tasks := [one.task for one in attempts if not one.task.done()]:
                await asyncio.wait(tasks, timeout=self._grace_seconds)

    def _register(self, name: str, plugin: object, context: PluginContext) -> tuple[str, ...]:
        if name in self._plugins:
            raise PluginError(
                Sentence("A plugin named {name} is registered already.", name=name), hint="Rename one of them."
            )
        found = find_implementations(self._manager, name, plugin, self._hooks)
        threads = DaemonThreadPool(_THREADS, name=f"nanobot-memory {name}")
        implementations = tuple(
            Implementation(
                name=f"{name}.{hook}",
                plugin_name=name,
                hook=hook,
                function=one.function,
                signature=one.signature,
                is_async=inspect.iscoroutinefunction(one.function),
                context=context,
                home=CodeLocation.of(one.function),
                threads=threads,
                breaker=CircuitBreaker(self._breaker, self._clock),
            )
            for hook, one in found.items()
        )
        self._manager.register(_OrderingStub(found), name=name)
        self._plugins[name] = implementations
        self._threads.append(threads)
        self._failed.discard(name)
        self._order_implementations()
        return tuple(sorted(found))

    def _order_implementations(self) -> None:
        """Work out who is called for each hook: tryfirst, then the last registered, trylast at the end."""
        for hook in self._hooks:
            mine = {one.plugin_name: one for ones in self._plugins.values() for one in ones if one.hook == hook}
            in_order = reversed(self._manager.hook.__dict__[hook].get_hookimpls())
            self._callable[hook] = tuple(mine[found.plugin_name] for found in in_order)

    def _implementations(self, hook: str) -> tuple[Implementation, ...]:
        if hook not in self._callable:
            raise PluginError(Sentence("There is no hook {hook}.", hook=hook))
        return () if self._closed else self._callable[hook]

    def time_limit(self, hook: str) -> float:
        """Return for how many seconds a plugin's answer to a hook is waited for."""
        return self._time_limits.get(hook, self._default_limit)

    async def _run(
        self,
        implementations: Iterable[Implementation],
        arguments: Mapping[str, object],
        expected: Expected,
    ) -> list[PluginAnswer]:
        """Run implementations side by side, each until its end or its deadline."""
        prepare(expected.accept)
        attempts: list[tuple[Implementation, int, Attempt]] = []
        waiter: asyncio.Future[None] | None = None
        open_attempts = 0

        def on_end() -> None:
            nonlocal open_attempts
            open_attempts -= 1
            if open_attempts == 0 and waiter is not None and not waiter.done():
                waiter.set_result(None)

        try:
            for one in implementations:
                if one.breaker.resting:
                    continue
                call = one.call(arguments)
                permit = one.breaker.begin()
                if permit is not None:
                    limit, clock, grace = self.time_limit(one.hook), self._clock, self._grace_seconds
                    attempt = Attempt(call, expected, limit, on_end, clock=clock, grace=grace)
                    self._attempts[attempt.task] = attempt
                    attempt.task.add_done_callback(self._attempts.pop)
                    attempts.append((one, permit, attempt))
                    open_attempts += 1
            if attempts:
                waiter = asyncio.get_running_loop().create_future()
                await waiter
        except BaseException:
            for one, permit, attempt in attempts:
                if attempt.outcome is None:
                    one.breaker.release(permit)
                attempt.abandon()
            raise
        for one, _, attempt in attempts if self._is_traced else ():
            trace.show(one.name, arguments, attempt.outcome, attempt.seconds)
        return [answer for one, permit, attempt in attempts for answer in self._conclude(one, permit, attempt.outcome)]

    def _conclude(self, implementation: Implementation, permit: int, outcome: Outcome | None) -> list[PluginAnswer]:
        """Count and log what became of a call, and return its answer, if it has one."""
        breaker = implementation.breaker
        where = (implementation.plugin_name, implementation.hook)
        if isinstance(outcome, Failure):
            logger.warning("plugin {} failed in {}: {} at {}", *where, outcome.reason, outcome.place)
            self._reasons[implementation.name] = outcome.reason
            if breaker.fail(permit):
                rest = self._breaker.rest_seconds
                logger.warning("plugin {}: circuit open for {:g} s in {}", where[0], rest, where[1])
            return []
        if breaker.succeed(permit):
            logger.info("plugin {}: recovered in {}", *where)
        if isinstance(outcome, WrongAnswer):
            # A plugin that answers like this does so every time: said once.
            level = "DEBUG" if implementation in self._complained else "WARNING"
            self._complained.add(implementation)
            logger.log(level, "plugin {} answered {} with {}: ignored", *where, outcome.what)
            return []
        return [PluginAnswer(where[0], outcome)] if outcome else []


class _OrderingStub:
    """Stands for a plugin in pluggy's registry, which keeps the order: a plugin's own ``==`` may be broken."""

    def __init__(self, found: Mapping[str, FoundImplementation]) -> None:
        self._hooks = list(found)
        for hook, one in found.items():

            def stub() -> None: ...

            setattr(self, hook, hookspecs.hookimpl(tryfirst=one.tryfirst, trylast=one.trylast)(stub))

    def __dir__(self) -> list[str]:
        return self._hooks  # pluggy looks at each name, which takes its time

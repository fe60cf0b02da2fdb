"""The installed plugins of one host: discovery, configuration, registration and diagnosis."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Self, TypeVar

from pydantic import BaseModel

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.context import HostServices, PluginContext
from nanobot_memory_plugins.core.entry_points import is_selected
from nanobot_memory_plugins.core.errors import PluginError, StoreError
from nanobot_memory_plugins.core.host.discovery import DiscoveredPlugin, discover_plugins
from nanobot_memory_plugins.core.host.plugin_host import PluginHost, values_of
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete, EntryAccess, Store
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.scopes import Scopes, workspace_scopes
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

_T = TypeVar("_T")

# A purge may rewrite a large index, and nobody waits for an answer meanwhile.
_PURGE_SECONDS = 900.0
_READING_SECONDS = 5.0
_START_HOOKS = ("open_store", "open_shared_store", "open_entries", "on_start", "on_stop", "contribute_tools")


class PluginSet(PluginHost):
    """The installed plugins: loads them, each with its own context, and opens the store and the entries.

    On its own, in ``async with``, it gives a command access to the index and the entries of a workspace, without
    starting the plugins. Without ``scopes`` the installed host says who may write.
    """

    def __init__(
        self,
        workspace: Path,
        *,
        config: MemoryConfig,
        clock: Clock | None = None,
        scopes: Scopes | None = None,
        llm: Complete | None = None,
        services: HostServices | None = None,
        redaction: ContactRedaction | None = None,
        specifications: Iterable[ModuleType] = (),
    ) -> None:
        core = config.core
        super().__init__(
            time_limits={
                "on_message_received": core.message_limit,
                "on_draft_written": core.message_limit,
                "on_tool_executed": core.tool_limit,
                "on_session_idle": core.idle_limit,
                "before_compaction": core.compaction_limit,
                "trim_bootstrap": core.message_limit,
                "prompt_entries": core.message_limit,
                "on_turn_finished": core.compaction_limit,
                # It precedes each idle and compaction call, so a plugin that hangs delays those as well.
                "contribute_reading": min(core.idle_limit, _READING_SECONDS),
                "on_purge": _PURGE_SECONDS,
                **dict.fromkeys(_START_HOOKS, core.start_limit),
            },
            failures=core.breaker_failures,
            rest_seconds=core.breaker_rest,
            clock=clock,
            specifications=specifications,
        )
        self._workspace = workspace
        self._redaction = redaction or ContactRedaction(config.redaction.contacts)
        self._config = config
        self._llm = llm
        self._scopes = scopes or workspace_scopes(workspace, config)
        self._services = services or HostServices()
        self.store: Store | None = None
        self.entries: EntryAccess | None = None
        self.discovered: list[DiscoveredPlugin] = []
        self.problems: list[ConfigProblem] = list(config.problems)

    async def __aenter__(self) -> Self:
        await self.load()
        await self.open()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def load(self) -> None:
        """Import the enabled plugins in a thread, and register them."""
        files = self._usable_files()

        def is_enabled(name: str) -> bool:
            return is_selected(name) and self._config.enabled(name)

        self.discovered = await run_in_daemon_thread(lambda: discover_plugins(should_load=is_enabled, files=files))
        for plugin in self.discovered:
            if plugin.plugin is not None:
                self._register(plugin)
            elif plugin.error:
                logger.warning("plugin {} could not be loaded: {}", plugin.name, plugin.error)
        for problem in self.problems:
            logger.warning("configuration: {}", problem.message)

    def _usable_files(self) -> list[Path]:
        """Return the plugin files that may be loaded; the others are added to the problems.

        A file in the workspace is never loaded, since an agent's tools can write there.
        """
        usable = []
        for name in self._config.core.plugin_files:
            path = name.expanduser()
            is_writable = path.resolve().is_relative_to(self._workspace.resolve())
            if path.is_absolute() and path.is_file() and not is_writable:
                usable.append(path)
                continue
            why = Sentence("{name} is not a file", name=name)
            if is_writable:
                why = Sentence("{name} is in the workspace, where an agent can write", name=name)
            hint = Sentence("Give the full path of a file outside of the workspace.")
            self.problems.append(ConfigProblem(f"{self._config.prefix}.core.pluginFiles", why, hint=hint))
        return usable

    def _register(self, plugin: DiscoveredPlugin) -> None:
        try:
            context = self._context_for(plugin.name, plugin.options_model)
            plugin.hooks = self.register(plugin.name, plugin.plugin, context)
        except PluginError as error:
            plugin.error = Sentence.joined([error.cause, *filter(None, [error.hint])], " ")
            logger.warning("plugin {} could not be registered: {}", plugin.name, error)

    def _context_for(self, name: str, options_model: type[BaseModel] | None) -> PluginContext:
        """Return the context of a plugin; problems of its options are added to the problems."""
        options, problems = plugin_options(self._config, name, options_model)
        self.problems += problems
        return PluginContext(
            plugin_name=name,
            workspace=self._workspace,
            options=options,
            clock=self._clock,
            complete=self.language_model(name),
            redact=self._redaction.redact_generated,
            redact_said=self._redaction.redact_people,
            scopes=self._scopes,
            wishes=self._config.core.wishes,
            host=replace(
                self._services,
                store=lambda: self.store,
                entries=lambda: self.entries,
                time_limit=self.time_limit,
                wrong_options=tuple(problem.message for problem in problems),
            ),
        )

    async def open(self) -> None:
        """Open the store of the first plugin that has one, or a shared store in its place, and the entries."""
        self.store = await self._first_answer("open_store", Store)
        if self.store is not None:
            self.store = await self._first_answer("open_shared_store", Store) or self.store
        self.entries = await self._first_answer("open_entries", EntryAccess)

    async def _first_answer(self, hook: str, kind: type[_T]) -> _T | None:
        answers = await self.call(hook, {})
        return next(iter(values_of(answers, kind)), None)

    async def close(self) -> None:
        """Close the store, and stop calling plugins."""
        if (store := self.store) is not None:
            self.store = None
            try:
                await store.close()
            except Exception as error:  # a third party's store may fail in any way; the host goes on closing
                logger.warning("the store could not be closed cleanly: {}", type(error).__name__)
        await super().close()

    def required_store(self) -> Store:
        """Return the open index. Raises `StoreError` if there is none."""
        if self.store is None:
            raise StoreError(
                "No store is open: the storage plugin is not installed, not enabled, or failed.",
                hint="Run `nanobot-memory doctor`, or install nanobot-memory-storage.",
            )
        return self.store

    def language_model(self, plugin: str) -> Complete | None:
        """Return the language model with the limits of a plugin, or None if the host has no model."""
        if self._llm is None:
            return None
        from nanobot_memory_plugins.core.language_model.access import LanguageModel
        from nanobot_memory_plugins.core.language_model.ledger import UsageLedger
        from nanobot_memory_plugins.core.state import StateDatabase

        ledger = UsageLedger(StateDatabase.of(self._workspace))
        options = self._config.core.language_model
        return LanguageModel(self._llm, plugin=plugin, options=options, ledger=ledger, clock=self._clock)

    @property
    def load_errors(self) -> dict[str, str]:
        """The enabled plugins that could not be loaded, with the reason."""
        return {one.name: one.error for one in self.discovered if one.error}

    def state_of(self, plugin: DiscoveredPlugin) -> str:
        """Return the state of a discovered plugin.

        It is ``resting`` while at least one of its hooks is not called, after repeated failures, ``failed`` if it could
        not be loaded or registered, ``disabled`` if it is not registered, else ``active``.
        """
        if plugin.error:
            return Sentence("failed")
        if plugin.hooks is None:
            return Sentence("disabled")
        own = [one for hook in plugin.hooks for one in self._implementations(hook) if one.plugin_name == plugin.name]
        return Sentence("resting") if any(one.breaker.is_resting for one in own) else Sentence("active")

    async def diagnose(self) -> list[Finding]:
        """Return the findings of core and of the plugins."""
        answers = await self.call("diagnose", {})
        return [*await run_in_daemon_thread(self._findings), *values_of(answers, Finding)]

    def _findings(self) -> list[Finding]:
        """Return core's findings about plugins, rules, configuration and state. This blocks."""
        from nanobot_memory_plugins.core.host.turn_records import missed_findings
        from nanobot_memory_plugins.core.redaction.installed_rules import installed_rules
        from nanobot_memory_plugins.core.state import StateDatabase

        state = StateDatabase.of(self._workspace)
        return [
            *map(self._plugin_finding, self.discovered),
            *(
                Finding(
                    Sentence("redaction rules {name}", name=rules.point.name),
                    rules.error,
                    Health.BAD,
                    hint=Sentence(
                        "Reinstall {distribution}, tell its author, or uninstall it.",
                        distribution=rules.point.distribution,
                    ),
                )
                for rules in installed_rules()
                if rules.error
            ),
            *(problem.finding for problem in self.problems),
            *_state_findings(state.trouble),
            *missed_findings(state, self._clock.now()),
        ]

    def _plugin_finding(self, plugin: DiscoveredPlugin) -> Finding:
        """Return the state of a plugin as a finding; if it failed, with a hint."""
        subject, state = Sentence("plugin {name}", name=plugin.name), self.state_of(plugin)
        origin = f"{plugin.distribution} {plugin.version}".strip()
        if not plugin.error:
            return Finding(subject, Sentence("{state} ({origin})", state=state, origin=origin))
        hint = Sentence(
            "Reinstall {distribution}, tell its author, or set memoryPlugins.{name}.enabled to false.",
            distribution=plugin.distribution,
            name=plugin.name,
        )
        failure = Sentence("{state} ({origin}): {error}", state=state, origin=origin, error=plugin.error)
        return Finding(subject, failure, Health.BAD, hint=hint)


def _state_findings(trouble: str | None) -> list[Finding]:
    """Return a finding if the state is kept in memory only, or was lost and started again."""
    if trouble is None:
        return []
    return [
        Finding(
            "state database",
            trouble,
            Health.DEGRADED,
            "Entries, notes and transcripts are kept in their files all the same; of the state only history and counts"
            " are gone. Where the file cannot be written, `chmod u+rwx .storage` or free some space, and run"
            " `nanobot-memory doctor` again.",
        )
    ]

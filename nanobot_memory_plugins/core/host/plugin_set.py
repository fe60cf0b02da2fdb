"""The plugins of one host: found, configured, registered, and described."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.config import ConfigProblem, MemoryConfig, plugin_options
from nanobot_memory_plugins.core.context import HostServices, PluginContext
from nanobot_memory_plugins.core.entry_points import repair_of, selected_plugins
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.files.prompt_file import PromptFile
from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.host.missed_turns import missed_findings
from nanobot_memory_plugins.core.host.plugins.discovery import DiscoveredPlugin, discover_plugins
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost, PluginState
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful
from nanobot_memory_plugins.core.isolation.breaker import BreakerSettings
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.language_model import UsageLedger
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete, EntryAccess, Store
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.scopes import Scopes
from nanobot_memory_plugins.core.session_reading.templates import PROMPTS as READING_PROMPTS
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Nobody waits for an answer meanwhile, and a large index is written anew.
_PURGE_SECONDS = 900.0
_READING_SECONDS = 5.0


def usable_files(files: Iterable[str], workspace: Path, key: str) -> tuple[list[Path], list[ConfigProblem]]:
    """Return the plugins' files that may be run, and what is wrong with the others.

    An agent's tools write into its workspace: what stands there is never run. ``key`` names the option in messages.
    """
    usable, problems = [], []
    for name in files:
        path = Path(name).expanduser()
        if not path.is_absolute():
            why = Sentence("{name} is no absolute path", name=name)
        elif path.resolve().is_relative_to(workspace.resolve()):
            why = Sentence("{name} stands in the workspace, where an agent can write", name=name)
        elif not path.is_file():
            why = Sentence("{name} is no file", name=name)
        else:
            usable.append(path)
            continue
        hint = "Name a file outside of the workspace by its whole path."
        problems.append(ConfigProblem(key, why, hint=hint))
    return usable, problems


@dataclass(frozen=True, slots=True)
class PluginReport:
    """One plugin as ``nanobot-memory plugins`` shows it."""

    name: str
    distribution: str
    version: str
    hooks: tuple[str, ...]
    enabled: bool
    state: PluginState
    error: str = ""


class PluginSet:
    """Loads the installed plugins into a `PluginHost`, each with its own context."""

    def __init__(
        self,
        workspace: Path,
        *,
        config: MemoryConfig,
        llm: Complete | None,
        clock: Clock,
        problems: Sequence[ConfigProblem],
        scopes: Scopes,
        store: Callable[[], Store | None],
        services: HostServices = HostServices(),  # noqa: B008  # frozen
        redaction: ContactRedaction | None = None,
        specifications: Iterable[ModuleType] = (),
    ) -> None:
        self._workspace = workspace
        self._redaction = redaction or ContactRedaction(config.redaction.contacts)
        self._config = config
        self._llm = llm
        self._clock = clock
        self._scopes = scopes
        self._store = store
        self._own: Store | None = None
        self.entries: EntryAccess | None = None
        self._services = services
        self._feedback = Unhelpful(workspace, clock)
        core = config.core
        self.prompts = Prompts.of(workspace, core.prompt_folder, core.wishes)
        self._ledger = UsageLedger(StateDatabase.of(workspace))
        self._discovered: list[DiscoveredPlugin] = []
        self._hooks: dict[str, tuple[str, ...]] = {}
        self._errors: dict[str, str] = {}
        self.problems: list[ConfigProblem] = list(problems)
        self.host = PluginHost(
            time_limits={
                "on_message_received": core.message_limit,
                "on_draft_written": core.message_limit,
                "on_tool_executed": core.tool_limit,
                "on_session_idle": core.idle_limit,
                "before_compaction": core.compaction_limit,
                "trim_bootstrap": core.message_limit,
                "prompt_entries": core.message_limit,
                "on_turn_finished": core.compaction_limit,
                # Before each idle and each compaction: with those it is what a plugin that hangs can cost.
                "contribute_reading": min(core.idle_limit, _READING_SECONDS),
                "open_store": core.start_limit,
                "share_store": core.start_limit,
                "open_entries": core.start_limit,
                "on_start": core.start_limit,
                "on_stop": core.start_limit,
                "contribute_tools": core.start_limit,
                "on_purge": _PURGE_SECONDS,
            },
            breaker=BreakerSettings(failures=core.breaker_failures, rest_seconds=core.breaker_rest),
            clock=clock,
            specifications=specifications,
        )

    async def load(self) -> None:
        """Import the enabled plugins, off the event loop, and register them."""
        only = selected_plugins()
        skip = {name for name in self._config.plugins if not self._config.enabled(name)}
        files, wrong = usable_files(
            self._config.core.plugin_files, self._workspace, f"{self._config.prefix}.core.pluginFiles"
        )
        self.problems += wrong
        self._discovered = await run_in_daemon_thread(lambda: discover_plugins(only=only, skip=skip, files=files))
        for found in self._discovered:
            if found.plugin is not None:
                self._register(found)
            elif found.error:
                self._errors[found.name] = found.error
                logger.warning("plugin {} could not be loaded: {}", found.name, found.error)
        for problem in self.problems:
            logger.warning("configuration: {}", problem.message)

    async def open_store(self) -> Store | None:
        """Return the store that the first plugin opens, behind the one that another shares, if any; or None."""
        self._own = await self._first_store("open_store")
        if self._own is None:
            return None
        try:
            return await self._first_store("share_store") or self._own
        finally:
            self._own = None

    async def _first_store(self, hook: str) -> Store | None:
        answer = await self.host.call_first(hook, {}, accept=(Store,))
        return next((one for one in answer.values if isinstance(one, Store)), None) if answer else None

    async def open_entries(self) -> EntryAccess | None:
        """Return the entries that the first plugin gives access to, or None."""
        answer = await self.host.call_first("open_entries", {}, accept=(EntryAccess,))
        self.entries = next((one for one in answer.values if isinstance(one, EntryAccess)), None) if answer else None
        return self.entries

    def _register(self, found: DiscoveredPlugin) -> None:
        options, problems = plugin_options(self._config, found.name, found.options_model)
        self.problems += problems
        context = PluginContext(
            plugin_name=found.name,
            workspace=self._workspace,
            options=options,
            clock=self._clock,
            complete=self.language_model(found.name),
            redact=self._redaction.of_others,
            redact_said=self._redaction.of_people,
            scopes=self._scopes,
            prompts=self.prompts,
            host=replace(
                self._services,
                # Until the host has it, who shares a store looks at the one that was opened.
                store=lambda: self._own or self._store(),
                entries=lambda: self.entries,
                feedback=self._feedback,
                time_limit=self.host.time_limit,
                wrong_options=tuple(problem.message for problem in problems),
            ),
        )
        try:
            self._hooks[found.name] = self.host.register(found.name, found.plugin, context)
        except PluginError as error:
            self._errors[found.name] = Sentence.joined([error.cause, *filter(None, [error.hint])], " ")
            logger.warning("plugin {} could not be registered: {}", found.name, error)

    def language_model(self, plugin: str) -> Complete | None:
        """Return the language model as a plugin may use it, or None where the host has wired none."""
        if self._llm is None:
            return None
        from nanobot_memory_plugins.core.language_model import LanguageModel

        return LanguageModel(
            self._llm,
            plugin=plugin,
            options=self._config.core.language_model,
            ledger=self._ledger,
            clock=self._clock,
        )

    @property
    def failed(self) -> Mapping[str, str]:
        """The plugins that are wanted and could not be loaded, with the reason: no message reaches them."""
        return self._errors

    def reports(self) -> list[PluginReport]:
        """Return every discovered plugin with its state."""
        return [self._report(found) for found in self._discovered]

    def _report(self, found: DiscoveredPlugin) -> PluginReport:
        hooks = self._hooks.get(found.name, ())
        error = self._errors.get(found.name, "")
        state = PluginState.DISABLED
        if error:
            state = PluginState.FAILED
        elif hooks:
            state = self.host.state(found.name)
        return PluginReport(
            name=found.name,
            distribution=found.distribution,
            version=found.version,
            hooks=hooks,
            enabled=state not in (PluginState.DISABLED, PluginState.FAILED),
            state=state,
            error=error,
        )

    async def diagnose(self) -> list[Finding]:
        """Return how things stand: what core sees and what each plugin reports."""
        answers = await self.host.call("diagnose", {}, accept=(Finding,))
        told = [one for answer in answers for one in answer.values if isinstance(one, Finding)]
        state, now = StateDatabase.of(self._workspace), self._clock.now()
        missed = await run_in_daemon_thread(lambda: [*_state_findings(state), *missed_findings(state, now)])
        own = await run_in_daemon_thread(self.findings)
        return [*own, *missed, *await run_in_daemon_thread(self._prompt_findings), *told]

    def findings(self) -> list[Finding]:
        """Return what core has to say about plugins and configuration. It blocks."""
        from nanobot_memory_plugins.core.redaction.installed_rules import installed_rules

        findings = [
            Finding(
                Sentence("plugin {name}", name=report.name),
                Sentence(
                    "{state} ({distribution} {version}): {error}"
                    if report.error
                    else "{state} ({distribution} {version})",
                    state=Sentence(report.state.value),
                    distribution=report.distribution,
                    version=report.version,
                    error=report.error,
                ),
                Health.BAD if report.state is PluginState.FAILED else Health.GOOD,
                hint=Sentence(
                    "{repair} Or set memoryPlugins.{name}.enabled to false.",
                    repair=repair_of(report.distribution),
                    name=report.name,
                )
                if report.error
                else "",
            )
            for report in self.reports()
        ]
        findings += [
            Finding(
                Sentence("redaction rules {name}", name=rules.name),
                Sentence(
                    "not used ({distribution} {version}): {error}",
                    distribution=rules.distribution,
                    version=rules.version,
                    error=rules.error,
                )
                if rules.error
                else Sentence(
                    "{rules} in use ({distribution} {version})",
                    rules=len(rules.rules),
                    distribution=rules.distribution,
                    version=rules.version,
                ),
                Health.BAD if rules.error else Health.GOOD,
                hint=Sentence("{repair} Or uninstall it.", repair=repair_of(rules.distribution)) if rules.error else "",
            )
            for rules in installed_rules()
        ]
        findings += [
            Finding(
                _configuration_title(problem.key),
                problem.message,
                Health.BAD if problem.is_unread else Health.DEGRADED,
                hint=problem.hint
                or Sentence(
                    "Correct {key} in {source}; `nanobot-memory config explain` lists the options, and --config "
                    "names another file.",
                    key=problem.key,
                    source=problem.source or "the configuration",
                ),
            )
            for problem in self.problems
        ]
        return findings

    def _prompt_findings(self) -> list[Finding]:
        """Return what is wrong with the user's own prompts. It blocks."""
        brought = [READING_PROMPTS, *(getattr(found.plugin, "prompt_files", ()) for found in self._discovered)]
        return self.prompts.findings(
            one for files in brought if isinstance(files, tuple) for one in files if isinstance(one, PromptFile)
        )


def _state_findings(state: StateDatabase) -> list[Finding]:
    """Return why the state is kept in memory, or was begun anew; nothing where all is well. It blocks."""
    if (trouble := state.trouble) is None:
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


def _configuration_title(key: str) -> str:
    """Return what a problem of the configuration is listed under: the file as a whole, or one key of it."""
    return Sentence("configuration file") if key == "file" else Sentence("configuration {key}", key=key)

"""The memory of one AgentLoop: what is attached to it, and everything that attached it."""

from collections.abc import Sequence
from functools import cache, wraps
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.bridge.bootstrap import PromptFiles
from nanobot_memory_plugins.bridge.compaction import Compaction
from nanobot_memory_plugins.bridge.configuration import PLUGIN_NAME, Configuration, read_configuration
from nanobot_memory_plugins.bridge.hook import ToolHook
from nanobot_memory_plugins.bridge.idle import IdleMarks, IdleSessions
from nanobot_memory_plugins.bridge.language_model import HostLanguageModel
from nanobot_memory_plugins.bridge.reply_capture import Replies, finish_turn
from nanobot_memory_plugins.bridge.seams import Seams, find_loop, require
from nanobot_memory_plugins.bridge.senders import senders_of_loop
from nanobot_memory_plugins.bridge.sessions import is_for_people, is_own, scope_of
from nanobot_memory_plugins.bridge.turn_scopes import TurnScopes
from nanobot_memory_plugins.bridge.turns import Turns, let_private_pass
from nanobot_memory_plugins.core import MemoryService, MemoryTool, Scope, SystemClock, logger
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.core.entry_points import is_selected
from nanobot_memory_plugins.core.hookspecs import PROJECT_NAME
from nanobot_memory_plugins.core.host.missed_turns import NO_ANSWER, WITH_START, note_missed
from nanobot_memory_plugins.core.host.turn import Turn
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.scopes import Scopes
from nanobot_memory_plugins.core.scopes.workspace_scopes import workspace_scopes
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.redaction.script.messages import tr

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

_LONGEST = 300


def say_problems(problems: Sequence[ConfigProblem]) -> bool:
    """Write to standard error, as one line, the first problem and how many there are; return whether it did.

    Where our log is on it has said all of them, and nothing is written.
    """
    if not problems or not _log_is_off():
        return False
    problem = tr(problems[0].message)
    problem = problem if len(problem) <= _LONGEST else f"{problem[: _LONGEST - 1]}…"
    line = tr(
        "nanobot-memory: {told} (`nanobot-memory doctor` says what helps)"
        if len(problems) == 1
        else "nanobot-memory: {told} (the first of {count} problems; `nanobot-memory doctor` says what helps)",
        told=problem,
        count=len(problems),
    )
    say(line, err=True)
    return True


def _log_is_off() -> bool:
    """Return whether what this set logs is dropped. loguru does not tell, so this reads its list."""
    rules = getattr(getattr(logger, "_core", None), "activation_list", ())
    return ("nanobot_memory_plugins.", False) in rules


class Bridge:
    """One nanobot AgentLoop with a memory.

    ``ctx`` is the ToolContext that nanobot hands to tools, ``owner`` the loop (or the object that identifies
    it), which is kept alive. Nothing is attached when the configuration disables the bridge.
    """

    def __init__(self, ctx: Any, owner: object) -> None:
        self.seams = Seams()
        self.workspace = Path(ctx.workspace).expanduser().absolute()
        self._owner = owner
        self._ctx = ctx
        self._loop: Any = None
        self.seams.attach("agent loop", self._find_loop)
        self.configuration: Configuration = read_configuration(self._loop)
        self.senders = senders_of_loop(self._loop)
        self._scopes = TurnScopes(self.senders)
        self._model = HostLanguageModel(self._loop) if self._loop is not None else None
        self._idle: IdleSessions | None = None
        self._own_tools: set[str] = set()
        self._provider_given = False
        self._has_told = False
        self.memory = MemoryService(
            self.workspace,
            config=self.configuration.memory,
            llm=self._model,
            problems=self.configuration.problems,
            senders=self.senders,
            project=self.configuration.bridge.worked_in("."),
            start_limit=self.configuration.bridge.start_limit,
            close_limit=self.configuration.bridge.close_limit,
            at_start=self._catch_up,
        )
        self.thread = self.memory.thread
        self.turns = Turns(
            self.memory,
            ctx.sessions,
            attend=self._attend,
            settle=self._settle,
            missed=self._note_missed,
            scopes=self._scopes,
        )
        if self.enabled:
            self._attach()

    @property
    def enabled(self) -> bool:
        """Whether the set is wanted inside nanobot at all."""
        return self._is_enabled(PLUGIN_NAME)

    def offers_tool_of(self, *plugins: str) -> bool:
        """Whether the model is offered tools, and one of these plugins is installed and enabled."""
        installed = {plugin.name for plugin in entry_points(group=PROJECT_NAME)}
        return self.configuration.memory.core.tools and any(
            plugin in installed and self._is_enabled(plugin) and is_selected(plugin) for plugin in plugins
        )

    def take_provider(self) -> Any:
        """Return the context provider, the first time; nanobot asks every tool, and one answer is enough."""
        if self._provider_given:
            return None
        self._provider_given = True
        return self.turns.provide

    def tool(self, name: str) -> MemoryTool | None:
        """Return the memory's own tool of a name, once the memory has started."""
        memory = self.thread.started
        return memory.tool(name) if memory is not None else None

    def own_tool(self, name: str) -> None:
        """Add the name of a tool of the memory's, whose executions are not observed."""
        self._own_tools.add(name)

    def is_private(self, session_key: str) -> bool:
        """Return whether nanobot itself keeps nothing of a session."""
        return self.turns.is_private(session_key)

    # --- attaching --------------------------------------------------------------------------------------------

    def _find_loop(self) -> str:
        self._loop = find_loop(self._ctx)
        return type(self._loop).__name__

    def _attach(self) -> None:
        attach = self.seams.attach
        attach("recall", self._attach_recall)
        attach("turn saved", self._attach_turn_saved)
        attach("early recall", self._attach_early_recall)
        attach("tool hook", self._attach_tool_hook)
        compacting = Compaction(self._loop, self.memory, limit=self.configuration.memory.core.compaction_limit)
        attach("compaction under token pressure", compacting.attach_token_pressure)
        attach("compaction of a session", compacting.attach_archive)
        prompt_files = PromptFiles(self._loop, self.thread, cache(self._scopes_without_memory))
        attach("bootstrap files", prompt_files.attach_files)
        attach("memory file in the prompt", prompt_files.attach_memory)
        attach("close", self._attach_close)
        attach("more tools", self._attach_more_tools)
        self.seams.note_impossible()

    def _attach_recall(self) -> str:
        if not self.offers_tool_of("recall", "consolidation"):
            require(self._loop, "register_runtime_context_provider")(self.turns.provide)
            return "AgentLoop.register_runtime_context_provider"
        from nanobot.agent.tools.base import Tool

        require(Tool, "runtime_context_provider")
        return "Tool.runtime_context_provider"

    def _attach_turn_saved(self) -> str:
        from nanobot.bus.runtime_events import SessionTurnPersisted, SessionTurnStarted

        subscribe = require(self._ctx, "bus", "subscribe")
        sessions = require(self._ctx, "sessions")
        options = self.configuration.bridge
        self._idle = IdleSessions(
            sessions,
            IdleMarks(StateDatabase.of(self.workspace)),
            seconds=self.configuration.memory.core.idle_seconds,
            sweep_at_most=options.sweep_sessions,
        )
        self.memory.when_quiet = self._idle.when_quiet
        replies = Replies(
            self.memory,
            sessions,
            scopes=self._scopes,
            turn_saved=self._turn_saved,
            background_turn_saved=self._learn_from if options.background_turns else None,
        )
        subscribe(replies.on_started, SessionTurnStarted)
        subscribe(replies.on_persisted, SessionTurnPersisted)
        return "MessageBus.subscribe"

    def _attach_early_recall(self) -> str:
        self._loop._process_message = self.turns.wrap_processing(require(self._loop, "_process_message"))
        return "AgentLoop._process_message"

    def _attach_tool_hook(self) -> str:
        factories = require(self._loop, "_hook_factories")
        # A new list: the one that the loop holds may belong to whoever called its constructor.
        self._loop._hook_factories = [*factories, self._tool_hook]
        return "AgentLoop._hook_factories"

    def _attach_close(self) -> str:
        """Close the memory after the loop has closed everything of its own: so ends the one-shot command line.

        A process that ends without it has the exit hook of the memory's thread.
        """
        aclose = require(self._loop, "aclose")

        @wraps(aclose)
        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            try:
                return await aclose(*args, **kwargs)
            finally:
                await self.thread.aclose(self.configuration.bridge.close_limit)

        self._loop.aclose = wrapped
        return "AgentLoop.aclose"

    def _attach_more_tools(self) -> str:
        require(require(self._loop, "tools"), "register")
        return "AgentLoop.tools"

    # --- at work ----------------------------------------------------------------------------------------------

    def _scopes_without_memory(self) -> Scopes:
        """Return the owners of scopes, as the configuration and the files name them, without starting anything."""
        return workspace_scopes(self.workspace, self.configuration.memory, self.senders)

    async def _catch_up(self, memory: "MemoryHost") -> None:
        if self._idle is not None:
            await self._idle.sweep(memory)

    def _attend(self) -> None:
        let_private_pass(self._loop)
        if self._model is not None:
            self._model.attend()

    def _tool_hook(self, context: Any) -> ToolHook | None:
        """Make the hook of one turn. Turns of which nothing is kept have none."""
        key = str(context.session_key or "")
        background = self.configuration.bridge.background_turns and not is_own(key)
        if context.ephemeral or not (is_for_people(key, context.metadata) or background):
            return None
        return ToolHook(self.memory.turn(key, scope=scope_of(key, channel=context.channel)))

    def _turn_saved(self, turn: Turn) -> None:
        finish_turn(self._loop, turn, self._ctx.sessions.get_or_create(turn.session_key))

    def _learn_from(self, key: str, turn: list[dict[str, Any]], scope: Scope) -> None:
        """Let the plugins extract from a background turn at its end; its session key stays its origin."""
        if not is_own(key):
            self.thread.submit(
                lambda memory: memory.session_idle(session_key=key, history=turn, ended=True, scope=scope)
            )

    def _settle(self) -> None:
        """Do what waits for the memory's start. Runs on the host's event loop, after the first answer."""
        plugins = getattr(self.thread.started, "plugins", None)
        if plugins is not None and not self._has_told:
            self._has_told = True
            say_problems(plugins.problems)
        self._offer_tools()

    def _offer_tools(self) -> None:
        """Register the tools that plugins contribute, once the memory has started. Runs on the host's event loop."""
        memory = self.thread.started
        if memory is None or not self.seams.attached("more tools"):
            return
        from nanobot_memory_plugins.bridge.contributed_tool import ContributedTool

        for tool in memory.tools():
            if tool.name in self._own_tools:
                continue
            self._own_tools.add(tool.name)
            if self._loop.tools.has(tool.name):
                logger.warning("the memory's tool {} is left out: nanobot has one of that name", tool.name)
            else:
                self._loop.tools.register(ContributedTool(self, tool.name))

    def _note_missed(self, limit: float) -> None:
        """Record that a turn goes on without the memory, in a thread of its own: the memory's has no time now."""
        missed = {"recall": f"{NO_ANSWER} {limit:g} s, {WITH_START}"}
        run_in_daemon_thread(lambda: note_missed(self.workspace, SystemClock(), missed))

    def _is_enabled(self, plugin: str) -> bool:
        return self.configuration.memory.enabled(plugin)

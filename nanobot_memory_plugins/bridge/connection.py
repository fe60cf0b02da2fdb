"""The memory of one AgentLoop: what is attached to it, and everything that attached it.

nanobot loads one kind of third-party entry point, ``nanobot.tools``, from the constructor of every AgentLoop.
"""

import asyncio
import weakref
from collections.abc import Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from nanobot.utils.helpers import strip_think

from nanobot_memory_plugins.bridge.bootstrap import PromptFiles
from nanobot_memory_plugins.bridge.compaction import Compaction
from nanobot_memory_plugins.bridge.configuration import PLUGIN_NAME, read_configuration
from nanobot_memory_plugins.bridge.replies import Replies
from nanobot_memory_plugins.bridge.seams import Seam, attach
from nanobot_memory_plugins.bridge.senders import senders_of_loop
from nanobot_memory_plugins.bridge.sessions import is_for_people, is_own, scope_of
from nanobot_memory_plugins.bridge.tool_calls import OfferedTool, ToolHook
from nanobot_memory_plugins.bridge.turns import Turns, let_private_pass
from nanobot_memory_plugins.core import LanguageModelError, MemoryService, SystemClock, logger
from nanobot_memory_plugins.core.cli.language import language_of, use_language
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.config.languages import language_named
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.core.host.memory_service import ServiceTool
from nanobot_memory_plugins.core.host.turn_records import record_missed_turn
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# Seconds that nanobot's end waits for the memory to close: its one-shot command lives about three.
_CLOSE_LIMIT = 2.0


class HostLanguageModel:
    """``complete()`` over the provider that nanobot is configured with.

    Plugins call it in the memory's thread; the provider belongs to the host's event loop, where its connections
    were opened, so the call is made there.
    """

    def __init__(self, loop: Any) -> None:
        self._agent_loop = loop
        self._host: asyncio.AbstractEventLoop | None = None

    def attend(self) -> None:
        """Remember the running event loop as the host's. Called where the host calls the bridge."""
        self._host = asyncio.get_running_loop()

    async def __call__(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the model's answer.

        Raises `LanguageModelError` when the host's event loop is not running or the provider failed. The provider
        has tried again by itself before it fails.
        """
        host = self._host
        if host is None or not host.is_running():
            raise LanguageModelError(
                Sentence("nanobot's event loop is not running: no answer for {purpose!r}.", purpose=purpose)
            )
        answer = self._answer([dict(message) for message in messages], max_tokens)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(answer, host))

    async def _answer(self, messages: list[dict[str, Any]], max_tokens: int) -> str:
        loop = self._agent_loop
        response = await loop.provider.chat_with_retry(
            messages=messages, tools=None, model=loop.model, max_tokens=max_tokens
        )
        if response.finish_reason == "error":
            # The text of the response can carry the prompt: only the kind of the failure is passed on.
            kind = getattr(response, "error_kind", None) or getattr(response, "error_type", None) or "unknown"
            raise LanguageModelError(Sentence("nanobot's provider failed: {kind}.", kind=kind))
        # Without the reasoning that some models write into their answer, as nanobot itself drops it.
        return str(strip_think(response.content or ""))


class Bridge:
    """One nanobot AgentLoop with a memory; nothing is attached when the configuration disables the bridge.

    ``is_quiet`` says that our log is off, so that problems of the configuration are said on standard error.
    """

    def __init__(self, loop: Any, *, is_quiet: bool = False) -> None:
        self.seams: dict[str, Seam] = {}
        self.workspace = Path(loop.workspace).expanduser().absolute()
        config, self.options = read_configuration(loop)
        self._loop = loop
        self._is_quiet = is_quiet
        self._senders = senders_of_loop(loop)
        self._model = HostLanguageModel(loop)
        self.memory = MemoryService(
            self.workspace,
            config=config,
            llm=self._model,
            senders=self._senders,
            project=self.options.worked_in("."),
            start_limit=self.options.start_limit,
            close_limit=_CLOSE_LIMIT,
        )
        self._is_settled = False
        self.turns = Turns(
            self.memory, loop.sessions, senders=self._senders, attend=self._attend, answered=self._answered
        )
        self._prompt_files = PromptFiles(loop, self.memory)
        if config.enabled(PLUGIN_NAME):
            self._attach()

    def _attach(self) -> None:
        compacting = Compaction(self._loop, self.memory)
        seams = (
            attach("recall", self._attach_recall),
            attach("turn saved", self._attach_turn_saved),
            attach("early recall", self._attach_early_recall),
            attach("tool hook", self._attach_tool_hook),
            attach("compaction under token pressure", compacting.attach_token_pressure),
            attach("compaction of a session", compacting.attach_archive),
            attach("prompt files", self._prompt_files.attach),
            attach("close", self._attach_close),
            attach("tools", self._attach_tools),
        )
        self.seams = {seam.name: seam for seam in seams}

    def _attach_recall(self) -> str:
        self._loop.register_runtime_context_provider(self.turns.provide)
        return "AgentLoop.register_runtime_context_provider"

    def _attach_turn_saved(self) -> str:
        from nanobot.bus.runtime_events import SessionTurnPersisted, SessionTurnStarted

        replies = Replies(
            self.memory, self._loop, senders=self._senders, background_turns=self.options.background_turns
        )
        self._loop.bus.subscribe(replies.on_started, SessionTurnStarted)
        self._loop.bus.subscribe(replies.on_persisted, SessionTurnPersisted)
        return "MessageBus.subscribe"

    def _attach_early_recall(self) -> str:
        self._loop._process_message = self.turns.wrap_processing(self._loop._process_message)
        return "AgentLoop._process_message"

    def _attach_tool_hook(self) -> str:
        # A new list: the one that the loop holds may belong to whoever called its constructor.
        self._loop._hook_factories = [*self._loop._hook_factories, self._tool_hook]
        return "AgentLoop._hook_factories"

    def _attach_close(self) -> str:
        """Close the memory after the loop has closed everything of its own: so ends the one-shot command line.

        A process that ends without it has the exit hook of the memory's thread.
        """
        aclose = self._loop.aclose

        @wraps(aclose)
        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            try:
                return await aclose(*args, **kwargs)
            finally:
                await self.memory.aclose()

        self._loop.aclose = wrapped
        return "AgentLoop.aclose"

    def _attach_tools(self) -> str:
        self._loop.tools.register  # noqa: B018  # probed: it is called once the memory has started
        return "AgentLoop.tools"

    # --- at work ----------------------------------------------------------------------------------------------

    def _attend(self) -> None:
        let_private_pass(self._loop)
        self._model.attend()

    def _tool_hook(self, context: Any) -> ToolHook | None:
        """Make the hook of one turn. Turns of which nothing is kept have none."""
        key = str(context.session_key or "")
        background = self.options.background_turns and not is_own(key)
        if context.ephemeral or not (is_for_people(key, context.metadata) or background):
            return None
        return ToolHook(self.memory.turn(key, scope=scope_of(key, channel=context.channel)))

    def _answered(self, missed: float | None) -> None:
        """Do what waits for the memory's start, on the host's event loop, after an answer.

        ``missed`` are the seconds for which a turn has waited for one that did not come.
        """
        if missed is not None:
            why = Sentence("no answer within {limit:g} s, the start of the memory included", limit=missed)
            # In a thread of its own: the memory's has no time now.
            run_in_daemon_thread(lambda: record_missed_turn(self.workspace, SystemClock(), why))
        memory = self.memory.started
        if memory is None or self._is_settled:
            return
        self._is_settled = True
        if self._is_quiet:
            with use_language(language_named(memory.config.core.language) or language_of()):
                say_problems(memory.plugins.problems)
        for tool in memory.tools() if self.seams["tools"].attached else ():
            if self._loop.tools.has(tool.name):
                logger.warning("the memory's tool {} is left out: nanobot has one of that name", tool.name)
            else:
                self._loop.tools.register(OfferedTool(ServiceTool(self.memory, tool), self.turns.is_private))


def say_problems(problems: Sequence[ConfigProblem]) -> None:
    """Write to standard error, as one line, the first problem and how many there are."""
    if problems:
        line = tr(
            "nanobot-memory: {told} (`nanobot-memory doctor` says what helps)"
            if len(problems) == 1
            else "nanobot-memory: {told} (the first of {count} problems; `nanobot-memory doctor` says what helps)",
            told=tr(problems[0].message),
            count=len(problems),
        )
        say(line, err=True)


# By the identity of the AgentLoop. The loop keeps its bridge alive, and the bridge its loop, so both go together.
_bridges: "weakref.WeakValueDictionary[int, Bridge]" = weakref.WeakValueDictionary()


class Attachment(OfferedTool):
    """What nanobot asks whether it is a tool to register: it is none, and attaches the memory."""

    @classmethod
    def enabled(cls, ctx: Any) -> bool:
        """Attach the memory to the loop of a ToolContext. Never raises."""
        try:
            # No public name leads to the loop that is loading its tools.
            loop = ctx.runtime_control._AgentRuntimeControl__target
            _bridges[id(loop)] = Bridge(loop, is_quiet=_follow_the_hosts_logging())
        except Exception as error:
            logger.warning("memory could not be attached to nanobot: {}", type(error).__name__)
        return False


def bridge_of(loop: object) -> Bridge | None:
    """Return the bridge that is attached to an AgentLoop, or None."""
    return _bridges.get(id(loop))


def bridge_for(workspace: Path) -> Bridge | None:
    """Return a bridge in this process whose memory runs on a workspace, or None."""
    return next(
        (bridge for bridge in _bridges.values() if bridge.workspace == workspace and bridge.memory.is_running), None
    )


def _follow_the_hosts_logging() -> bool:
    """Be silent where nanobot is, and return whether it is: its one-shot command is unless ``--logs`` is given.

    loguru does not tell what is disabled, so this reads its list; without it, our log is left as it is.
    """
    is_quiet = ("nanobot.", False) in getattr(getattr(logger, "_core", None), "activation_list", ())
    if is_quiet:
        logger.disable("nanobot_memory_plugins")
    return is_quiet

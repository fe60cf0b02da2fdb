"""Attaches a memory to each AgentLoop of nanobot.

nanobot loads only one kind of third-party entry point: the constructor of every AgentLoop loads ``nanobot.tools``.
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
from nanobot_memory_plugins.bridge.sessions import is_internal_session, is_user_turn, scope_of
from nanobot_memory_plugins.bridge.tool_calls import OfferedTool, ToolHook
from nanobot_memory_plugins.bridge.turns import Turns, allow_private_messages
from nanobot_memory_plugins.core import LanguageModelError, MemoryService, SystemClock, logger
from nanobot_memory_plugins.core.cli.language import locale_language, use_language
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.config.languages import language_named
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.core.host.memory_service import ServiceTool
from nanobot_memory_plugins.core.host.turn_records import record_missed_turn
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# Seconds that nanobot waits for the memory to close when it exits: its one-shot command runs for about three.
_CLOSE_LIMIT = 2.0


class HostLanguageModel:
    """A ``complete()`` that calls nanobot's own provider.

    Plugins call it in the memory's thread. The provider opened its connections in the host's event loop, so the
    request is made there.
    """

    def __init__(self, loop: Any) -> None:
        self._agent_loop = loop
        self._host: asyncio.AbstractEventLoop | None = None

    def use_running_loop(self) -> None:
        """Remember the running event loop as the host's. To be called wherever the host calls the bridge."""
        self._host = asyncio.get_running_loop()

    async def __call__(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the model's answer.

        Raises `LanguageModelError` when the host's event loop is not running, or when the provider fails in spite of
        its own retries.
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
            # The response may quote the prompt, so only the kind of the failure is passed on.
            kind = getattr(response, "error_kind", None) or getattr(response, "error_type", None) or "unknown"
            raise LanguageModelError(Sentence("nanobot's provider failed: {kind}.", kind=kind))
        # nanobot itself also drops the reasoning that some models write into their answer.
        return str(strip_think(response.content or ""))


class Bridge:
    """Connects one AgentLoop to its memory. Nothing is attached when the configuration disables the bridge.

    ``is_quiet`` says that our log is off, so that configuration problems go to standard error.
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
            project=self.options.project_in("."),
            start_limit=self.options.start_limit,
            close_limit=_CLOSE_LIMIT,
        )
        self._has_offered_tools = False
        self.turns = Turns(
            self.memory,
            loop.sessions,
            senders=self._senders,
            before_call=self._before_call,
            after_answer=self._after_answer,
        )
        self._prompt_files = PromptFiles(loop, self.memory)
        if config.enabled(PLUGIN_NAME):
            self._attach()

    def _attach(self) -> None:
        compaction = Compaction(self._loop, self.memory)
        seams = (
            attach("recall", self._attach_recall),
            attach("turn saved", self._attach_turn_saved),
            attach("early recall", self._attach_early_recall),
            attach("tool hook", self._attach_tool_hook),
            attach("compaction under token pressure", compaction.attach_token_pressure),
            attach("compaction of a session", compaction.attach_archive),
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
        # A new list, since the loop's list may belong to the caller of its constructor.
        self._loop._hook_factories = [*self._loop._hook_factories, self._tool_hook]
        return "AgentLoop._hook_factories"

    def _attach_close(self) -> str:
        """Close the memory after the loop has closed, as at the end of the one-shot command.

        A process that ends without closing its loop relies on the exit hook of the memory's thread.
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
        self._loop.tools.register  # noqa: B018  # probed here, called once the memory has started
        return "AgentLoop.tools"

    # --- during a turn ----------------------------------------------------------------------------------------

    def _before_call(self) -> None:
        allow_private_messages(self._loop)
        self._model.use_running_loop()

    def _tool_hook(self, context: Any) -> ToolHook | None:
        """Return the hook of one turn, or None for a turn that is not kept."""
        key = str(context.session_key or "")
        background = self.options.background_turns and not is_internal_session(key)
        if context.ephemeral or not (is_user_turn(key, context.metadata) or background):
            return None
        return ToolHook(self.memory.turn(key, scope=scope_of(key, channel=context.channel)))

    def _after_answer(self, missed: float | None) -> None:
        """Offer the memory's tools once it has started, and record a turn that got no answer in time.

        It runs on the host's event loop. ``missed`` is how many seconds such a turn waited, or None.
        """
        if missed is not None:
            why = Sentence("no answer within {limit:g} s, the start of the memory included", limit=missed)
            # In its own thread, since the memory's thread is busy.
            run_in_daemon_thread(lambda: record_missed_turn(self.workspace, SystemClock(), why))
        memory = self.memory.started
        if memory is None or self._has_offered_tools:
            return
        self._has_offered_tools = True
        if self._is_quiet:
            with use_language(language_named(memory.config.core.language) or locale_language()):
                print_first_problem(memory.plugins.problems)
        for tool in memory.tools() if self.seams["tools"].attached else ():
            if self._loop.tools.has(tool.name):
                logger.warning("the memory's tool {} is left out: nanobot has one of that name", tool.name)
            else:
                self._loop.tools.register(OfferedTool(ServiceTool(self.memory, tool), self.turns.is_temporary))


def print_first_problem(problems: Sequence[ConfigProblem]) -> None:
    """Print the first problem and the number of problems to standard error, as one line."""
    if problems:
        line = tr(
            "nanobot-memory: {told} (`nanobot-memory doctor` says what helps)"
            if len(problems) == 1
            else "nanobot-memory: {told} (the first of {count} problems; `nanobot-memory doctor` says what helps)",
            told=tr(problems[0].message),
            count=len(problems),
        )
        say(line, err=True)


# Bridges by the id() of their AgentLoop. Each keeps the other alive, so that both are collected together.
_bridges: "weakref.WeakValueDictionary[int, Bridge]" = weakref.WeakValueDictionary()


class Attachment(OfferedTool):
    """The tool class that nanobot loads. It is never registered as a tool: `enabled` attaches the memory instead."""

    @classmethod
    def enabled(cls, ctx: Any) -> bool:
        """Attach the memory to the loop of a ToolContext, and return False. It never raises."""
        try:
            # There is no public way to reach the loop that is loading its tools.
            loop = ctx.runtime_control._AgentRuntimeControl__target
            _bridges[id(loop)] = Bridge(loop, is_quiet=_follow_host_logging())
        except Exception as error:
            logger.warning("memory could not be attached to nanobot: {}", type(error).__name__)
        return False


def bridge_of(loop: object) -> Bridge | None:
    """Return the bridge that is attached to an AgentLoop, or None."""
    return _bridges.get(id(loop))


def bridge_for(workspace: Path) -> Bridge | None:
    """Return a bridge of this process with a running memory on a workspace, or None."""
    return next(
        (bridge for bridge in _bridges.values() if bridge.workspace == workspace and bridge.memory.is_running), None
    )


def _follow_host_logging() -> bool:
    """Disable our log when nanobot's is disabled, and return whether it is.

    nanobot's one-shot command disables it unless ``--logs`` is given. loguru has no public list of disabled names, so
    this reads a private one; when that is missing, our log stays on.
    """
    is_quiet = ("nanobot.", False) in getattr(getattr(logger, "_core", None), "activation_list", ())
    if is_quiet:
        logger.disable("nanobot_memory_plugins")
    return is_quiet

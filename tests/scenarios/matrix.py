"""The scenario matrix: every way in which history is cut, every mood of the model, every shape of a conversation.

One run is a trigger with a model: six sessions, one of each shape, in one workspace.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Message, Query
from nanobot_memory_plugins.core.files import NoteEntry, parse_notes
from nanobot_memory_plugins.core.testing import over_http
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ScriptedServer
from tests.scenarios.facts import FACTS, SHAPES, Conversation, conversation, later
from tests.support.model_servers import Junk, is_flush

TRIGGERS = ("token pressure", "overflow", "idle", "/compact", "/new", "SDK")
MODELS = ("fine", "NO_REPLY", "junk", "slow", "down")
WINDOW = 16_000

# What the host says of each trigger.
_REASONS = {
    "token pressure": "token_pressure",
    "overflow": "context_overflow",
    "idle": "archive",
    "/compact": "archive",
    "/new": "session_ended",
    "SDK": "sdk",
}
# What a use of the model may take, in seconds; one that answers late is not waited for so long.
_LIMITS = {"slow": 0.1}
_LIMIT = 0.4
# Hits among which the answer must stand.
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one session: facts that were not found, notes that stand there twice, whether a summary came."""

    shape: str
    missing: tuple[str, ...]
    twice: tuple[str, ...]
    summarised: bool

    @property
    def good(self) -> bool:
        """Whether everything is as it must be."""
        return not self.missing and not self.twice and self.summarised


def summary_expected() -> bool:
    """Say whether a plugin that replaces history is installed."""
    return any(one.name == "compaction" for one in entry_points(group="nanobot_memory_plugins"))


def reply_of(model: str) -> Any:
    """Return what a model in this mood answers."""
    match model:
        case "fine":
            return _sensible
        case "NO_REPLY":
            return Reply("NO_REPLY")
        case "junk":
            return Junk(seed=7, delay=3.0).reply
        case "slow":
            return Reply("zebra", delay=3.0)
        case _:
            return Reply(status=503)


def _sensible(request: Request) -> Reply:
    """Answer as a good model would: with the planted facts that stand in what it was shown."""
    shown = request.text.replace("\\n", "\n")
    facts = [fact for facts in FACTS.values() for fact in facts if fact.said in shown]
    if not is_flush(request):
        return Reply(" ".join(fact.said for fact in facts) or "Nothing was decided.")
    rows = ",".join(
        f'{{"type":"decision","tags":["plan"],"tldr":"{fact.said}","quote":"{fact.said}"}}' for fact in facts
    )
    return Reply(f"```json\n[{rows}]\n```" if facts else "NO_REPLY")


@asynccontextmanager
async def memory(
    workspace: Path, server: ScriptedServer, *, limit: float, transcripts: bool
) -> AsyncIterator[MemoryHost]:
    """Open a memory on a workspace whose model is behind the server. ``limit`` is in seconds."""
    core = {"message_limit": 30, "tool_limit": 30, "language_model": _limits(limit), "keep_transcripts": transcripts}
    config = MemoryConfig.model_validate(
        {
            "core": core,
            "plugins": {"storage": {"embedding_provider": "none"}},
        }
    )
    async with MemoryHost(workspace, config=config, llm=over_http(server.base_url)) as host:
        yield host


def _limits(limit: float) -> Mapping[str, Any]:
    purposes = dict.fromkeys(("summary", "flush", "compaction"), limit)
    # The sessions follow each other within seconds: a breaker would keep most of them from trying at all.
    return {"timeout": limit, "purpose_timeouts": purposes, "attempts": 1, "hourly_failures": 1_000}


async def run(workspace: Path, trigger: str, model: str, *, transcripts: bool = True) -> list[Outcome]:
    """Run one trigger with one model over all shapes.

    Without ``transcripts`` only what is noted can be found.
    """
    limit = _LIMITS.get(model, _LIMIT)
    talks = [conversation(shape, window=WINDOW) for shape in SHAPES]
    summaries: dict[str, bool] = {}
    with ScriptedServer([ReplyRule(lambda request: True, reply_of(model))]) as server:
        async with memory(workspace, server, limit=limit, transcripts=transcripts) as host:
            for talk in talks:
                await _talk(host, talk.key, talk.messages)
                if trigger != "SDK":
                    summaries[talk.shape] = await _cut(host, talk, trigger)
        # What was said is asked for in another process's place, and an SDK comes later, too.
        async with memory(workspace, server, limit=limit, transcripts=transcripts) as host:
            if trigger == "SDK":
                for talk in talks:
                    summaries[talk.shape] = await _cut(host, talk, trigger)
            await host.flush_index()
            return [await _outcome(host, workspace, talk, summarised=summaries[talk.shape]) for talk in talks]


async def _talk(host: MemoryHost, key: str, messages: Any) -> None:
    """Hand the messages over as they come, as a host does."""
    for message in messages:
        said = Message.from_chat(message)
        if said.role == "user":
            await host.message_received(session_key=key, text=said.text)
        elif said.role == "tool":
            await host.tool_executed(session_key=key, tool_name="exec", arguments={"command": "ls"}, result=said.text)
        elif said.text:
            await host.message_sent(session_key=key, text=said.text)


async def _cut(host: MemoryHost, talk: Conversation, trigger: str) -> bool:
    """Let the history be cut; return whether a usable summary replaces it, where one is expected."""
    messages = list(talk.messages)
    if trigger == "token pressure":
        await host.turn_finished(
            session_key=talk.key, messages=messages, context_tokens=WINDOW - 3_000, context_window=WINDOW
        )
        more = later(talk.shape)
        await _talk(host, talk.key, more)
        messages += more
    if trigger == "idle":
        await host.session_idle(session_key=talk.key, history=messages)
    summary = None
    # A provider that still reports an overflow is met by a second cut.
    for _ in range(2 if trigger == "overflow" else 1):
        summary = await host.before_compaction(
            session_key=talk.key, messages=messages, context_window=WINDOW, reason=_REASONS[trigger]
        )
    if trigger == "/new":
        await host.session_idle(session_key=talk.key, history=messages, ended=True)
    if not summary_expected():
        return True
    return summary is not None and bool(summary.text.strip()) and 0 <= summary.keep_from <= len(messages)


async def _outcome(host: MemoryHost, workspace: Path, talk: Conversation, *, summarised: bool) -> Outcome:
    missing = []
    for fact in talk.facts:
        found = await host.search(Query(fact.asked, limit=_DEEPEST, use_vectors=False))
        if not any(fact.answer in hit.text for hit in found.hits):
            missing.append(fact.asked)
    entries = [
        f"{part.tldr}\n{part.details}"
        for file in sorted((workspace / "memory").glob("*.md"))
        for part in parse_notes(file.read_bytes())
        if isinstance(part, NoteEntry) and part.scope.session == talk.key and "observation" not in part.tags
    ]
    twice = {entry for entry in entries if entries.count(entry) > 1}
    return Outcome(talk.shape, tuple(missing), tuple(sorted(twice)), summarised)


async def run_all(folder: Path) -> dict[tuple[str, str], list[Outcome]]:
    """Run the whole matrix, one run after the other."""
    outcomes = {}
    for trigger in TRIGGERS:
        for model in MODELS:
            workspace = folder / f"{TRIGGERS.index(trigger)}-{model}"
            outcomes[trigger, model] = await run(workspace, trigger, model)
            await asyncio.sleep(0)
    return outcomes

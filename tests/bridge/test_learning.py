"""Entries are learned from the sessions of a real nanobot."""

import json

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request
from tests.behaviour.kit.waiting import until

JOB = "Deleting old snapshots frees the disk."
JOB_ANSWER = [
    {"text": "Deleting old snapshots frees the disk", "said": JOB, "kind": "experience", "importance": "medium"}
]


def asks_for_entries(request: Request) -> bool:
    return '"entries"' in request.system and not request.tool_names


@pytest.fixture
def learner(server, monkeypatch):
    """A model that answers extraction requests, and a memory with the consolidation plugin."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,consolidation")

    def answer(request: Request) -> Reply:
        return Reply(json.dumps({"entries": JOB_ANSWER if "snapshots" in request.text else []}))

    server.rules.append(ReplyRule(asks_for_entries, answer))
    server.rules.append(ReplyRule(lambda request: "disk" in request.last_user, Reply(JOB)))
    return server


def entries(nanobot):
    return {one.content: one for one in EntryRepository(nanobot.workspace).load().entries.values()}


def asked(server) -> int:
    return sum(asks_for_entries(request) for request in server.requests)


@pytest.mark.accept("EB-20")
async def test_turns_of_timers_are_learned_from_when_they_are_let_through(install, learner):
    nanobot = install({"nanobot": {"backgroundTurns": True}})
    loop = nanobot.loop()
    await loop.process_direct("Look after the disk.", session_key="cron:disk")
    await loop.process_direct("Look after the disk again.", session_key="heartbeat")
    await loop.process_direct("rewrite MEMORY.md, I like tea", session_key="dream:20260101-000000")
    await until(lambda: asked(learner) == 2 and len(entries(nanobot)) == 1)
    await loop.aclose()
    (one,) = entries(nanobot).values()
    assert one.origin is Origin.ASSISTANT
    assert one.source_session in ("cron:disk", "heartbeat")
    assert one.hits <= 1

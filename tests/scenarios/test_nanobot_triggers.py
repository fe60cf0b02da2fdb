"""The triggers on the real nanobot loop: what is cut is saved first, once, and nobody sees anything of it."""

import asyncio
import json

import pytest

from nanobot_memory_plugins.core import MemoryHost, Query
from nanobot_memory_plugins.core.files import NoteEntry, parse_notes
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule
from tests.support.model_servers import Junk, is_flush, is_summary

FACT = "We decided that the staging database listens on port 6543."
FLUSHED = "The staging database was decided to listen on port 6543."
SAID = {"text": FLUSHED, "said": "listens on port 6543", "kind": "decision", "tags": ["staging"]}
SUMMARY = "The user decided that the staging database listens on port 6543; it was noted."
ENTRY = json.dumps({"entries": [SAID], "summary": SUMMARY})
OURS = {"storage": {"embeddingProvider": "none"}, "nanobot": {"closeLimit": 10.0}}


@pytest.fixture(autouse=True)
def only_these(monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,storage,recall,flush,summary,compaction")


def archiving(request) -> bool:
    """Recognise nanobot's own request for a summary, or a compaction plugin's."""
    if is_flush(request) or is_summary(request) or "Continue the active task" in request.last_user:
        return False
    return "checkpoint" in request.last_user


def script(server, answer: Reply = Reply(ENTRY)) -> None:  # noqa: B008  # frozen
    background = Junk(seed=3, delay=2.0).reply if answer.text == "JUNK" else answer
    once = 1 if answer.text == ENTRY else None  # what was read is not in the next question
    server.rules = [
        ReplyRule(is_flush, background, times=once),
        ReplyRule(is_flush, Reply("NO_REPLY")),
        ReplyRule(is_summary, Reply(SUMMARY) if answer.text == ENTRY else background),
        ReplyRule(archiving, Reply("nanobot's own summary")),
    ]


def notes(nanobot) -> list[NoteEntry]:
    files = sorted((nanobot.workspace / "memory").glob("????-??-??.md"))
    return [part for file in files for part in parse_notes(file.read_bytes()) if isinstance(part, NoteEntry)]


async def until(condition, seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.05)


async def found(nanobot, question: str = "which port has the staging database?") -> str:
    from nanobot_memory_plugins.core import MemoryConfig

    config = MemoryConfig.model_validate({"plugins": {"storage": {"embedding_provider": "none"}}})
    async with MemoryHost(nanobot.workspace, config=config) as memory:
        await memory.flush_index()
        hits = (await memory.search(Query(question, use_vectors=False))).hits
    return "\n".join(hit.text for hit in hits)


def flushes(server) -> int:
    return sum(is_flush(request) for request in server.requests)


async def say(loop, *texts: str) -> list[str]:
    return [(await loop.process_direct(text)).content for text in texts]


@pytest.mark.slow
@pytest.mark.accept("FL-02", "FL-04", "FL-06")
@pytest.mark.parametrize("trigger", ["/compact", "/new", "sdk", "idle", "token pressure", "overflow"])
async def test_what_is_cut_is_saved_first_once_and_unseen(install, server, trigger):
    script(server)
    narrow = {"contextWindowTokens": 50_000, "maxTokens": 2_048} if trigger in ("token pressure", "overflow") else {}
    nanobot = install({**OURS, "flush": {"anticipate": False}}, **narrow)
    loop = nanobot.loop()
    replies = await say(loop, FACT, "Go on.", "And then?")
    match trigger:
        case "sdk" | "idle":
            session = loop.sessions.get_or_create("cli:direct")
            runtime = loop.runtime_for_session(session)
            await loop.consolidator.compact_idle_session("cli:direct", runtime=runtime)
        case "token pressure" | "overflow":
            for number in range(8):
                replies += await say(loop, f"message {number}: " + "many words " * 400)
        case command:
            answer = await loop.process_direct(command)
            replies.append(answer.content if answer is not None else "")
    await until(lambda: flushes(server))
    replies += await say(loop, "What now?")
    await loop.aclose()
    assert FLUSHED in [note.tldr for note in notes(nanobot)]
    assert [note.tldr for note in notes(nanobot)].count(FLUSHED) == 1
    assert "6543" in await found(nanobot)
    assert not any(word in "".join(replies) for word in (FLUSHED, "NO_REPLY", "tldr", ENTRY))
    said = [m for m in loop.sessions.get_or_create("cli:direct").messages if m.get("role") in ("user", "assistant")]
    assert not any("NO_REPLY" in str(message) or "about to be shortened" in str(message) for message in said)


@pytest.mark.accept("FL-06")
async def test_a_second_cut_of_the_same_messages_asks_for_nothing(install, server):
    script(server)
    nanobot = install(OURS)
    loop = nanobot.loop()
    await say(loop, FACT, "Go on.")
    await loop.process_direct("/compact")
    await until(lambda: flushes(server))
    await loop.aclose()
    before = flushes(server)
    again = nanobot.loop()
    await again.process_direct("/compact")
    await again.process_direct("/new")
    await asyncio.sleep(0.5)
    await again.aclose()
    assert (before, flushes(server)) == (1, 1)


@pytest.mark.accept("FL-01", "FL-02")
async def test_a_full_context_is_flushed_ahead_of_the_cut_and_the_cut_does_not_flush_it_again(install, server):
    script(server)
    nanobot = install({**OURS, "flush": {"contextWindow": 2_000}})  # the stock prompt alone passes its trigger
    loop = nanobot.loop()
    replies = await say(loop, FACT)
    await until(lambda: any(note.tldr == FLUSHED for note in notes(nanobot)))
    replies += await say(loop, "Go on.", "And then?")
    await loop.process_direct("/compact")
    await loop.aclose()
    assert flushes(server) == 1
    assert set(replies) == {"Understood."}
    text = "".join(note.tldr + note.details for note in notes(nanobot))
    assert text.count(FACT) == 1, "the note holds the user's own words"
    assert text.count("6543") <= 3, "and there is no archive of what it was made of"


@pytest.mark.accept("FL-02", "FL-07")
@pytest.mark.parametrize("model", ["NO_REPLY", "junk", "slow", "down"])
async def test_whatever_the_model_does_the_user_sees_the_same_and_the_fact_is_found(install, server, model):
    answers = {
        "NO_REPLY": Reply("NO_REPLY"),
        "junk": Reply("JUNK"),
        "slow": Reply("zebra", delay=3.0),
        "down": Reply(status=400),
    }
    script(server, answers[model])
    limits = {"core": {"languageModel": {"timeout": 0.5, "purposeTimeouts": {"summary": 0.5}, "attempts": 1}}}
    nanobot = install({**OURS, **limits})
    loop = nanobot.loop()
    assert await say(loop, FACT, "Go on.", "And then?") == ["Understood."] * 3
    await loop.process_direct("/compact")
    assert await say(loop, "What now?") == ["Understood."]
    await loop.aclose()
    assert "6543" in await found(nanobot)
    assert "zebra" not in "".join(note.tldr + note.details for note in notes(nanobot))


@pytest.mark.slow
@pytest.mark.accept("V3-13")
async def test_a_session_that_goes_quiet_leaves_one_summary_here_or_at_the_next_start(install, server):
    script(server)
    nanobot = install({**OURS, "core": {"idleSeconds": 0.5}})
    first = nanobot.loop()
    await first.process_direct(FACT, session_key="cli:left")
    await first.process_direct("Go on.", session_key="cli:left")
    await first.process_direct("And then?", session_key="cli:left")
    await first.aclose()  # as a one-shot command: before the session is idle
    before = [note.scope.session for note in notes(nanobot) if "summary" in note.tags]
    assert before == []
    await asyncio.sleep(1.2)
    second = nanobot.loop()
    await say(second, "The backup bucket is called kestrel.", "Go on.", "And then?")
    await until(lambda: len([note for note in notes(nanobot) if "summary" in note.tags]) >= 2)
    await asyncio.sleep(1.0)
    await second.aclose()
    sessions = sorted(note.scope.session for note in notes(nanobot) if "summary" in note.tags)
    assert sessions == ["cli:direct", "cli:left"]


@pytest.mark.accept("NC-05")
async def test_a_short_session_that_the_user_ends_leaves_something(install, server):
    script(server, Reply("NO_REPLY"))
    nanobot = install(OURS)
    loop = nanobot.loop()
    await say(loop, FACT)
    await loop.process_direct("/new")
    await until(lambda: notes(nanobot))
    await loop.aclose()
    (note,) = notes(nanobot)
    assert "summary" in note.tags
    assert "6543" in f"{note.tldr} {note.details}"

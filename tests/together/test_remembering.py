"""The whole set together, without a host: what was said and done is found again, in a new process's place."""

import asyncio
import os
import time

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Origin, Query
from nanobot_memory_plugins.core.text.fence import is_fenced
from nanobot_memory_plugins.core.values import Level
from tests.support.loop_lag import loop_lags

# NANOBOT_MEMORY_LONG=1 takes 50 MB, for half a minute.
LARGE = 50 if os.environ.get("NANOBOT_MEMORY_LONG") else 5
# Limits that no loaded machine reaches: what is shown here is not the speed.
PATIENT = {"core": {"message_limit": 30, "tool_limit": 30}, "plugins": {"recall": {"recall_timeout": 20}}}


def config(**plugins: dict[str, object]) -> MemoryConfig:
    merged = {name: dict(options) for name, options in PATIENT["plugins"].items()}
    for name, options in plugins.items():
        merged.setdefault(name, {}).update(options)
    return MemoryConfig.model_validate({"core": PATIENT["core"], "plugins": merged})


LEXICAL = {"storage": {"embedding_provider": "none"}}


async def say(memory: MemoryHost, session: str, *texts: str) -> None:
    for text in texts:
        await memory.message_received(session_key=session, text=text)
        await memory.message_sent(session_key=session, text="好的 / noted.")


async def ask(memory: MemoryHost, text: str, session: str = "cli:new") -> str | None:
    return (await memory.message_received(session_key=session, text=text)).block


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("said", "asked", "part"),
    [
        ("My favourite editor is Helix, with the gruvbox theme.", "Which editor did I say I prefer?", "Helix"),
        ("记住：我喜欢用 Python 写脚本，不用 JavaScript", "我上次说喜欢用什么语言写脚本？", "Python"),
        ("The staging database listens on port 6543.", "Do you remember the port of the staging database?", "6543"),
        ("我们决定用 Cloudflare 免费计划部署", "之前决定怎么部署？", "Cloudflare"),
    ],
)
async def test_what_was_said_is_recalled_after_a_restart_in_another_session(tmp_path, said, asked, part):
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        await say(memory, "cli:old", said, "今天天气不错 / nice weather today", "Write a poem about rain.")
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        await memory.flush_index()
        block = await ask(memory, asked)
    assert block is not None
    assert is_fenced(block)
    assert part in block


async def test_what_was_just_said_is_found_before_it_is_indexed(tmp_path):
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        await say(memory, "cli:old", "The wifi password of the cabin hangs behind the door.")
        assert "behind the door" in await ask(memory, "Where did I say the wifi note of the cabin hangs?")


@pytest.mark.parametrize("text", ["Write a haiku about autumn leaves", "2 + 2 = ?", "解释一下什么是光合作用", "hi"])
async def test_when_nothing_is_relevant_nothing_is_injected(tmp_path, text):
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        await say(memory, "cli:old", "The staging database listens on port 6543.", "我喜欢用 Python 写脚本")
        await memory.flush_index()
        assert await ask(memory, text) is None


async def test_what_stands_in_the_live_context_is_not_injected_again(tmp_path):
    said = "The staging database listens on port 6543."
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        await say(memory, "cli:one", said)
        await memory.flush_index()
        history = [{"role": "user", "content": said}]
        context = await memory.message_received(
            session_key="cli:one", text="Do you remember the port of the staging database?", history=history
        )
        assert context.block is None


@pytest.mark.accept("V5-06")
async def test_the_same_tool_run_three_times_leaves_three_observations(tmp_path):
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        for _ in range(3):
            receipt = await memory.tool_executed(
                session_key="cli:one", tool_name="exec", arguments={"command": "make"}, result="all 17 targets built"
            )
            assert receipt.stored
        await memory.flush_index()
        found = await memory.search(Query(text="targets built", origins=frozenset({Origin.TOOL})))
        day = receipt.path.read_text(encoding="utf-8")
    assert day.count("tl;dr: exec") == 3
    assert len({hit.id for hit in found.hits}) == 3


@pytest.mark.accept("V5-11")
async def test_recall_that_is_late_injects_nothing_and_is_no_failure(tmp_path, monkeypatch):
    from nanobot_memory_plugins.core.testing import install_plugin

    site = tmp_path / "site"
    site.mkdir()
    install_plugin(
        site,
        monkeypatch,
        "slow_store",
        """
        import asyncio
        from datetime import datetime, UTC
        from nanobot_memory_plugins.core import Hit, Origin, SearchResult, hookimpl
        from nanobot_memory_plugins.core.values import Level, StoreStatus

        class SlowStore:
            async def search(self, query):
                await asyncio.sleep(3.0)
                where = {"path": "memory/a.md", "line": 1, "origin": Origin.USER}
                hit = Hit(id="1", text="port 6543", score=1.0, coverage=1.0, **where)
                return SearchResult(hits=(hit,))
            async def read(self, hit_id): return None
            def notify(self, path): pass
            async def flush(self): pass
            def status(self): return StoreStatus(level=Level.MARKDOWN)
            async def close(self): pass

        @hookimpl(tryfirst=True)
        def open_store():
            return SlowStore()
        """,
    )
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "slow_store,recall")
    for limit, found in ((0.02, False), (20.0, True)):
        async with MemoryHost(tmp_path / "w", config=config(recall={"recall_timeout": limit})) as memory:
            started = time.monotonic()
            block = await ask(memory, "Do you remember the port?")
            assert (block is not None) == found
            assert found or time.monotonic() - started < 2.8
            assert set(memory.plugins.host.failures().values()) <= {0}


@pytest.mark.slow
@pytest.mark.accept("V3-10")
async def test_embedding_does_not_block_the_event_loop(tmp_path, builtin_model):
    async with MemoryHost(tmp_path, config=config()) as memory, loop_lags() as gaps:
        await memory.start()
        gaps.clear()
        for number in range(300):
            await memory.message_sent(
                session_key="cli:one", text=f"paragraph {number} " + "about many different things " * 30
            )
        deadline = time.monotonic() + 60
        while memory.store.status().vectors < 300 and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        status = memory.store.status()
        seen = sorted(gaps)
    assert status.vectors >= 300
    # Bare embedding of these texts in the loop would block it for more than a second in one piece; loading the model
    # holds the interpreter for about 0.2 s.
    assert seen[int(len(seen) * 0.99)] < 0.25
    assert seen[-1] < 2.0


@pytest.mark.accept("V3-02")
async def test_without_a_model_search_goes_on_by_full_text(tmp_path):
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        await say(memory, "cli:one", "The meeting moved to Thursday.")
        await memory.flush_index()
        found = await memory.search(Query(text="meeting Thursday"))
        status = memory.store.status()
    assert found.level is Level.FULL_TEXT
    assert found.hits
    assert (status.level, status.vectors) == (Level.FULL_TEXT, 0)
    assert status.reason


async def test_with_the_model_meaning_is_found_without_common_words(tmp_path, builtin_model):
    async with MemoryHost(tmp_path, config=config()) as memory:
        await say(memory, "cli:one", "My sister adopted a kitten from the shelter.", "The invoice is due next month.")
        await memory.flush_index()
        deadline = time.monotonic() + 60
        while memory.store.status().vectors < 4 and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        found = await memory.search(Query(text="家里的猫是谁领养的？"))
    assert found.level in (Level.HYBRID, Level.NUMPY)
    assert "kitten" in found.hits[0].text


@pytest.mark.slow
async def test_a_huge_message_is_kept_whole_and_the_host_goes_on(tmp_path):
    huge = "The quick brown fox jumps over the lazy dog. " * (LARGE * 1_000_000 // 45)
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        receipt = await memory.message_sent(session_key="cli:one", text=huge)
        assert receipt.stored or receipt.pending
        # It goes behind the huge one, in the same session.
        await say(memory, "cli:one", "The staging database listens on port 6543.")
        transcript = tmp_path / "memory" / "sessions"
        for _ in range(1_200):
            if any(b"6543" in file.read_bytes()[-1_000:] for file in transcript.glob("*.jsonl")):
                break
            await asyncio.sleep(0.1)
        assert sum(file.stat().st_size for file in transcript.glob("*.jsonl")) > len(huge)
        await memory.flush_index()
        assert "6543" in await ask(memory, "Do you remember the port of the staging database?")


async def test_the_tools_of_the_set_are_offered_and_answer(tmp_path):
    async with MemoryHost(tmp_path, config=config(**LEXICAL)) as memory:
        tools = {tool.name: tool for tool in memory.tools()}
        assert set(tools) == {"memory_search", "memory_get", "remember", "forget"}
        await say(memory, "cli:old", "The staging database listens on port 6543.")
        answer = await tools["memory_search"].run({"query": "staging port"}, session_key="cli:new")
        assert "6543" in answer
        assert is_fenced(answer)
        key = answer.split("- id ", 1)[1].split(" |", 1)[0]
        assert "6543" in await tools["memory_get"].run({"id": key}, session_key="cli:new")
        assert "no memory with this id" in await tools["memory_get"].run({"id": "none"}, session_key="cli:new")
        assert "Error" in await tools["memory_search"].run({"query": "x", "limit": 99}, session_key="cli:new")
        assert "Nothing" in await tools["memory_search"].run({"query": "zebra"}, session_key="cli:new")


async def test_sessions_are_kept_apart_when_the_configuration_says_so(tmp_path):
    for share, visible in (("agent", True), ("session", False)):
        shared = MemoryConfig.model_validate(
            {"core": {**PATIENT["core"], "share": share}, "plugins": {**PATIENT["plugins"], **LEXICAL}}
        )
        async with MemoryHost(tmp_path / share, config=shared) as memory:
            await say(memory, "cli:one", "The staging database listens on port 6543.")
            await memory.flush_index()
            block = await ask(memory, "Do you remember the port of the staging database?", session="cli:two")
            assert (block is not None) == visible

"""A memory that belongs to no event loop: several in a row, threads, a running one, and a fork."""

import os
import subprocess
import sys
import textwrap

import pytest
from loguru import logger

from nanobot_memory_plugins.core import MemoryHost, MemoryService, Note


def said(workspace) -> list[str]:
    with MemoryService(workspace) as memory:
        return [one["content"] for one in memory.call(history).now()]


async def history(memory: MemoryHost):
    return memory.history("s")


def tell(text: str):
    return lambda memory: memory.message_received(session_key="s", text=text)


@pytest.fixture(autouse=True)
def _storage_only(monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork_both_processes_have_a_memory_and_both_close_in_time(tmp_path):
    source = textwrap.dedent(
        """
        import os, sys, time
        from nanobot_memory_plugins.core import MemoryConfig, MemoryService

        def tell(text):
            return lambda memory: memory.message_received(session_key="s", text=text)

        words_alone = {"plugins": {"storage": {"embedding_provider": "none"}}}
        memory = MemoryService(sys.argv[1], config=MemoryConfig.model_validate(words_alone))
        assert memory.call(tell("Before the fork."), limit=20).now()
        for number in range(2):
            child = os.fork()
            if child == 0:
                began = time.perf_counter()
                stored = memory.call(tell(f"Child {number}."), limit=20).now().receipt.stored
                ended = memory.close()
                sys.exit(0 if stored and ended and time.perf_counter() - began < 15 else 3)
            assert memory.call(tell(f"Parent {number}."), limit=20).now().receipt.stored
            assert os.waitpid(child, 0)[1] == 0, number
        began = time.perf_counter()
        assert memory.close()
        assert time.perf_counter() - began < 5
        """
    )
    command = [sys.executable, "-c", source, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    expected = ["Before the fork.", *(f"{who} {number}." for number in range(2) for who in ("Child", "Parent"))]
    assert sorted(said(tmp_path)) == sorted(expected)


def test_what_is_no_scope_is_named_in_the_log_and_keeps_nothing(tmp_path):
    log: list[str] = []
    sink = logger.add(log.append, level="WARNING", format="{message}")
    wrong = {"made of usr": {"usr": "ana"}, "made of user": {"user": ["ana"]}}
    try:
        with MemoryService(tmp_path) as memory:
            for scope in (*wrong.values(), "ana"):
                memory.turn("s", scope=scope).received("The key lies under the mat.").now()
                assert not memory.call(lambda host, scope=scope: host.keep(Note("key"), scope=scope)).now()
    finally:
        logger.remove(sink)
    for why in (*wrong, "made of str"):
        assert sum(why in line and "agent, user, channel" in line for line in log) == 2, why
    assert said(tmp_path) == []

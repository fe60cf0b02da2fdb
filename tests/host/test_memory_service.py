"""`MemoryService` in a forked process, and with invalid scopes."""

import os
import subprocess
import sys
import textwrap

import pytest
from loguru import logger

from nanobot_memory_plugins.core import MemoryHost, MemoryService, Note


def kept_texts(workspace) -> list[str]:
    with MemoryService(workspace) as memory:
        return [one["content"] for one in memory.call(history).now()]


async def history(memory: MemoryHost):
    return memory.history("s")


def message(text: str):
    return lambda memory: memory.message_received(session_key="s", text=text)


@pytest.fixture(autouse=True)
def _storage_only(monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_parent_and_child_use_and_close_the_memory_after_a_fork(tmp_path):
    source = textwrap.dedent(
        """
        import os, sys, time
        from nanobot_memory_plugins.core import MemoryConfig, MemoryService

        def message(text):
            return lambda memory: memory.message_received(session_key="s", text=text)

        words_alone = {"plugins": {"storage": {"embedding_provider": "none"}}}
        memory = MemoryService(sys.argv[1], config=MemoryConfig.model_validate(words_alone))
        assert memory.call(message("Before the fork."), limit=20).now()
        for number in range(2):
            child = os.fork()
            if child == 0:
                began = time.perf_counter()
                stored = memory.call(message(f"Child {number}."), limit=20).now().receipt.stored
                ended = memory.close()
                sys.exit(0 if stored and ended and time.perf_counter() - began < 15 else 3)
            assert memory.call(message(f"Parent {number}."), limit=20).now().receipt.stored
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
    assert sorted(kept_texts(tmp_path)) == sorted(expected)


def test_an_invalid_scope_is_logged_and_nothing_is_kept(tmp_path):
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
    assert kept_texts(tmp_path) == []

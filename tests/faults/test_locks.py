"""An exclusive lock that another process holds on the index keeps no turn waiting. The long form holds it for 30 s."""

import os
import sys
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from tests.faults.hindrance import turns_beside_a_lock
from tests.faults.processes import Writers
from tests.faults.rounds import is_long


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False], ids=["everybody", "writers"])
async def test_a_lock_on_the_index_holds_up_no_turn(writers: Writers, tmp_path: Path, whole: bool):
    outcome = await turns_beside_a_lock(writers, tmp_path, 1, whole=whole, seconds=30 if is_long() else 1.5)
    assert outcome.lost == []
    assert outcome.acknowledged > 12


@pytest.mark.skipif(os.name == "nt", reason="the lock is taken as filelock takes it elsewhere")
async def test_a_lock_on_the_entries_holds_up_no_turn(tmp_path: Path):
    if sys.platform == "win32":
        return
    import fcntl

    config = MemoryConfig.model_validate({"plugins": {"storage": {"embeddingProvider": "none"}}})
    async with MemoryHost(tmp_path, config=config) as memory:
        tools = {tool.name: tool for tool in memory.tools()}
        said = await tools["remember"].run({"text": "The car is blue"}, session_key="plain")
        id_ = said.partition("[")[2].partition("]")[0]
        with (tmp_path / "memory" / ".locks" / "long_term.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for name, arguments in (("remember", {"text": "The boat is red"}), ("forget", {"id": id_})):
                began = time.monotonic()
                refused = await tools[name].run(arguments, session_key="plain")
                # Two seconds, with room for a busy machine; what waits less refuses too soon.
                assert 1.5 < time.monotonic() - began < 4.0
                assert "locked by another process" in refused
        assert "Written to" in await tools["remember"].run({"text": "The boat is red"}, session_key="plain")

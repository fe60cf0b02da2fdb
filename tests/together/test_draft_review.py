"""An unsure draft is answered again with the memory's evidence, on the example host in a separate process."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ScriptedServer

HOST = Path(__file__).parents[2] / "examples" / "reviewing_host.py"
FACT = "The ferry to Aland leaves from gate seven."
QUESTION = "Which gate should the taxi driver take for the ferry?"
# No model, limits that no loaded machine reaches (what is shown here is not the speed), and no recall before the draft.
PLUGINS = {"recall": {"recallTimeout": 20, "needThreshold": 1}, "storage": {"embeddingProvider": "none"}}


def talk(workspace: Path, server: ScriptedServer, *lines: str) -> list[str]:
    """Run the example on what the user types; return what the user sees."""
    config = workspace.parent / "config.json"
    config.write_text(json.dumps({"memoryPlugins": {"core": {"messageLimit": 30}, **PLUGINS}}))
    done = subprocess.run(
        [sys.executable, HOST, workspace, server.base_url],
        input="".join(f"{line}\n" for line in lines),
        env={**os.environ, "NANOBOT_MEMORY_CONFIG": str(config)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture
def workspace(tmp_path) -> Path:
    """A workspace in which the fact was told in another session."""
    folder = tmp_path / "workspace"
    folder.mkdir()

    async def tell() -> None:
        config = MemoryConfig.model_validate({"plugins": {"storage": {"embedding_provider": "none"}}})
        async with MemoryHost(folder, config=config) as memory:
            await memory.message_received(session_key="cli:old", text=FACT)
            await memory.flush_index()

    asyncio.run(tell())
    return folder


@pytest.mark.slow
@pytest.mark.accept("LR-04")
def test_an_unsure_draft_is_answered_again_with_the_fact_and_the_user_sees_the_second_answer_only(workspace):
    rules = [ReplyRule(lambda request: "gate seven" in request.text, Reply("Gate seven."))]
    with ScriptedServer(rules, default="I'm not sure which gate that is.") as server:
        seen = talk(workspace, server, QUESTION)
    assert seen == ["Gate seven."]
    first, second = (request.last_user for request in server.requests)
    assert first == QUESTION
    assert second.startswith(QUESTION)
    assert FACT in second
    kept = "".join(file.read_text(encoding="utf-8") for file in workspace.glob("memory/sessions/*.jsonl"))
    assert "Gate seven." in kept
    assert "not sure which gate" not in kept

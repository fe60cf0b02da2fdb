"""What the tests of all adapters share: a workspace, a scripted model, and what has to be true of both afterwards."""

import json
import random
import string
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryService
from nanobot_memory_plugins.core.text.fence import fenced_blocks
from nanobot_memory_plugins.tools.scripted_model import (
    Reply,
    ReplyRule,
    Request,
    ScriptedServer,
    ToolCall,
    after_tool,
    text_of,
)
from tests.support.files_of import holders_of

ROOT = Path(__file__).parents[2]
# A busy machine gets its time; the words are found without a model of embeddings.
OPTIONS: dict[str, Any] = {
    "core": {"message_limit": 20, "tool_limit": 20, "start_limit": 120},
    "plugins": {"storage": {"embeddingProvider": "none"}, "recall": {"recallTimeout": 10}},
}
PORT = "our staging database listens on port 5433"
TOLD = f"By the way, {PORT}."
ASKED = "On which port does the staging database listen?"
# A plugin that notes which session has gone quiet.
QUIET = """
from nanobot_memory_plugins.core import Note, hookimpl


@hookimpl
def on_session_idle(session_key):
    return Note(f"Quiet: {session_key}")
"""


# Holds what a tool gives away.
SECRET = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))


def calls(name: str, **arguments: object) -> ReplyRule:
    """Have the model call a tool first, once."""
    return ReplyRule(
        lambda one: name in one.tool_names and not after_tool(one), Reply(tools=(ToolCall(name, arguments),)), 1
    )


def needs(adapter: str, module: str) -> None:
    """Skip the tests of a module where the framework is not installed. Call it before the framework is imported."""
    why = f"{module} is not installed: `python -m release.hosts {adapter}` runs these tests"
    pytest.importorskip(module, reason=why)


class Wired:
    """One workspace, and the model server that a framework asks. Services over it are closed with it."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir(parents=True)
        self.server = server
        self._services: list[MemoryService] = []

    def service(self, **core: Any) -> MemoryService:
        """Return a memory of the workspace, started; ``core`` are options of core."""
        config = MemoryConfig.model_validate({**OPTIONS, "core": {**OPTIONS["core"], **core}})
        made = MemoryService(self.workspace, config=config, start_limit=120)  # a busy machine starts it slowly
        self._services.append(made)
        assert made.start().now()
        return made

    def close(self) -> None:
        for service in self._services:
            service.close()

    def run_script(self, script: Path, *words: str, lines: str = "") -> str:
        """Run a script as a process of its own, with the workspace and the server's address, and return its output.

        ``lines`` are its standard input.
        """
        command = [sys.executable, str(script), str(self.workspace), self.server.base_url, *words]
        done = subprocess.run(
            command, cwd=ROOT, input=lines, capture_output=True, text=True, encoding="utf-8", timeout=400, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    # --- what is to be seen afterwards ----------------------------------------------------------------------

    @property
    def last(self) -> Request:
        """The newest request that reached the model."""
        return self.server.requests[-1]

    def records(self, role: str = "") -> list[dict[str, Any]]:
        """Return what stands in the transcripts, in the order in which it was said, of one role where it is named.

        An older history is taken in behind a turn, and may stand in the file below that turn's message.
        """
        lines = [
            one
            for file in sorted(self.workspace.glob("memory/sessions/*.jsonl"))
            for one in sorted(
                map(json.loads, file.read_text(encoding="utf-8").splitlines()), key=lambda record: record["time"]
            )
        ]
        return [one for one in lines if not role or one.get("role") == role]

    def said(self, role: str = "", *, session: str = "") -> list[str]:
        """Return the texts of the transcripts, of one session by the last part of its key where it is named."""
        records = [one for one in self.records(role) if one["session"].split(":")[-1] == session or not session]
        return [str(one.get("text", one.get("content", ""))) for one in records]

    def notes(self) -> str:
        """Return the notes of all days."""
        return "\n".join(file.read_text(encoding="utf-8") for file in sorted(self.workspace.glob("memory/2*.md")))

    def holds(self, words: str) -> list[str]:
        """Return the files of the workspace in which words stand."""
        return holders_of(self.workspace, words)


def searchable(service: MemoryService) -> None:
    """Wait until everything that was stored is found."""
    service.call(lambda memory: memory.flush_index(), limit=60).now()


def beside(request: Request, question: str) -> str:
    """Return the fenced block that stands beside a question in a request: in that message, and in no other."""
    holding = [one for one in request.messages if fenced_blocks(text_of(one))]
    assert len(holding) == 1, f"{len(holding)} messages hold a block"
    (message,) = holding
    assert message["role"] == "user"
    assert question in text_of(message)
    (block,) = fenced_blocks(text_of(message))
    return str(block)


def unfenced(messages: Sequence[object]) -> bool:
    """Say whether no block stands in what a framework keeps as its history."""
    return not fenced_blocks("\n".join(str(one) for one in messages))

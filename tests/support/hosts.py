"""Helpers for the tests of all adapters: a workspace, a scripted model, and ways to inspect both."""

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
# Generous limits for a busy machine. Search by words needs no embedding model.
OPTIONS: dict[str, Any] = {
    "core": {"message_limit": 20, "tool_limit": 20, "start_limit": 120},
    "plugins": {"storage": {"embeddingProvider": "none"}, "recall": {"recallTimeout": 10}},
}
PORT = "our staging database listens on port 5433"
FACT = f"By the way, {PORT}."
QUESTION = "On which port does the staging database listen?"
# A plugin that writes a note when a session becomes idle.
IDLE_PLUGIN = """
from nanobot_memory_plugins.core import Note, hookimpl


@hookimpl
def on_session_idle(session_key):
    return Note(f"Quiet: {session_key}")
"""


# A secret in a tool's result.
SECRET = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))


def calls(name: str, **arguments: object) -> ReplyRule:
    """Return a rule that has the model call a tool once before it answers."""
    return ReplyRule(
        lambda one: name in one.tool_names and not after_tool(one), Reply(tools=(ToolCall(name, arguments),)), 1
    )


def require_framework(adapter: str, module: str) -> None:
    """Skip a test module if its framework is not installed. Call it before the framework is imported."""
    reason = f"{module} is not installed: `python -m release.hosts {adapter}` runs these tests"
    pytest.importorskip(module, reason=reason)


class HostEnvironment:
    """A workspace and the model server for a framework. `close` closes its memory services as well."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir(parents=True)
        self.server = server
        self._services: list[MemoryService] = []

    def service(self, **core: Any) -> MemoryService:
        """Return a started memory of the workspace. ``core`` holds options of core."""
        config = MemoryConfig.model_validate({**OPTIONS, "core": {**OPTIONS["core"], **core}})
        made = MemoryService(self.workspace, config=config, start_limit=120)
        self._services.append(made)
        assert made.start().now()
        return made

    def close(self) -> None:
        for service in self._services:
            service.close()

    def run_script(self, script: Path, *words: str, lines: str = "") -> str:
        """Run a script in a new process with the workspace and the server's address, and return its output.

        ``lines`` is its standard input.
        """
        command = [sys.executable, str(script), str(self.workspace), self.server.base_url, *words]
        done = subprocess.run(
            command, cwd=ROOT, input=lines, capture_output=True, text=True, encoding="utf-8", timeout=400, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    # --- inspection -----------------------------------------------------------------------------------------

    @property
    def last(self) -> Request:
        """The newest request that reached the model."""
        return self.server.requests[-1]

    def records(self, role: str = "") -> list[dict[str, Any]]:
        """Return the records of the transcripts by time, optionally of one role.

        An older history is stored after a turn's message, and so may follow it in the file.
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
        """Return the texts of the transcripts, optionally of one session, by the last part of its key."""
        records = [one for one in self.records(role) if one["session"].split(":")[-1] == session or not session]
        return [str(one.get("text", one.get("content", ""))) for one in records]

    def notes(self) -> str:
        """Return the text of all day notes."""
        return "\n".join(file.read_text(encoding="utf-8") for file in sorted(self.workspace.glob("memory/2*.md")))

    def holds(self, words: str) -> list[str]:
        """Return the files of the workspace that contain ``words``."""
        return holders_of(self.workspace, words)


def wait_for_index(service: MemoryService) -> None:
    """Wait until everything that was stored is indexed."""
    service.call(lambda memory: memory.flush_index(), limit=60).now()


def block_for(request: Request, question: str) -> str:
    """Return the recalled block of a request, which only the message with the question contains."""
    holding = [one for one in request.messages if fenced_blocks(text_of(one))]
    assert len(holding) == 1, f"{len(holding)} messages hold a block"
    (message,) = holding
    assert message["role"] == "user"
    assert question in text_of(message)
    (block,) = fenced_blocks(text_of(message))
    return str(block)


def has_no_block(messages: Sequence[object]) -> bool:
    """Return whether a framework's history contains no recalled block."""
    return not fenced_blocks("\n".join(str(one) for one in messages))

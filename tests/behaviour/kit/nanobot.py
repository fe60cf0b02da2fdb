"""A stock nanobot-ai: one user's installation, offline, talking to a model behind HTTP."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request, ScriptedServer, ToolCall
from tests.behaviour.kit.life import Life

# nanobot counts tokens with a file that it would download. A proxy that refuses at once makes it go on with its own
# estimate, and makes sure that a test reaches nothing beyond this machine.
OFFLINE = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}
# Windows and answers of a size at which nanobot itself cuts its history after some long messages.
NARROW = {"contextWindowTokens": 50_000, "maxTokens": 2_048}


@dataclass(slots=True)
class Nanobot:
    """nanobot over the workspace of a life; ``defaults`` are added to ``agents.defaults`` of its config.json."""

    life: Life
    server: ScriptedServer
    defaults: dict[str, Any] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        """The user's folder."""
        return self.life.folder / "home"

    @property
    def config_file(self) -> Path:
        """nanobot's own configuration."""
        return self.home / ".nanobot" / "config.json"

    def configure(self, **options: Mapping[str, Any]) -> None:
        """Write config.json, with these options of the plugins for this time."""
        self.life.workspace.mkdir(exist_ok=True)
        self.config_file.parent.mkdir(parents=True, exist_ok=True)
        agents = {
            "workspace": str(self.life.workspace),
            "provider": "custom",
            "model": "scripted",
            "maxTokens": 2048,
            "contextWindowTokens": 200_000,
            **self.defaults,
        }
        configuration = {
            "agents": {"defaults": agents},
            "providers": {"custom": {"apiKey": "none", "apiBase": self.server.base_url}},
            "channels": {"memoryPlugins": self.life.configuration(**options)},
        }
        self.config_file.write_text(json.dumps(configuration), encoding="utf-8")

    def be_its_user(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make this process one of the user's."""
        for name, value in {**OFFLINE, "HOME": str(self.home)}.items():
            monkeypatch.setenv(name, value)

    @asynccontextmanager
    async def loop(self, *, bus: Any = None, **options: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Run the AgentLoop that nanobot's own commands build; each one is a process's place."""
        from nanobot.agent.loop import AgentLoop
        from nanobot.agent.tools.registry import ToolRegistry
        from nanobot.config.loader import load_config

        self.configure(**options)
        loop = AgentLoop.from_config(load_config(self.config_file), bus, tool_registry=ToolRegistry())
        try:
            yield loop
        finally:
            await loop.aclose()

    def agent(self, text: str, *, session: str) -> str:
        """Run ``nanobot agent -m`` as a process of its own, and return what it printed."""
        done = subprocess.run(
            self._command("agent", "-m", text, "-s", session, "--no-markdown"),
            env=self._environment(),
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=180,  # what hangs is told; on a busy machine a turn alone takes half a minute
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def serving(self, port: int) -> Iterator[None]:
        """Run ``nanobot serve`` as a process of its own."""
        command = self._command("serve", "--port", str(port), "--host", "127.0.0.1")
        process = subprocess.Popen(
            command, env=self._environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=60)

    @staticmethod
    def _command(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "nanobot", *arguments]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **OFFLINE, "HOME": str(self.home), "COLUMNS": "200", "TERM": "dumb"}


def answering(server: ScriptedServer, words: str, *calls: ToolCall, reply: str = "Done.") -> None:
    """Answer the turns whose user says ``words`` now, and not before: with tool calls first, then a reply."""

    def says(request: Request) -> bool:
        return bool(request.tool_names) and words in request.last_user.partition("\n")[0]

    if calls:
        server.rules.append(
            ReplyRule(lambda request: says(request) and request.last.get("role") != "tool", Reply(tools=calls))
        )
    server.rules.append(ReplyRule(says, Reply(reply)))


def summing_up(server: ScriptedServer, text: str) -> None:
    """Answer what is no turn of the chat, nanobot's own questions for a summary and the set's alike, with this text."""
    server.rules.append(ReplyRule(lambda request: not request.tool_names, Reply(text)))

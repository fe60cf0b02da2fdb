"""A stock nanobot-ai: one user's installation, offline, talking to a model behind HTTP."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

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


def configuration(server: ScriptedServer, workspace: Path, memory: Mapping[str, Any] | None, **defaults: Any) -> str:
    """Return a config.json of nanobot; ``defaults`` are added to ``agents.defaults``."""
    agents = {
        "workspace": str(workspace),
        "provider": "custom",
        "model": "scripted",
        "maxTokens": 2048,
        "contextWindowTokens": 200_000,
        "disabledSkills": _skills(),
        **defaults,
    }
    made = {
        "agents": {"defaults": agents},
        "providers": {"custom": {"apiKey": "none", "apiBase": server.base_url}},
        **({"channels": {"memoryPlugins": memory}} if memory is not None else {}),
    }
    return json.dumps(made)


def _skills() -> list[str]:
    """Return the skills that come with nanobot: it reads the file of each one several times in every turn."""
    package = importlib.util.find_spec("nanobot.skills")
    folders = package.submodule_search_locations if package else None
    return sorted(one.name for folder in folders or () for one in Path(folder).iterdir() if one.is_dir())


def agent_loop(config_file: Path, bus: Any = None) -> Any:
    """Build the AgentLoop that nanobot's own commands build."""
    from nanobot.agent.loop import AgentLoop
    from nanobot.agent.tools.registry import ToolRegistry
    from nanobot.config.loader import load_config

    return AgentLoop.from_config(load_config(config_file), bus, tool_registry=ToolRegistry())


def run_agent(home: Path, text: str, *, session: str, **environment: str) -> str:
    """Run ``nanobot agent -m`` as a process of its own, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "nanobot", "agent", "-m", text, "-s", session, "--no-markdown"],
        env={**environment_of(home), **environment},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=180,  # what hangs is told; on a busy machine a turn alone takes half a minute
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def environment_of(home: Path) -> dict[str, str]:
    """Return the environment of a user's processes."""
    return {**os.environ, **OFFLINE, "HOME": str(home), "COLUMNS": "200", "TERM": "dumb"}


def be_user_of(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process one of the user's, in which a look for the file of tokens costs no connection each time."""
    for name, value in {**OFFLINE, "HOME": str(home)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tiktoken.load.read_file", mock.Mock(side_effect=ConnectionError))


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
        made = configuration(self.server, self.life.workspace, self.life.configuration(**options), **self.defaults)
        self.config_file.write_text(made, encoding="utf-8")

    @asynccontextmanager
    async def loop(self, *, bus: Any = None, **options: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Run the AgentLoop that nanobot's own commands build; each one is a process's place."""
        self.configure(**options)
        loop = agent_loop(self.config_file, bus)
        try:
            yield loop
        finally:
            await loop.aclose()

    def agent(self, text: str, *, session: str) -> str:
        """Run ``nanobot agent -m`` as a process of its own, and return what it printed."""
        return run_agent(self.home, text, session=session)

    @contextmanager
    def serving(self, port: int) -> Iterator[None]:
        """Run ``nanobot serve`` as a process of its own."""
        command = [sys.executable, "-m", "nanobot", "serve", "--port", str(port), "--host", "127.0.0.1"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, env=environment_of(self.home), **quiet)
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=60)


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

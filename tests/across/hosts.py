"""Hosts as processes of their own over one workspace: told, asked, and killed at any moment."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ScriptedServer
from tests.across.facts import Fact, acknowledged_in
from tests.support.anthropic_server import AnthropicServer
from tests.support.claude_code import ClaudeCode, Conversation
from tests.support.mcp_clients import LineClient, ServedWorkspace
from tests.support.nanobot import Installation

ROOT = Path(__file__).parents[2]
# A busy machine gets its time; the words are found without a model of embeddings.
SHARED: Mapping[str, Any] = {
    "storage": {"embeddingProvider": "none"},
    "core": {"messageLimit": 20, "toolLimit": 20},
    "recall": {"recallTimeout": 10},
}
CONFIGURATION = {"memoryPlugins": SHARED}
# Seconds that a process has to end by itself.
_END = 60.0


class Host(ABC):
    """One host of a workspace. It is started when it is needed, and again after it was killed."""

    name: str
    takes_orders = True
    """Whether what it is told are the words of a user."""

    @abstractmethod
    def tell(self, fact: Fact, kill_after: float | None = None) -> bool:
        """Tell it something, and return whether it has answered; ``kill_after`` so many seconds it is killed."""

    @abstractmethod
    def ask(self, fact: Fact) -> str:
        """Ask it about a fact, and return all that its model could read of it."""

    def settle(self) -> None:  # noqa: B027  # most have missed nothing
        """Let it take in what it missed."""

    @abstractmethod
    def close(self) -> None:
        """Let it end by itself."""


def scripted() -> ScriptedServer:
    """Return a model that acknowledges each fact in words of its own."""

    def answer(request: Request) -> Reply:
        return Reply(acknowledged_in(request.last_user))

    return ScriptedServer([ReplyRule(lambda request: True, answer)])


class LineHost(Host):
    """A host that answers lines of JSON."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str], model: ScriptedServer):
        self.name = name
        self._command, self._environment, self._model = list(command), dict(environment), model
        self._process: subprocess.Popen[str] | None = None
        self._asked = 0

    def tell(self, fact: Fact, kill_after: float | None = None) -> bool:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"session": "cli:direct", "text": fact.told}) + "\n")
        process.stdin.flush()
        if kill_after is None:
            return self._answered(process)
        time.sleep(kill_after)
        process.kill()
        has_answered = bool(process.stdout.readline())
        self._ended(process)
        return has_answered

    def ask(self, fact: Fact) -> str:
        process = self._started()
        assert process.stdin is not None
        self._asked += 1
        before = len(self._model.requests)
        session = f"cli:asked-{self._asked}"
        process.stdin.write(json.dumps({"session": session, "text": fact.question}) + "\n")
        process.stdin.flush()
        assert self._answered(process), f"{self.name} has ended"
        return "\n".join(one.text for one in self._model.requests[before:])

    def close(self) -> None:
        if self._process is not None:
            self._ended(self._process)

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process

    def _answered(self, process: subprocess.Popen[str]) -> bool:
        assert process.stdout is not None
        return bool(process.stdout.readline())

    def _ended(self, process: subprocess.Popen[str]) -> None:
        self._process = None
        with contextlib.suppress(BrokenPipeError):
            process.communicate(timeout=_END)


def nanobot(installation: Installation, model: ScriptedServer) -> LineHost:
    """Return nanobot itself."""
    command = [sys.executable, str(ROOT / "tests/across/nanobot_process.py"), str(installation.config_file)]
    return LineHost("nanobot", command, installation.environment, model)


def langchain(python: Path, workspace: Path, config: Path, model: ScriptedServer) -> LineHost:
    """Return an agent of LangChain, which is installed in an environment of its own."""
    script = ROOT / "tests/across/langchain_process.py"
    left_out = ("NANOBOT", "VIRTUAL_ENV", "PYTHON")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    command = [str(python), str(script), str(workspace), str(config), model.base_url]
    return LineHost("LangChain", command, {**environment, "HOME": str(config.parent)}, model)


class McpHost(Host):
    """A client of the MCP server: its model remembers, and searches."""

    takes_orders = False

    def __init__(self, served: ServedWorkspace, name: str = "MCP") -> None:
        self.name = name
        self._served = served
        self._client: LineClient | None = None

    def tell(self, fact: Fact, kill_after: float | None = None) -> bool:
        client, given = self._connected(), {"text": fact.fact}
        if kill_after is None:
            return not client.call("remember", **given)["isError"]
        client.send("tools/call", {"name": "remember", "arguments": given})
        time.sleep(kill_after)
        client.kill()
        self._client = None
        return False

    def ask(self, fact: Fact) -> str:
        return str(self._connected().call("memory_search", query=fact.question)["content"][0]["text"])

    def close(self) -> None:
        if self._client is not None:
            self._client.end()
            self._client = None

    def _connected(self) -> LineClient:
        if self._client is None:
            self._client = self._served.process()
            self._client.hello()
            self._client.ask("tools/list")  # it answers once the memory is open
        return self._client


class ClaudeHost(Host):
    """Claude Code with the plugin: itself is killed, or the plugin's server."""

    name = "Claude Code"

    def __init__(self, claude: ClaudeCode, model: AnthropicServer) -> None:
        self._claude, self._model = claude, model
        model.script = lambda request: acknowledged_in(request.last) if request.tool_names else None
        self._session = str(uuid.uuid4())
        self._conversation: Conversation | None = None
        self._kills = 0
        self._has_missed = False

    def tell(self, fact: Fact, kill_after: float | None = None) -> bool:
        conversation = self._started()
        conversation.send(fact.told)
        if kill_after is not None:
            time.sleep(kill_after)
            self._kills += 1
            if self._kills % 2:
                return self._killed(conversation)
            for number in self._servers():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            self._has_missed = True
        conversation.ended()
        return True

    def ask(self, fact: Fact) -> str:
        before = len(self._model.turns)
        self._started().ask(fact.question)
        # Of its own conversation nothing is shown again that an earlier block has shown.
        return "\n".join(one.text for one in self._model.turns[before:])

    def settle(self) -> None:
        """Go on, so that the server that was started again takes in what the one that was killed has missed."""
        if self._has_missed:
            for prompt in ("Good evening.", "Good night."):
                self._started().ask(prompt)
            self._has_missed = False

    def close(self) -> None:
        if self._conversation is not None:
            self._conversation.__exit__()
            self._conversation = None

    def _started(self) -> Conversation:
        if self._conversation is None:
            is_known = any(self._claude.home.glob(f".claude/projects/*/{self._session}.jsonl"))
            self._conversation = Conversation(self._claude, "--resume" if is_known else "--session-id", self._session)
        return self._conversation

    def _killed(self, conversation: Conversation) -> bool:
        conversation.process.kill()
        has_answered = True
        try:
            conversation.ended()
        except EOFError:
            has_answered = False
        with contextlib.suppress(BrokenPipeError):
            conversation.__exit__()
        self._conversation = None
        return has_answered

    def _servers(self) -> list[int]:
        """Return the plugin's processes: those of other clients have another configuration."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if str(self._claude.plugin.with_name("memory.json")) in (folder / "cmdline").read_text():
                    found.append(int(folder.name))
        return found

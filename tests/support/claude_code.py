"""Runs Claude Code, the package from npm, with its own home and a scripted model, without network access."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.mcp.claude_code.plugin_folder import write_plugin
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request, ToolCall
from nanobot_memory_plugins.tools.scripted_model import text_of as text_in
from tests.behaviour.kit.nanobot import OFFLINE
from tests.support.files_of import text_of
from tests.support.wire_servers import AnthropicServer

# Names the folder into which npm has installed the package; `python -m release.claude_code` makes one.
VARIABLE = "NANOBOT_MEMORY_CLAUDE_CODE"
MISSING = f"{VARIABLE} names no folder with Claude Code: `python -m release.claude_code` makes one"
MODEL = "claude-sonnet-4-5"
_NOWHERE = "http://127.0.0.1:9"
_NOT_OURS = ("CLAUDE", "ANTHROPIC", "NANOBOT")


def program() -> Path | None:
    """Return the program, or None when it is not installed."""
    folder = os.environ.get(VARIABLE)
    found = Path(folder) / "node_modules" / ".bin" / "claude" if folder else None
    return found if found is not None and found.exists() else None


def since_answer(request: Request) -> str:
    """Return the text of the messages after the assistant's last one."""
    texts: list[str] = []
    for message in reversed(request.body["raw"]["messages"]):
        if message["role"] == "assistant":
            break
        texts.append(text_in(message))
    return "\n".join(reversed(texts))


def is_request_with(request: Request, words: str) -> bool:
    """Return whether a request of the conversation contains ``words``, and no tool has answered yet."""
    results = any(one["role"] == "tool" for one in request.messages[-2:])
    return bool(request.tool_names) and not results and words in since_answer(request)


def calling(words: str, *tools: ToolCall) -> ReplyRule:
    """Return a rule that has the model call tools once, for a request that contains ``words``."""
    return ReplyRule(lambda request: is_request_with(request, words), Reply(tools=tools), 1)


def turns_of(server: AnthropicServer) -> list[Request]:
    """Return the requests of the conversation, which have tools, without those for a title."""
    return [one for one in server.requests if one.tool_names]


class ClaudeCode:
    """A user of Claude Code with the plugin and one workspace."""

    def __init__(
        self,
        folder: Path,
        server: AnthropicServer,
        configuration: Mapping[str, Any],
        *,
        workspace: Path | None = None,
    ) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.workspace, self.plugin = workspace or folder / "workspace", folder / "plugin"
        self.model = MODEL
        self.project.mkdir(parents=True)
        self.home.mkdir()
        config = folder / "memory.json"
        config.write_text(json.dumps(configuration), encoding="utf-8")
        arguments = ("-m", "nanobot_memory_plugins.core.cli", "mcp", "--workspace", str(self.workspace))
        write_plugin(self.plugin, [sys.executable, *arguments, "--config", str(config)])
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
        self.environment = {
            **kept,
            **OFFLINE,
            "HOME": str(self.home),
            "ANTHROPIC_BASE_URL": server.root_url,
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "HTTP_PROXY": _NOWHERE,
            "HTTPS_PROXY": _NOWHERE,
            "NO_PROXY": "127.0.0.1,localhost",
            "IS_SANDBOX": "1",
        }

    def command(self, *arguments: str, plugin: bool = True) -> list[str]:
        own = ["--plugin-dir", str(self.plugin)] if plugin else []
        return [str(program()), "-p", *own, "--dangerously-skip-permissions", "--model", self.model, *arguments]

    def ask(self, prompt: str, *arguments: str, plugin: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a session with one prompt, and return the finished process."""
        done = subprocess.run(
            self.command(*arguments, prompt, plugin=plugin),
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the memory's transcripts by time."""
        files = (self.workspace / "memory" / "sessions").glob("*.jsonl")
        lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return sorted(lines, key=lambda record: record["time"])

    def stored(self) -> str:
        """Return the text of all files of the memory."""
        return text_of(self.workspace / "memory")


class Conversation:
    """A process of Claude Code for several prompts. Use it as a context manager."""

    def __init__(self, claude: ClaudeCode, *arguments: str, plugin: bool = True) -> None:
        stream = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        self.process = subprocess.Popen(
            claude.command(*stream, *arguments, plugin=plugin),
            cwd=claude.project,
            env=claude.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def ask(self, prompt: str) -> dict[str, Any]:
        """Send a prompt, and return the result of its turn."""
        asked = {"type": "user", "message": {"role": "user", "content": prompt}}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            told = json.loads(line)
            if told.get("type") == "result":
                return told
        raise EOFError

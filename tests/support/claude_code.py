"""Claude Code, the package from npm, in a home of its own and before a scripted model; nothing reaches the network."""

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
    """Return the program, where it was installed."""
    folder = os.environ.get(VARIABLE)
    found = Path(folder) / "node_modules" / ".bin" / "claude" if folder else None
    return found if found is not None and found.exists() else None


def since_answer(request: Request) -> str:
    """Return the text of the messages behind the assistant's last."""
    texts: list[str] = []
    for message in reversed(request.body["raw"]["messages"]):
        if message["role"] == "assistant":
            break
        texts.append(text_in(message))
    return "\n".join(reversed(texts))


def is_asked(request: Request, words: str) -> bool:
    """Return whether the conversation itself asks something with these words, and no tool has answered yet."""
    results = any(one["role"] == "tool" for one in request.messages[-2:])
    return bool(request.tool_names) and not results and words in since_answer(request)


def calling(words: str, *tools: ToolCall) -> ReplyRule:
    """Have the model call tools, once, where it is asked something with these words."""
    return ReplyRule(lambda request: is_asked(request, words), Reply(tools=tools), 1)


def turns_of(server: AnthropicServer) -> list[Request]:
    """Return the requests of the conversation itself: with tools, and more than a title is asked for."""
    return [one for one in server.requests if one.tool_names]


class ClaudeCode:
    """One user of it, with the plugin over one workspace."""

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
        """Run one session of one prompt, and return how it ended."""
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
        """Return what the transcripts of the memory hold, in the order of time."""
        files = (self.workspace / "memory" / "sessions").glob("*.jsonl")
        lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return sorted(lines, key=lambda record: record["time"])

    def stored(self) -> str:
        """Return all that stands in the files of the memory."""
        return text_of(self.workspace / "memory")


class Conversation:
    """One process of Claude Code that is asked several times. Use it as a context manager."""

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
        """Return how a turn ended."""
        asked = {"type": "user", "message": {"role": "user", "content": prompt}}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            told = json.loads(line)
            if told.get("type") == "result":
                return told
        raise EOFError

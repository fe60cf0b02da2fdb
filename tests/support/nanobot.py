"""A stock nanobot-ai for tests: isolated, offline, talking to a scripted model."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.behaviour.kit.nanobot import agent_loop, configuration, environment_of, run_agent
from tests.support.files_of import text_of


class Installation:
    """One user's nanobot: a home folder, a workspace and a config.json."""

    def __init__(self, folder: Path, server: ScriptedServer, memory: Mapping[str, Any] | None = None, **defaults: Any):
        self.home = folder / "home"
        self.workspace = folder / "workspace"
        self.config_file = self.home / ".nanobot" / "config.json"
        self.config_file.parent.mkdir(parents=True)
        self.workspace.mkdir()
        self.config_file.write_text(configuration(server, self.workspace, memory, **defaults), encoding="utf-8")
        self.environment = environment_of(self.home)

    def agent(self, text: str, *, session: str = "cli:direct", **environment: str) -> str:
        """Run ``nanobot agent -m`` in a new process, and return its output."""
        return run_agent(self.home, text, session=session, **environment)

    def loop(self, *, bus: Any = None) -> Any:
        """Build the AgentLoop that nanobot's own commands build."""
        return agent_loop(self.config_file, bus)

    def stored(self) -> str:
        """Return the text of all memory files."""
        return text_of(self.workspace / "memory", ".md", ".jsonl")

    def transcript(self) -> list[dict[str, Any]]:
        """Return the transcripts' records, oldest first."""
        files = (self.workspace / "memory" / "sessions").glob("*.jsonl")
        records = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return sorted(records, key=lambda record: record["time"])


# A plugin that records every hook call, and returns configured answers.
RECORDER = """
    import json, os, time
    from pathlib import Path
    from nanobot_memory_plugins.core.hookspecs import hookimpl
    from nanobot_memory_plugins.core.values import ContextBlock, Note, Summary

    FILE = Path(os.environ["RECORDER_FILE"])
    ANSWERS = json.loads(os.environ.get("RECORDER_ANSWERS", "{}"))

    def record(hook, **values):
        with FILE.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"hook": hook, **values}, ensure_ascii=False, default=str) + "\\n")

    def said(messages):
        return [[message.role, message.text] for message in messages]

    @hookimpl
    def on_message_received(session_key, text, history, scope):
        record("message", session=session_key, text=text, history=said(history), user=scope.user, channel=scope.channel)
        return ContextBlock(text=ANSWERS["recall"]) if "recall" in ANSWERS else None

    @hookimpl
    def on_tool_executed(session_key, tool_name, arguments, result, error, duration_ms):
        record("tool", session=session_key, name=tool_name, arguments=dict(arguments), result=result, error=error,
               duration=duration_ms)

    @hookimpl
    def on_session_idle(session_key, history, ended):
        record("idle", session=session_key, history=said(history), ended=ended)

    @hookimpl
    async def before_compaction(session_key, messages, context_window, reason, context):
        answer = None
        if "ask" in ANSWERS:
            asked = [{"role": "user", "content": ANSWERS["ask"]}]
            answer = await context.complete(asked, max_tokens=50, purpose="flush")
        record("compaction", session=session_key, messages=said(messages), window=context_window, reason=reason,
               answer=answer)
        if "summary" in ANSWERS:
            return Summary(text=ANSWERS["summary"], keep_from=len(messages) - ANSWERS.get("keep", 0))
"""


class Recorder:
    """Reads the calls that the recorder plugin has recorded."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def calls(self, hook: str | None = None) -> list[dict[str, Any]]:
        if not self.file.exists():
            return []
        lines = [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if hook is None or line["hook"] == hook]

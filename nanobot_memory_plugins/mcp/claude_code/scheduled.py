"""Prompts that come by themselves: a model may schedule one, which then comes in the user's place without any mark."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

# Tools that schedule, by their names, and their arguments that say what is asked later. What other tools are given, as
# a sub-agent its task, does not come back in the user's place, and people write "continue" and the like themselves.
_SCHEDULES = re.compile(r"cron|schedul|wake|remind|timer|alarm|trigger|defer|later|loop|monitor", re.IGNORECASE)
_LATER = ("prompt", "message")
# Where the host keeps what outlives a session, below the folder of a project.
_FILE = Path(".claude") / "scheduled_tasks.json"
_MOST_BYTES = 1 << 20
_PROMPTS = 1_000
_PROJECT = "CLAUDE_PROJECT_DIR"


class ScheduledPrompts:
    """Knows the prompts that tools were given for later, and those that the host keeps for a project."""

    def __init__(self) -> None:
        self._given: BoundedDict[str, None] = BoundedDict(_PROMPTS)

    def hear(self, tool_name: str, tool_input: str) -> None:
        """Learn what a tool was given."""
        if not _SCHEDULES.search(tool_name):
            return
        try:
            given: object = json.loads(tool_input)
        except (ValueError, RecursionError):
            return
        if isinstance(given, Mapping):
            for text in (given.get(name) for name in _LATER):
                if isinstance(text, str) and text.strip():
                    self._given[_folded(text)] = None

    def holds(self, prompt: str, folder: str) -> bool:
        """Return whether a prompt was scheduled, by a tool or for the project of a folder. It reads a file."""
        asked = _folded(prompt)
        folders = dict.fromkeys(filter(None, (folder, os.environ.get(_PROJECT, ""))))
        return asked in self._given or any(asked == _folded(kept) for one in folders for kept in _kept(Path(one)))


def _kept(folder: Path) -> Iterator[str]:
    try:
        with (folder / _FILE).open("rb") as file:
            read: object = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return
    tasks = read.get("tasks") if isinstance(read, Mapping) else None
    for task in tasks if isinstance(tasks, Sequence) else ():
        if isinstance(task, Mapping) and isinstance(task.get("prompt"), str):
            yield task["prompt"]


def _folded(text: str) -> str:
    return " ".join(text.split())

"""How much of our code a call enters: files, functions and calls, by ``sys.setprofile`` in every thread.

``python -m benchmarks.entered`` measures a start, a plain message, a reply, a compaction of 40 messages and an idle
session, with all plugins and a scripted model, in total and without search, storage, recall and redaction. With
``ENTERED_FUNCTIONS=1`` it lists each function. It counts instead of measuring time, so that the figures do not depend
on the machine's load, except for background work.
"""

import asyncio
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import nanobot_memory_plugins.core as core

ROOT = str(Path(core.__file__).parents[1])
OTHER_ROOMS = tuple(f"{ROOT}/{room}/" for room in ("search", "storage", "recall", "redaction"))
PLUGINS = "storage,recall,observation,flush,summary,compaction,consolidation,bootstrap"
SETTLED = 0.4


class CallCounter:
    """Counts calls of our functions, in this thread and in threads that start while it is active."""

    def __init__(self) -> None:
        self.calls: Counter[CodeType] = Counter()

    def begin(self) -> None:
        """Start counting. Call it before any threads start, since a running thread cannot be added."""
        threading.setprofile(self._see)
        sys.setprofile(self._see)

    def _see(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOT) and frame.f_code.co_name != "<module>":
            self.calls[frame.f_code] += 1

    def row(self, name: str, *, without: tuple[str, ...] = ()) -> str:
        """Return the counts as one line."""
        seen = {code: count for code, count in self.calls.items() if not code.co_filename.startswith(without or "\0")}
        files = Counter(code.co_filename.removeprefix(ROOT + "/") for code in seen)
        line = f"{name:28} {len(files):5} files {len(seen):6} functions {sum(seen.values()):8} calls"
        if os.environ.get("ENTERED_FUNCTIONS"):
            named = {(code.co_filename.removeprefix(ROOT + "/"), code.co_qualname): n for code, n in seen.items()}
            line += "".join(f"\n    {count:7} {file} {name}" for (file, name), count in sorted(named.items()))
        return line


async def complete(messages: list[dict[str, Any]], *, max_tokens: int, purpose: str) -> str:
    """Answer with an empty JSON object."""
    return "{}"


async def walk(workspace: Path) -> None:
    """Print what each call enters."""
    config = core.MemoryConfig.model_validate({"core": {"message_limit": 60, "tool_limit": 60}})
    config.plugins["storage"] = {"embeddingProvider": "none"}
    memory = core.MemoryHost(workspace, config=config, llm=complete)
    said = [
        {"role": ("user", "assistant")[n % 2], "content": f"Line {n}: the fence needs {n + 3} planks of oak by Friday."}
        for n in range(40)
    ]

    entered = CallCounter()
    entered.begin()

    async def seen(name: str, call: Callable[[], Awaitable[object]]) -> None:
        entered.calls = Counter()
        await call()
        await asyncio.sleep(SETTLED)
        print(entered.row(name))
        print(entered.row("  without four rooms", without=OTHER_ROOMS))

    def message(text: str) -> Callable[[], Awaitable[object]]:
        return lambda: memory.message_received(session_key="s", text=text, history=said[:6])

    def compaction() -> Awaitable[object]:
        return memory.before_compaction(
            session_key="s", messages=said, context_window=2_000, reason="token_pressure", room=600
        )

    await seen("start", memory.start)
    await seen("first message", message("Good morning, how are you doing today?"))
    await seen("plain message", message("The plumber comes on Tuesday at nine."))
    await seen("reply", lambda: memory.message_sent(session_key="s", text="Noted."))
    await seen("compaction of 40 messages", compaction)
    await seen("quiet session", lambda: memory.session_idle(session_key="s", history=said[:6]))
    await memory.close()


def main() -> None:
    """Measure in a new workspace."""
    os.environ["NANOBOT_MEMORY_PLUGINS"] = PLUGINS
    core.logger.remove()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        asyncio.run(walk(Path(folder) / "workspace"))


if __name__ == "__main__":
    main()

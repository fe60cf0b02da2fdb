"""What the tests of learning share: models that answer by rules or from a script, and a host with this plugin alone."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost


class Model:
    """Answers what it is told to, in turn, the last answer for ever; remembers what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.instructions: list[str] = []
        self.purposes: list[str] = []

    async def __call__(self, messages: Sequence[Any], *, max_tokens: int, purpose: str) -> str:
        self.asked.append(messages[-1]["content"])
        self.instructions.append(messages[0]["content"])
        self.purposes.append(purpose)
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(messages[-1]["content"])
        return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def item(content: str, category: str = "fact", importance: str = "high", **more: str | list[str]) -> dict[str, object]:
    return {"content": content, "category": category, "importance": importance, **more}


def chat(*texts: str) -> list[dict[str, str]]:
    """Return a conversation, the user first."""
    return [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]


def host(workspace: Path, model: Any = None, *, clock: Any = None, core: Any = None, **options: Any) -> MemoryHost:
    """Return a host; `NANOBOT_MEMORY_PLUGINS` says which plugins it loads."""
    config = MemoryConfig.model_validate({"core": core or {}, "plugins": {"consolidation": options}})
    return MemoryHost(workspace, config=config, llm=model, clock=clock)


def stored(workspace: Path) -> dict[str, Entry]:
    """Return the entries by their texts."""
    return {one.content: one for one in EntryRepository(workspace).load().entries.values()}

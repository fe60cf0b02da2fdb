"""Fixtures for the tests of compaction."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.testing import plugin_context


class Model:
    """A model that returns ``answers`` in turn, repeats the last one, and records its prompts.

    An answer is text, an exception to raise, or a function of the prompt.
    """

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.prompts: list[list[dict[str, Any]]] = []

    async def __call__(self, messages: Sequence[Any], *, max_tokens: int, purpose: str) -> str:
        assert purpose == "compaction"
        self.prompts.append([dict(message) for message in messages])
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer(messages) if callable(answer) else answer


def context_with(model: Any, workspace: Path = Path("/nowhere"), **options: Any) -> PluginContext:
    return plugin_context(CompactionOptions(**options), plugin_name="compaction", workspace=workspace, complete=model)

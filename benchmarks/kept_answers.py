"""A model's answers, kept in a file, so that an equal request is not sent again.

This allows measuring a change of the filters without waiting for the model. A changed prompt is a new request, and so
is the same prompt on another day, since it contains the day.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.protocols import Complete


class KeptAnswers:
    """A model whose answers are kept in ``file``, one per line.

    Without a model, only kept answers are returned; any other request raises `LookupError`.
    """

    def __init__(self, file: Path, model: Complete | None) -> None:
        self._file = file
        self._model = model
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._texts: dict[str, str] = {row["question"]: row["text"] for row in map(json.loads, lines)}

    async def complete(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the kept answer, or call the model and keep its answer."""
        asked = json.dumps([list(map(dict, messages)), max_tokens], ensure_ascii=False, sort_keys=True)
        question = hashlib.sha256(asked.encode()).hexdigest()
        if question not in self._texts:
            if self._model is None:
                raise LookupError("no answer to this question is kept")
            text = str(await self._model(messages, max_tokens=max_tokens, purpose=purpose))
            self._texts[question] = text
            row = {"question": question, "last": str(messages[-1].get("content", ""))[-80:], "text": text}
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        return self._texts[question]

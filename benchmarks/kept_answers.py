"""A model's answers, kept in a file: asked again for the same, it is not asked.

What a filter makes of the answers can so be measured without a model's minutes; another prompt is another question,
and so is the same one on another day, since the day stands in it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.protocols import Complete


class KeptAnswers:
    """A model whose answers are kept in ``file``, one a line. It answers the same question in the same way.

    Without a model only what is kept is answered; anything else raises `LookupError`.
    """

    def __init__(self, file: Path, model: Complete | None) -> None:
        self._file = file
        self._model = model
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._texts: dict[str, str] = {row["question"]: row["text"] for row in map(json.loads, lines)}

    async def complete(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the kept answer, or ask the model and keep what it says."""
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

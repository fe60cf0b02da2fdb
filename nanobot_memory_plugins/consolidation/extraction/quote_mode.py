"""Whether a model can be asked for quotes: told by its last answers, for each model apart, and kept on the disk.

``memory/.entries/extraction.json`` holds for each model's name its last ten answers with items: 1 where most quotes
stood in the conversation, 0 where not.
"""

import json
from contextlib import suppress
from typing import Any

from filelock import Timeout

from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import entries_folder
from nanobot_memory_plugins.core import MemoryFileError, MemoryPaths, logger
from nanobot_memory_plugins.core.files import private_folder, private_lock

# Answers that decide, and those without which nothing is decided.
_ANSWERS, _FEWEST = 10, 3
# A model that is not asked for quotes is tried again once in so many sessions.
_TRIED_AGAIN = 20
_MODELS, _NAME_CHARS = 50, 200
_LOCK_SECONDS = 2.0


class QuoteModes:
    """What is known of the models of one workspace. Everything here blocks: call it in a thread."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._memory = paths.memory
        self._file = entries_folder(paths) / "extraction.json"

    def asks_for_quotes(self, model: str) -> bool:
        """Return whether a model is to be asked for quotes now."""
        known = self._load().get(model[:_NAME_CHARS], {})
        answers, without = str(known.get("answers", "")), known.get("without", 0)
        if len(answers) < _FEWEST or 2 * answers.count("1") >= len(answers):
            return True
        return isinstance(without, int) and without >= _TRIED_AGAIN

    def record(self, model: str, *, quoted: bool | None) -> None:
        """Note an answer with items: whether it quoted; None when it was not asked to."""
        name = model[:_NAME_CHARS]
        try:
            private_folder(self._file.parent, below=self._memory)
            with private_lock(self._file.with_suffix(".lock"), timeout=_LOCK_SECONDS):
                models = self._load()
                known = models.pop(name, {})
                answers, without = str(known.get("answers", "")), known.get("without", 0)
                if quoted is None:
                    without = without + 1 if isinstance(without, int) else 1
                else:
                    answers, without = f"{answers}{int(quoted)}"[-_ANSWERS:], 0
                models[name] = {"answers": answers, "without": without}
                kept = dict(list(models.items())[-_MODELS:])
                write_private(self._file, json.dumps({"models": kept}).encode("ascii"))
        except (OSError, Timeout, MemoryFileError) as error:
            logger.debug("how a model quotes is not kept: {}", type(error).__name__)

    def models(self) -> dict[str, bool]:
        """Return for each model that has answered whether it is asked for quotes."""
        return {name: self.asks_for_quotes(name) for name in self._load()}

    def _load(self) -> dict[str, dict[str, Any]]:
        with suppress(ValueError, RecursionError, MemoryFileError):
            data = json.loads(read_file(self._file) or b"{}")
            models = data.get("models") if isinstance(data, dict) else None
            if isinstance(models, dict):
                return {str(name): known for name, known in models.items() if isinstance(known, dict)}
        return {}

"""The prompts of the plugins, and what the user wishes.

A file begins with the instruction; a line ``--- user`` or ``--- assistant`` begins a message of that role, and the last
one is the user's. Names in braces are filled in.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core.text.fence import Language

_HEADING: dict[Language, str] = {
    "en": "The user has laid down what is to be remembered and what never. Keep to it:",
    "zh": "用户规定了什么要记、什么永远不要记，请照办：",
}
_PART = re.compile(r"^--- (user|assistant)[^\S\n]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt that a plugin brings: ``<name>.en.md`` and ``<name>.zh.md`` in its ``folder``."""

    folder: Path
    name: str

    def text(self, language: Language) -> str:
        """Return the text of the file in a language."""
        return (self.folder / f"{self.name}.{language}.md").read_text("utf-8")


class Prompts:
    """Renders the prompts of all plugins, with ``wishes``, a few lines of the user's. Reading a file blocks."""

    def __init__(self, wishes: str = "") -> None:
        self._wishes = "\n".join(line.strip() for line in wishes.splitlines() if line.strip())

    def rendered(self, prompt: PromptFile, language: Language, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the chat messages of a prompt.

        ``values`` are put in the place of their names, and not looked at again. The place ``{wishes}`` is filled in
        here, with nothing when there are none.
        """
        known = {"wishes": f"\n\n{_HEADING[language]}\n{self._wishes}" if self._wishes else "", **values}
        parts = _PART.split(prompt.text(language))
        return [
            {"role": role, "content": _PLACEHOLDER.sub(lambda name: known.get(name[1], name[0]), part.strip("\n"))}
            for role, part in zip(["system", *parts[1::2]], parts[::2], strict=True)
            if part.strip()
        ]

    def fixed_texts(self, prompt: PromptFile, language: Language) -> list[str]:
        """Return the text of a prompt whatever is filled in: an answer that repeats it says nothing."""
        messages = _PART.split(prompt.text(language))[::2]
        return [part.strip() for message in messages for part in _PLACEHOLDER.split(message)[::2]]

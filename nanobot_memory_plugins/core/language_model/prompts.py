"""The prompt files of plugins, and the user's wishes as part of a prompt.

A prompt file starts with the system message; a line ``--- user`` or ``--- assistant`` starts a message of that role,
and the last message is the user's. Names in braces are placeholders.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core.text.fence import Language

_WISHES: dict[Language, str] = {
    "en": "The user has laid down what is to be remembered and what never. Keep to it:",
    "zh": "用户规定了什么要记、什么永远不要记，请照办：",
}
_ROLE_LINE = re.compile(r"^--- (user|assistant)[^\S\n]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt of a plugin: ``<name>.en.md`` and ``<name>.zh.md`` in its ``folder``. Reading it blocks."""

    folder: Path
    name: str

    def fill(self, language: Language, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Return its chat messages with the placeholders replaced by ``values``, whose own braces stay."""
        parts = _ROLE_LINE.split(self._text(language))
        return [
            {"role": role, "content": _PLACEHOLDER.sub(lambda name: values.get(name[1], name[0]), part.strip("\n"))}
            for role, part in zip(["system", *parts[1::2]], parts[::2], strict=True)
            if part.strip()
        ]

    def fixed_texts(self, language: Language) -> list[str]:
        """Return the texts between the placeholders; an answer that repeats one of them is not an answer."""
        messages = _ROLE_LINE.split(self._text(language))[::2]
        return [part.strip() for message in messages for part in _PLACEHOLDER.split(message)[::2]]

    def _text(self, language: Language) -> str:
        return (self.folder / f"{self.name}.{language}.md").read_text("utf-8")


def wishes_text(wishes: str, language: Language) -> str:
    """Return the user's wishes, a few lines, as a section of a prompt; "" if there are none."""
    lines = [line.strip() for line in wishes.splitlines() if line.strip()]
    return "\n".join(["", "", _WISHES[language], *lines]) if lines else ""

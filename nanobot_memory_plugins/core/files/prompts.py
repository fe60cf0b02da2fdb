"""The prompts of the plugins: built-in files or the user's own, and what the user wishes.

A file begins with the instruction; a line ``--- user`` or ``--- assistant`` begins a message of that role, and the last
one is the user's. Names in braces are filled in.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nanobot_memory_plugins.core.errors import ConfigurationError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

LANGUAGES: tuple[Language, ...] = ("en", "zh")
WISHES = "wishes"

_SUBJECT = "own prompts"
_HEADING: dict[Language, str] = {
    "en": "The user has laid down what is to be remembered and what never. Keep to it:",
    "zh": "用户规定了什么要记、什么永远不要记，请照办：",
}
_PART = re.compile(r"^--- (user|assistant)[^\S\n]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt that a plugin brings: ``<name>.en.md`` and ``<name>.zh.md`` in its ``folder``.

    A file of the same name in the user's own folder takes its place; ``required`` are the placeholders without which
    that could not do its work. Other placeholders of the built-in file may be left out.
    """

    folder: Path
    name: str
    required: tuple[str, ...] = ("conversation",)

    def file(self, language: Language) -> str:
        """Return the name of the file in a language."""
        return f"{self.name}.{language}.md"

    def built_in(self, language: Language) -> str:
        """Return the text of the plugin's own file."""
        return (self.folder / self.file(language)).read_text("utf-8")

    def own(self, folder: Path, language: Language, *, wishes: bool = False) -> str | None:
        """Return the text of the user's file, or None when there is none. With ``wishes`` it must have their place.

        Raises `ConfigurationError`, which names the file and what is wrong with it.
        """
        file = folder / self.file(language)
        try:
            text = _text(file.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            fault: str = Sentence("cannot be read ({kind})", kind=type(error).__name__)
        else:
            fault = self._fault(text, language, wishes=wishes)
            if not fault:
                return text
        raise ConfigurationError(
            Sentence("The prompt {file} {fault}.", file=file, fault=fault),
            hint=Sentence(
                "Correct or remove it; until then the built-in one is used, as it stands in {ours}.",
                ours=self.folder / self.file(language),
            ),
        )

    def _fault(self, text: str, language: Language, *, wishes: bool) -> str:
        """Return what is wrong with the user's file, or nothing."""
        if _PART.findall(text)[-1:] != ["user"]:
            return Sentence('does not end with a message of the user\'s: a line "--- user" begins one')
        known, found = set(_PLACEHOLDER.findall(self.built_in(language))), set(_PLACEHOLDER.findall(text))
        required = {*self.required, *({WISHES} & known if wishes else ())}
        for name in sorted(required - found):
            return Sentence("lacks {place}", place=f"{{{name}}}")
        for name in sorted(found - known):
            return Sentence("has {place}, which nothing fills in", place=f"{{{name}}}")
        return ""


class Prompts:
    """Renders the prompts of all plugins. ``folder`` holds the user's own files, ``wishes`` a few lines of the user's.

    It is thread-safe; reading a file blocks for a moment.
    """

    def __init__(self, folder: Path | None = None, wishes: str = "") -> None:
        self._folder = folder
        self._wishes = "\n".join(line.strip() for line in wishes.splitlines() if line.strip())
        self._warned: set[str] = set()

    @classmethod
    def of(cls, workspace: Path, folder: str, wishes: str) -> Self:
        """Return them as the options name them; a relative folder is seen from the workspace."""
        return cls(workspace / Path(folder).expanduser() if folder.strip() else None, wishes)

    def rendered(self, prompt: PromptFile, language: Language, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the chat messages of a prompt. An own file that cannot be used is reported once, and not used.

        ``values`` are put in the place of their names, and not looked at again. The place ``{wishes}`` is filled in
        here, with nothing when there are none.
        """
        known = {WISHES: f"\n\n{_HEADING[language]}\n{self._wishes}" if self._wishes else "", **values}
        parts = _PART.split(self._text(prompt, language))
        return [
            {"role": role, "content": _PLACEHOLDER.sub(lambda name: known.get(name[1], name[0]), part.strip("\n"))}
            for role, part in zip(["system", *parts[1::2]], parts[::2], strict=True)
            if part.strip()
        ]

    def fixed_texts(self, prompt: PromptFile, language: Language) -> list[str]:
        """Return the text of a prompt whatever is filled in: an answer that repeats it says nothing."""
        messages = _PART.split(self._text(prompt, language))[::2]
        return [part.strip() for message in messages for part in _PLACEHOLDER.split(message)[::2]]

    def findings(self, prompts: Iterable[PromptFile]) -> list[Finding]:
        """Return what doctor says of the user's own folder, given the prompts that there are. It blocks."""
        if self._folder is None:
            return []
        if not self._folder.is_dir():
            state = Sentence("there is no folder {folder}", folder=self._folder)
            hint = Sentence("Create it, or take memoryPlugins.core.promptFolder out of the configuration.")
            return [Finding(_SUBJECT, state, Health.DEGRADED, hint=hint)]
        used, findings = [], []
        for prompt in prompts:
            for language in LANGUAGES:
                try:
                    if prompt.own(self._folder, language, wishes=bool(self._wishes)) is not None:
                        used.append(prompt.file(language))
                except ConfigurationError as error:
                    findings.append(Finding(_SUBJECT, error.cause, Health.DEGRADED, hint=error.hint))
        state = Sentence("{used} in use, of {folder}", used=", ".join(used) or "none", folder=self._folder)
        return [Finding(_SUBJECT, state), *findings]

    def _text(self, prompt: PromptFile, language: Language) -> str:
        text = None
        if self._folder is not None:
            try:
                text = prompt.own(self._folder, language, wishes=bool(self._wishes))
            except ConfigurationError as error:
                if str(error) not in self._warned:
                    self._warned.add(str(error))
                    logger.warning("{}", error)
        return text or prompt.built_in(language)


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig").replace("\r\n", "\n")

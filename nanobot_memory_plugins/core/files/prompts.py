"""What a prompt is made of in one workspace: the built-in file or the user's own, and what the user wishes."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from nanobot_memory_plugins.core.errors import ConfigurationError
from nanobot_memory_plugins.core.files.prompt_file import LANGUAGES, WISHES, PromptFile, chat_messages, fixed_texts
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SUBJECT = "own prompts"
_HEADING: dict[Language, str] = {
    "en": "The user has laid down what is to be remembered and what never. Keep to it:",
    "zh": "用户规定了什么要记、什么永远不要记，请照办：",
}


class Prompts:
    """Renders the prompts of all plugins. ``folder`` holds the user's own files, ``wishes`` a few lines of theirs.

    It is thread-safe; reading a file blocks for a moment.
    """

    def __init__(self, folder: Path | None = None, wishes: str = "") -> None:
        self._folder = folder
        self._wishes = "\n".join(line.strip() for line in wishes.splitlines() if line.strip())
        self._told: set[str] = set()

    @classmethod
    def of(cls, workspace: Path, folder: str, wishes: str) -> Self:
        """Return them as the options name them; a relative folder is seen from the workspace."""
        return cls(workspace / Path(folder).expanduser() if folder.strip() else None, wishes)

    def rendered(self, prompt: PromptFile, language: Language, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the chat messages of a prompt. An own file that cannot be used is told of once, and left aside.

        The place ``{wishes}`` is filled in here, with nothing when there are none.
        """
        return chat_messages(self._text(prompt, language), {WISHES: self.wishes(language), **values})

    def fixed_texts(self, prompt: PromptFile, language: Language) -> list[str]:
        """Return what stands in a prompt whatever is filled in: an answer that repeats it says nothing."""
        return fixed_texts(self._text(prompt, language))

    def _text(self, prompt: PromptFile, language: Language) -> str:
        text = None
        if self._folder is not None:
            try:
                text = prompt.own(self._folder, language, wishes=bool(self._wishes))
            except ConfigurationError as error:
                if str(error) not in self._told:
                    self._told.add(str(error))
                    logger.warning("{}", error)
        return text or prompt.built_in(language)

    def wishes(self, language: Language) -> str:
        """Return what stands for ``{wishes}``: nothing, or a paragraph of its own."""
        return f"\n\n{_HEADING[language]}\n{self._wishes}" if self._wishes else ""

    def findings(self, prompts: Iterable[PromptFile]) -> list[Finding]:
        """Return what doctor says of the user's own folder, given the prompts that there are. It blocks."""
        if self._folder is None:
            return []
        files = {one.file(language): (one, language) for one in prompts for language in LANGUAGES}
        names = ", ".join(sorted(files))
        try:
            found = sorted(one.name for one in self._folder.iterdir() if one.suffix == ".md")
        except OSError as error:
            state = Sentence(
                "the folder {folder} cannot be read ({kind})", folder=self._folder, kind=type(error).__name__
            )
            return [
                Finding(
                    _SUBJECT,
                    state,
                    Health.DEGRADED,
                    hint="Create it, or take memoryPlugins.core.promptFolder out of the configuration; the built-in"
                    " prompts are used.",
                )
            ]
        used, findings = [], []
        for name in found:
            if name not in files:
                findings.append(
                    Finding(
                        _SUBJECT,
                        Sentence("{folder} is no prompt", folder=self._folder / name),
                        Health.DEGRADED,
                        hint=Sentence(
                            "Of the files in memoryPlugins.core.promptFolder these names are used: {names}.",
                            names=names,
                        ),
                    )
                )
                continue
            prompt, language = files[name]
            try:
                prompt.own(self._folder, language, wishes=bool(self._wishes))
                used.append(name)
            except ConfigurationError as error:
                findings.append(Finding(_SUBJECT, error.cause, Health.DEGRADED, error.hint))
        told = Sentence("{used} in use, of {folder}", used=", ".join(used) or "none", folder=self._folder)
        return [Finding(_SUBJECT, told), *findings]

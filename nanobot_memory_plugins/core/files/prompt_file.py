"""A prompt's file: how it is read, what must stand in it, and how it becomes the messages that a chat model gets.

A file begins with the instruction; a line ``--- user`` or ``--- assistant`` begins a message of that role, and the last
one is the user's. Names in braces are filled in.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nanobot_memory_plugins.core.errors import ConfigurationError
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.redaction.script.messages import Sentence

LANGUAGES: tuple[Language, ...] = ("en", "zh")
WISHES = "wishes"

_PART = re.compile(r"^--- (user|assistant)[^\S\n]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
# A prompt is shorter; what is longer is another file.
_LARGEST = 40_000  # bytes


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
        return _built_in(self.folder / self.file(language))

    def own(self, folder: Path, language: Language, *, wishes: bool = False) -> str | None:
        """Return the text of the user's file, or None when there is none. With ``wishes`` it must have their place.

        Raises `ConfigurationError`, which names the file and how it is mended.
        """
        file = folder / self.file(language)
        try:
            with file.open("rb") as opened:
                data = opened.read(_LARGEST + 1)
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._fault(
                file, language, Sentence("cannot be read ({kind})", kind=type(error).__name__), "Let it be read"
            ) from None
        except UnicodeDecodeError:
            raise self._fault(file, language, "is not UTF-8", "Save it as UTF-8") from None
        if len(data) > _LARGEST:
            raise self._fault(file, language, Sentence("is longer than {size} bytes", size=_LARGEST), "Shorten it")
        if not text.strip():
            raise self._fault(file, language, "is empty", "Write the prompt into it")
        if [*_PART.findall(text)][-1:] != ["user"]:
            raise self._fault(file, language, "does not end with a message of the user's", 'Add a line "--- user"')
        known, found = set(_PLACEHOLDER.findall(self.built_in(language))), set(_PLACEHOLDER.findall(text))
        required = (*self.required, *((WISHES,) if wishes and WISHES in known else ()))
        if lacking := [name for name in required if name not in found]:
            raise self._fault(
                file,
                language,
                Sentence("lacks {place}", place=f"{{{lacking[0]}}}"),
                Sentence("Write {place} where it belongs", place=f"{{{lacking[0]}}}"),
            )
        if unknown := sorted(found - known):
            names = ", ".join(f"{{{name}}}" for name in sorted(known))
            raise self._fault(
                file,
                language,
                Sentence("has {place}, which nothing fills in", place=f"{{{unknown[0]}}}"),
                Sentence("There are {names}", names=names),
            )
        return text

    def _fault(self, file: Path, language: Language, fault: str, mend: str) -> ConfigurationError:
        ours = self.folder / self.file(language)
        return ConfigurationError(
            Sentence("The prompt {file} {fault}.", file=file, fault=Sentence.of(fault)),
            hint=Sentence(
                "{mend}, or remove the file; until then the built-in one is used, as it stands in {ours}.",
                mend=Sentence.of(mend),
                ours=ours,
            ),
        )


def chat_messages(text: str, values: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the messages of a prompt. ``values`` are put in the place of their names, and not looked at again."""

    def filled(part: str) -> str:
        return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), part.strip("\n"))

    parts = _PART.split(text)
    messages = zip(["system", *parts[1::2]], parts[::2], strict=True)
    return [{"role": role, "content": filled(part)} for role, part in messages if part.strip()]


def fixed_texts(text: str) -> list[str]:
    """Return the parts of a prompt between its placeholders."""
    return [part.strip() for message in _PART.split(text)[::2] for part in _PLACEHOLDER.split(message)[::2]]


@lru_cache(maxsize=64)
def _built_in(file: Path) -> str:
    return file.read_text("utf-8")

"""What plugins put into a prompt: the files that open it, as they shorten them, and the entries. From any thread."""

import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeGuard

from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.plugin_host import PluginHost
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.values import PromptEntries, Scope
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.printable import printable

# What a host puts around a file unless it says otherwise: a heading, and a rule before the next.
_HEADING = "## {name}\n\n"
_SEPARATOR = "\n\n---\n\n"
# Scopes and files of which is known what the last prompt showed.
_SHOWN = 64


class PromptTexts:
    """Asks the plugins, each with what the one before it has left, and knows what was answered last."""

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins
        self._lock = threading.Lock()
        self._answers: BoundedDict[tuple[str, Scope, str], PromptEntries] = BoundedDict(_SHOWN)
        # What a prompt showed last of a file, by what the file holds.
        self._shown: BoundedDict[str, str] = BoundedDict(_SHOWN)
        self._given: BoundedDict[Scope, PromptEntries] = BoundedDict(_SHOWN)
        self.entries_text = ""  # as the last prompt held it

    def of(self, scope: Scope) -> str:
        """Return what the last system prompt for a scope holds of memory: its entries, and the long-term file."""
        with self._lock:
            given = self._given.get(scope, PromptEntries())
            long_term = self._shown.get(given.long_term, given.long_term)
        return f"{given.text}\n\n{long_term}".strip()

    def trimmed(self, files: Mapping[str, object], overhead: Mapping[str, int]) -> dict[str, str]:
        """Return the texts of the files for the prompt. See `MemoryHost.trim_bootstrap`."""
        texts = {name: text for name, value in files.items() if (text := read_text(value)) is not None}
        kept = {name: printable(text) for name, text in texts.items()}
        for plugin in self._plugins.plugins_with("trim_bootstrap") if texts else ():
            around = {name: overhead.get(name, default_overhead(name)) for name in kept}
            asked = {"files": MappingProxyType(dict(kept)), "overhead": MappingProxyType(around)}
            for answer in self._plugins.call_sync("trim_bootstrap", plugin, asked):
                if _are_texts(answer, kept):
                    kept = {name: answer[name] for name in kept if name in answer}
                else:
                    logger.warning("plugin {} answered trim_bootstrap with other files or no text", plugin)
        with self._lock:
            for name, text in texts.items():
                self._shown[text] = kept.get(name, "")
        return kept

    def entries(self, long_term: str, scope: Scope) -> PromptEntries:
        """Return the entries of all plugins, one below the other.

        Where one fails, its last answer to the same question is used: a prompt changes when what is known does.
        """
        texts: list[str] = []
        for plugin in self._plugins.plugins_with("prompt_entries"):
            question = (plugin, scope, long_term)
            answers = self._plugins.call_sync("prompt_entries", plugin, {"long_term": long_term, "scope": scope})
            with self._lock:
                self._answers.update((question, one) for one in answers if isinstance(one, PromptEntries))
                found = self._answers.get(question, PromptEntries(long_term=long_term))
            texts += [printable(found.text)] if found.text.strip() else []
            long_term = found.long_term
        given = PromptEntries("\n\n".join(texts), long_term)
        with self._lock:
            self._given[scope] = given
            self._shown.pop(long_term, None)  # of a prompt before
        self.entries_text = given.text
        return given


def default_overhead(name: str) -> int:
    """Return the characters that a host puts around a file unless it says otherwise."""
    return len(_HEADING.format(name=name)) + len(_SEPARATOR)


def read_text(value: object) -> str | None:
    """Return a text, or that of a file or of bytes, line ends kept; None when there is none in UTF-8."""
    if isinstance(value, str):
        return str.__str__(value)
    try:
        data = read_regular(value) if isinstance(value, Path) else value
        return bytes(data).decode("utf-8") if isinstance(data, (bytes, bytearray)) else None
    except (OSError, ValueError):  # not there, not a file, a name that no file can have, not UTF-8
        return None


def _are_texts(answer: object, files: Mapping[str, str]) -> TypeGuard[dict[str, str]]:
    return type(answer) is dict and answer.keys() <= files.keys() and all(type(text) is str for text in answer.values())

"""The texts that plugins put into a system prompt: the trimmed bootstrap files, and the entries. From any thread."""

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

# What a host puts around a file by default: a heading before it, and a rule after it.
_HEADING = "## {name}\n\n"
_SEPARATOR = "\n\n---\n\n"
# Scopes, files and answers of which the last text is remembered, at most.
_MAX_CACHED = 64


class PromptTexts:
    """Calls the plugins one after the other, each with the result of the one before, and caches the last answers."""

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins
        self._lock = threading.Lock()
        self._answers: BoundedDict[tuple[str, Scope, str], PromptEntries] = BoundedDict(_MAX_CACHED)
        # The trimmed text of each file in the last prompt, by the file's whole text.
        self._trimmed: BoundedDict[str, str] = BoundedDict(_MAX_CACHED)
        self._last_entries: BoundedDict[Scope, PromptEntries] = BoundedDict(_MAX_CACHED)
        self.entries_text = ""  # in the last prompt

    def last_prompt(self, scope: Scope) -> str:
        """Return the memory in the last system prompt for a scope: the entries, and the long-term file."""
        with self._lock:
            entries = self._last_entries.get(scope, PromptEntries())
            long_term = self._trimmed.get(entries.long_term, entries.long_term)
        return f"{entries.text}\n\n{long_term}".strip()

    def trim_files(self, files: Mapping[str, object], overhead: Mapping[str, int]) -> dict[str, str]:
        """Return the texts of the files for the prompt. See `MemoryHost.trim_bootstrap`."""
        texts = {name: text for name, value in files.items() if (text := read_text(value)) is not None}
        kept = {name: printable(text) for name, text in texts.items()}
        for plugin in self._plugins.plugins_with("trim_bootstrap") if texts else ():
            overheads = {name: overhead.get(name, default_overhead(name)) for name in kept}
            arguments = {"files": MappingProxyType(dict(kept)), "overhead": MappingProxyType(overheads)}
            for answer in self._plugins.call_sync("trim_bootstrap", plugin, arguments):
                if _are_texts(answer, kept):
                    kept = {name: answer[name] for name in kept if name in answer}
                else:
                    logger.warning("plugin {} answered trim_bootstrap with other files or no text", plugin)
        with self._lock:
            for name, text in texts.items():
                self._trimmed[text] = kept.get(name, "")
        return kept

    def entries(self, long_term: str, scope: Scope) -> PromptEntries:
        """Return the joined entries of all plugins.

        If a plugin fails, its last answer to the same question is used, so that the prompt stays the same.
        """
        texts: list[str] = []
        for plugin in self._plugins.plugins_with("prompt_entries"):
            question = (plugin, scope, long_term)
            answers = self._plugins.call_sync("prompt_entries", plugin, {"long_term": long_term, "scope": scope})
            with self._lock:
                self._answers.update((question, one) for one in answers if isinstance(one, PromptEntries))
                answer = self._answers.get(question, PromptEntries(long_term=long_term))
            texts += [printable(answer.text)] if answer.text.strip() else []
            long_term = answer.long_term
        entries = PromptEntries("\n\n".join(texts), long_term)
        with self._lock:
            self._last_entries[scope] = entries
            self._trimmed.pop(long_term, None)  # from an earlier prompt
        self.entries_text = entries.text
        return entries


def default_overhead(name: str) -> int:
    """Return the number of characters that a host puts around a file by default."""
    return len(_HEADING.format(name=name)) + len(_SEPARATOR)


def read_text(value: object) -> str | None:
    """Return a text, or the text of a file or of bytes with its line ends; None if it is missing or not UTF-8."""
    if isinstance(value, str):
        return str.__str__(value)
    try:
        data = read_regular(value) if isinstance(value, Path) else value
        return bytes(data).decode("utf-8") if isinstance(data, (bytes, bytearray)) else None
    except (OSError, ValueError):  # missing, not a file, an impossible file name, or not UTF-8
        return None


def _are_texts(answer: object, files: Mapping[str, str]) -> TypeGuard[dict[str, str]]:
    return type(answer) is dict and answer.keys() <= files.keys() and all(type(text) is str for text in answer.values())

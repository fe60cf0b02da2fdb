"""What plugins put into a prompt: the files that open it, as they shorten them, and the entries. From any thread."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.plugin_host import PluginHost
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Origin, PromptEntries, Scope, Visibility
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.printable import printable

# What a host puts around a file unless it says otherwise: a heading, and a rule before the next.
_HEADING = "## {name}\n\n"
_SEPARATOR = "\n\n---\n\n"
# Of how many states of the files, and of how many scopes, the answer is kept.
_FILES, _SCOPES = 8, 64
# Without one of these, in any case, a text holds no note that names its owner or its source.
_TELLING = ("origin", "session", "channel", "user", "agent", "group_chat", "project")


class BootstrapTexts(dict[str, str]):
    """The texts as they go into the prompt, by file name. A file that is to be left out is not in it."""

    @property
    def tokens(self) -> int:
        """The estimated tokens of all texts, without what the host puts around them."""
        return sum(map(estimate_tokens, self.values()))


class PromptTexts:
    """Asks the plugins, each with what the one before it has left, and knows what was answered last."""

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins
        self._lock = threading.Lock()
        self._files: BoundedDict[object, dict[str, str]] = BoundedDict(_FILES)
        # What a prompt showed last of a file, by what the file holds.
        self._shown: BoundedDict[str, str] = BoundedDict(_SCOPES)
        self._given: BoundedDict[Scope, PromptEntries] = BoundedDict(_SCOPES)
        self._answers: BoundedDict[tuple[str, Scope], tuple[str, PromptEntries]] = BoundedDict(_SCOPES * 4)
        self._warned: set[str] = set()
        self.entries_text = ""  # as the last prompt held it

    def of(self, scope: Scope) -> str:
        """Return what the last system prompt for a scope holds of memory: its entries, and the long-term file."""
        with self._lock:
            given = self._given.get(scope, PromptEntries())
            long_term = self._shown.get(given.long_term, given.long_term)
        return f"{given.text}\n\n{long_term}".strip()

    def trimmed(self, files: Mapping[str, object], overhead: Mapping[str, int]) -> BootstrapTexts:
        """Return the texts of the files for the prompt. See `MemoryHost.trim_bootstrap`.

        The answer holds as long as no file changes, also when a plugin fails later.
        """
        read = {name: read_text(value) for name, value in files.items()}
        for name in (name for name, text in read.items() if text is None):
            self._warn_of_unreadable(name, files[name])
        texts = {name: text for name, text in read.items() if text is not None}
        around = {name: overhead.get(name, default_overhead(name)) for name in texts}
        state = (*texts.items(), *around.items())
        with self._lock:
            result = self._files.get(state)
        if result is None:
            result, is_answered = self._ask_for_files({name: printable(text) for name, text in texts.items()}, around)
            if is_answered and not self._plugins.failing("trim_bootstrap"):
                with self._lock:
                    self._files[state] = result
        with self._lock:
            for name, text in texts.items():
                self._shown[text] = result.get(name, "")
        return BootstrapTexts(result)

    def entries(self, long_term: str, scope: Scope) -> PromptEntries:
        """Return the entries of all plugins, one below the other. Where one fails, its last answer is used."""
        texts: list[str] = []
        for plugin in self._plugins.plugins_with("prompt_entries"):
            answers = self._plugins.call_sync("prompt_entries", plugin, {"long_term": long_term, "scope": scope})
            with self._lock:
                for found in answers:
                    if isinstance(found, PromptEntries):
                        answer = replace(found, text=printable(found.text))
                        self._answers[plugin, scope] = long_term, answer
                before, kept = self._answers.get((plugin, scope), ("", PromptEntries()))
            texts += [kept.text] if kept.text.strip() else []
            long_term = kept.long_term if before == long_term else long_term
        given = PromptEntries("\n\n".join(texts), long_term)
        with self._lock:
            self._given[scope] = given
            self._shown.pop(long_term, None)  # of a prompt before
        self.entries_text = given.text
        return given

    def _ask_for_files(self, texts: dict[str, str], around: Mapping[str, int]) -> tuple[dict[str, str], bool]:
        """Return what the plugins leave of the files, in their order, and whether one has said anything of them."""
        kept, is_answered = texts, False
        for plugin in self._plugins.plugins_with("trim_bootstrap") if texts else ():
            overhead = {name: around[name] for name in kept}
            asked = {"files": MappingProxyType(dict(kept)), "overhead": MappingProxyType(overhead)}
            for answer in self._plugins.call_sync("trim_bootstrap", plugin, asked):
                if type(answer) is not dict or not answer.keys() <= kept.keys() or not _are_texts(answer.values()):
                    logger.warning("plugin {} answered trim_bootstrap with other files or no text", plugin)
                    continue
                kept, is_answered = {name: answer[name] for name in kept if name in answer}, True
        return kept, is_answered

    def _warn_of_unreadable(self, name: str, value: object) -> None:
        """Warn once; a file that is not there, or that the host says it has none of, is no news."""
        if value is None or (isinstance(value, Path) and not value.exists()) or name in self._warned:
            return
        self._warned.add(name)
        logger.warning("bootstrap file {} cannot be read as text and is left out of the prompt", name)


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


@lru_cache(maxsize=8)
def without_others_notes(long_term: str, visible: Visibility) -> str:
    """Return a long-term text without the structured notes that are not for this prompt; the rest stays as it is.

    What a model notes on its own account may be what a web page asked it to: recall has it, inside its fence. A note
    without an origin was written by a person, and one that names nobody is everybody's; ``visible`` says which
    of the others are. What is about another project than the one that is worked in is left out.
    """
    folded = long_term.casefold()
    if "###" not in folded or not any(word in folded for word in _TELLING):
        return long_term
    data = long_term.encode("utf-8", "surrogatepass")
    kept = [
        data[part.offset : part.offset + part.length]
        for part in parse_notes(data)
        if not isinstance(part, NoteEntry) or (part.origin is Origin.USER and _is_for(part, visible))
    ]
    return b"".join(kept).decode("utf-8", "surrogatepass")


def _is_for(note: NoteEntry, visible: Visibility) -> bool:
    return visible.allows(note.scope) and note.scope.project in ("", visible.project)


def _are_texts(values: Iterable[object]) -> bool:
    return all(type(text) is str for text in values)

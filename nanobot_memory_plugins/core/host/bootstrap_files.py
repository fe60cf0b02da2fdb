"""The files that open a prompt, as the plugins shorten them: synchronous, and the same for the same files."""

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.printable import printable

# What a host puts around a file unless it says otherwise: a heading, and a rule before the next.
_HEADING = "## {name}\n\n"
_SEPARATOR = "\n\n---\n\n"
# States of the files of which the answer is kept, and unreadable files that were warned of.
_KEPT_ANSWERS, _WARNED = 8, 256

_State = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, int], ...]]


class BootstrapTexts(Mapping[str, str]):
    """The texts as they go into the prompt, by file name. A file that is to be left out is not in it.

    ``shortened`` names the files of which a part is missing, ``left_out`` those that are missing altogether.
    """

    def __init__(self, texts: Mapping[str, str], shortened: tuple[str, ...] = (), left_out: tuple[str, ...] = ()):
        self._texts = dict(texts)
        self.shortened = shortened
        self.left_out = left_out

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def tokens(self) -> int:
        """The estimated tokens of all texts, without what the host puts around them."""
        return sum(map(estimate_tokens, self.values()))


class BootstrapTrimmer:
    """Asks the plugins' ``trim_bootstrap`` once for each state of the files, each with what the one before it left.

    The answer holds as long as no file changes, also when a plugin fails later. It may be used from any thread.
    """

    def __init__(self, host: PluginHost) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._answers: BoundedDict[_State, BootstrapTexts] = BoundedDict(_KEPT_ANSWERS)
        self._warned: BoundedDict[str, None] = BoundedDict(_WARNED)

    def trim(self, files: object, overhead: Mapping[str, int] | None = None) -> BootstrapTexts:
        """Return the texts for the prompt. See `MemoryHost.trim_bootstrap`."""
        given = files if isinstance(files, Mapping) else {}
        read = {str(name): read_text(value) for name, value in given.items()}
        for name, value in given.items():
            if read[str(name)] is None:
                self._warn_of_unreadable(str(name), value)
        texts = {name: text for name, text in read.items() if text is not None}
        around = {name: default_overhead(name) for name in texts}
        if isinstance(overhead, Mapping):
            sizes = {name: size for name, size in overhead.items() if isinstance(size, int) and size >= 0}
            around |= {name: int(size) for name, size in sizes.items() if name in around}
        state = tuple(texts.items()), tuple(around.items())
        with self._lock:
            if state in self._answers:
                self._answers.move_to_end(state)
                return self._answers[state]
        texts = {name: printable(text) for name, text in texts.items()}
        kept, answered = texts, False
        for plugin in self._host.plugins_with("trim_bootstrap") if texts else ():
            if (answer := self._asked(plugin, kept, around)) is not None:
                kept, answered = answer, True
        result = BootstrapTexts(
            kept,
            shortened=tuple(name for name in kept if kept[name] != texts[name]),
            left_out=(*(name for name in texts if name not in kept), *(name for name in read if name not in texts)),
        )
        if answered and not self._host.failing("trim_bootstrap"):
            with self._lock:
                self._answers[state] = result
        return result

    def _asked(self, plugin: str, files: Mapping[str, str], around: Mapping[str, int]) -> dict[str, str] | None:
        """Return what one plugin leaves of the files, in their order, or None where it says nothing of them."""
        overhead = {name: around[name] for name in files}
        asked = {"files": MappingProxyType(dict(files)), "overhead": MappingProxyType(overhead)}
        for answer in self._host.call_sync("trim_bootstrap", plugin, asked):
            if type(answer) is dict and answer.keys() <= files.keys() and all(type(t) is str for t in answer.values()):
                return {name: answer[name] for name in files if name in answer}
            logger.warning("plugin {} answered trim_bootstrap with other files or no text", plugin)
        return None

    def _warn_of_unreadable(self, name: str, value: object) -> None:
        """Warn once; a file that is not there, or that the host says it has none of, is no news."""
        if value is None or (isinstance(value, Path) and not value.exists()):
            return
        with self._lock:
            known = name in self._warned
            self._warned[name] = None
        if not known:
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

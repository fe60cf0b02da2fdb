"""The files that open a prompt, as the plugins shorten them: synchronous, and the same for the same files."""

import threading
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
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
# Answers that are kept, and the characters that one may have; a larger one is asked for again.
_KEPT_ANSWERS = 16
_KEPT_CHARS = 1_000_000
# Unreadable files that are remembered, so that each is warned of once.
_REMEMBERED = 256


class BootstrapTexts(Mapping[str, str]):
    """The texts as they go into the prompt, by file name. A file that is to be left out is not in it."""

    def __init__(self, texts: Mapping[str, str], shortened: tuple[str, ...] = (), left_out: tuple[str, ...] = ()):
        self._texts = MappingProxyType(dict(texts))
        #: Names of the files of which a part is missing, and of those that are missing altogether.
        self.shortened = shortened
        self.left_out = left_out

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {len(text)}" for name, text in self._texts.items())
        return f"BootstrapTexts({sizes}; shortened={self.shortened}, left_out={self.left_out})"

    @cached_property
    def tokens(self) -> int:
        """The estimated tokens of all texts, without what the host puts around them."""
        return sum(estimate_tokens(text) for text in self._texts.values())


class BootstrapTrimmer:
    """Asks the plugins' ``trim_bootstrap`` once for each state of the files, each with what the one before it left.

    The answer holds as long as no file changes, also when a plugin fails later. It may be used from any thread.
    """

    def __init__(self, host: PluginHost) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._answers: BoundedDict[bytes, BootstrapTexts] = BoundedDict(_KEPT_ANSWERS)
        self._unreadable: BoundedDict[str, None] = BoundedDict(_REMEMBERED)

    def trim(self, files: object, overhead: Mapping[str, int] | None = None) -> BootstrapTexts:
        """Return the texts for the prompt. See `MemoryHost.trim_bootstrap`."""
        texts, unreadable = self._read(files)
        around = {name: default_overhead(name) for name in texts}
        if isinstance(overhead, Mapping):
            sizes = {name: size for name, size in overhead.items() if isinstance(size, int) and size >= 0}
            around |= {name: int(size) for name, size in sizes.items() if name in around}
        key = _fingerprint(texts, around)
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        texts = {name: printable(text) for name, text in texts.items()}
        kept, answered = texts, False
        for plugin in self._host.plugins_with("trim_bootstrap") if texts else ():
            answer = self._asked(plugin, kept, around)
            kept, answered = (kept, answered) if answer is None else (answer, True)
        result = BootstrapTexts(
            kept,
            shortened=tuple(name for name in kept if kept[name] != texts[name]),
            left_out=(*(name for name in texts if name not in kept), *unreadable),
        )
        if answered and not self._host.failing("trim_bootstrap"):
            self._keep(key, result)
        return result

    def _asked(self, plugin: str, files: Mapping[str, str], around: Mapping[str, int]) -> dict[str, str] | None:
        """Return what one plugin leaves of the files, or None where it says nothing of them."""
        overhead = {name: around[name] for name in files}
        asked = {"files": MappingProxyType(dict(files)), "overhead": MappingProxyType(overhead)}
        given = sum(map(len, [*files, *files.values()]))
        answers = self._host.call_sync("trim_bootstrap", plugin, asked, accept=(dict,), given=given)
        kept = _checked(answers[0], files) if answers else None
        if answers and kept is None:
            logger.warning("plugin {} answered trim_bootstrap with other files or no text", plugin)
        return kept

    def _keep(self, key: bytes, result: BootstrapTexts) -> None:
        if sum(map(len, result.values())) > _KEPT_CHARS:
            return
        with self._lock:
            self._answers[key] = result

    def _read(self, files: object) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the texts that can be read, and the names of the files that cannot."""
        texts: dict[str, str] = {}
        unreadable: list[str] = []
        for name, value in files.items() if isinstance(files, Mapping) else ():
            text = read_text(value)
            if text is not None:
                texts[str(name)] = text
            else:
                unreadable.append(str(name))
                self._warn_of_unreadable(str(name), value)
        return texts, tuple(unreadable)

    def _warn_of_unreadable(self, name: str, value: object) -> None:
        """Warn once; a file that is not there, or that the host says it has none of, is no news."""
        if value is None or (isinstance(value, Path) and not value.exists()):
            return
        with self._lock:
            known = name in self._unreadable
            self._unreadable[name] = None
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


def _checked(answer: object, texts: Mapping[str, str]) -> dict[str, str] | None:
    """Return a plugin's answer in the order of ``texts``, or None when it is not what the hook asks for."""
    if type(answer) is not dict or not all(type(name) is str and type(text) is str for name, text in answer.items()):
        return None
    return {name: answer[name] for name in texts if name in answer} if answer.keys() <= texts.keys() else None


def _fingerprint(texts: Mapping[str, str], overhead: Mapping[str, int]) -> bytes:
    digest = blake2b(digest_size=32)
    for name, text in texts.items():
        digest.update(f"{len(name)} {len(text)} {overhead[name]} {name}".encode("utf-8", "surrogatepass"))
        digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()

"""Patterns that are compiled when they are first tried.

There are hundreds of them, and compiling all takes longer than the rest of a start; an ordinary text needs a tenth.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class LazyPattern:
    """A regular expression that is compiled when it is first looked for: importing it costs nothing.

    From then on the methods are those of the pattern itself, so that later uses cost no more.
    """

    def __init__(self, source: str, flags: int = 0) -> None:
        self.pattern = source
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None
        self._compiling = threading.Lock()

    @property
    def compiled(self) -> re.Pattern[str]:
        """The regular expression."""
        # Threads that come at once would compile it each for itself, and some patterns take a tenth of a second.
        with self._compiling:
            if self._compiled is None:
                self._compiled = compiled = re.compile(self.pattern, self._flags)
                self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
            return self._compiled

    @property
    def flags(self) -> int:
        """What `re.Pattern.flags` is."""
        return self.compiled.flags

    @property
    def groups(self) -> int:
        """What `re.Pattern.groups` is."""
        return self.compiled.groups

    @property
    def groupindex(self) -> Mapping[str, int]:
        """What `re.Pattern.groupindex` is."""
        return self.compiled.groupindex

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Do what `re.Pattern.search` does."""
        return self.compiled.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Do what `re.Pattern.match` does."""
        return self.compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Do what `re.Pattern.fullmatch` does."""
        return self.compiled.fullmatch(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """Do what `re.Pattern.finditer` does."""
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str, start: int = 0, end: int = sys.maxsize) -> list[Any]:
        """Do what `re.Pattern.findall` does."""
        return self.compiled.findall(text, start, end)

    def split(self, text: str, most: int = 0) -> list[str | Any]:
        """Do what `re.Pattern.split` does."""
        return self.compiled.split(text, most)

    def sub(self, put: str | Callable[[re.Match[str]], str], text: str, most: int = 0) -> str:
        """Do what `re.Pattern.sub` does."""
        return self.compiled.sub(put, text, most)

    def subn(self, put: str | Callable[[re.Match[str]], str], text: str, most: int = 0) -> tuple[str, int]:
        """Do what `re.Pattern.subn` does."""
        return self.compiled.subn(put, text, most)


def lazy_re(source: str, flags: int = 0) -> re.Pattern[str]:
    """Give what `re.compile` gives, compiled when it is first used: an error in ``source`` is raised there.

    It is used by its own methods; functions of `re` do not take it.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))

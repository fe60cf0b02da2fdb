"""What waits until it is used: patterns, which are compiled then, and the names of a package, imported then.

There are hundreds of patterns, and compiling all takes longer than the rest of a start; an ordinary text needs a tenth.
"""

import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

_NAMES = (
    *("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"),
    *("groups", "groupindex"),
)


class LazyPattern:
    """A regular expression that is compiled when it is first used: then its methods become those of the pattern."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.pattern = source
        self.flags = flags | re.UNICODE

    def __getattr__(self, name: str) -> Any:
        """Compile: what is asked for is not there yet."""
        if name not in (*_NAMES, "compiled"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        self.__dict__.update({one: getattr(compiled, one) for one in _NAMES}, compiled=compiled, flags=compiled.flags)
        return self.__dict__[name]


def lazy_re(source: str, flags: int = 0) -> re.Pattern[str]:
    """Give what `re.compile` gives, compiled when it is first used: an error in ``source`` is raised there.

    It is used by its own methods; functions of `re` do not take it.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))


def lazy_names(package: str, modules: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package: it imports one of its ``modules`` when a name of that is first used."""
    module_of = {name: module for module, names in modules.items() for name in names}

    def imported(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)

    return imported

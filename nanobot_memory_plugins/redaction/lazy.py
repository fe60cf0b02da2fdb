"""Deferred work: patterns that are compiled, and package names that are imported, when they are first used.

There are hundreds of patterns. Compiling all takes longer than the rest of the start, and most texts need a tenth.
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
    """A regular expression that is compiled on first use; its methods are then those of the compiled pattern."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self.pattern = source
        self.flags = flags | re.UNICODE

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern when one of its attributes is first accessed."""
        if name not in (*_NAMES, "compiled"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        self.__dict__.update({one: getattr(compiled, one) for one in _NAMES}, compiled=compiled, flags=compiled.flags)
        return self.__dict__[name]


def lazy_re(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern like `re.compile`, but compiled on first use, where an error in ``source`` is raised.

    Use the methods of the pattern: the functions of `re` do not accept it.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))


def lazy_names(package: str, modules: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a package, which imports a module when one of its names is first used."""
    module_of = {name: module for module, names in modules.items() for name in names}

    def import_name(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)

    return import_name

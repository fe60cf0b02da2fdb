"""The names that the design documents give to options (``document_names.toml``), and where each is found here."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic.alias_generators import to_snake

# The plugins of this project, which a configuration may name before they are installed.
STANDARD_PLUGINS: Final = (
    "storage",
    "recall",
    "observation",
    "flush",
    "summary",
    "bootstrap",
    "compaction",
    "consolidation",
    "nanobot",
)

# The default of a list that holds everything the document lists, and more.
AND_MORE: Final = "the document's, and more"


@dataclass(frozen=True, slots=True)
class DocumentName:
    """One documented option.

    ``option`` is ``<plugin>.<option>`` (``*`` stands for every plugin of the set), ``document_default`` what the
    document says, ``default`` what holds here, and ``reason`` why they differ.
    """

    option: str
    document_default: object
    default: object
    reason: str = ""

    @property
    def plugin(self) -> str:
        """The plugin that has the option."""
        return self.option.partition(".")[0]

    @property
    def path(self) -> tuple[str, ...]:
        """The option's place in the plugin's options."""
        return tuple(self.option.split(".")[1:])


def _names(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, DocumentName]]:
    for key, row in table.items():
        if "option" not in row:
            yield from _names(row, f"{prefix}{key}.")
            continue
        default, documented = (_plain(row.get(name, row.get("default"))) for name in ("default", "document"))
        yield f"{prefix}{key}", DocumentName(row["option"], documented, default, row.get("reason", ""))


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def snake_path(key: str) -> tuple[str, ...]:
    """Return a dotted key in parts, each in snake_case: the form in which spellings are compared."""
    return tuple(to_snake(part) for part in key.split("."))


# By the document's key; groups inside an object (retrieval, tiers, routing, timeouts) are part of it.
DOCUMENT_NAMES: Final[Mapping[str, DocumentName]] = MappingProxyType(
    dict(_names(tomllib.loads(Path(__file__).with_name("document_names.toml").read_text(encoding="utf-8")), ""))
)
# The same by `snake_path`, for reading a document's object in either spelling.
BY_PATH: Final[Mapping[tuple[str, ...], DocumentName]] = MappingProxyType(
    {snake_path(key): name for key, name in DOCUMENT_NAMES.items()}
)
# The top-level objects of the documents.
DOCUMENT_OBJECTS: Final = frozenset(path[0] for path in BY_PATH)


def place_of(leaf: str) -> str:
    """Return the ``<plugin>.<option>`` that a document's last name stands for, or nothing."""
    wanted = to_snake(leaf)
    return next((name.option for path, name in BY_PATH.items() if path[-1] == wanted and wanted != "enabled"), "")

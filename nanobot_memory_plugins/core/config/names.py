"""The names that the design documents give to options (``document_names.toml``), and where each is found here."""

import tomllib
from collections.abc import Mapping
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


def document_rows() -> dict[str, dict[str, Any]]:
    """Return the rows of the table by the documents' key, behind that of the object that it stands in.

    ``option`` is ``<plugin>.<option>`` (``*`` means every plugin of the set), ``default`` what holds here,
    ``document`` what the document says where that differs, and ``reason`` why.
    """
    table = tomllib.loads(Path(__file__).with_name("document_names.toml").read_text(encoding="utf-8"))
    return {f"{place}.{key}": row for place, rows in table.items() for key, row in rows.items()}


def snake_path(key: str) -> tuple[str, ...]:
    """Return a dotted key in parts, each in snake_case: the form in which spellings are compared."""
    return tuple(to_snake(part) for part in key.split("."))


# The options by the documents' keys as `snake_path` has them, so that either spelling is read.
BY_PATH: Final[Mapping[tuple[str, ...], str]] = MappingProxyType(
    {snake_path(key): str(row["option"]) for key, row in document_rows().items()}
)


def is_group(path: tuple[str, ...]) -> bool:
    """Return whether the documents have an object there, with options or objects of its own."""
    return any(known[: len(path)] == path != known for known in BY_PATH)

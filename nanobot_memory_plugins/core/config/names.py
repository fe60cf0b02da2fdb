"""The names of options in the design documents (``document_names.toml``), and the options that they mean."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic.alias_generators import to_snake

# This project's plugins, which a configuration may name even if they are not installed.
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
    """Return the rows of the table by the documents' dotted key, ``<object>.<key>``.

    In a row ``option`` is ``<plugin>.<option>`` (``*`` for all standard plugins), ``default`` this project's default,
    ``document`` the document's default if it differs, and ``reason`` the reason for the difference.
    """
    table = tomllib.loads(Path(__file__).with_name("document_names.toml").read_text(encoding="utf-8"))
    return {f"{group}.{key}": row for group, rows in table.items() for key, row in rows.items()}


def snake_path(key: str) -> tuple[str, ...]:
    """Split a dotted key into its parts, in snake_case, so that camelCase and snake_case spellings are equal."""
    return tuple(to_snake(part) for part in key.split("."))


# The options (``<plugin>.<option>``) by the `snake_path` of the documents' keys.
OPTION_BY_PATH: Final[Mapping[tuple[str, ...], str]] = MappingProxyType(
    {snake_path(key): str(row["option"]) for key, row in document_rows().items()}
)


def is_group(path: tuple[str, ...]) -> bool:
    """Return whether the documents have an object at this path, rather than an option or nothing."""
    return any(known[: len(path)] == path != known for known in OPTION_BY_PATH)

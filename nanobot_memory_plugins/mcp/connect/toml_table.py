"""A table in the text of a TOML file: put there or replaced, so that every other character stays as it is."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.redaction.script.messages import Sentence

_BY_HAND = "Write it there by hand; the file is left as it is."


def with_table(text: str, place: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return ``text`` with the table at ``place`` holding ``values``: texts, whole numbers and lists of texts.

    A table that stands there is replaced as a whole where a header of its own opens it. Raises `ConfigurationError`
    where the text is no TOML, or where nothing else would stay as it was.
    """
    before = parsed(text)
    if table_at(before, place) == values:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    table = newline.join([f"[{'.'.join(map(_key, place))}]", *(f"{_key(k)} = {_value(v)}" for k, v in values.items())])
    if table_at(before, place) is None:
        gap = "" if not text else newline if text.endswith("\n") else 2 * newline
        after = f"{text}{gap}{table}{newline}"
    else:
        after = _replaced(text, place, table + newline)
    wanted = _set(before, place, dict(values))
    try:
        is_wanted = tomllib.loads(after) == wanted
    except tomllib.TOMLDecodeError:
        is_wanted = False
    if not is_wanted:
        raise ConfigurationError(
            Sentence("{place} cannot be set without changing what stands beside it.", place=".".join(place)),
            hint=_BY_HAND,
        )
    return after


def parsed(text: str) -> dict[str, Any]:
    """Return what a TOML text says. Raises `ConfigurationError`."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(
            Sentence("the file is not TOML: {error}.", error=error), hint="Correct it by hand; it is left as it is."
        ) from error


def table_at(content: Mapping[str, Any], place: Sequence[str]) -> Any:
    """Return what stands at a place, or None."""
    found: Any = content
    for key in place:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _set(content: Mapping[str, Any], place: Sequence[str], values: Any) -> dict[str, Any]:
    key, *below = place
    inner = content.get(key)
    return {**content, key: _set(inner if isinstance(inner, Mapping) else {}, below, values) if below else values}


def _replaced(text: str, place: Sequence[str], table: str) -> str:
    """Return the text with the lines from the table's header to the next header replaced."""
    names = r"\s*\.\s*".join(f"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in place)
    header = re.compile(rf"^[ \t]*\[\s*{names}\s*\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
    found = header.search(text)
    if found is None:
        raise ConfigurationError(
            Sentence("{place} is written in another way than as a table.", place=".".join(place)), hint=_BY_HAND
        )
    rest = text[found.end() :]
    following = re.search(r"^[ \t]*\[", rest, re.MULTILINE)
    end = found.end() + (following.start() if following else len(rest))
    blank = "\n" if following else ""
    return f"{text[: found.start()]}{table}{blank}{text[end:]}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:
    # A basic string of TOML is one of JSON, but for the escape of DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

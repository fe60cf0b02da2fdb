"""Setting keys in the text of a JSON file, so that every other character of it stays as it is."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core.config.wording import kind_of, shown
from nanobot_memory_plugins.core.errors import ConfigurationError
from nanobot_memory_plugins.redaction.script.messages import Sentence

_DECODER = json.JSONDecoder()
_LINE_INDENT = re.compile(r"(?:^|\n)([ \t]+)\S")
_DEFAULT_INDENT = "  "

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Object:
    """Where an object stands in the text, and its members: name, start of the name, span of the value."""

    start: int
    end: int
    members: tuple[tuple[str, int, _Span], ...]

    def value(self, key: str) -> _Span | None:
        """Return where the value of ``key`` stands; of several, the last, which is the one that counts."""
        return next((span for name, _, span in reversed(self.members) if name == key), None)


def with_keys(text: str, place: Sequence[str], values: Mapping[str, object]) -> str:
    """Return ``text``, a JSON object, with ``values`` set below ``place``.

    Objects in ``values`` are gone into, everything else replaces what stands there; null counts as not there. Objects
    on the way are made. Order, unknown keys, spacing and spelling of everything else stay. Unchanged text is returned
    when all of it stands there already.

    Raises `ConfigurationError` when the text is no JSON object, or something else stands where an object is needed.
    """
    try:
        before = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError("the text is not JSON.") from error
    if not isinstance(before, dict):
        raise ConfigurationError(Sentence("an object is expected (found {kind_of}).", kind_of=kind_of(before)))
    for path, value in _leaves(values, tuple(place)):
        if not _says(before, path, value):
            text = _set(text, path, value)
            before = json.loads(text)
            if not _says(before, path, value):  # never write what does not read back
                raise ConfigurationError(Sentence("{dotted} cannot be set.", dotted=_dotted(path)))
    return text


def _leaves(values: Mapping[str, object], place: tuple[str, ...]) -> list[tuple[tuple[str, ...], object]]:
    found: list[tuple[tuple[str, ...], object]] = []
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            found += _leaves(value, (*place, key))
        else:
            found.append(((*place, key), value))
    return found


def _says(raw: object, path: Sequence[str], value: object) -> bool:
    """Return whether ``value`` stands at ``path``. True is not 1 here, and an empty object is any object."""
    for key in path:
        if not isinstance(raw, dict) or key not in raw:
            return False
        raw = raw[key]
    if isinstance(value, Mapping):
        return isinstance(raw, dict)
    return json.dumps(raw) == json.dumps(value)


def _set(text: str, path: Sequence[str], value: object) -> str:
    """Set one value; objects on the way are made."""
    here = _object(text, _space(text, 0))
    for depth, key in enumerate(path):
        span = here.value(key)
        rest: object = value
        for name in reversed(path[depth + 1 :]):
            rest = {name: rest}
        if span is None:
            return _insert(text, here, key, rest, _margin(text, path[:depth]))
        is_last = depth == len(path) - 1
        found = json.loads(text[span[0] : span[1]])
        if is_last or found is None:
            margin = _margin(text, path[: depth + 1])
            return text[: span[0]] + _dumped(rest, text, margin) + text[span[1] :]
        if not isinstance(found, dict):
            raise ConfigurationError(
                Sentence(
                    "{dotted}: an object is expected (found {kind_of}).",
                    dotted=_dotted(path[: depth + 1]),
                    kind_of=kind_of(found),
                ),
                hint="Correct the file by hand first.",
            )
        here = _object(text, span[0])
    return text


def _insert(text: str, into: _Object, key: str, value: object, margin: str) -> str:
    """Add a member at the end of an object. ``margin`` is the indentation of the line on which the object starts."""
    line = _line_break(text)
    if into.members:
        last = into.members[-1]
        before = text[into.start + 1 : into.members[0][1]]
        if "\n" not in before:  # the members stand on one line
            made = f", {json.dumps(key, ensure_ascii=False)}: {_dumped(value, text, margin, flat=True)}"
        else:
            lead = before[before.rindex("\n") + 1 :]
            made = f",{line}{lead}{json.dumps(key, ensure_ascii=False)}: {_dumped(value, text, lead)}"
        return text[: last[2][1]] + made + text[last[2][1] :]
    if _on_one_line(text):
        made = f"{{{json.dumps(key, ensure_ascii=False)}: {_dumped(value, text, margin, flat=True)}}}"
    else:
        lead = margin + _unit(text)
        made = f"{{{line}{lead}{json.dumps(key, ensure_ascii=False)}: {_dumped(value, text, lead)}{line}{margin}}}"
    return text[: into.start] + made + text[into.end :]


def _dumped(value: object, text: str, margin: str, *, flat: bool = False) -> str:
    if flat or _on_one_line(text):
        return json.dumps(value, ensure_ascii=False)
    made = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    return made.replace("\n", _line_break(text) + margin)


def _margin(text: str, path: Sequence[str]) -> str:
    """Return the indentation of the line on which the value at ``path`` starts."""
    here = _object(text, _space(text, 0))
    start = here.start
    for key in path:
        member = next(one for one in reversed(here.members) if one[0] == key)
        start = member[1]
        if text[member[2][0]] == "{":
            here = _object(text, member[2][0])
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before[: len(before) - len(before.lstrip(" \t"))]


def _on_one_line(text: str) -> bool:
    """Return whether the whole file stands on one line; an empty object says nothing of how it is to look."""
    return "\n" not in text.strip() and len(text.strip()) > 2


def _unit(text: str) -> str:
    """Return the indentation of the file: that of its first indented line."""
    found = _LINE_INDENT.search(text)
    return found[1] if found else _DEFAULT_INDENT


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _dotted(path: Sequence[str]) -> str:
    return ".".join(shown(key) for key in path)


# --- finding places in text that is known to be JSON ------------------------------------------------------------------


def _object(text: str, start: int) -> _Object:
    members: list[tuple[str, int, _Span]] = []
    at = _space(text, start + 1)
    while text[at] != "}":
        key, after = _DECODER.raw_decode(text, at)
        value = _space(text, _space(text, after) + 1)
        _, end = _DECODER.raw_decode(text, value)
        members.append((key, at, (value, end)))
        at = _space(text, end)
        if text[at] == ",":
            at = _space(text, at + 1)
    return _Object(start, at + 1, tuple(members))


def _space(text: str, at: int) -> int:
    """Return where the white space at ``at`` ends."""
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at

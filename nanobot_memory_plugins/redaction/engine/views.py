"""Redaction of structured data, in which names describe the values, and redacted previews, which are cut."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from nanobot_memory_plugins.redaction.detectors.rule_table import personal_value
from nanobot_memory_plugins.redaction.rules.keyword_index import words
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER, REDACTED
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity, split_name
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, looks_random

DEPTH = 64
TOO_DEEP = "[TOO_DEEP]"
CYCLE = "[CYCLE]"

_NAME_FIELDS = words("name key field label type doc_type document_type variable Name Key ParameterKey")
_VALUE_FIELDS = words("value Value default ParameterValue values val text data string plain answer content")
_NUMBER_FIELDS = words("number num no nr")
_LONGEST_NAME = 100
_PLURALS = words("tokens passwords secrets keys pins otps passphrases")
# The part of a token at the end of one text, or at the beginning of the next. A longer run is not a token.
_TOKEN_RUN = re.compile(r"[A-Za-z0-9+/=_.~-]{4,400}")
_LONGEST_RUN = 400
_ENDS_IN_PLACEHOLDER = re.compile(rf"{PLACEHOLDER.pattern}\Z")
# Characters that are redacted beyond the preview, and at their end removed again: the length of the longest value.
_MARGIN, _BORDER = 32_768, 16_384
_JOINERS = "\u200d\ufe0e\ufe0f"

_Redact = Callable[[str], str]


def redact_tree(value: object, redact: _Redact) -> Any:
    """Return ``value`` as JSON-ready data of the same shape, with every string redacted by ``redact``."""
    return _TreeRedactor(redact).visit(value, 0, hide=False)


class _TreeRedactor:
    def __init__(self, redact: _Redact) -> None:
        self._redact = redact
        self._ancestors: set[int] = set()
        self._secret_names = 0  # how many enclosing names are sensitive
        self._parent = ""  # the name of the current mapping

    def visit(self, value: object, depth: int, *, hide: bool) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return REDACTED if hide else self._number(value)
        if isinstance(value, bytes | bytearray | memoryview):
            value = bytes(value).decode("utf-8", "replace")
        if isinstance(value, Mapping | Sequence | Set) and not isinstance(value, str):
            return self._container(value, depth, hide)
        text = value if isinstance(value, str) else _as_text(value)
        may_be_secret = has_password_marks(text) or looks_random(text, allow_hex=True)
        if text and not PLACEHOLDER.fullmatch(text) and (hide or (self._secret_names and may_be_secret)):
            return REDACTED
        return self._redact(str(text))

    def _number(self, value: int | float) -> Any:
        try:
            text = str(value)
        except ValueError:  # an integer with more digits than Python converts to text
            return "[NUMBER]"
        if isinstance(value, float):
            return value if math.isfinite(value) else text
        redacted = self._redact(text) if len(text) >= 9 else text
        return value if redacted == text else redacted

    def _container(self, value: Mapping[Any, Any] | Sequence[Any] | Set[Any], depth: int, hide: bool) -> Any:
        if id(value) in self._ancestors:
            return CYCLE
        if depth >= DEPTH:
            return TOO_DEEP
        fields = getattr(value, "_fields", None)
        if isinstance(value, tuple) and isinstance(fields, tuple) and len(fields) == len(value):
            value = dict(zip(fields, value, strict=True))
        self._ancestors.add(id(value))
        try:
            return (self._mapping if isinstance(value, Mapping) else self._items)(value, depth, hide)  # type: ignore[arg-type]
        finally:
            self._ancestors.discard(id(value))

    def _mapping(self, value: Mapping[Any, Any], depth: int, hide: bool) -> dict[str, Any]:
        labels = [value[field] for field in _NAME_FIELDS if isinstance(value.get(field), str)]
        has_secret_label = any(map(_is_secret_name, labels))
        outer_parent, labels = self._parent, [*labels, self._parent]
        result: dict[str, Any] = {}
        for key, item in value.items():
            name = key if isinstance(key, str) else _as_text(key)
            shown = self._redact(name)
            while shown in result:
                shown += "'"
            is_number = isinstance(item, str | int | float) and not isinstance(item, bool) and item
            # {"type": "passport", "number": ...}, {"passport": {"number": ...}}
            names = [name]
            if name in _VALUE_FIELDS:
                names += labels
            elif not _NUMBER_FIELDS.isdisjoint(split_name(name)[-1:]):
                names += [f"{label} number" for label in labels]
            if is_number and (found := next(filter(None, (personal_value(one, str(item)) for one in names)), None)):
                result[shown] = found.placeholder
                continue
            hidden, self._parent = _is_hidden_value(name, item), name
            self._secret_names += hidden
            is_labelled = (hide or has_secret_label) and name in _VALUE_FIELDS
            result[shown] = self.visit(item, depth + 1, hide=is_labelled or hidden)
            self._secret_names -= hidden
        self._parent = outer_parent
        return result

    def _items(self, value: Iterable[Any], depth: int, hide: bool) -> list[Any]:
        items, result = list(value), []
        after_flag, token_start = False, ""
        for item in items:
            text = item if isinstance(item, str) else item.get("text") if isinstance(item, Mapping) else None
            if isinstance(text, str):  # the rest of a token that the text before it began
                whole = hide_token_end(token_start, text, self._redact)
                token_start = trailing_token(text)
                item = whole if isinstance(item, str) else {**item, "text": whole}
            else:
                token_start = ""
            text = item if isinstance(item, str) else ""
            result.append(self.visit(item, depth + 1, hide=hide or (after_flag and not text.startswith("-"))))
            after_flag = text.startswith("-") and "=" not in text and _is_secret_flag(text)
        return result


def _is_secret_name(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and sensitivity(name) >= Sensitivity.TOKEN


def _is_secret_flag(text: str) -> bool:
    return len(text) <= 64 and sensitivity(text.lstrip("-")) >= Sensitivity.TOKEN and not text.endswith("-stdin")


def _is_hidden_value(name: str, item: object) -> bool:
    """Return whether the value ``item`` is hidden as a whole because of its name."""
    if _is_secret_name(name):
        return True
    if isinstance(item, Sequence | Set) and not isinstance(item, str | bytes):
        parts = split_name(name)
        return bool(parts) and parts[-1] in _PLURALS and (parts[-1] != "keys" or len(parts) > 1)
    if not isinstance(item, str) or len(name) > _LONGEST_NAME:
        return False
    level = sensitivity(name)
    is_hex = level is Sensitivity.HEX and looks_random(item, allow_hex=True, minimum=14)
    return is_hex or (level is Sensitivity.WEAK and looks_random(item))


def _as_text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # the __str__ of any object may raise anything
        return f"<{type(value).__name__}>"


def trailing_token(text: str) -> str:
    """Return the token characters at the end of a text, or an empty string."""
    backwards = _TOKEN_RUN.match(text[: -_LONGEST_RUN - 1 : -1])
    return backwards.group()[::-1] if backwards else ""


def hide_token_end(before: str, text: str, redact: Callable[[str], str]) -> str:
    """Return ``text`` with its beginning hidden if that completes a secret token at the end of ``before``."""
    first = _TOKEN_RUN.match(text) if before else None
    if first is None:
        return text
    whole = redact(before + first.group())
    if (whole.startswith(before) and first.group() in whole) or not _ENDS_IN_PLACEHOLDER.search(whole):
        return text  # the whole token is not a secret
    return f"{REDACTED}{text[first.end() :]}"


def preview(value: object, limit: int, redact: _Redact) -> str:
    """Return ``value`` redacted, as text (JSON for anything but strings), cut to ``limit`` characters.

    Of a long text only the part that the preview can show and a margin are redacted.
    """
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "replace")
    if not isinstance(value, str):
        import json  # importing it takes longer than redacting a short text

        return shorten(json.dumps(redact_tree(value, redact), ensure_ascii=False), limit)
    reach = limit * 4 + _MARGIN
    text, unread = redact(value[:reach]), max(0, len(value) - reach)
    if unread:  # a secret cut at the border may not be recognised
        text, unread = text[:-_BORDER], unread + _BORDER
    return shorten(text, limit, unread)


def shorten(text: str, limit: int, unread: int = 0) -> str:
    """Return ``text`` cut to ``limit`` characters, with the number of characters left out.

    ``unread`` more characters are counted as left out. Placeholders, and characters with their combining marks, are
    never split.
    """
    if len(text) + unread <= limit:
        return text
    mark = f"… [+{len(text) + unread} chars]"
    room = limit - len(mark) if limit >= 3 * len(mark) else limit
    cut = _character_boundary(text, room)
    kept = text[:cut]
    return kept if limit < 3 * len(mark) else f"{kept}… [+{len(text) + unread - cut} chars]"


def _character_boundary(text: str, cut: int) -> int:
    for match in PLACEHOLDER.finditer(text, max(0, cut - 48), min(len(text), cut + 48)):
        if match.start() < cut < match.end():
            cut = match.start()
    while 0 < cut < len(text) and (
        unicodedata.combining(text[cut])
        or text[cut] in _JOINERS
        or text[cut - 1] == "\u200d"
        or "\udc00" <= text[cut] <= "\udfff"
    ):
        cut -= 1
    return cut

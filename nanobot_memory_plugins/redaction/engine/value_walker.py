"""Redacts structured data: the names of a mapping say what its values are, whatever they look like."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from nanobot_memory_plugins.redaction.engine.turns import last_run, without_rest
from nanobot_memory_plugins.redaction.rules.rule import ID_NUMBER, PLACEHOLDER, REDACTED
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity, split_name
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, looks_random

DEPTH = 64
TOO_DEEP = "[TOO_DEEP]"
CYCLE = "[CYCLE]"

_ID_NAMES = words(
    "ssn socialsecuritynumber passport passportnumber passportno idcard idcardnumber idnumber nationalid cardnumber"
    " creditcard creditcardnumber debitcard bankaccount bankaccountnumber accountnumber cardno taxid driverlicense"
    " driverslicense 身份证 身份证号 身份证号码 护照 护照号 银行卡号 银行卡 卡号 信用卡号"
)
_CHINESE_SECRETS = ("密码", "口令", "密钥", "秘钥", "私钥", "令牌", "凭证", "凭据", "验证码", "授权码")
_NAME_FIELDS = ("name", "key", "field", "variable", "Name", "Key", "ParameterKey")
_VALUE_FIELDS = words("value Value default ParameterValue values val text data string plain")
_LONGEST_COMMAND = 64
_PLURALS = words("tokens passwords secrets keys pins otps passphrases")

_Redact = Callable[[str], str]


def walk(value: object, redact: _Redact) -> Any:
    """Give ``value`` as JSON-ready data of the same shape with every string redacted by ``redact``."""
    return _Walker(redact).visit(value, 0, hide=False)


class _Walker:
    def __init__(self, redact: _Redact) -> None:
        self._redact = redact
        self._open: set[int] = set()
        self._below_secret = 0  # how many names above say that what is below them is secret

    def visit(self, value: object, depth: int, *, hide: bool) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._string(str(value), hide)
        if isinstance(value, int | float):
            return self._number(value, hide)
        if isinstance(value, bytes | bytearray | memoryview):
            return self._string(bytes(value).decode("utf-8", "replace"), hide)
        if isinstance(value, Mapping | Sequence | Set):
            return self._container(value, depth, hide)
        return self._string(_as_text(value), hide)

    def _string(self, text: str, hide: bool) -> str:
        if text and not PLACEHOLDER.fullmatch(text) and (hide or (self._below_secret and _may_be_secret(text))):
            return REDACTED
        return self._redact(text)

    def _number(self, value: int | float, hide: bool) -> Any:
        if hide:
            return REDACTED
        try:
            text = str(value)
        except ValueError:  # an integer with more digits than Python turns into text
            return "[NUMBER]"
        if isinstance(value, float):
            return value if math.isfinite(value) else text
        if len(text) < 9:
            return value
        redacted = self._redact(text)
        return value if redacted == text else redacted

    def _container(self, value: Mapping[Any, Any] | Sequence[Any] | Set[Any], depth: int, hide: bool) -> Any:
        if id(value) in self._open:
            return CYCLE
        if depth >= DEPTH:
            return TOO_DEEP
        self._open.add(id(value))
        try:
            if isinstance(value, Mapping):
                return self._mapping(value, depth, hide)
            fields = getattr(value, "_fields", None)
            if isinstance(value, tuple) and isinstance(fields, tuple) and len(fields) == len(value):
                return self._mapping(dict(zip(fields, value, strict=True)), depth, hide)
            return self._items(value, depth, hide)
        finally:
            self._open.discard(id(value))

    def _mapping(self, value: Mapping[Any, Any], depth: int, hide: bool) -> dict[str, Any]:
        named = any(isinstance(value.get(field), str) and _is_secret_name(value[field]) for field in _NAME_FIELDS)
        result: dict[str, Any] = {}
        for key, item in value.items():
            name = key if isinstance(key, str) else _as_text(key)
            inner = (hide or named) and name in _VALUE_FIELDS
            shown = self._redact(name)
            while shown in result:
                shown += "'"
            if (
                _normal(name) in _ID_NAMES
                and isinstance(item, str | int | float)
                and not isinstance(item, bool)
                and item
            ):
                text = self._redact(str(item))
                result[shown] = text if PLACEHOLDER.fullmatch(text) else ID_NUMBER
                continue
            hidden = _hides(name, item)
            self._below_secret += hidden
            result[shown] = self.visit(item, depth + 1, hide=inner or hidden)
            self._below_secret -= hidden
        return result

    def _items(self, value: Iterable[Any], depth: int, hide: bool) -> list[Any]:
        result: list[Any] = []
        after_flag = False
        items = list(value)
        ended = ""
        for item in items:
            item, ended = self._whole(item, ended)
            text = item if isinstance(item, str) else ""
            result.append(self.visit(item, depth + 1, hide=hide or (after_flag and not text.startswith("-"))))
            after_flag = text.startswith("-") and "=" not in text and _is_secret_flag(text)
        return self._as_command(items, result)

    def _whole(self, item: Any, ended: str) -> tuple[Any, str]:
        """Return an item without the rest of a token with which the text before it ``ended``, and how it ends."""
        if isinstance(item, str):
            return without_rest(ended, item, self._redact), last_run(item)
        text = item.get("text") if isinstance(item, Mapping) else None
        if not isinstance(text, str):
            return item, ""
        whole = without_rest(ended, text, self._redact)
        return (item if whole == text else {**item, "text": whole}), last_run(text)

    def _as_command(self, items: list[Any], result: list[Any]) -> list[Any]:
        """Hide in ``result`` what only the whole command line ``items`` tells: ``["mysql", "-pVeil7lamp"]``."""
        if not 2 <= len(items) <= _LONGEST_COMMAND or not all(
            isinstance(item, str) and item and not any(char.isspace() for char in item) for item in items
        ):
            return result
        parts = self._redact(" ".join(items)).split(" ")
        if len(parts) != len(items):
            return result
        return [part if shown == item else shown for item, shown, part in zip(items, result, parts, strict=True)]


def _may_be_secret(text: str) -> bool:
    return has_password_marks(text) or looks_random(text, allow_hex=True)


def _normal(name: str) -> str:
    return "".join(split_name(name)) or name


def _is_secret_name(name: str) -> bool:
    if any(word in name for word in _CHINESE_SECRETS):
        return True
    return len(name) <= 100 and sensitivity(name) >= Sensitivity.TOKEN


def _is_secret_flag(text: str) -> bool:
    return len(text) <= 64 and sensitivity(text.lstrip("-")) >= Sensitivity.TOKEN and not text.endswith("-stdin")


def _hides(name: str, item: object) -> bool:
    """Tell whether the value under ``name`` is hidden whatever it looks like."""
    if _is_secret_name(name):
        return True
    if isinstance(item, Sequence | Set) and not isinstance(item, str | bytes):
        words = split_name(name)
        return bool(words) and words[-1] in _PLURALS and (words[-1] != "keys" or len(words) > 1)
    if isinstance(item, str):
        level = sensitivity(name) if len(name) <= 100 else Sensitivity.NONE
        if level is Sensitivity.WEAK:
            return looks_random(item)
        if level is Sensitivity.VENDOR:
            return looks_random(item, allow_hex=True, minimum=14)
    return False


def _as_text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # any object may come here, and its __str__ may do anything
        return f"<{type(value).__name__}>"

"""The file of a language as it is read: TOML, checked key by key.

::

    common = ["ich", "nicht"]           # a text with one of these is read by the rules of the file
    abbreviations = ["bzw", "z.b"]      # behind which a full stop ends no sentence
    behind_numbers = ["januar"]         # what follows a number with a full stop in the same sentence
    [spellings]                         # what a letter may be typed as; put into every pattern
    "ü" = "(?:ü|ue)"
    [parts]                             # pieces of patterns, put in where {name} stands
    please = "(?:bitte )?"
    [[negation]]                        # small_talk, negates_nothing, tiers.heavy and tiers.light are alike
    pattern = "kein(?:e[mnrs]?)?"
    example = "Ich habe kein Auto."
    counter_example = "Ich habe ein Auto."
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo

from nanobot_memory_plugins.core.text.languages.rules import DateRule, LanguageRules, OrderRule, whole_words
from nanobot_memory_plugins.core.text.languages.tables import common_words, unusable
from nanobot_memory_plugins.core.text.words import LazyPattern, Word

_PART = re.compile(r"\{([a-z_]+)\}")
# Those of an order, whose sentence may have several lines.
_FLAGS = re.DOTALL
# Parts may stand in parts.
_DEPTH = 8
_GROUPS = {"ago": {"n", "unit"}, "ahead": {"n", "unit"}, "rolling": {"n", "unit"}}

Means = Literal[
    "day", "week", "weekend", "month", "year",
    "ago", "ahead", "rolling",
    "weekday", "last_weekday", "coming_weekday", "weekday_of_week",
]  # fmt: skip


def _regular(pattern: str, info: ValidationInfo) -> str:
    """Return a pattern with parts and spellings put in."""
    parts, spellings = (info.context or {}).get("parts", {}), (info.context or {}).get("spellings", {})
    for _ in range(_DEPTH):
        unknown = next((name for name in _PART.findall(pattern) if name not in parts), None)
        if unknown is not None:
            raise ValueError(f"there is no part {{{unknown}}} in [parts]")
        pattern = _PART.sub(lambda found: parts[found[1]], pattern)
    pattern = "".join(spellings.get(letter, letter) for letter in pattern)
    try:
        re.compile(pattern, _FLAGS)  # `re` keeps it: an order is compiled once
    except re.error as error:
        raise ValueError(f"it is no regular expression: {error}") from None
    return pattern


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_regular)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Rule(_Model):
    pattern: Pattern
    example: str = Field(min_length=1)
    counter_example: str = Field(min_length=1)

    def word(self) -> Word:
        return Word(self.pattern, self.example, self.counter_example)


class _Order(_Rule):
    may_ask: bool = False
    keeps: str = ""

    def built(self) -> OrderRule:
        return OrderRule(LazyPattern(self.pattern, _FLAGS), self.word(), self.may_ask, self.keeps)


class _Date(_Rule):
    means: Means
    offset: int = Field(default=0, ge=-99, le=99)
    unless: Pattern | None = None

    def built(self) -> DateRule:
        wanted = _GROUPS.get(self.means) or ({"weekday"} if "weekday" in self.means else set())
        if missing := wanted - set(re.compile(self.pattern).groupindex):
            raise ValueError(f"what means {self.means!r} needs a group (?P<{min(missing)}>...)")
        unless = whole_words(self.unless) if self.unless else None
        return DateRule(whole_words(self.pattern), self.word(), self.means, self.offset, unless)


class _Tiers(_Model):
    heavy: tuple[_Rule, ...] = ()
    light: tuple[_Rule, ...] = ()


class _Orders(_Model):
    remember: tuple[_Order, ...] = ()
    forget: tuple[_Order, ...] = ()
    none: tuple[_Rule, ...] = ()
    work: tuple[_Rule, ...] = ()
    turns_away: tuple[_Rule, ...] = ()


class _Vocabulary(_Model):
    numbers: dict[str, Annotated[int, Field(ge=0, le=1_000)]] = {}
    units: dict[str, Literal["day", "week", "month", "year"]] = {}
    weekdays: dict[str, Annotated[int, Field(ge=0, le=6)]] = {}


class _File(_Vocabulary):
    common: tuple[Annotated[str, Field(min_length=1)], ...] = Field(min_length=1)
    abbreviations: tuple[str, ...] = ()
    behind_numbers: tuple[str, ...] = ()
    spellings: dict[Annotated[str, Field(min_length=1, max_length=1)], str] = {}
    parts: dict[str, str] = {}
    small_talk: tuple[_Rule, ...] = ()
    negation: tuple[_Rule, ...] = ()
    negates_nothing: tuple[_Rule, ...] = ()
    tiers: _Tiers = _Tiers()
    orders: _Orders = _Orders()
    dates: tuple[_Date, ...] = ()


def rules_of(path: Path, tables: dict[str, Any]) -> LanguageRules:
    """Return the rules of a language. What cannot be used is a `ConfigurationError` that names the file and the key."""
    try:
        file = _File.model_validate(tables, context={name: _texts(tables, name) for name in ("parts", "spellings")})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(one + 1 if isinstance(one, int) else one) for one in first["loc"])
        raise unusable(path, key, first["msg"].removeprefix("Value error, ")) from error
    dates = []
    for number, date in enumerate(file.dates, start=1):
        try:
            dates.append(date.built())
        except ValueError as error:
            raise unusable(path, f"dates.{number}.pattern", str(error)) from error
    return LanguageRules(
        name=path.stem,
        common=common_words(tables),
        small_talk=_words(file.small_talk),
        abbreviations=frozenset(file.abbreviations),
        behind_numbers=frozenset(file.behind_numbers),
        negation=_words(file.negation),
        negates_nothing=_words(file.negates_nothing),
        heavy=_words(file.tiers.heavy),
        light=_words(file.tiers.light),
        remember=tuple(rule.built() for rule in file.orders.remember),
        forget=tuple(rule.built() for rule in file.orders.forget),
        no_order=_words(file.orders.none),
        work=_words(file.orders.work),
        turns_away=_words(file.orders.turns_away),
        dates=tuple(dates),
        numbers=file.numbers,
        units=file.units,
        weekdays=file.weekdays,
    )


def _words(rules: Iterable[_Rule]) -> tuple[Word, ...]:
    return tuple(rule.word() for rule in rules)


def _texts(tables: dict[str, Any], name: str) -> dict[str, str]:
    found = tables.get(name)
    return {key: one for key, one in found.items() if isinstance(one, str)} if isinstance(found, dict) else {}

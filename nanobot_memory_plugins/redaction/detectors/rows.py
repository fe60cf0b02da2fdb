"""The rules that are rows of `rules.toml`, which says at its head what its columns mean."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, cast

from nanobot_memory_plugins.redaction.detectors.rule_index import RuleIndex
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern
from nanobot_memory_plugins.redaction.rules.rule import (
    API_KEY,
    ID_NUMBER,
    RANK_KEYED,
    RANK_PERSONAL,
    REDACTED,
    Rule,
    ValueRule,
)
from nanobot_memory_plugins.redaction.values.checks import CHECKS

_CLASSES = {
    "<A>": "[A-Za-z0-9]",
    "<W>": "[A-Za-z0-9_-]",
    "<D>": "[A-Za-z0-9_.=-]",
    "<H>": "[0-9a-fA-F]",
    "<Q>": "[\"'`*\ue0f1-\ue0f9]",
    "<start>": "(?<![A-Za-z0-9])",
    "<end>": "(?![A-Za-z0-9])",
    "<word>": "(?<![A-Za-z0-9_-])",
    "<uuid>": "[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}",
    "<number>": (
        "(?:[ _-]?(?:number|num(?![a-z])|no(?![a-z])\\.?|nr(?![a-z])\\.?|nummer|n[º°]|#|id(?![a-z])|card)){0,2}"
        "(?:[ ]?\\([^()\\n]{1,24}\\))?"
    ),
    "<link>": "[\"'*)]{0,3}[ ]{0,3}(?:[:=#：是为は—-]|is(?![a-z])|was(?![a-z]))?[ ]{0,3}[\"'(*]{0,2}",
    "<border>": "(?![A-Za-z0-9*\u2022\u25cf]|[.,:/-][0-9]|%)",
    "<string>": "[\"'][^\"'\\n]{1,200}[\"'],[ ]?",
    "<argument>": "[^,()\\n]{1,200},[ ]?",
}


@cache
def rows() -> Mapping[str, list[dict[str, Any]]]:
    """Give the tables of `rules.toml`."""
    # `pathlib` and `importlib.resources` would take longer than the reading.
    with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), "rules.toml"), "rb") as file:
        return tomllib.load(file)


def token_rules() -> Iterable[Rule]:
    """Give the shapes of tokens of known issuers."""
    for row in rows()["tokens"]:
        literals = tuple(row.get("starts", row.get("keywords", "")).split())
        shape = row.get("shape")
        if shape is None:
            shape = f"{row.get('border', '')}(?:{'|'.join(map(re.escape, literals))}){row['then']}"
        check = CHECKS[row.get("check", "issued")]
        is_anchored = bool(literals) and "loose" not in row
        yield Rule(
            row["kind"], row.get("hides", API_KEY), cast("re.Pattern[str]", _Shape(shape)), check, literals, is_anchored
        )


def told_rules(table: str) -> Iterable[Rule]:
    """Give the rules of another table, which ignore case."""
    for row in rows()[table]:
        check = CHECKS[row["check"]] if "check" in row else None
        hides = row.get("hides", ID_NUMBER if table == "personal" else REDACTED)
        is_anchored = "loose" not in row
        kind = ValueRule if "value" in row else Rule
        shape = cast("re.Pattern[str]", _Shape(row["pattern"], re.IGNORECASE))
        yield kind(row["kind"], hides, shape, check, tuple(row["keywords"]), is_anchored)


class _Shape(LazyPattern):
    """A pattern in which ``<A>`` and the like stand for character classes."""

    def _source(self) -> str:
        shape = self.pattern
        for name, meaning in _CLASSES.items():
            shape = shape.replace(name, meaning)
        return shape


TOKENS = RuleIndex(token_rules())
SECRETS = RuleIndex(told_rules("secrets"), RANK_KEYED)
PERSONAL = RuleIndex(told_rules("personal"), RANK_PERSONAL)

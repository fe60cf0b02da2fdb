"""Secrets in declarations and forms that are no pair: defaults, typed constants, calls, property lists, form fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.value_shapes import is_secret_value
from nanobot_memory_plugins.redaction.values.values_in_text import value_at

_NAME = r"(?P<name>[A-Za-z_$][A-Za-z0-9_.$-]{1,79}+)"
_NAMED: ByCue[re.Pattern[str]] = ByCue(
    (cues, lazy_re(shape))
    for cues, shape in (
        # process.env.API_KEY || "...", ENV["API_KEY"] or '...'
        (
            ("||", "??", " or ", "?:"),
            rf"(?<![A-Za-z0-9_]){_NAME}[\"')\]]{{0,3}}[ \t]{{0,3}}(?:\|\||\?\?|\bor\b|\?:)[ \t]{{0,3}}(?=[\"'`])",
        ),
        # const clientSecret string = "...", const API_KEY: &'static str = "...", static const char token[] = "..."
        (
            ("=",),
            rf"(?<![A-Za-z0-9_]){_NAME}(?:\[[0-9A-Za-z_]{{0,20}}\]|:[ \t]{{0,2}}&?(?:'[a-z]+[ ])?[A-Za-z]{{1,20}}"
            r"|[ \t]{1,3}[*&]?[A-Za-z][A-Za-z0-9.]{1,20})[ \t]{0,3}:?=[ \t]{0,3}(?=[\"'`])",
        ),
        # variable "db_password" { default = "..." }
        (
            ("variable",),
            rf"variable[ \t]{{1,4}}\"{_NAME}\"[ \t]{{0,4}}\{{[^{{}}]{{0,300}}?default[ \t]{{0,20}}=[ \t]{{0,4}}(?=\")",
        ),
        # bytes.fromhex, b64decode, a wrapper around the value
        (
            ("(",),
            rf"(?<![A-Za-z0-9_]){_NAME}[\"']?[ \t]{{0,3}}[:=]{{1,2}}[ \t]{{0,3}}"
            r"(?:[A-Za-z_][A-Za-z0-9_]{0,20}(?:\.|::))?(?:fromhex|b64decode|unhexlify"
            r"|SecretStr|SecretString|from|new|decode|atob|String|str|bytes|Some|Secret|\[\]byte|Buffer\.from)"
            r"\([ \t]{0,2}(?=[br]?[\"'])",
        ),
        # "db_password": {"value": "...", "db_password": {"sensitive": true, "type": "string", "value": "..."
        (
            ("alue", "efault"),
            rf"[\"\ue0f1-\ue0f3]{_NAME}[\"\ue0f1-\ue0f3][ ]?:[ ]?\{{\s{{0,12}}"
            r"(?:[\"\ue0f1-\ue0f3][A-Za-z_]{2,20}[\"\ue0f1-\ue0f3][ ]?:[ ]?"
            r"(?:[\"\ue0f1-\ue0f3][^\n\"\ue0f1-\ue0f3{}]{0,80}"
            r"[\"\ue0f1-\ue0f3]|true|false|null|[0-9]{1,10})\s{0,2},\s{0,16}){0,5}[\"\ue0f1-\ue0f3](?:value|default)"
            r"[\"\ue0f1-\ue0f3][ ]?:[ ]?(?=[\"\ue0f1-\ue0f3])",
        ),
        # ["password"]=> string(14) "..."
        (
            ("string(",),
            rf"\[\"{_NAME}\"\][ ]?=>\s{{1,8}}string\([0-9]{{1,5}}\)[ ](?=\")",
        ),
        # public string ApiKey { get; set; } = "..."
        (
            ("get;",),
            rf"(?<![A-Za-z0-9_]){_NAME}[ ]?\{{[ ]?get;[^{{}}]{{0,20}}\}}[ ]?=[ ]?(?=\")",
        ),
        # storePassword '...', as Groovy takes it
        (
            (" '", ' "'),
            r"(?<![A-Za-z0-9_.])(?P<name>[a-z]{2,20}[A-Z_][A-Za-z_]{2,30})[ ](?=[\"'])",
        ),
        # UPDATE settings SET value = '...' WHERE name = 'smtp_password' is read from behind, see below.
        (
            ("><", ">\n"),
            r"<(?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,60})>\s{0,20}<(?:[Vv]alue|string|[Pp]lainText)>",
        ),
        # <key>Password</key><string>...</string>
        (
            ("<key>",),
            r"<key>(?P<name>[A-Za-z][A-Za-z0-9_. -]{1,79})</key>\s{0,20}<string>",
        ),
        # Content-Disposition: form-data; name="password", an empty line, the value
        (
            ("form-data",),
            r"form-data;[ \t]{0,4}name=[\"\ue0f1-\ue0f9]?(?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})[\"\ue0f1-\ue0f9]?"
            r"[ \t]{0,4}\r?[\n\x0b](?:[^\n\x0b]{0,200}[\n\x0b])?\r?[\n\x0b]",
        ),
        # <entry key="db.password">...</entry>, <string name="api_key">...</string>
        (
            ("<",),
            r"<[A-Za-z:]{1,30}[ ](?:key|name|id)=[\"'\ue0f1-\ue0f9]"
            r"(?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})[\"'\ue0f1-\ue0f9]"
            r"[^<>]{0,80}>(?:<!\[CDATA\[)?",
        ),
        # <meta-data android:name="API_KEY" android:value="..."/>
        (
            ("alue=", "content="),
            r"(?:name|key)=[\"'](?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})[\"']\s{1,8}(?:[a-z]{1,20}:)?(?:value"
            r"|content)=(?=[\"'])",
        ),
        (
            ("<![cdata",),
            r"<(?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,60})><!\[CDATA\[",
        ),
        # gh secret set NAME --body ...
        (
            ("--body", "--value", " -b", " -v"),
            r"(?:secrets?|variable|var)[ ](?:set|put|add|create)[ ](?P<name>[A-Za-z_][A-Za-z0-9_-]{1,79})[ ]"
            r"(?:--?[a-z-]{1,20}[ ]\S{1,80}[ ]){0,3}(?:--body|--value|-b|-v)[= ]",
        ),
    )
)
# UPDATE settings SET value = '...' WHERE name = 'smtp_password'
_NAMED_BEHIND = lazy_re(
    r"(?i)value[ ]?=[ ]?'(?P<value>[^'\n]{4,500})'[^'\n]{1,60}[ ](?:name|key|setting|option|id|k)[ ]?=[ ]?"
    r"'(?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})'"
)


def find_declared(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets in declarations of the folded ``text``; ``lower`` is the same in lower case."""
    for shape in _NAMED.met(lower):
        for match in shape.finditer(text):
            yield from _judge_named(text, match)
    if "alue" in text or "ALUE" in text:
        for match in _NAMED_BEHIND.finditer(text):
            if is_secret_value(
                match["value"], sensitivity(match["name"]), key=match["name"], quoted=True, running_text=False
            ) and sensitivity(match["name"]):
                yield Span(*match.span("value"), "keyed_value", REDACTED, RANK_KEYED)


def _judge_named(text: str, match: re.Match[str]) -> Iterator[Span]:
    name = match["name"].replace(" ", "_")
    level = sensitivity(name)
    value = value_at(text, match.end()) if level > Sensitivity.NONE else None
    if value is None:
        return
    found = text[value.start : value.end]
    if is_secret_value(found, level, key=name, quoted=value.quoted, running_text=value.running_text):
        yield Span(value.start, value.end, "keyed_value", REDACTED, RANK_KEYED)

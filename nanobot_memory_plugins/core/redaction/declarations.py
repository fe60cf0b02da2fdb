"""Secrets in declarations and forms that are no pair: defaults, typed constants, calls, property lists, form fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.core.redaction.key_names import Sensitivity, sensitivity
from nanobot_memory_plugins.core.redaction.rules import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.core.redaction.value_shapes import is_secret_value
from nanobot_memory_plugins.core.redaction.values_in_text import value_at

_NAME = r"(?P<name>[A-Za-z_$][A-Za-z0-9_.$-]{1,79}+)"
_NAMED = tuple(
    re.compile(shape)
    for shape in (
        # process.env.API_KEY || "...", ENV["API_KEY"] or '...'
        rf"(?<![A-Za-z0-9_]){_NAME}[\"')\]]{{0,3}}[ \t]{{0,3}}(?:\|\||\?\?|\bor\b|\?:)[ \t]{{0,3}}(?=[\"'`])",
        # const clientSecret string = "...", const API_KEY: &'static str = "...", static const char token[] = "..."
        rf"(?<![A-Za-z0-9_]){_NAME}(?:\[[0-9A-Za-z_]{{0,20}}\]|:[ \t]{{0,2}}&?(?:'[a-z]+[ ])?[A-Za-z]{{1,20}}"
        r"|[ \t]{1,3}[*&]?[A-Za-z][A-Za-z0-9.]{1,20})[ \t]{0,3}:?=[ \t]{0,3}(?=[\"'`])",
        # variable "db_password" { default = "..." }
        rf"variable[ \t]{{1,4}}\"{_NAME}\"[ \t]{{0,4}}\{{[^{{}}]{{0,300}}?default[ \t]{{0,20}}=[ \t]{{0,4}}(?=\")",
        # bytes.fromhex, b64decode, a wrapper around the value
        rf"(?<![A-Za-z0-9_]){_NAME}[\"']?[ \t]{{0,3}}[:=]{{1,2}}[ \t]{{0,3}}"
        r"(?:[A-Za-z_]{1,20}\.)?(?:fromhex|b64decode|unhexlify"
        r"|SecretStr|SecretString|from|new|decode|atob|String|str|bytes|Some|Secret)\([ \t]{0,2}(?=[br]?[\"'])",
        # <key>Password</key><string>...</string>
        r"<key>(?P<name>[A-Za-z][A-Za-z0-9_. -]{1,79})</key>\s{0,20}<string>",
        # Content-Disposition: form-data; name="password", an empty line, the value
        r"form-data;[ \t]{0,4}name=[\"\ue0f1-\ue0f9]?(?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})[\"\ue0f1-\ue0f9]?"
        r"[ \t]{0,4}\r?[\n\x0b](?:[^\n\x0b]{0,200}[\n\x0b])?\r?[\n\x0b]",
        # <entry key="db.password">...</entry>, <string name="api_key">...</string>
        r"<[A-Za-z:]{1,30}[ ](?:key|name|id)=[\"\ue0f1-\ue0f9](?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})[\"\ue0f1-\ue0f9]"
        r"[^<>]{0,80}>(?:<!\[CDATA\[)?",
        # <meta-data android:name="API_KEY" android:value="..."/>
        r"(?:name|key)=[\"'](?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,79})[\"']\s{1,8}(?:[a-z]{1,20}:)?value=(?=[\"'])",
        r"<(?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,60})><!\[CDATA\[",
        # gh secret set NAME --body ...
        r"(?:secrets?|variable|var)[ ](?:set|put|add|create)[ ](?P<name>[A-Za-z_][A-Za-z0-9_-]{1,79})[ ]"
        r"(?:--?[a-z-]{1,20}[ ]\S{1,80}[ ]){0,3}(?:--body|--value|-b|-v)[= ]",
    )
)
_NAMED_CUES = ("||", "??", " or ", "?:", "=", "<", "form-data", "--body", "--value", " -b", " -v")


def find_declared(text: str) -> Iterator[Span]:
    """Find secrets in declarations of the folded ``text``."""
    if any(cue in text for cue in _NAMED_CUES):
        for shape in _NAMED:
            for match in shape.finditer(text):
                yield from _judge_named(text, match)


def _judge_named(text: str, match: re.Match[str]) -> Iterator[Span]:
    name = match["name"].replace(" ", "_")
    level = sensitivity(name)
    value = value_at(text, match.end()) if level > Sensitivity.NONE else None
    if value is None:
        return
    found = text[value.start : value.end]
    if is_secret_value(found, level, key=name, quoted=value.quoted, running_text=value.running_text):
        yield Span(value.start, value.end, "keyed_value", REDACTED, RANK_KEYED)

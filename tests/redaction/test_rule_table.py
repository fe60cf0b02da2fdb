"""Each row of `rules.toml` hides the marked parts of its example, and nothing in its counter-example.

Tokens have no example, so that the repository contains no tokens: the test generates one from the row's pattern.
"""

from __future__ import annotations

import importlib
import json
import re
import string
import subprocess
import sys
from random import Random
from typing import Any

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction import redact_value
from nanobot_memory_plugins.redaction.detectors.rule_table import CHECKS, RuleIndex, rows, rules_of
from nanobot_memory_plugins.redaction.rules.keyword_index import LowercaseText
from nanobot_memory_plugins.redaction.values.key_names import split_name
from tests.behaviour.kit.shapes import jwt
from tests.support.each import each

TOKENS = list(zip(rows()["tokens"], rules_of("tokens"), strict=True))
KEYED = [pair for table in ("secrets", "personal") for pair in zip(rows()[table], rules_of(table), strict=True)]
_parser: Any = importlib.import_module("re._parser")
ALNUM = string.ascii_letters + string.digits
COUNT = """
import re
compiled = []
compile_ = re._compiler.compile
re._compiler.compile = lambda pattern, flags=0: compiled.append(pattern) or compile_(pattern, flags)
from nanobot_memory_plugins.redaction import redact_text
redact_text({text!r})
print(len(compiled))
"""


def generate(parsed: Any, random: Random) -> str:
    """Return a text that matches a parsed pattern; lookahead and lookbehind are ignored."""
    text = ""
    for kind, value in parsed:
        name = str(kind)
        if name == "LITERAL":
            text += chr(value)
        elif name in ("IN", "ANY", "NOT_LITERAL"):
            members = re.compile(_source(value) if name == "IN" else ".")
            text += random.choice([char for char in ALNUM + "-_.=/+:$@ %~|*!#,?&" if members.match(char)])
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            size = value[0] if value[0] > 2 else random.randint(value[0], min(value[1], 4))
            size = size + 8 if value[0] > 2 and value[1] >= size + 40 else size
            text += "".join(generate(value[2], random) for _ in range(size))
        elif name == "SUBPATTERN":
            text += generate(value[3], random)
        elif name == "BRANCH":
            text += generate(random.choice(value[1]), random)
    return text


def _source(members: Any) -> str:
    def one(kind: str, value: Any) -> str:
        if kind == "RANGE":
            return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        return {"NEGATE": "^", "CATEGORY": r"\d" if "DIGIT" in str(value) else r"\s"}.get(kind) or re.escape(chr(value))

    return "[" + "".join(one(str(kind), value) for kind, value in members) + "]"


@each("place", range(len(TOKENS)))
def test_a_token_generated_from_its_row_is_hidden_and_a_placeholder_is_not(place):
    row, rule = TOKENS[place]
    index, random = RuleIndex([rule]), Random(place)
    token = jwt(random) if row.get("check") == "json" else generate(_parser.parse(rule.pattern.pattern), random)
    for _ in range(40):
        text = f"see {token} there" if rule.kind != "windows_password_hash" else f"joe:1001:{token}:::"
        found = index.find(text, LowercaseText(text))
        if found:
            break
        token = generate(_parser.parse(rule.pattern.pattern), random)
    assert [span.placeholder for span in found] == [rule.placeholder], token
    assert token not in redact_text(text)
    for literal in rule.literals[:1]:
        stays = f"{literal}your-key-here or {literal}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        assert index.find(stays, LowercaseText(stays)) == []


@each("place", range(len(KEYED)))
def test_a_row_hides_the_marked_parts_of_its_example_and_nothing_in_its_counter_example(place):
    row, rule = KEYED[place]
    index = RuleIndex([rule])
    text = row["example"].replace("«", "").replace("»", "")
    secrets = re.findall("«(.*?)»", row["example"], re.DOTALL)
    assert sorted({text[span.start : span.end] for span in index.find(text, LowercaseText(text))}) == sorted(secrets)
    shown = redact_text(text)
    assert all(secret not in shown for secret in secrets)
    assert redact_text(shown) == shown
    assert index.find(row["counter"], LowercaseText(row["counter"])) == []


def test_every_check_is_used_by_a_row():
    assert {row["check"] for table in rows().values() for row in table if "check" in row} | {"issued"} == set(CHECKS)


NAMED = {
    "a field": lambda name, value: redact_value({name: value})[name],
    "a label's value": lambda name, value: redact_value({"label": name, "value": value})["value"],
    "a column": lambda name, value: redact_text(f"id,{name}\n7,{value}\n").split(",")[-1].strip(),
    "a Markdown table": lambda name, value: redact_text(f"|x|{name}|\n|-|-|\n|7|{value}|\n").split("|")[-2],
    "the cell after": lambda name, value: redact_text(f"|field|value|\n|-|-|\n|{name}|{value}|\n").split("|")[-2],
    "a field in text": lambda name, value: json.loads(redact_text(json.dumps({name: value}, ensure_ascii=False)))[name],
    "a sentence": lambda name, value: redact_text(f"{' '.join(split_name(name)) or name}: {value}").split(": ")[-1],
}


@each("place", sorted(NAMED))
@each(
    ("name", "value", "shown"),
    [
        ("passport_no", "C01X00T47", "[ID_NUMBER]"),
        ("idNumber", "8501015009087", "[ID_NUMBER]"),
        ("policyNumber", "10023948", "[ID_NUMBER]"),
        ("病历号", "10023948", "[ID_NUMBER]"),
        ("mrn", "10023948", "[ID_NUMBER]"),
        ("creditCard", "6222 0212 3456 7890", "[CARD]"),
        ("tax", "19.00", "19.00"),
        ("medical_record_number", "5582019", "[ID_NUMBER]"),
        ("nationalId", "48291736", "[ID_NUMBER]"),
        ("chart_id", "48291736", "48291736"),
        ("order_number", "10023948", "10023948"),
    ],
)
def test_an_identity_number_is_hidden_wherever_its_name_is(place, name, value, shown):
    assert NAMED[place](name, value) == shown


@each(
    ("fields", "shown"),
    [
        ({"type": "passport", "country": "CHN", "doc_no": "EJ9267348"}, "EJ92"),
        ({"passport": {"number": "C01X00T47", "issued": "2021-03-04"}}, "C01X"),
        ({"key": "passport_no", "value": "X9914207K"}, "X991"),
    ],
)
def test_a_number_is_hidden_by_a_label_next_to_it_or_above(fields, shown):
    assert shown not in json.dumps(redact_value(fields))
    assert shown not in redact_text(json.dumps(fields))
    order = json.loads(json.dumps(fields).replace("passport", "order"))
    assert redact_value(order) == order
    assert redact_text(json.dumps(order)) == json.dumps(order)
    beside = [{"passport": "none"}, {"number": "C01X00T47"}]
    assert redact_value(beside) == beside


@each(
    "text",
    [
        "Mi DNI es «94836694N» y el pedido es el 20260411-883",
        "NIE «X3271408A», cita 28012",
        "my PAN «FFGPA3833A», the pan is 2026041",
        "aadhaar number of the tenant is «5927 9537 3225»",
        "CPF do cliente: «193.696.602-67», nota fiscal 000.148.220",
        "Het BSN van mijn dochter is «094984128», dossiernummer 2026-44120",
        "Mitt personnummer är «850112-1043» och ordern heter SE-440912",
        "我的身分證字號 is: «A123456789»，統一編號 71923672",
        "TFN is «438 278 862», USI STA0100AU",
        "«756.7863.8065.98», «37.860.149-5», «193.696.602-67», Police 44.120.338, order 193.696.602-67",
        "RUT «37.860.149-5», boleta 88412",
        "SSN: 1\nName\tSocial.Security\nAmy\t«536904399»",
    ],
)
def test_a_number_after_its_name_is_hidden_in_several_languages(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[ID_NUMBER]", text)


def test_a_code_ends_with_its_field_and_other_fields_are_unchanged():
    fields = '{"cvv":"739","exp":"08/28","port":8443,"year":2024}'
    assert json.loads(redact_text(fields)) == {"cvv": "[REDACTED]", "exp": "08/28", "port": 8443, "year": 2024}
    row = '{"bank": {"account_number": "48291736", "currency": "EUR", "limit": 48291736}}'
    assert json.loads(redact_text(row))["bank"] == {
        "account_number": "[ID_NUMBER]",
        "currency": "EUR",
        "limit": 48291736,
    }


def test_an_ordinary_text_needs_few_patterns():
    def compiled(text: str) -> int:
        script = COUNT.format(text=text)
        return int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)

    ordinary = compiled("Shall we meet at the café on Thursday?")
    secret = compiled("The password of the server is Xk9#mQ2vL!7p, my passport number is C01X00T47, 密码是 abc12345")
    assert ordinary < secret < 90  # there are more than four hundred
    assert ordinary < 30

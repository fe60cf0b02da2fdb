import json
from datetime import date
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.redaction import redact_value
from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from tests.redaction.shapes import VENDOR_TOKENS, cn_id, luhn
from tests.support.each import each


def test_a_name_hides_its_value_whatever_it_looks_like():
    value = {
        "password": "x",
        "apiKey": "plain words here",
        "pin": 1234,
        "nested": {"client_secret": "maple"},
        "密码": "a",
    }
    assert redact_value(value) == {
        "password": "[REDACTED]",
        "apiKey": "[REDACTED]",
        "pin": "[REDACTED]",
        "nested": {"client_secret": "[REDACTED]"},
        "密码": "[REDACTED]",
    }


def test_names_that_only_talk_about_secrets_hide_nothing():
    value = {
        "session_key": "cli:direct",
        "max_tokens": 4096,
        "usage": {"prompt_tokens": 10, "completion_tokens": 4},
        "password": None,
        "has_password": True,
        "token_count": 17,
        "key": "left",
        "public_key": "ssh-ed25519 AAAA",
        "secret": "",
    }
    assert redact_value(value) == value


def test_the_shape_stays():
    token = VENDOR_TOKENS["github"](Random(1))
    value = {"a": [1, 2.5, True, None, f"x {token}"], "b": (1, {"c": {token}}), 3: b"raw \xff", "d": date(2026, 1, 2)}
    assert redact_value(value) == {
        "a": [1, 2.5, True, None, "x [API_KEY]"],
        "b": [1, {"c": ["[API_KEY]"]}],
        "3": "raw \ufffd",
        "d": "2026-01-02",
    }


def test_names_and_numbers_are_redacted_too():
    token = VENDOR_TOKENS["gitlab"](Random(2))
    other = VENDOR_TOKENS["gitlab"](Random(3))
    card = int(luhn("453957876362148"))
    result = redact_value({token: 1, other: 2, "paid": card, "ssn": 123456789, "身份证号": cn_id(Random(1))})
    assert list(result.values()) == [1, 2, "[CARD]", "[ID_NUMBER]", "[ID_NUMBER]"]
    assert len(result) == 5
    assert token not in str(result)


def test_a_flag_hides_the_next_item():
    assert redact_value(["run", "--password", "maple", "--verbose", "maple"]) == [
        "run",
        "--password",
        "[REDACTED]",
        "--verbose",
        "maple",
    ]


def test_a_named_value_is_hidden():
    rows = [{"name": "DB_PASSWORD", "value": "maple"}, {"name": "MODE", "value": "fast"}]
    assert redact_value(rows) == [{"name": "DB_PASSWORD", "value": "[REDACTED]"}, {"name": "MODE", "value": "fast"}]


def test_lists_of_secrets_are_hidden():
    assert redact_value({"passwords": ["a", "b"], "tokens": 5}) == {
        "passwords": ["[REDACTED]", "[REDACTED]"],
        "tokens": 5,
    }


def test_cycles_depth_and_hostile_objects_are_no_trouble():
    cycle: dict[str, object] = {"n": 1}
    cycle["self"] = cycle
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]

    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError("no")

    shared = [1]
    result = redact_value(
        {"cycle": cycle, "deep": deep, "object": Hostile(), "twice": [shared, shared], "f": float("nan")}
    )
    assert json.loads(json.dumps(result, allow_nan=False))["cycle"]["self"] == "[CYCLE]"
    assert result["twice"] == [[1], [1]]
    assert result["object"] == "<Hostile>"
    assert "[TOO_DEEP]" in json.dumps(result["deep"])


@each("value", [None, True, 0, 1.5, "text", [], {}])
def test_plain_values_stay(value):
    assert redact_value(value) == value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["password", "key", "a", "token", "身份证"]) | st.text(max_size=5), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(json_values)
def test_redacted_values_are_json_and_stay_as_they_are(value):
    once = redact_value(value)
    json.dumps(once)
    assert Redactor().redact_value(once) == once

import base64
import re
import string
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.engine.turns import hide_answer
from nanobot_memory_plugins.redaction.rules.rule import Rule
from tests.behaviour.kit.shapes import PASSWORDS, VENDOR_TOKENS, cn_id, jwt, key_block
from tests.support.examples import examples

FRAGMENTS = st.sampled_from([
    "password", "=", ": ", "\"", "'", "\\", "\\n", "[", "]", "[API_KEY]", "[REDACTED]", "[EMAIL]", "token",
    "://", "@", "a@b.com", " is ", "密码", "是", "：", "key", "Bearer ", "Authorization: ", "Cookie: ", "sk-",
    "ghp_", "eyJ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\n", " ", "\u200b",
    "\u001b[1m", "\u0000", "\ud800", "%40", "&quot;", "13912345678", "hunter2", "Zx9!kQ", "0123456789abcdef",
    "{", "}", ",", ";", "<", ">", "|", "--",
])  # fmt: skip
SECRETS = st.integers(0, 10**6).map(
    lambda seed: Random(seed).choice([*VENDOR_TOKENS.values(), *PASSWORDS.values(), cn_id, jwt])(Random(seed))
)
MIXED = st.lists(FRAGMENTS | SECRETS | st.text(max_size=8), max_size=25).map("".join)


@settings(max_examples=examples(300), deadline=None)
@given(MIXED)
@example("password=[REDACTED]word=password=[REDACTED]")
def test_redacting_twice_is_redacting_once(text):
    once = redact_text(text)
    assert redact_text(once) == once


def test_an_address_in_single_quotes_keeps_both():
    assert redact_text("('ann@fern.org', 'bo')") == "('[EMAIL]', 'bo')"


def test_what_is_left_beside_a_placeholder_is_not_hidden_with_it():
    assert redact_text("【Sierra】您的验证码是048729,5分钟内有效") == "【Sierra】您的验证码是[REDACTED],5分钟内有效"


def test_a_rule_whose_placeholder_would_not_survive_is_refused():
    with pytest.raises(ValueError, match="placeholder"):
        Rule("x", "<hidden>", re.compile("x"))
    with pytest.raises(ValueError, match="anchored"):
        Rule("x", "[HIDDEN]", re.compile("x"), anchored=True)


def test_a_value_and_a_block_longer_than_a_window_are_hidden_whole():
    value = "".join(Random(6).choices("abcdefgh0123456789XYZ", k=60_000))
    assert redact_text(f"a\napi_key={value}\nb") == "a\napi_key=[REDACTED]\nb"
    assert redact_text(f'{{"password": "{value}", "n": 1}}') == '{"password": "[REDACTED]", "n": 1}'
    block, _ = key_block(Random(7))
    filler = "some words of no interest\n" * 640
    assert redact_text(filler[:16_300] + block + "\nend") == filler[:16_300] + "[PRIVATE_KEY]\nend"


def test_base64_of_a_secret_is_hidden_and_of_other_text_is_not():
    secret = base64.b64encode(f"DB_PASSWORD={PASSWORDS['symbols'](Random(1))}\n".encode()).decode()
    token = base64.b64encode(f"use {VENDOR_TOKENS['github'](Random(1))} now".encode()).decode()
    plain = base64.b64encode(b"The quick brown fox jumps over the lazy dog.").decode()
    assert redact_text(f"echo {secret} | base64 -d") == "echo [REDACTED] | base64 -d"
    assert redact_text(f"x {token} y") == "x [REDACTED] y"
    assert redact_text(f"echo {plain} | base64 -d") == f"echo {plain} | base64 -d"


def test_an_answer_is_read_as_what_follows_the_question_and_one_that_tells_no_secret_stays():
    told = {
        "What's the wifi password?": ("It's tangerine, I think", "It's [REDACTED], I think"),
        "What is the alarm code?": ("Sure, 5521#", "Sure, [REDACTED]"),
        "口令是什么？": ("好的：tiger88", "好的：[REDACTED]"),
        "Did you change the password?": ("yes, yesterday", "yes, yesterday"),
        "Is the code ready?": ("Yes, version 2.3.1 is out", "Yes, version 2.3.1 is out"),
        "Which error code do you see?": ("404", "404"),
        "Who wrote it?": ("tangerine", "tangerine"),
    }
    shown = {question: hide_answer(question, answer) for question, (answer, _) in told.items()}
    assert shown == {question: expected for question, (_, expected) in told.items()}


@pytest.mark.parametrize("name", ["password: ", "password=", "api_key: "])
def test_a_long_value_without_quotes_is_hidden_to_its_end(name: str):
    draw = Random(7)
    value = "".join(draw.choices(f"{string.ascii_letters}{string.digits}!#%*+-_/", k=600))
    hidden = redact_text(f"{name}{value}")
    assert value[-60:] not in hidden
    assert value[300:360] not in hidden

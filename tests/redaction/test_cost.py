"""The cost of redaction: linear in the size of the text, and bounded for adversarial text."""

from __future__ import annotations

import time

import pytest

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.redaction.engine.redactor import WINDOW, Budget, Redactor
from nanobot_memory_plugins.redaction.rules.rule import UNCHECKED
from tests.redaction.made_corpus import positives

# For a slow and busy machine; an idle one needs a fifth of it.
SECONDS_A_KB = 0.025
COSTLY = (
    "pwd=a;",
    "a=b;password=x;",
    "key:",
    "keys 777=",
    "'token': ",
    "the password is a1b2c3d4! ",
    "| password | a1b2c3d4! |\n",
    "user,password\nann,a1b2c3d4!\n",
    "-----BEGIN PRIVATE KEY-----",
    "eyJhbGciOi",
    "://a:",
    "口令777",
    "kind: Secret\ndata:\n",
    f'password: "{"xX-" * 60}…" ',
    "insert into a (password) values ('a'), ",
    "密码是",
)
# After each question the next line may be the answer; each other token may begin a value of the rest of the run.
ONCE = ("pass7?\n", "密码是什么？\n", "发验证码\n", "key=", "credentials|a|", "|dni|12" * 400 + "\n")


def seconds(text: str) -> float:
    redact_text(text[:1_000])  # patterns are compiled on first use
    began = time.thread_time()
    redact_text(text)
    return time.thread_time() - began


@pytest.mark.parametrize("token", COSTLY)
def test_frequent_cues_cost_little(token):
    text = "".join(token.replace("777", str(number)) for number in range(12 * 1024))
    assert seconds(text[: 12 * 1024]) < 12 * SECONDS_A_KB


@pytest.mark.parametrize("token", ONCE)
def test_a_window_is_checked_only_once(token):
    texts = ((f"{number} " + token * (12 * 1024 // len(token) + 1))[: 12 * 1024] for number in range(3))
    assert min(map(seconds, texts)) < 12 * SECONDS_A_KB / 3


def test_a_spent_budget_hides_the_unchecked_text():
    clock = iter(range(1_000))  # the clock is read once for each window
    lines = "".join(f"plain words here {number}\n" for number in range(4_000))
    text = "first line\n" + lines + "password=Tundra77wV"
    hidden = Redactor().redact(text, budget=Budget(3.5, lambda: float(next(clock))))
    assert hidden.startswith("first line\nplain words here 0\n")
    assert hidden.endswith(UNCHECKED)
    assert len(hidden) < 5 * WINDOW
    assert Redactor().redact(text, budget=Budget(0.0)) == UNCHECKED


def test_a_text_with_a_secret_in_every_line_is_checked_completely():
    text = "\n".join(case.text for case in positives(3, 1))[:100_000]
    assert UNCHECKED not in redact_text(text)


@pytest.mark.parametrize("before", [WINDOW - 45, WINDOW - 17, WINDOW + 3])
def test_a_secret_across_a_window_border_is_found(before):
    for line in (
        "the password is Tundra$77wV",
        "key: ghp_" + "a1B2c3D4" * 5,
        "-----BEGIN PRIVATE KEY-----\n" + "Ab9+" * 16,
    ):
        for filler in ("word ", "x", "line\n"):
            text = (filler * before)[:before] + " " + line + " " + filler * 2_000
            hidden = redact_text(text)
            assert "Tundra" not in hidden
            assert "a1B2c3D4" not in hidden
            assert "Ab9+" not in hidden

"""Third-party rules: their failures affect only themselves, and they can only hide more, never less."""

import re
import threading
import time
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.redaction.installed_rules import BoundedRules
from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.rules.rule import Rule
from tests.behaviour.kit.shapes import VENDOR_TOKENS
from tests.support.each import each
from tests.support.examples import examples

GOOD = Rule("badge", "[BADGE]", re.compile(r"BDG-[0-9]{6}"), literals=("BDG-",))
LIMIT = 1.0  # seconds; working rules need milliseconds
TOKEN = VENDOR_TOKENS["github"](Random(1))
SECRETS = (TOKEN, "lin@example-mail.org", "hunter2!Tango", "13812345678")
TEXT = f"token {TOKEN}, mail lin@example-mail.org, password: hunter2!Tango, 电话 13812345678, badge BDG-123456"


def redactor(*rules: Rule, seconds: float = LIMIT) -> Redactor:
    return Redactor(extra_rules=BoundedRules(rules, seconds=seconds))


def rule(validator) -> Rule:
    return Rule("other", "[OTHER]", re.compile(r"x[0-9]"), validator)


def raise_it(error: BaseException):
    def validate(found: str) -> bool:
        raise error

    return validate


@each("error", [ValueError(TOKEN), SystemExit(1), RecursionError(), TimeoutError()])
def test_a_rule_that_raises_finds_nothing_and_other_rules_still_work(error):
    text = redactor(rule(raise_it(error)), GOOD).redact(f"{TEXT} x1")
    assert text.endswith("badge [BADGE] x1")
    assert [secret for secret in SECRETS if secret in text] == []


def test_an_endless_pattern_is_interrupted_and_does_not_block_other_threads():
    endless = Rule("endless", "[ENDLESS]", re.compile(r"(?:a|aa|aaa)+(?:a|aa)+b$"))
    beats: list[float] = []
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(0.01):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    before = time.monotonic()
    try:
        assert redactor(endless, GOOD, seconds=0.3).redact("a" * 200 + " BDG-123456") == "a" * 200 + " [BADGE]"
        took = time.monotonic() - before
    finally:
        stop.set()
        thread.join()
    assert 0.25 < took < 10  # it was interrupted
    assert len([at for at in beats if at > before]) > 10


def test_a_rule_that_fails_three_times_in_a_row_is_disabled():
    calls: list[str] = []

    def validate(found: str) -> bool:
        calls.append(found)
        if len(calls) in (1, 2) or len(calls) > 3:
            raise ValueError
        return True

    other = redactor(rule(validate))
    assert [other.redact("x1") for _ in range(9)] == ["x1", "x1", "[OTHER]"] + ["x1"] * 6
    assert len(calls) == 6


# Patterns that would interfere with the built-in rules if they ran at the same time.
GREEDY = (
    r"@",
    r"password",
    r"ghp_|gho_|github",
    r"[a-z]{3}",
    r":",
    r"\[",
    r"API_KEY\]",
    r"[0-9]",
    r".",
    r"电话",
    r"\] ?,",
)


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(GREEDY), st.permutations(TEXT.split(", ")), st.sampled_from(["", "\u200b", "\n"]))
def test_an_extra_rule_never_reveals_what_the_built_in_rules_hide(pattern, parts, between):
    text = between + ", ".join(parts)
    mine = redactor(Rule("greedy", "[GREEDY]", re.compile(pattern)), seconds=5)
    redacted = mine.redact(text)
    assert [secret for secret in SECRETS if secret in redacted] == []
    assert mine.redact(redacted) == redacted
    plain = Redactor().redact(text)
    kept = re.split(r"\[[A-Z_]+\]", redacted)
    at = 0
    for piece in kept:  # the visible text is part of what the built-in rules leave, in order
        at = plain.index(piece, at) + len(piece)


def test_flags_groups_and_disguises_work_as_for_built_in_rules():
    mine = Rule(
        "ticket", "[TICKET]", re.compile(r"(?ix) acme - (?P<secret> [0-9]{3} ) # a ticket"), literals=("acme-",)
    )
    assert redactor(mine).redact("ACME-123 and Ａｃｍｅ-4\u200b56") == "ACME-[TICKET] and Ａｃｍｅ-[TICKET]"

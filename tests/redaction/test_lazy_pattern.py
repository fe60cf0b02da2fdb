"""Patterns of redaction are compiled when they are first tried."""

import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from nanobot_memory_plugins.redaction.detectors.further_tokens import FURTHER_RULES
from nanobot_memory_plugins.redaction.detectors.vendor_tokens import JWT_RULES, VENDOR_RULES
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re

COUNT = """
import re
compiled = []
compile_ = re._compiler.compile
re._compiler.compile = lambda pattern, flags=0: compiled.append(pattern) or compile_(pattern, flags)
from nanobot_memory_plugins.redaction import redact_text
redact_text({text!r})
print(len(compiled))
"""


def compiled(text: str) -> int:
    script = COUNT.format(text=text)
    return int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


def test_it_does_what_the_pattern_does():
    for use in (
        lambda one: one.search("a B b", 2)[0],
        lambda one: one.match("bc").span(),
        lambda one: one.fullmatch("bc"),
        lambda one: [found.start() for found in one.finditer("b-B")],
        lambda one: one.findall("b-B"),
        lambda one: one.sub("x", "b-B"),
        lambda one: one.split("1b2B3"),
        lambda one: (one.pattern, one.flags, one.groups, dict(one.groupindex)),
    ):
        assert use(lazy_re("(?P<it>b)", re.IGNORECASE)) == use(re.compile("(?P<it>b)", re.IGNORECASE))


def test_a_wrong_pattern_says_so_when_it_is_used():
    wrong = lazy_re("(")
    with pytest.raises(re.error):
        wrong.search("text")


def test_threads_that_come_at_once_compile_it_once(monkeypatch: pytest.MonkeyPatch):
    made = []
    compile_ = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: made.append(given) or time.sleep(0.05) or compile_(*given))
    pattern = lazy_re("b+")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: pattern.search("abb")[0], range(4)))
    assert found == ["bb"] * 4
    assert len(made) == 1


def test_an_ordinary_text_needs_few_patterns():
    ordinary = compiled("Shall we meet at the café on Thursday?")
    secret = compiled("The password of the server is Xk9#mQ2vL!7p, my passport number is C01X00T47, 密码是 abc12345")
    # Redaction has more than seven hundred.
    assert ordinary < 100 < secret


def test_no_anchored_rule_of_ours_ignores_case():
    rules = [*FURTHER_RULES, *JWT_RULES, *VENDOR_RULES]
    assert len(rules) > 200
    assert [rule.kind for rule in rules if rule.anchored and rule.pattern.flags & re.IGNORECASE] == []

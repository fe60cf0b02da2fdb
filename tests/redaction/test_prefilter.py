"""The prefilter finds what the plain search finds: every rule of redaction, in texts made of what the rules name."""

from __future__ import annotations

import re
from random import Random

from nanobot_memory_plugins.redaction.engine.redactor import WINDOW, Redactor
from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered
from nanobot_memory_plugins.redaction.rules.prefilter import beginnings, matches
from nanobot_memory_plugins.redaction.script.look_alikes import unmixed
from nanobot_memory_plugins.redaction.values.key_names import TELLING, Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.name_words import COMPOUND
from tests.redaction.made_corpus import positives
from tests.support.each import each
from tests.support.hostile_repetitions import atoms, patterns

LINES = [case.text for case in positives(17, 1)]


def mixed_text(pattern: re.Pattern[str], choice: Random) -> str:
    parts = [*atoms(pattern), *choice.sample(LINES, 12)]
    said = "".join(choice.choice(parts) + choice.choice(("", " ", "\n", ": ")) for _ in range(20))
    return (said + said.swapcase() + " " * 1_024)[:2_000]


def test_every_rule_finds_with_the_prefilter_what_it_finds_alone():
    choice = Random(5)
    rules = {place: used.pattern for place, used in patterns().items() if ".redaction." in place}
    prefiltered = {place: pattern for place, pattern in rules.items() if beginnings(pattern)}
    assert len(prefiltered) > 200
    for place, pattern in prefiltered.items():
        text = mixed_text(pattern, choice)
        found = [match.span() for match in matches(pattern, text, Lowered(text))]
        assert found == [match.span() for match in pattern.finditer(text)], place


@each(
    ("shape", "words"),
    [
        (r"(?<![a-z])(?:door|gate)s?[ ]code", {"door cod", "doors co", "gate cod", "gates co"}),
        (r"(?:my[ ])?pin", {"my pin", "pin"}),
        (r"(?=x)licen[cs]e{1,3}", {"licence", "license"}),
        (r"(?:ab){2,3}c", {"ab"}),
        (r"[a-z]+word", set()),
        (r"(?:word)?[0-9]", set()),
        (r"a|word", set()),
    ],
)
def test_the_words_with_which_matches_begin_are_read_from_the_pattern(shape, words):
    assert set(beginnings(re.compile(shape))) == words


def test_a_letter_whose_lower_case_is_two_letters_hides_nothing_behind_it():
    text = "\u0130" * 40 + " " * 1_024 + "door code 1"
    assert [match.group() for match in matches(re.compile("(?i)door code"), text, Lowered(text))] == ["door code"]


def test_every_name_of_a_secret_holds_a_telling_word():
    names = [*COMPOUND, "dbPassword_2", "user-pin", "GH_PAT", "door_code", "rootpass", "x_authtok", "appSecret"]
    for name in names:
        assert sensitivity(name) >= Sensitivity.TOKEN, name
        assert TELLING.meets(Lowered(f"| {name} |")), name


def test_a_window_in_which_nothing_is_hidden_is_looked_at_once(monkeypatch):
    looks = []
    find = Redactor._find_in_piece
    monkeypatch.setattr(
        Redactor, "_find_in_piece", lambda self, text, **more: looks.append(len(text)) or find(self, text, **more)
    )
    lines = "".join(f"{number} birds sat on the fence near house {number * 7}\n" for number in range(4_000))
    text = "password: Tundra77wV$\n" + lines
    hidden = Redactor().redact(text)
    assert hidden == text.replace("Tundra77wV$", "[REDACTED]")
    windows = len(text) // (WINDOW * 3 // 4) + 1
    assert len(looks) <= windows + 3


def test_words_of_one_script_stay_and_words_of_two_become_latin():
    assert unmixed("пароль pаsswоrd ключ " * 3) == "пароль password ключ " * 3

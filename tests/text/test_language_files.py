"""A language is a file: how it is read, what is said of one that is broken, and that every rule means what it shows."""

import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

import nanobot_memory_plugins.core as core
from nanobot_memory_plugins.consolidation.commands.orders import Command, OrderKind, commands_in
from nanobot_memory_plugins.core.errors import ConfigurationError
from nanobot_memory_plugins.core.text import Word
from nanobot_memory_plugins.core.text.folding import fold
from nanobot_memory_plugins.core.text.languages import (
    LanguageRules,
    OrderRule,
    all_languages,
    all_shortened,
    languages_of,
)
from nanobot_memory_plugins.core.text.languages.rule_file import rules_of
from nanobot_memory_plugins.core.text.languages.rules import whole_words
from nanobot_memory_plugins.core.text.languages.spoken import files_in
from nanobot_memory_plugins.core.text.languages.tables import tables_of
from nanobot_memory_plugins.core.text.relative_dates.further import further_phrases

pytestmark = pytest.mark.leaving

DATA = Path(__file__).parents[1] / "data"
SHIPPED = [pytest.param(one, id=one.name) for one in all_languages()]
MADE_UP = """
common = ["mi", "la"]
[spellings]
"ĝ" = "(?:ĝ|gx)"
[parts]
that = "ke "
[weekdays]
vendredo = 4
[[negation]]
pattern = "ne"
example = "Mi ne manĝas viandon."
counter_example = "La nepo dormas."
[[orders.remember]]
pattern = "memoru, {that}(?P<what>mi .+)"
example = "Memoru, ke mi manĝas rizon."
keeps = "mi manĝas rizon"
counter_example = "Memoru, ke la pano mankas."
[[dates]]
pattern = "lastan (?P<weekday>vendredon?)"
means = "last_weekday"
example = "Mi lastan vendredo dormis"
counter_example = "Mi dormis"
"""


def written(folder: Path, text: str = MADE_UP, name: str = "esperanto") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, "utf-8")
    return path


def wrong_rules(language: LanguageRules) -> list[str]:
    """Return the examples that a language's rules do not decide, and the counter-examples that they do."""
    wrong = _plain_rules(language)
    wrong += [one for rule in (*language.remember, *language.forget) for one in _wrong_order(rule)]
    for date_rule in language.dates:
        example, counter = (fold(one) for one in date_rule.word[1:])
        if date_rule.pattern.search(example) is None or (date_rule.unless and date_rule.unless.search(example)):
            wrong.append(date_rule.word.example)
        if date_rule.pattern.search(counter) and not (date_rule.unless and date_rule.unless.search(counter)):
            wrong.append(date_rule.word.counter_example)
    every = [*_words(language), *(one.word for one in (*language.remember, *language.forget, *language.dates))]
    return wrong + [
        f"{one.example}: no common word" for one in every if language.common.isdisjoint(fold(one.example).split())
    ]


def _words(language: LanguageRules) -> list[Word]:
    return [
        *language.small_talk,
        *language.negation,
        *language.negates_nothing,
        *language.heavy,
        *language.light,
    ]


def _plain_rules(language: LanguageRules) -> list[str]:
    wrong = []
    for one in _words(language):
        pattern = whole_words(one.pattern)
        wrong += [one.example] if pattern.search(fold(one.example)) is None else []
        wrong += [one.counter_example] if pattern.search(fold(one.counter_example)) else []
    for rule in (*language.no_order, *language.work):
        pattern = whole_words(rule.pattern)
        wrong += [rule.example] if pattern.fullmatch(fold(rule.example)) is None else []
        wrong += [rule.counter_example] if pattern.fullmatch(fold(rule.counter_example)) else []
    for rule in language.turns_away:
        pattern = whole_words(rule.pattern)
        wrong += [rule.example] if pattern.match(fold(rule.example)) is None else []
        wrong += [rule.counter_example] if pattern.match(fold(rule.counter_example)) else []
    return wrong


def _wrong_order(rule: OrderRule) -> list[str]:
    said, not_said = (fold(one).rstrip(".!?") for one in rule.word[1:])
    wrong = [] if rule.pattern.fullmatch(said) else [rule.word.example]
    return wrong + ([rule.word.counter_example] if rule.pattern.fullmatch(not_said) else [])


@pytest.mark.parametrize("language", SHIPPED)
def test_every_rule_of_a_language_means_what_its_examples_show(language: LanguageRules):
    assert wrong_rules(language) == []


@pytest.mark.parametrize("language", SHIPPED)
def test_every_order_of_a_language_keeps_what_its_example_says(language: LanguageRules):
    for rules, kind in ((language.remember, OrderKind.REMEMBER), (language.forget, OrderKind.FORGET)):
        for rule in rules:
            assert commands_in(rule.word.example) == [Command(kind, rule.keeps)]
            assert commands_in(rule.word.counter_example) == []


@pytest.mark.parametrize("language", SHIPPED)
def test_hardly_any_english_or_chinese_is_taken_for_the_language(language: LanguageRules):
    lines = [
        part
        for name in ("orders.tsv", "clause_acts.tsv", "period_questions.tsv")
        for line in (DATA / name).read_text("utf-8").splitlines()
        for part in line.split("\t")
        if len(part) > 20
    ]
    taken = [line for line in lines if language in languages_of(line)]
    assert len(taken) <= len(lines) // 50


def test_every_file_that_is_shipped_can_be_used():
    assert all(one.rules is not None for one in files_in())


def test_a_made_up_language_is_read_from_its_file(tmp_path: Path):
    language = rules_of(path := written(tmp_path), tables_of(path))
    assert wrong_rules(language) == []
    assert (language.name, language.weekdays) == ("esperanto", {"vendredo": 4})
    assert [one.name for one in languages_of("Mi manĝas.", tmp_path)] == ["esperanto"]
    assert languages_of("I eat.", tmp_path) == ()


def test_what_a_file_has_no_rules_for_is_told_nowhere(tmp_path: Path):
    language = rules_of(path := written(tmp_path), tables_of(path))
    assert [found["denies"] for found in language.negations.finditer("mi ne manĝas")] == ["ne"]
    for pattern in (language.small_talk_words, language.asks_for_memory, language.may_need_memory):
        assert pattern.search("mi ne manĝas") is None
    for pattern in (language.is_no_order, language.is_about_work, language.begins_something_else):
        assert pattern.match("") is None
        assert pattern.match("mi ne manĝas") is None


def test_every_file_is_in_the_wheel():
    distribution = Path(core.__file__).parent
    included = tomllib.loads((distribution / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["include"]
    for path in (distribution / "text" / "languages").glob("*.toml"):
        assert any(path.relative_to(distribution).match(pattern) for pattern in included)


def test_a_rule_whose_example_it_does_not_decide_is_told(tmp_path: Path):
    path = written(tmp_path, MADE_UP.replace('"Mi ne manĝas viandon."', '"Mi manĝas viandon."'))
    assert wrong_rules(rules_of(path, tables_of(path))) == ["Mi manĝas viandon."]


@pytest.mark.parametrize(
    ("right", "broken", "said"),
    [
        ('pattern = "ne"', 'pattern = "ne("', "negation.1.pattern: it is no regular expression"),
        ('pattern = "ne"', 'patern = "ne"', "negation.1.pattern: Field required"),
        ("{that}", "{than}", "orders.remember.1.pattern: there is no part {than} in [parts]"),
        ('"last_weekday"', '"lastweekday"', "dates.1.means: Input should be"),
        ("?P<weekday>", "?P<day>", "dates.1.pattern: what means 'last_weekday' needs a group (?P<weekday>...)"),
        ("vendredo = 4", "vendredo = 7", "weekdays.vendredo: Input should be less than or equal to 6"),
        ('that = "ke "', 'that = "{that}ke "', "orders.remember.1.pattern: the part {that} stands in itself"),
        ('pattern = "ne"', 'pattern = "n(?P<denies>e)"', "negation: its patterns do not go together"),
        ("[spellings]", "[spelling]", "spelling: Extra inputs are not permitted"),
        ('common = ["mi", "la"]', 'common = "mi"', "common: it is no list of words"),
        ('common = ["mi", "la"]', "common = [", "esperanto.toml: "),
    ],
)
def test_a_broken_file_says_where_it_is_broken(tmp_path: Path, right: str, broken: str, said: str):
    path = written(tmp_path, MADE_UP.replace(right, broken))
    with pytest.raises(ConfigurationError, match=r"esperanto\.toml") as raised:
        rules_of(path, tables_of(path))
    assert said in str(raised.value)
    assert "CONTRIBUTING.md" in raised.value.hint


@pytest.mark.parametrize("broken", [MADE_UP.replace('"ne"', '"ne("'), "common = ["])
def test_a_broken_file_costs_its_own_language_alone(tmp_path: Path, broken: str):
    written(tmp_path)
    written(tmp_path, broken, "broken")
    assert [one.name for one in languages_of("Mi manĝas.", tmp_path)] == ["esperanto"]
    assert [one.name for one in all_languages(tmp_path)] == ["esperanto"]


def test_no_file_is_read_when_the_rooms_are_imported():
    source = (
        "import sys; import nanobot_memory_plugins.core.text.negation, nanobot_memory_plugins.core.text.pleasantries,"
        " nanobot_memory_plugins.core.text.relative_dates, nanobot_memory_plugins.core.text.sentences\n"
        "from nanobot_memory_plugins.core.text.languages.spoken import files_in\n"
        "assert files_in.cache_info().currsize == 0\n"
        "assert 'nanobot_memory_plugins.core.text.languages.rule_file' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", source], check=True, timeout=60)


def test_a_text_in_english_reads_no_date_of_another_language():
    assert further_phrases("i moved last friday", date(2026, 1, 2)) == []


def test_a_list_of_short_words_that_is_none_costs_nothing(tmp_path: Path):
    (tmp_path / "odd.toml").write_text('common = ["och"]\nabbreviations = "tfn"\n', encoding="utf-8")
    (tmp_path / "other.toml").write_text('common = ["oder"]\nabbreviations = ["bzw", 5]\n', encoding="utf-8")
    assert all_shortened(tmp_path) == {"bzw"}

"""What the parts of a message do: some hundred messages of people, in both scripts."""

import re
from itertools import groupby
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.text import hearsay, questions, requests
from nanobot_memory_plugins.core.text.acts import Act, clauses_of
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.core.text.words import Word
from tests.support.chinese import in_both_scripts, turned
from tests.support.each import each

pytestmark = pytest.mark.leaving

LETTERS = {
    "s": Act.STATES,
    "a": Act.ASKS,
    "r": Act.REQUESTS,
    "p": Act.REPORTS,
    "g": Act.GUESSES,
    "h": Act.SUPPOSES,
    "i": Act.IMAGINES,
}
ROWS = [
    line.replace("\\n", "\n")
    for line in (Path(__file__).parents[1] / "data" / "clause_acts.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
WORDS = [
    *((word, re.match) for words in (questions.OPENING, requests.OPENING, hearsay.CONDITIONS) for word in words),
    *((word, re.fullmatch) for words in (questions.TAGS, requests.TAGS) for word in words),
    *(
        (word, re.search)
        for words in (
            questions.ANYWHERE,
            questions.CLOSING,
            questions.NOT_ASKING,
            questions.HESITATIONS,
            requests.ANYWHERE,
            hearsay.REPORTS,
            hearsay.GUESSES,
            hearsay.SUPPOSES,
        )
        for word in words
    ),
]


def parts_of(row: str) -> list[tuple[Act, str]]:
    """Return what a row says that the parts of its message do."""
    return [(LETTERS[part.lstrip()[0]], part.lstrip()[2:]) for part in row.split("/ ")]


def told(parts: list[tuple[Act, str]]) -> list[tuple[Act, str]]:
    """Return parts with neighbours that do the same as one, without spaces and marks."""
    return [
        (act, re.sub(r"[\W_]+|\b\d$", "", "".join(text for _, text in group)))
        for act, group in groupby(parts, key=lambda part: part[0])
    ]


@each("row", in_both_scripts(ROWS))
def test_each_part_of_a_message_does_what_a_person_says_it_does(row: str):
    parts = parts_of(row)
    text = "".join(text for _, text in parts)
    assert told([(one.act, one.text) for sentence in sentences_of(text) for one in clauses_of(sentence)]) == told(parts)


@each(("word", "finds"), WORDS)
def test_each_word_counts_in_its_example_and_not_in_its_counter_example(word: Word, finds):
    for example, counter_example in (word[1:], turned(tuple(word[1:]))):
        assert finds(word.pattern, fold(example))
        assert not finds(word.pattern, fold(counter_example))


@pytest.mark.parametrize(
    ("sentence", "denying"),
    [
        ("I do not drink, what goes with fish?", [True, False]),
        ("I can't swim but I love the sea.", [True, False]),
        ("我不吃猪肉，去德国能吃什么？", [True, False]),
        ("我没有车，我骑车上班。", [True, False]),
    ],
)
def test_a_clause_denies_for_itself(sentence: str, denying: list[bool]):
    assert [clause.denies for clause in clauses_of(sentence)] == denying


@each("row", in_both_scripts(ROWS[::7]))
def test_clauses_are_all_of_their_sentence(row: str):
    for sentence in sentences_of("".join(text for _, text in parts_of(row))):
        assert "".join("".join(one.text for one in clauses_of(sentence)).split()) == "".join(sentence.split())

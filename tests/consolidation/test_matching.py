"""Which known entry says what a text says: measured on pairs, and case by case."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.matcher import Matcher, closest, says_the_same
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService
from nanobot_memory_plugins.storage.options import StorageOptions
from tests.support.each import each

from .made_entries import entry

DATA = Path(__file__).parents[1] / "data"
PAIRS = [
    line.split("\t")
    for name in ("pairs_of_entries.tsv", "more_pairs_of_entries.tsv")
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]
Encode = Callable[[Sequence[str]], Awaitable[list[list[float]] | None]]


@pytest.fixture(scope="module")
def encode(builtin_model: Path) -> Encode:
    """The real model, loaded once."""
    access = EmbeddingService(StorageOptions().embedding_options())
    assert access.wait(300).model
    embedder = access.embedder
    assert embedder is not None

    async def run(texts: Sequence[str]) -> list[list[float]] | None:
        return embedder.encode(list(texts))

    return run


def entries(*texts: str):
    return {f"e{number}": entry(f"e{number}", text) for number, text in enumerate(texts)}


async def judged(matcher: Matcher) -> tuple[float, float]:
    """Return precision and recall over the pairs, each taken both ways round."""
    right = wrong = missed = 0
    for label, one, other in PAIRS:
        for text, known in ((one, other), (other, one)):
            (match,) = await matcher.same([text], entries(known))
            right += bool(match) and label == "same"
            wrong += bool(match) and label == "different"
            missed += not match and label == "same"
    return right / (right + wrong), right / (right + missed)


async def test_by_words_alone_nothing_different_matches_and_most_that_is_the_same_does():
    precision, recall = await judged(Matcher())
    assert precision == 1.0
    assert recall >= 0.9


@pytest.mark.accept("EB-18")
async def test_with_vectors_nothing_different_matches_and_most_that_is_the_same_does(encode: Encode):
    precision, recall = await judged(Matcher(encode))
    assert precision == 1.0
    assert recall >= 0.92


@pytest.mark.accept("EB-18")
async def test_vectors_decide_where_words_leave_it_open(encode: Encode):
    known = entries("The user's email client is Thunderbird", "The user likes tea")
    more = "The user's email client at home is Thunderbird on a Linux PC"
    assert await Matcher().same([more], known) == [None]

    async def near(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    (match,) = await Matcher(near).same([more], known)
    assert match == "e0"
    (match,) = await Matcher(encode).same(["The email client of the user: Thunderbird"], known)
    assert match == "e0"

    async def far(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "client" in text else [0.6, 0.8] for text in texts]

    same_words = "Thunderbird: the user's email"
    assert await Matcher().same([same_words], known) != [None]
    assert await Matcher(far).same([same_words], known) == [None]


async def test_by_id_and_by_the_same_words():
    known = entries("用户喜欢喝茶", "Uses Python 3.12")
    matcher = Matcher()
    found = await matcher.same(["用户喜欢 喝茶！", "ｕｓｅｓ python　3.12", "", "?!"], known)
    assert found == ["e0", "e1", None, None]
    assert closest("[e1]", known) == [("e1", 1.0)]


def test_the_closest_are_plausible_and_in_order():
    known = entries("The user has a dog called Rex", "The user likes green tea", "The user likes black tea")
    assert [id_ for id_, _ in closest("my dog", known)] == ["e0"]
    assert [id_ for id_, _ in closest("green tea", known)] == ["e1", "e2"]
    assert len(closest("tea", known, most=1)) == 1
    assert closest("", known) == []


async def test_a_model_that_fails_does_no_harm():
    answers: list[object] = [OSError("gone"), None, [[1.0, 0.0]]]

    async def encode(texts: Sequence[str]) -> list[list[float]] | None:
        answer = answers.pop(0) if answers else [[1.0, 0.0, 0.0] for _ in texts]
        if isinstance(answer, OSError):
            raise answer
        return answer

    matcher = Matcher(encode)
    for _ in range(4):
        assert await matcher.same(["prefers dark mode"], entries("likes the dark mode")) == ["e0"]
    assert answers == []


@each(("cosine", "same"), [(None, True), (0.6499, False), (0.65, True), (0.8499, True), (0.85, True)])
def test_three_fifths_of_the_words_say_the_same_from_a_cosine_on(cosine: float | None, same: bool):
    shared = says_the_same("The user keeps three hens", "The user keeps three hens behind the shed", cosine)
    assert (shared > 0) is same


@pytest.mark.parametrize(("cosine", "same"), [(None, False), (0.8499, False), (0.85, True)])
def test_half_of_the_words_say_the_same_only_where_vectors_are_sure(cosine: float | None, same: bool):
    shared = says_the_same("The user keeps three hens", "The user keeps three hens behind the garden shed", cosine)
    assert (shared > 0) is same

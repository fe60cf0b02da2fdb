"""A test of rows names each row that fails, and takes the fixtures of its test."""

import inspect

import pytest

from tests.support.each import FailedRowsError, each


def test_every_row_that_fails_is_named_and_no_other():
    @each(("text", "size"), [("a", 1), ("bc", 3), pytest.param("d", 1, id="d"), ("", 1)])
    def measured(text: str, size: int) -> None:
        assert len(text) == size

    with pytest.raises(FailedRowsError) as failed:
        measured()
    said = str(failed.value)
    assert said.startswith("2 of 4 rows failed")
    assert "text='bc', size=3" in said
    assert "text='', size=1" in said
    assert "text='a'" not in said
    assert "2 == 3" in said


@pytest.fixture
def limit() -> int:
    return 3


def test_rows_of_rows_are_all_combined_and_a_fixture_is_given(limit: int):
    seen = []

    @each("more", range(3))
    @each("number", range(3))
    def combined(number: int, more: int, limit: int) -> None:
        seen.append((number, more, limit))

    combined(limit=limit)
    assert len(set(seen)) == len(seen) == limit**2
    assert list(inspect.signature(combined).parameters) == ["limit"]


@each("number", [1, 2])
def test_it_is_a_test_that_takes_fixtures(number: int, limit: int):
    assert number < limit


def test_no_row_at_all_is_a_mistake():
    with pytest.raises(AssertionError, match="no row"):
        each("text", [])

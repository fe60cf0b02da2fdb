"""Times in labelled data, in many formats."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.tools.evaluation.dataset import moment
from tests.support.each import each

EAST = timezone(timedelta(hours=8))


@each(
    ("value", "expected"),
    [
        ("2023-05-08T13:56:00", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("2023-05-08T13:56:00Z", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        (" 2023-05-08T13:56:00+08:00 ", datetime(2023, 5, 8, 13, 56, tzinfo=EAST)),
        ("2023-05-08", datetime(2023, 5, 8, tzinfo=UTC)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21, tzinfo=UTC)),
        ("2023.5.8 1:56:07 pm", datetime(2023, 5, 8, 13, 56, 7, tzinfo=UTC)),
        ("2023-5-8 12:05 a.m.", datetime(2023, 5, 8, 0, 5, tzinfo=UTC)),
        ("2023年5月8日 13:56", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        (1683554160, datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
    ],
)
def test_a_time_is_read_whatever_its_form(value, expected):
    found = moment(value)
    assert found == expected
    assert found.utcoffset() == expected.utcoffset()


@given(st.one_of(st.text(), st.floats(), st.integers(), st.from_regex(r"\d{4}[-/]\d{1,2}[-/]\d{1,2} \d{1,3}:\d\d pm")))
def test_no_value_raises_and_every_time_has_a_zone(value):
    found = moment(value)
    assert found is None or found.tzinfo is not None

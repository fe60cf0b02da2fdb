"""What the tests of faults share."""

from collections.abc import Iterator

import pytest

from tests.faults.processes import Writers


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    """The process that forks writers; importing everything once is what makes a round short."""
    with Writers() as started:
        yield started

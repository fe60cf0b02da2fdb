"""A workspace that exists before the first command."""

import pytest

from tests.behaviour.kit.life import Life


@pytest.fixture(autouse=True)
def workspace(life: Life) -> None:
    life.memory.mkdir(parents=True)

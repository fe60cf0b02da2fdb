"""The typical questions, asked once for all tests."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.typical.asking import Outcomes, ask_all
from tests.typical.memory import TIME_ZONE, write_workspace

BY_WORDS = {"storage": {"embedding_provider": "none"}}


@pytest.fixture(scope="session")
def at_home() -> Iterator[None]:
    """The machine's clock shows the time of the person whose memory it is."""
    if not hasattr(time, "tzset"):
        yield
        return
    before = os.environ.get("TZ")
    os.environ["TZ"] = TIME_ZONE
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture(scope="session")
def typical_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_workspace(tmp_path_factory.mktemp("typical") / "workspace")


@pytest.fixture(scope="module", params=["words", "words and meaning"])
def outcomes(request: pytest.FixtureRequest, typical_workspace: Path, at_home: None) -> Outcomes:
    """What the questions bring by words alone, and with the built-in model."""
    if request.param == "words":
        return ask_all(typical_workspace, BY_WORDS)
    request.getfixturevalue("builtin_model")
    return ask_all(typical_workspace, {})

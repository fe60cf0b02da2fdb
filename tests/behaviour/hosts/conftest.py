"""nanobot-ai as it is installed, over the workspace of a life."""

import pytest

from tests.behaviour.kit.life import PLUGINS, Life
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.nanobot import Nanobot, be_user_of


@pytest.fixture
def nanobot(life: Life, model: ReadingModel, monkeypatch: pytest.MonkeyPatch) -> Nanobot:
    """A stock nanobot with the whole set."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", f"{PLUGINS},nanobot")
    installed = Nanobot(life, model)
    be_user_of(installed.home, monkeypatch)
    installed.configure()
    return installed

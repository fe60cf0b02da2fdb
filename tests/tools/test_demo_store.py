"""``nanobot-memory demo --store postgres``: two machines share one memory, and the demonstration can fail."""

import pytest

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.tools.demo.two_machines import STAGES
from nanobot_memory_plugins.tools.postgres_server.server import find_binaries
from tests.tools.test_demo import run_demo

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def _server() -> None:
    try:
        find_binaries()
    except StoreError as error:
        pytest.skip(f"no PostgreSQL server for this platform: {error.cause}")


def test_told_on_one_machine_known_on_the_other_and_forgotten_on_both(tmp_path, builtin_model):
    code, answer, shown = run_demo(tmp_path, "--store", "postgres")
    assert answer["stages"] == dict.fromkeys(STAGES, True), shown
    assert answer["ok"] is True
    assert code == 0
    assert list(tmp_path.glob("nanobot-memory-*")) == []

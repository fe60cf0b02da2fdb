"""The test kit: samples for every hook, the store contract, and the example's own test."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import (
    Store,
)
from nanobot_memory_plugins.core.host.discovery import accepted_types
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.testing import StoreContract
from nanobot_memory_plugins.core.testing.plugins import SAMPLES
from tests.docs.test_entry_points import ANSWERS, HOOKS
from tests.support.each import each
from tests.support.third_party import EXAMPLES, install_example


@each("hook", HOOKS)
def test_every_hook_has_samples_and_the_types_of_its_answers(hook: str):
    names = {name for name in HOOKS[hook].__code__.co_varnames if name != "context"}
    assert names <= SAMPLES.keys()
    assert set(accepted_types(HOOKS[hook])) == set(ANSWERS[hook][1])


class TestShelfStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _shelf(self, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = tmp_path_factory.mktemp("shelf")
        install_example(self.folder, monkeypatch, "shelf_store")

    async def open(self, workspace: Path) -> Store:
        import shelf_store

        return await asyncio.to_thread(shelf_store.ShelfStore, workspace, self.folder / "shelf.db", redact_text)


@pytest.mark.slow
def test_the_examples_own_test_passes(tmp_path: Path):
    folder = EXAMPLES / "deadline_plugin"
    for file in folder.glob("*.py"):
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "1 passed" in said.stdout

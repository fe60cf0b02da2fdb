"""A search while the indexer fails."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.cli import open_store
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.storage.database import Database


def test_no_search_waits_for_a_failed_indexer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-16.md").write_text("The tea grows on the southern slope.\n", encoding="utf-8")

    def fail(*_: object) -> None:
        raise StoreError("There is no space left for the index.")

    monkeypatch.setattr(Database, "apply", fail)
    monkeypatch.setattr(open_store, "_SETTLE_SECONDS", 100_000.0)
    assert run_command_line(["search", "tea", "--no-embeddings", "--json", "-w", str(tmp_path)]) == 0
    out = capsys.readouterr()
    assert "southern slope" in json.loads(out.out.splitlines()[-1])["hits"][0]["snippet"]
    assert out.err.count("no space left") == 1

"""A memory that is queried, managed and debugged by the command line alone."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.support.files_of import holders_of
from tests.support.indexed_workspace import message

SAID = [
    "For billing we chose PostgreSQL as the database.",
    "The staging database listens on port 5433.",
    "The cat is called Mochi.",
]


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    sessions = tmp_path / "ws" / "memory" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "direct.jsonl").write_bytes(b"".join(message(text, f"m{n}") for n, text in enumerate(SAID)))
    options = tmp_path / "options.json"
    options.write_text('{"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "nanobot": false}}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(options))
    monkeypatch.setenv("NANOBOT_MEMORY_WORKSPACE", str(tmp_path / "ws"))

    def run(*arguments: str, status: int = 0) -> dict:
        assert run_command_line([*arguments, "--json"]) == status
        (line,) = capsys.readouterr().out.splitlines()
        return json.loads(line)

    return run


@pytest.mark.accept("NC-11")
def test_the_memory_is_queried_managed_and_debugged(memory, tmp_path: Path):
    # Query: what is there, and where.
    found = memory("search", "which port has staging")["hits"][0]
    assert "5433" in found["snippet"]
    assert (found["file"], found["line"]) == ("memory/sessions/direct.jsonl", 2)

    # Manage: remember, look, put into a group, forget, bring back, undo.
    tea = memory("entries", "remember", "The user likes oolong tea", "--group", "food")["entry"]["id"]
    again = memory("entries", "remember", "The user loves oolong tea")["entry"]["id"]
    assert {one["id"] for one in memory("entries", "list")["entries"]} == {tea, again}
    assert [one["id"] for one in memory("entries", "list", "--group", "food")["entries"]] == [tea]
    audited = memory("audit")
    (fault,) = audited["faults"]
    assert (fault["kind"], set(fault["ids"])) == ("near-duplicate", {tea, again})
    gone = fault["ids"][0]
    assert fault["mend"] == f"nanobot-memory entries forget {gone}"
    memory("entries", "forget", gone)
    assert memory("audit")["faults"] == []
    assert memory("entries", "show", gone)["gone"]
    memory("entries", "restore", gone)
    memory("entries", "undo")
    assert {one["id"] for one in memory("entries", "list")["entries"]} == {tea, again} - {gone}
    memory("purge", gone, "--yes")
    assert holders_of(tmp_path / "ws", fault["contents"][0]) == []

    # Debug: why something is recalled, what is wrong, what it costs.
    why = memory("why", "Do you remember the port of the staging database?")
    assert why["tier"]["chosen"] == "heavy"
    injected = [one["text"] for one in why["candidates"] if one["fate"].startswith("injected")]
    assert SAID[1] in injected
    health = {one["subject"]: one for one in memory("doctor")["findings"]}
    assert health["recall"]["state"] == "ready"
    assert all(one["mend"] for one in health.values() if one["health"] != "good")
    assert memory("cost")["total"]["uses"] == 0
    assert {one["name"] for one in memory("plugins")["plugins"]} >= {"storage", "recall", "consolidation"}

    # Wrong use and what is not there are told as such.
    assert memory("entries", "show", "nothing", status=1)["mend"]

"""`nanobot-memory audit` looks through what was imported, too."""

import json
from pathlib import Path

from nanobot_memory_plugins.core.cli.main import run_command_line

NOTES = """# Tea

The northern slope grows the best oolong, says Mei.

# Log

[2026-02-16 14:20:33.120] 200 0.034 /v1/x 17:33 #### 0x7f

# Old laptop

The password is hunter2hunter2.

# Tea again

The northern slope grows the best oolong, says Mei.
"""


def told(workspace: Path, capsys, *more: str) -> dict:
    code = run_command_line(["audit", "-w", str(workspace), "--no-embeddings", "--json", *more])
    assert code == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_imported_notes_are_judged_named_by_file_and_line_and_gone_when_taken_back(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    vault, workspace = tmp_path / "vault", tmp_path / "ws"
    vault.mkdir()
    (workspace / "memory").mkdir(parents=True)
    (vault / "2026-02-16 notes.md").write_text(NOTES, encoding="utf-8")
    assert run_command_line(["import", str(vault), "-w", str(workspace)]) == 0
    # A note of the agent's own is no imported one.
    day = workspace / "memory" / "2026-02-16.md"
    own = "### 2026-02-16 18:00\ntype: note\ntl;dr: NO_REPLY\nid: 0123456789abcdef\n\n"
    day.write_text(day.read_text(encoding="utf-8") + own, encoding="utf-8")
    capsys.readouterr()
    found = told(workspace, capsys)["imported"]
    assert found["notes"] == 4
    assert [fault["kind"] for fault in found["faults"]] == ["junk", "hidden", "near-duplicate"]
    assert found["rates"] == {"junk": 0.25, "hidden": 0.25, "near-duplicate": 0.25}
    lines = day.read_text(encoding="utf-8").splitlines()
    for fault in found["faults"]:
        assert fault["file"] == "memory/2026-02-16.md"
        assert lines[fault["line"] - 1].startswith("### ")
    assert [fault["kind"] for fault in told(workspace, capsys, "--kind", "junk")["imported"]["faults"]] == ["junk"]
    assert run_command_line(["audit", "-w", str(workspace), "--no-embeddings"]) == 0
    assert "4 imported notes: junk 25%, hidden 25%, near-duplicate 25%." in capsys.readouterr().out
    assert run_command_line(["import", "--undo", "-w", str(workspace)]) == 0
    capsys.readouterr()
    assert told(workspace, capsys)["imported"]["notes"] == 0

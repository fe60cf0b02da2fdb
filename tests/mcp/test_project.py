"""Which project a client without hooks works in: that of the folder in which it started the server, or a named one."""

import re
from pathlib import Path

import pytest

FACT = "The staging database listens on port 5433"


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text('[remote "origin"]\n\turl = https://git.example/ana/pumps.git\n')
    return folder


@pytest.mark.parametrize(
    ("arguments", "inside", "named", "kept"),
    [
        ([], True, False, "ana/pumps"),
        ([], False, True, "ana/pumps"),
        ([], False, False, ""),
        (["--project", "ana/valves"], True, False, "ana/valves"),
        (["--project", ""], True, True, ""),
    ],
    ids=["folder", "variable", "none", "named", "empty"],
)
async def test_what_is_remembered_is_of_the_project_that_is_worked_in(
    served, tmp_path, monkeypatch, arguments, inside, named, kept
):
    folder = repository(tmp_path / "pumps")
    monkeypatch.chdir(folder if inside else tmp_path)
    async with served.client(*arguments, CLAUDE_PROJECT_DIR=str(folder) if named else "") as client:
        await client.text("remember", text=FACT)
    entries = (served.workspace / "memory" / "ENTRIES.md").read_text(encoding="utf-8")
    assert FACT in entries
    assert re.findall(r"project: ([^ ;]+)", entries) == ([kept] if kept else [])

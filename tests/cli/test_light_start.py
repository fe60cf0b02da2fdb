"""Commands import only what they need, so that help and lists start fast."""

import json
import subprocess
import sys
from pathlib import Path

import typer.main

from nanobot_memory_plugins.core.cli.command_group import CommandGroup, help_summary
from nanobot_memory_plugins.core.cli.main import app, run_command_line

OURS = "nanobot_memory_plugins."
PLUGINS = {f"{OURS}{name}.plugin" for name in ("bootstrap", "bridge", "compaction", "consolidation", "flush")}
# Modules that each of the test's commands must not import; each command may import more than the ones before it.
BEYOND_WHY = PLUGINS | {"fastembed", "onnxruntime", "nanobot", "tenacity", "rich.console"}
BEYOND_WHY |= {f"{OURS}{name}" for name in ("core.host.memory_host", "storage.embedding.local_provider")}
BEYOND_SEARCH = BEYOND_WHY | {"loguru", f"{OURS}redaction.engine.redactor"}
BEYOND_LIST = BEYOND_SEARCH | {"numpy", "Stemmer", "pluggy", "asyncio", "filelock", f"{OURS}core.config.models"}
BEYOND_LIST |= {f"{OURS}{name}" for name in ("core.erasure.matching", "consolidation.operations.remember")}
BEYOND_HELP = BEYOND_LIST | {"apsw", "pydantic.main", "rich.table", f"{OURS}core.values"}

# All commands run in one process, so that the imports of one remain for the next.
SCRIPT = """
import contextlib, io, json, sys
from nanobot_memory_plugins.core.cli.main import run_command_line
for arguments, beyond in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run_command_line(arguments)
    commands = [name for name in sys.modules if name.endswith("_command")]
    print(json.dumps([code, sorted(set(beyond) & set(sys.modules)), commands, out.getvalue()]))
"""


def test_each_command_imports_only_what_it_needs(tmp_path: Path, monkeypatch):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-16.md").write_text("The tea grows on the northern slope.\n", encoding="utf-8")
    asked = ["where does the tea grow?", "--no-embeddings"]
    steps = [
        (["--version"], BEYOND_HELP),
        (["--help"], BEYOND_HELP),
        (["entries", "list"], BEYOND_LIST),
        (["search", *asked], BEYOND_SEARCH),
        (["why", *asked], BEYOND_WHY),
    ]

    def run(*chosen: tuple[list[str], set[str]]) -> list[tuple[int, list[str], list[str], str]]:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps([(arguments, sorted(beyond)) for arguments, beyond in chosen]),
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    monkeypatch.setenv("NANOBOT_MEMORY_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run_command_line(["search", *asked]) == 0  # so that the file is indexed and redacted already
    version, help_, listed, searched, why = run(*steps)
    for code, found, _, _ in (version, help_, listed, searched, why):
        assert (code, found) == (0, [])
    assert help_[2] == []
    assert [name.rpartition(".")[2] for name in listed[2]] == ["entries_command"]
    assert "Scored memories" not in version[3]
    assert "The scored memories: list" in help_[3]
    assert "northern slope" in searched[3]
    assert "northern slope" in why[3]


def test_the_list_of_commands_has_the_help_of_each_command():
    group = typer.main.get_command(app)
    assert isinstance(group, CommandGroup)
    context = typer.Context(group)
    summaries = {name: help_summary(point) for name, point in group.entry_points.items()}
    said = {name: group.resolve_command(context, [name])[1].help.partition("\n\n")[0] for name in summaries}
    assert summaries == {name: " ".join(text.split()) for name, text in said.items()}

"""Every command over a workspace of hostile texts: nothing of them steers the terminal, hides, or forges a line."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_any_terminal import RUNNER, WORKSPACE_LESS, all_commands
from tests.support.hostile_workspace import (
    HOSTILE,
    SEQUENCES,
    forged_lines,
    found_in,
    hostile,
    hostile_configuration,
    make_hostile_workspace,
    walk_strings,
)

# Those that read the configuration, which also says that no model is to be waited for.
CONFIGURED = ("search", "timeline", "why", "doctor", "plugins", "index", "audit", "purge", "scrub")
ARGUMENTS = {
    "why": ["do you remember the zebra price?", "--recent", HOSTILE, "--no-embeddings"],
    "search": ["zebra", "--limit", "100", "--no-embeddings"],
    "timeline": ["--all"],
    "audit": ["--no-embeddings"],
    "entries show": ["zebra1"],
    "entries remember": [hostile("remembered")],
    "entries forget": ["zebra1"],
    "entries restore": ["zebra2"],
    "entries group": ["zebra1", "--to", hostile("group")],
    "purge": ["--text", "zebra", "--dry-run"],
    "scrub": ["--dry-run"],
    "consolidate": ["--dry-run"],
    "eval": [hostile("dataset"), "--run", "out.jsonl"],
    "models pull": [hostile("model")],
    "models path": [hostile("model")],
    "bench": ["--size", "0"],
    "init": ["--no-model"],
    "config get": ["core.share"],
    "config explain": ["core"],
}
WRONG = [
    [hostile("command")],
    [f"--{hostile('option')}"],
    ["search", "--limit", hostile("number"), "x"],
    ["entries", hostile("command")],
    ["config", "get", hostile("key")],
    ["entries", "show", hostile("id")],
    ["purge", hostile("id"), "--yes"],
    ["search", "x", "--config", hostile("config")],
    ["search", "x", "--workspace", "/nowhere/\x1b[8m\u202e"],
    ["--verbose", "entries", "show", hostile("id")],
]
# What of the workspace has to be seen, so that nothing to be found means something.
SEEN = (
    "of-Entry-content", "of-Entry-category", "of-Entry-group", "of-Entry-source_session", "of-Scope-user", "of-who",
    "of-why", "of-Note-tldr", "of-heading", "of-TranscriptRecord-text", "of-raw-text", "of-Usage-purpose",
    "of-Usage-plugin", "of-key", "of-plugin", "of-command", "of-option", "of-id", "of-model",
)  # fmt: skip


# Neither shows anything of a workspace, and both are slow to start.
LEFT_OUT = ("bench", "models list")
COLOURS = re.compile(r"\x1b\[(?!8m|[0-9;]*;8(?:;|m))[0-9;]*m")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    source = tmp_path / "notes \x1b[8m\u202e"
    source.mkdir()
    (source / "n \x1b[8m.md").write_text(f"# {hostile('import')}\n\n{hostile('imported')}\n", encoding="utf-8")
    return tmp_path


def calls_over(place: Path, workspace: Path) -> list[list[str]]:
    """Return every command as it is called here, each as text and as JSON, and the wrong ones."""
    config = hostile_configuration(place)
    given = {
        **ARGUMENTS,
        "import": [str(next(place.glob("notes*")))],
        "export": ["--to", str(place / "out \x1b[8m.zip")],
    }
    calls = []
    for command in all_commands():
        if command in LEFT_OUT:
            continue
        call = [*command.split(), *given.get(command, [])]
        call += [] if command.split()[0] in WORKSPACE_LESS else ["--workspace", str(workspace)]
        call += ["--config", str(config)] if command in CONFIGURED else []
        calls += [call, [*call, "--json"]]
    return calls + WRONG


def environment(place: Path, **more: str) -> dict[str, str]:
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("NO_COLOR", "LC_", "LANG"))}
    own = {
        "HOME": str(place),
        "NANOBOT_MEMORY_PLUGINS": "storage,recall,consolidation",
        "NANOBOT_MEMORY_CACHE": str(place / "cache"),
        "COLUMNS": "400",
    }
    return {**plain, **own, **more}


@pytest.mark.slow
def test_no_command_hands_on_what_steers_or_hides(place: Path):
    workspace = make_hostile_workspace(place)
    calls = calls_over(place, workspace)
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, json.dumps(calls)],
        env=environment(place),
        cwd=place,
        input=b"",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    shown = done.stdout.decode("utf-8")
    assert done.returncode == 0, shown[-2_000:]
    parts = re.split(r"^\$ .*\n", shown, flags=re.MULTILINE)[1:]
    assert len(parts) == len(calls)
    bad = {ascii(call): found for call, part in zip(calls, parts, strict=True) if (found := found_in(part))}
    assert bad == {}
    assert forged_lines(shown) == []
    assert [field for field in SEEN if field not in shown] == []
    read = [json.loads(line) for line in shown.splitlines() if line.startswith("{")]
    assert len(read) > 20
    back = "".join(text for one in read for text in walk_strings(one))
    for name in ("clipboard", "tags", "zero width", "turned"):
        assert SEQUENCES[name] in back, name  # programs get what is stored


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_on_a_terminal_search_and_why_colour_and_do_nothing_else(place: Path):
    workspace, config = make_hostile_workspace(place), hostile_configuration(place)
    where = ["--workspace", str(workspace), "--config", str(config)]
    calls = [["search", "zebra", *where], ["why", "do you remember the zebra price?", *where]]
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, json.dumps(calls)],
        env=environment(place, TERM="xterm-256color"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while more := os.read(ours, 65_536):
            drawn += more
    os.close(ours)
    assert process.wait(60) == 0
    shown = drawn.decode("utf-8").replace("\r\n", "\n")
    assert any(field in shown for field in SEEN)
    assert COLOURS.search(shown)
    assert found_in(COLOURS.sub("", shown)) == set()


def test_a_shell_is_offered_nothing_that_steers(place: Path):
    workspace = make_hostile_workspace(place)
    typed = f"nanobot-memory entries show -w '{workspace}' "
    done = subprocess.run(
        [sys.executable, "-m", "nanobot_memory_plugins.core.cli"],
        env=environment(place, _NANOBOT_MEMORY_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=typed),
        capture_output=True,
        timeout=60,
        check=False,
    )
    shown = done.stdout.decode("utf-8")
    assert "zebra1" in shown
    assert found_in(shown) == set()
    assert forged_lines(shown) == []

"""`nanobot-memory consolidate` with the model that nanobot is configured with."""

import json
from datetime import datetime

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.values import Note, Origin, Scope
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule

COFFEE = "The user drinks coffee in the morning since March"


@pytest.fixture
def call(install, capsys: pytest.CaptureFixture[str]):
    nanobot = install()
    (nanobot.workspace / "memory").mkdir()

    def run(*arguments: str, as_json: bool = True):
        more = ["--json"] if as_json else []
        assert run_command_line([*arguments, "--workspace", str(nanobot.workspace), *more]) == 0
        out = capsys.readouterr().out
        return json.loads(out.splitlines()[-1]) if as_json else out

    run.workspace = nanobot.workspace
    run.nanobot = nanobot
    return run


def note(workspace, text: str) -> None:
    now = datetime.now().astimezone()
    written = render_note(Note(tldr=text, origin=Origin.USER), id="n1", time=now, scope=Scope())
    (workspace / "memory" / f"{now.date().isoformat()}.md").write_text(written, encoding="utf-8")


def answer(server, *entries):
    text = json.dumps({"entries": list(entries)})
    server.rules.append(ReplyRule(when=lambda request: True, reply=Reply(text)))


@pytest.mark.accept("NC-06")
def test_the_command_asks_the_configured_model_shows_and_applies(call, server):
    note(call.workspace, COFFEE)
    (call.workspace / "memory" / "MEMORY.md").write_text("# Mine\n\nOffice: Paris, until 2024.\n", encoding="utf-8")
    answer(server, {"text": COFFEE})
    before = {path: path.read_bytes() for path in call.workspace.rglob("*.md")}
    tried = call("consolidate", "--dry-run")
    assert [one["content"] for one in tried["operations"]] == [COFFEE]
    assert {path: path.read_bytes() for path in call.workspace.rglob("*.md")} == before
    assert not (call.workspace / "memory" / ".entries").exists()
    done = call("consolidate")
    assert (done["ok"], done["new"], done["calls"], done["model"]) == (True, True, 1, True)
    assert [one["content"] for one in call("entries", "list")["entries"]] == [COFFEE]
    assert call("entries", "history")["runs"][0]["who"] == "consolidation"
    assert len(server.requests) == 2
    again = call("consolidate")
    assert (again["new"], again["calls"]) == (False, 0)
    assert "Nothing is new" in call("consolidate", as_json=False)
    assert len(server.requests) == 2


def test_a_model_that_cannot_be_used_is_told_with_what_helps(call, capsys: pytest.CaptureFixture[str]):
    settings = json.loads(call.nanobot.config_file.read_text(encoding="utf-8"))
    settings["agents"]["defaults"].update(provider="custom", model="nothing")
    settings["providers"] = {}
    call.nanobot.config_file.write_text(json.dumps(settings), encoding="utf-8")
    for language, told in (
        ("en", "The language model of nanobot-memory-bridge cannot be used"),
        ("zh", "的语言模型不能使用"),
    ):
        words = ["consolidate", "--dry-run", "--workspace", str(call.workspace), "--lang", language]
        assert run_command_line(words) == 0
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("nanobot-memory: ")
        assert told in line

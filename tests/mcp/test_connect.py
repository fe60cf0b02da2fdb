"""Setting clients up: what is shown, what is written, and what is left alone."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.mcp.connect import KNOWN_CLIENTS, SERVER, ClientName
from tests.behaviour.kit.nanobot import OFFLINE
from tests.support.mcp_clients import LineClient

KEY = "AKIA" + "Q3EGRZ7LT2XW5JKP"
JSON_CLIENTS = [client for client in ClientName if client is not ClientName.CODEX]


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "NANOBOT_MEMORY_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def connect(home, capsys):
    def run(*arguments: str, status: int = 0) -> dict:
        code = run_command_line(["connect", *arguments, "--json"])
        out = capsys.readouterr().out
        assert code == status, out
        return json.loads(out.splitlines()[-1])

    return run


def usual(client: ClientName) -> Path:
    file = KNOWN_CLIENTS[client].user()
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


@pytest.mark.parametrize("client", ClientName)
def test_what_every_client_needs_is_shown_in_the_form_of_its_file(client, connect, home):
    shown = connect(client)
    parse = tomllib.loads if client is ClientName.CODEX else json.loads
    entry = parse(shown["text"])[KNOWN_CLIENTS[client].place][SERVER]
    assert entry == shown["server"][SERVER]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-2:] == ["--workspace", str(home / ".nanobot" / "workspace")]
    assert (shown["written"], list(home.iterdir())) == (False, [])


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_everything_else_stays_and_nothing_is_left_beside_it_but_what_was_there(client, connect):
    file, place = usual(client), KNOWN_CLIENTS[client].place
    other = {"command": "npx", "env": {"API_KEY": KEY}}
    text = json.dumps({"theme": "dark", place: {"other": other}, "big": 10**30}, indent=4)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o640)
    before = {one.name for one in file.parent.iterdir()}
    written = connect(client, "--write")
    assert KEY not in json.dumps(written)
    assert Path(written["backup"]).read_text(encoding="utf-8") == text
    content = file.read_text(encoding="utf-8")
    entry = {SERVER: written["server"][SERVER]}
    assert json.loads(content) == {"theme": "dark", place: {"other": other, **entry}, "big": 10**30}
    assert '\n    "theme"' in content
    assert file.stat().st_mode & 0o777 == 0o640
    again = connect(client, "--write")
    assert (again["backup"], file.read_text(encoding="utf-8")) == (None, content)
    assert {one.name for one in file.parent.iterdir()} - before == {Path(written["backup"]).name}


@pytest.mark.parametrize("text", ["{", "[]", "// with comments\n{}", '{"mcpServers": []}', "[" * 100_000, "\xff"])
def test_what_is_not_understood_is_refused_and_stays(text, connect):
    file = usual(ClientName.CURSOR)
    file.write_bytes(text.encode("latin-1"))
    refused = connect("cursor", "--write", status=2)
    assert str(file) in refused["error"]
    assert refused["mend"]
    assert file.read_bytes() == text.encode("latin-1")
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_a_file_of_toml_and_a_server_of_somebody_else_are_left_to_a_person(connect):
    file = usual(ClientName.CODEX)
    file.write_text("a = 1\n", encoding="utf-8")
    assert "no JSON" in connect("codex", "--write", status=2)["error"]
    assert file.read_text(encoding="utf-8") == "a = 1\n"
    file, text = usual(ClientName.GEMINI), json.dumps({"mcpServers": {SERVER: {"url": "https://memory.example.org"}}})
    file.write_text(text, encoding="utf-8")
    assert "not written by this command" in connect("gemini", "--write", status=2)["error"]
    assert file.read_text(encoding="utf-8") == text


def test_a_project_and_a_file_of_ones_own_are_written_instead(connect, home):
    assert connect("cursor", "--project", "--write")["file"] == str(home / ".cursor" / "mcp.json")
    assert connect("claude-code", "--project", "--write")["file"] == str(home / ".mcp.json")
    assert "nothing in a project" in connect("claude-desktop", "--project", status=2)["error"]
    (home / "dotfiles").mkdir()
    (home / "linked.json").symlink_to(home / "dotfiles" / "mcp.json")
    connect("cursor", "--file", str(home / "linked.json"), "--write", "--user", "telegram:111")
    assert (home / "linked.json").is_symlink()
    entry = json.loads((home / "dotfiles" / "mcp.json").read_text())["mcpServers"][SERVER]
    assert entry["args"][-2:] == ["--user", "telegram:111"]


@pytest.mark.slow
def test_what_is_shown_starts_a_server_that_writes_where_it_was_told_and_nowhere_else(connect, home):
    entry = connect("claude-code", "--workspace", str(home / "agent"))["server"][SERVER]
    client = LineClient([entry["command"], *entry["args"]], {**os.environ, **OFFLINE, "HOME": str(home)})
    assert client.hello()["serverInfo"]["name"] == "nanobot-memory"
    assert "Kept in" in client.call("remember", text="The user's boat is called Wanda")["content"][0]["text"]
    assert [file.parent for file in home.rglob("ENTRIES.md")] == [home / "agent" / "memory"]
    assert client.end()[2] == 0

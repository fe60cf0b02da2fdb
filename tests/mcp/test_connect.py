"""`nanobot-memory connect`: the settings that it shows or writes for each client."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.mcp.connect import KNOWN_CLIENTS, SERVER, ClientName
from tests.behaviour.kit.nanobot import OFFLINE
from tests.support.mcp_clients import LineClient


@pytest.mark.parametrize("client", ClientName)
def test_what_every_client_needs_is_shown_in_the_form_of_its_file(client, connect, home):
    shown = connect(client, "--user", "telegram:111")
    parse = tomllib.loads if client is ClientName.CODEX else json.loads
    entry = parse(shown["text"])[KNOWN_CLIENTS[client].servers_key][SERVER]
    assert entry == shown["server"][SERVER]
    assert Path(entry["command"]).is_absolute()
    workspace = str(home / ".nanobot" / "workspace")
    assert entry["args"][-4:] == ["--workspace", workspace, "--user", "telegram:111"]
    assert shown["file"] == str(KNOWN_CLIENTS[client].file())
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("client", [one for one in ClientName if one is not ClientName.CODEX])
def test_with_write_it_is_put_into_the_clients_file_and_all_else_in_it_stays(client, connect, home):
    file, servers_key = KNOWN_CLIENTS[client].file(), KNOWN_CLIENTS[client].servers_key
    file.parent.mkdir(parents=True, exist_ok=True)
    before = {"theme": "half of an emoji \ud83d", servers_key: {"other": {"command": "other"}}}
    file.write_text(json.dumps(before), encoding="utf-8")
    connect(client, "--write", "--workspace", str(home / "old"))
    written = connect(client, "--write")["server"]
    assert json.loads(file.read_text()) == {**before, servers_key: {**before[servers_key], **written}}
    assert file.with_name(f"{file.name}.bak").is_file()


def test_what_is_no_json_is_refused_and_stays(home, capsys):
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text("{} // a comment", encoding="utf-8")
    assert run_command_line(["connect", "cursor", "--write"]) == 2
    assert str(file) in capsys.readouterr().err
    assert run_command_line(["connect", "codex", "--write"]) == 2
    assert file.read_text() == "{} // a comment"


@pytest.mark.slow
def test_what_is_shown_starts_a_server_that_writes_where_it_was_told_and_nowhere_else(connect, home):
    entry = connect("claude-code", "--workspace", str(home / "agent"))["server"][SERVER]
    client = LineClient([entry["command"], *entry["args"]], {**os.environ, **OFFLINE, "HOME": str(home)})
    assert client.hello()["serverInfo"]["name"] == "nanobot-memory"
    assert "Kept in" in client.call("remember", text="The user's boat is called Wanda")["content"][0]["text"]
    assert [file.parent for file in home.rglob("ENTRIES.md")] == [home / "agent" / "memory"]
    assert client.end()[2] == 0

"""`nanobot-memory connect`: shows what a client needs, and writes it without harm to anything that stands beside it."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.mcp.connect.known_clients import KNOWN_CLIENTS, SERVER, ClientName, Machine
from nanobot_memory_plugins.mcp.connect.toml_table import with_table
from tests.support.each import each
from tests.support.mcp_clients import LineClient
from tests.support.nanobot import OFFLINE

KEY = "sk-abcdefghijklmnopqrstuvwxyz123456"
JSON_CLIENTS = [one for one in ClientName if one is not ClientName.CODEX]
CODEX = """# mine
model = "o9"  # the usual one

[mcp_servers.other]
command = "npx"
env = { API_KEY = "sk-abcdefghijklmnopqrstuvwxyz123456" }

[profiles.fast]
model = "o9-mini"
"""


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("NANOBOT_MEMORY_CONFIG", "NANOBOT_MEMORY_WORKSPACE", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
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
    file = KNOWN_CLIENTS[client].user(Machine.here())
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def servers(file: Path, client: ClientName) -> dict:
    read = tomllib.loads if file.suffix == ".toml" else json.loads
    return read(file.read_text(encoding="utf-8"))[KNOWN_CLIENTS[client].place]


@pytest.mark.parametrize("client", ClientName)
def test_it_shows_then_writes_and_changes_nothing_the_second_time(client, connect, home):
    file = usual(client)
    shown = connect(client)
    assert (shown["changes"], shown["written"], file.exists()) == (True, False, False)
    assert f"connect {client} --write" in shown["next"]
    written = connect(client, "--write")
    assert (written["file"], written["written"], written["backup"]) == (str(file), True, None)
    entry = servers(file, client)[SERVER]
    assert entry == shown["server"][SERVER]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-2:] == ["--workspace", str(home / ".nanobot" / "workspace")]
    before = file.read_bytes()
    again = connect(client, "--write")
    assert (again["changes"], again["written"], file.read_bytes()) == (False, False, before)


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_everything_else_in_a_json_file_stays_and_is_kept_aside(client, connect):
    file, place = usual(client), KNOWN_CLIENTS[client].place
    other = json.dumps({"command": "npx", "env": {"API_KEY": KEY}})
    text = f'{{\n    "theme":"dark",\n    "{place}": {{"other": {other}}}\n}}'
    file.write_text(text, encoding="utf-8")
    file.chmod(0o640)
    written = connect(client, "--write")
    assert KEY not in json.dumps(written)
    assert Path(written["backup"]).read_text(encoding="utf-8") == text
    assert set(servers(file, client)) == {"other", SERVER}
    content = file.read_text(encoding="utf-8")
    assert '"theme":"dark"' in content
    assert KEY in content
    assert file.stat().st_mode & 0o777 == 0o640


def test_everything_else_in_a_toml_file_stays(connect):
    file = usual(ClientName.CODEX)
    file.write_text(CODEX, encoding="utf-8")
    written = connect("codex", "--write")
    assert KEY not in json.dumps(written)
    text = file.read_text(encoding="utf-8")
    assert text.startswith(CODEX)
    assert set(servers(file, ClientName.CODEX)) == {"other", SERVER}
    moved = connect("codex", "--write", "--workspace", "/elsewhere")
    assert moved["written"]
    assert servers(file, ClientName.CODEX)[SERVER]["args"][-1] == "/elsewhere"
    assert file.read_text(encoding="utf-8").startswith(CODEX)


@pytest.mark.parametrize("client", ClientName)
@pytest.mark.parametrize("text", ["{", "[]", "// with comments\n{}", "a = [", "\xff"])
def test_what_is_not_understood_is_refused_and_stays(client, text, connect):
    file = usual(client)
    if file.suffix == ".toml" and text == "[]":
        text = "= 1"
    file.write_bytes(text.encode("latin-1"))
    refused = connect(client, "--write", status=2)
    assert str(file) in refused["error"]
    assert refused["mend"]
    assert file.read_bytes() == text.encode("latin-1")
    assert not file.with_name(f"{file.name}.bak").exists()


@pytest.mark.parametrize("client", ClientName)
def test_a_server_of_this_name_that_somebody_else_wrote_is_left_alone(client, connect):
    file, place = usual(client), KNOWN_CLIENTS[client].place
    text = f'{{"{place}": {{"{SERVER}": {{"url": "https://memory.example.org"}}}}}}'
    if file.suffix == ".toml":
        text = f'[{place}.{SERVER}]\nurl = "https://memory.example.org"\n'
    file.write_text(text, encoding="utf-8")
    assert "not written by this command" in connect(client, "--write", status=2)["error"]
    assert file.read_text(encoding="utf-8") == text


def test_a_client_that_is_not_installed_is_not_set_up(connect, home):
    assert "Cursor is not installed" in connect("cursor", "--write", status=2)["error"]
    assert list(home.iterdir()) == []


def test_a_project_and_a_file_of_ones_own_are_written_instead(connect, home):
    assert connect("cursor", "--project", "--write")["file"] == str(home / ".cursor" / "mcp.json")
    assert connect("claude-code", "--project", "--write")["file"] == str(home / ".mcp.json")
    assert "nothing in a project" in connect("claude-desktop", "--project", status=2)["error"]
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "codex.toml").write_text(CODEX, encoding="utf-8")
    (home / "linked.toml").symlink_to(home / "dotfiles" / "codex.toml")
    connect("codex", "--file", str(home / "linked.toml"), "--write", "--user", "telegram:111")
    assert (home / "linked.toml").is_symlink()
    assert servers(home / "dotfiles" / "codex.toml", ClientName.CODEX)[SERVER]["args"][-2:] == [
        "--user",
        "telegram:111",
    ]


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("darwin", "Library/Application Support"), ("win32", "AppData/Roaming"), ("linux", ".config")],
)
def test_desktop_programs_are_looked_for_where_each_system_keeps_them(platform, folder, tmp_path):
    machine = Machine(tmp_path, {}, platform)
    assert KNOWN_CLIENTS[ClientName.CLAUDE_DESKTOP].user(machine).parent == tmp_path / folder / "Claude"
    assert KNOWN_CLIENTS[ClientName.VSCODE].user(machine) == tmp_path / folder / "Code" / "User" / "mcp.json"
    elsewhere = Machine(tmp_path, {"APPDATA": "/roaming", "XDG_CONFIG_HOME": "/xdg", "CODEX_HOME": "/codex"}, platform)
    assert KNOWN_CLIENTS[ClientName.CODEX].user(elsewhere) == Path("/codex/config.toml")


@each(
    "text",
    [
        "",
        "a = 1",
        "a = 1\r\n",
        '[mcp_servers."nanobot-memory"]\ncommand = "old"\n\n[last]\nb = """\n[mcp_servers.nanobot-memory]\n"""\n',
        "[mcp_servers]\n",
        "[mcp_servers.nanobot-memory] # ours\ncommand = 'old'\n# a remark\n[[list]]\nx = 1\n",
    ],
)
def test_a_table_is_put_into_any_text_and_is_the_only_change(text):
    values = {"command": 'C:\\a "b"\x7f', "args": ["mcp", "é"], "startup_timeout_sec": 60}
    after = with_table(text, ("mcp_servers", "nanobot-memory"), values)
    expected = tomllib.loads(text)
    expected.setdefault("mcp_servers", {})["nanobot-memory"] = values
    assert tomllib.loads(after) == expected
    assert with_table(after, ("mcp_servers", "nanobot-memory"), values) == after


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {other = {command = "npx"}}',
        'mcp_servers = {nanobot-memory = {command = "old"}}',
        "mcp_servers.nanobot-memory.x = 1",
    ],
)
def test_a_table_in_another_form_is_left_to_a_person(text):
    from nanobot_memory_plugins.core import ConfigurationError

    with pytest.raises(ConfigurationError, match=r"cannot be set|another way"):
        with_table(text, ("mcp_servers", "nanobot-memory"), {"command": "new"})


def test_what_is_written_starts_a_server_that_writes_where_it_was_told_and_nowhere_else(connect, home):
    entry = connect("claude-code", "--workspace", str(home / "agent"))["server"][SERVER]
    client = LineClient([entry["command"], *entry["args"]], {**os.environ, **OFFLINE, "HOME": str(home)})
    assert client.hello()["serverInfo"]["name"] == "nanobot-memory"
    assert "Kept in" in client.call("remember", text="The user's boat is called Wanda")["content"][0]["text"]
    assert "Wanda" in (home / "agent" / "memory" / "ENTRIES.md").read_text(encoding="utf-8")
    assert [file.parent for file in home.rglob("ENTRIES.md")] == [home / "agent" / "memory"]
    client.process.stdin.close()
    assert client.process.wait(timeout=30) == 0
    client.process.stdout.close()
    client.process.stderr.close()


def test_people_are_told_in_words(home, capsys):
    assert run_command_line(["connect", "claude-code"]) == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert run_command_line(["connect", "claude-code", "--write"]) == 0
    assert "Start Claude Code anew" in capsys.readouterr().out
    assert run_command_line(["connect", "claude-code", "--write"]) == 0
    assert "nothing to write" in capsys.readouterr().out
    assert run_command_line(["connect", "emacs"]) == 2

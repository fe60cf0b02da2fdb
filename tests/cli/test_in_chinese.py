"""The command line in Chinese: the most common commands print no English sentence."""

import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.values import Origin, Scope

COMMANDS = """
doctor --all
plugins
init --no-model
models list
people
--help
search --help
index --no-embeddings
search 乌龙茶 --no-embeddings
search 没有这样的内容 --no-embeddings
search 端口 --since 2026-01 --origin user --no-embeddings
search --origin user --no-embeddings
why 我喜欢喝什么？ --no-embeddings
timeline
timeline 上周
entries list
entries remember 用户每天早上跑步 --category preference
entries show ID
entries forget ID
entries history
entries undo
entries group
purge --text 小雨的钢琴课改到周五下午四点 --dry-run
scrub --dry-run
pause
resume
audit
stats
bench --size 200
config show
config show recall.recallTopK
config show nosuch
config set recall.recallTopK 0
doctor --workspace /nowhere
export --to memory.zip
import memory.zip --dry-run
import --undo
connect cursor
serch 乌龙茶
search 乌龙茶 --limit 很多
entries show 没有
search 茶 --since 2026-13
export --to /nowhere/memory.zip
"""
# Parts of a line that need no translation: input, names of files, types and options, and JSON values.
UNTRANSLATED = re.compile(
    r"`[^`]*`|\"[^\"]*\"|'[^']*'|--[a-z-]+|https?://\S+|(?:[\w.~-]*/)+[\w.~-]*|\b\w+[._]\w[\w.]*"
    r"|<[a-z ]+>|\b[a-z]+[A-Z]\w*|：nanobot-memory .*"
    # messages of Typer and the system that have no translation
    r"|Usage: nanobot.*|Show this message.*|(?:Install|Show) completion.*|customize the.*|Try .*"
    r"|No such file or directory"
)
# Three words, or two in a line without Chinese. (Names in a list have commas between them.)
SENTENCE = re.compile(r"(?:\b[A-Za-z][a-z]+\b[;:]? +){2}[a-z]{2,}\b|^[^一-鿿]*\b[A-Za-z][a-z]+ +[a-z]{2,}\b[^一-鿿]*$")
# Lines that are not messages: diffs, the log, the content of files, and commands to copy.
NOT_MESSAGES = re.compile(r"^\s*(?:nanobot(?:-memory)? |pip |[+@-]|### |<!-- |rm |WARNING |第 \d+ 行：)")
TEXTS = (
    "用户喜欢喝乌龙茶，下午不喝咖啡",
    "周三晚上去攀岩馆，不要安排会议",
    "我们的测试数据库端口是 5433",
    "小雨的钢琴课改到周五下午四点",
)


def english_lines(text: str) -> list[str]:
    """Return the lines that contain an English sentence."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    return [one for one in lines if not NOT_MESSAGES.match(one) and SENTENCE.search(UNTRANSLATED.sub(" ", one))]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a transcript and four entries."""
    workspace = tmp_path / "workspace"
    sessions = MemoryPaths.of(workspace).sessions
    sessions.mkdir(parents=True)
    time = datetime(2026, 3, 18, 9, tzinfo=UTC)
    for number, text in enumerate(TEXTS):
        record = TranscriptRecord("user", text, "cli:direct", Scope(), Origin.USER, f"{number:016x}", time)
        with (sessions / "cli_direct.jsonl").open("ab") as file:
            file.write(render_transcript_line(record))
    (tmp_path / ".nanobot").mkdir()
    (tmp_path / ".nanobot" / "config.json").write_text(
        json.dumps({"agents": {"defaults": {"workspace": str(workspace)}}}), encoding="utf-8"
    )
    for name, value in {"LC_ALL": "zh_CN.UTF-8", "HOME": str(tmp_path), "COLUMNS": "80", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("LANGUAGE", raising=False)
    monkeypatch.chdir(tmp_path)
    for text in TEXTS:
        assert run_command_line(["entries", "remember", text, "--group", "生活"]) == 0
    return tmp_path


@pytest.mark.slow
def test_no_command_prints_an_english_sentence(home: Path, capsys):
    entries = (home / "workspace" / "memory" / "ENTRIES.md").read_text(encoding="utf-8")
    (id_, *_) = re.findall(r"\[([0-9a-f]{8})\]", entries)
    wrong = {}
    for line in COMMANDS.strip().splitlines():
        capsys.readouterr()
        run_command_line([id_ if word == "ID" else word for word in shlex.split(line)])
        shown = capsys.readouterr()
        output = shown.out + shown.err
        if english_lines(output) or not re.search("[一-鿿]", output) or (line.endswith("--help") and "…" in output):
            wrong[line] = output
    assert wrong == {}


def test_english_lines_are_detected():
    assert english_lines("没有找到。\nNothing was found here.\n") == ["Nothing was found here."]
    assert english_lines("用 `nanobot-memory index --rebuild` 重建 /some/where/else now\n") == []

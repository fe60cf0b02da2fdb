"""The command line in Chinese: the commands that people use most, and no sentence of ours in English."""

import json
import re
import shlex
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

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
bench --size 200 --no-embeddings
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
# What is no sentence of ours: what is typed, names of files, types and options, and values in JSON.
NO_SENTENCE = re.compile(
    r"`[^`]*`|\"[^\"]*\"|'[^']*'|--[a-z-]+|https?://\S+|(?:[\w.~-]*/)+[\w.~-]*|\b\w+[._]\w[\w.]*"
    r"|<[a-z ]+>|\b[a-z]+[A-Z]\w*|：nanobot-memory .*"
    # what Typer and the system say, of which gettext has no translation
    r"|Usage: nanobot.*|Show this message.*|(?:Install|Show) completion.*|customize the.*|Try .*|Invalid value.*"
    r"|No such file or directory"
)
# Three words, or two where a line has no Chinese at all. Names in a list have commas between them.
SENTENCE = re.compile(r"(?:\b[A-Za-z][a-z]+\b[;:]? +){2}[a-z]{2,}\b|^[^一-鿿]*\b[A-Za-z][a-z]+ +[a-z]{2,}\b[^一-鿿]*$")
# Lines that are somebody else's: diffs, the log, what a file holds, and commands to be copied.
OF_OTHERS = re.compile(r"^\s*(?:nanobot(?:-memory)? |pip |[+@-]|### |<!-- |rm |WARNING |第 \d+ 行：)")
TEXTS = (
    "用户喜欢喝乌龙茶，下午不喝咖啡",
    "周三晚上去攀岩馆，不要安排会议",
    "我们的测试数据库端口是 5433",
    "小雨的钢琴课改到周五下午四点",
)


def listed() -> list[list[str]]:
    """Return the commands, as a shell takes them apart."""
    return [shlex.split(line) for line in COMMANDS.strip().splitlines()]


# They start the memory, or look through it all: seconds on a slow machine.
SLOW = (
    "audit",
    "bench",
    "doctor",
    "index",
    "init",
    "plugins",
    "purge",
    "scrub",
    "search",
    "timeline",
    "why",
)


def parameters() -> list[ParameterSet]:
    return [pytest.param(one, id=" ".join(one), marks=[pytest.mark.slow] if one[0] in SLOW else []) for one in listed()]


def english_in(text: str) -> list[str]:
    """Return the lines that hold a sentence in English."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    return [one for one in lines if not OF_OTHERS.match(one) and SENTENCE.search(NO_SENTENCE.sub(" ", one))]


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with what was said and four entries."""
    home = tmp_path_factory.mktemp("home")
    workspace = home / "workspace"
    sessions = MemoryPaths.of(workspace).sessions
    sessions.mkdir(parents=True)
    time = datetime(2026, 3, 18, 9, tzinfo=UTC)
    lines = [
        render_transcript_line(
            TranscriptRecord("user", text, "cli:direct", Scope(), Origin.USER, f"{number:016x}", time)
        )
        for number, text in enumerate(TEXTS)
    ]
    (sessions / "cli_direct.jsonl").write_bytes(b"".join(lines))
    (home / "memory.md").write_text("- 每周二倒垃圾\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as at_home:
        live_in(home, at_home)
        for text in TEXTS:
            assert run_command_line(["entries", "remember", text, "--group", "生活"]) == 0
    return home


@pytest.fixture
def home(made_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy for one test: none depends on what another has done."""
    shutil.copytree(made_home, tmp_path, symlinks=True, dirs_exist_ok=True)
    live_in(tmp_path, monkeypatch)
    return tmp_path


def live_in(home: Path, environment: pytest.MonkeyPatch) -> None:
    (home / ".nanobot").mkdir(exist_ok=True)
    (home / ".nanobot" / "config.json").write_text(
        json.dumps({"agents": {"defaults": {"workspace": str(home / "workspace")}}}), encoding="utf-8"
    )
    for name, value in {"LC_ALL": "zh_CN.UTF-8", "HOME": str(home), "COLUMNS": "160", "NO_COLOR": "1"}.items():
        environment.setenv(name, value)
    environment.delenv("LANGUAGE", raising=False)
    environment.chdir(home)


@pytest.mark.parametrize("arguments", parameters())
def test_a_command_of_the_page_says_nothing_in_english(arguments: list[str], home: Path, capsys):
    ids = re.findall(r"\[([0-9a-f]{8})\]", "".join(one.read_text() for one in home.glob("workspace/memory/*.md")))
    run_command_line([ids[0] if one == "ID" else one for one in arguments])
    shown = capsys.readouterr()
    told = shown.out + shown.err
    assert english_in(told) == []
    assert re.search("[一-鿿]", told)


def test_a_sentence_in_english_would_be_found():
    assert english_in("没有找到。\nNothing was found here.\n") == ["Nothing was found here."]
    assert english_in("用 `nanobot-memory index --rebuild` 重建 /some/where/else now\n") == []

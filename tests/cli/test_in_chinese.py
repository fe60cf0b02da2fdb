"""The command line in Chinese: the commands that docs/zh/commands.md lists, and no sentence of ours in English."""

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer
import typer.main
from _pytest.mark import ParameterSet

from nanobot_memory_plugins.bridge.demo import command as demo_command
from nanobot_memory_plugins.bridge.demo import scenario, two_machines
from nanobot_memory_plugins.core import console
from nanobot_memory_plugins.core.cli.language import spoken
from nanobot_memory_plugins.core.cli.main import app, run_command_line
from nanobot_memory_plugins.core.files import MemoryPaths, render_transcript_line
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.host.plugin_set import _configuration_title
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.transfer import archive_import
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.redaction.script.messages import tr

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "zh" / "commands.md"
CHINESE = {"LC_ALL": "zh_CN.UTF-8"}
# What is no sentence of ours: what is typed, names of files, types and options, and values in JSON.
NO_SENTENCE = re.compile(
    r"`[^`]*`|\"[^\"]*\"|'[^']*'|--[a-z-]+|https?://\S+|(?:[\w.~-]*/)+[\w.~-]*|\b\w+[._]\w[\w.]*"
    r"|<[a-z ]+>|\b[a-z]+[A-Z]\w*"
)
# Three words, or two where a line has no Chinese at all. Names in a list have commas between them.
SENTENCE = re.compile(r"(?:\b[A-Za-z][a-z]+\b[;:]? +){2}[a-z]{2,}\b|^[^一-鿿]*\b[A-Za-z][a-z]+ +[a-z]{2,}\b[^一-鿿]*$")
# Lines that are somebody else's: diffs, the log, what a file holds, and commands to be copied.
OF_OTHERS = re.compile(r"^\s*(?:nanobot(?:-memory)? |pip |[+@-]|rm |WARNING |第 \d+ 行：)")
TEXTS = (
    "用户喜欢喝乌龙茶，下午不喝咖啡",
    "周三晚上去攀岩馆，不要安排会议",
    "我们的测试数据库端口是 5433",
    "小雨的钢琴课改到周五下午四点",
)


def listed() -> list[list[str]]:
    """Return the commands of the page, as a shell takes them apart."""
    lines = re.findall(r"^nanobot-memory (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


# They start the memory, or look through it all: seconds on a slow machine.
SLOW = (
    "audit",
    "bench",
    "consolidate",
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
    return make_home(tmp_path_factory.mktemp("home"), TEXTS, "zh_CN.UTF-8")


def make_home(home: Path, texts: Sequence[str], locale: str) -> Path:
    """Fill a home with what was said and four entries."""
    workspace = home / "workspace"
    sessions = MemoryPaths.of(workspace).sessions
    sessions.mkdir(parents=True)
    time = datetime(2026, 3, 18, 9, tzinfo=UTC)
    lines = [
        render_transcript_line(
            TranscriptRecord("user", text, "cli:direct", Scope(), Origin.USER, f"{number:016x}", time)
        )
        for number, text in enumerate(texts)
    ]
    (sessions / "cli_direct.jsonl").write_bytes(b"".join(lines))
    (home / "memory.md").write_text("- 每周二倒垃圾\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as at_home:
        live_in(home, at_home, locale)
        for text in texts:
            assert run_command_line(["entries", "remember", text, "--group", "生活"]) == 0
    return home


@pytest.fixture
def home(made_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy for one test: none depends on what another has done."""
    shutil.copytree(made_home, tmp_path, symlinks=True, dirs_exist_ok=True)
    live_in(tmp_path, monkeypatch, "zh_CN.UTF-8")
    return tmp_path


def live_in(home: Path, environment: pytest.MonkeyPatch, locale: str) -> None:
    (home / ".nanobot").mkdir(exist_ok=True)
    (home / ".nanobot" / "config.json").write_text(
        json.dumps({"agents": {"defaults": {"workspace": str(home / "workspace")}}}), encoding="utf-8"
    )
    for name, value in {"LC_ALL": locale, "HOME": str(home), "COLUMNS": "160", "NO_COLOR": "1"}.items():
        environment.setenv(name, value)
    environment.delenv("LANGUAGE", raising=False)
    environment.chdir(home)


def test_the_page_lists_thirty_commands():
    commands = listed()
    assert len(commands) >= 30
    assert len({" ".join(one) for one in commands}) == len(commands)


@pytest.mark.parametrize("arguments", parameters())
def test_a_command_of_the_page_says_nothing_in_english(arguments: list[str], home: Path, capsys):
    told = said_by(arguments, home, capsys)
    assert english_in(told) == []
    assert re.search("[一-鿿]", told)


def said_by(arguments: list[str], home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return all that a command of the page prints."""
    capsys.readouterr()
    ids = re.findall(r"\[([0-9a-f]{8})\]", "".join(one.read_text() for one in home.glob("workspace/memory/*.md")))
    run_command_line([ids[0] if one == "ID" else one for one in arguments])
    shown = capsys.readouterr()
    return shown.out + shown.err


def test_why_names_what_counts_in_chinese(home: Path, capsys):
    capsys.readouterr()
    assert run_command_line(["why", "你还记得测试数据库的端口吗？", "--no-embeddings"]) == 0
    told = capsys.readouterr().out
    assert "学到的次序" in told
    assert "长度 +" in told
    assert not re.search(r"[a-z]+ [+-]\d", told)


def test_the_demonstration_says_what_came_of_each_stage_in_chinese(capsys):
    with spoken("zh"):
        for name in (*scenario.STAGES, *two_machines.STAGES):
            stage = scenario.Stage(name, True, (scenario.about(["- user: 海棠路 (line 1)"], "海棠路"),))
            demo_command._show(console(), stage)
        demo_command._show(console(), scenario.Stage("restart", True, (scenario.about([], "x"),)))
    told = capsys.readouterr().out
    assert english_in(told) == []
    assert "给模型的内容：- user: 海棠路" in told
    assert "召回偏好" in told


def test_a_sentence_in_english_would_be_found():
    assert english_in("没有找到。\nNothing was found here.\n") == ["Nothing was found here."]
    assert english_in("用 `nanobot-memory index --rebuild` 重建 /some/where/else now\n") == []


@pytest.mark.parametrize(
    ("options", "environment", "configured", "is_chinese"),
    [
        ([], {"LC_ALL": "zh_CN.UTF-8"}, "", True),
        ([], {"LC_MESSAGES": "zh_SG.UTF-8"}, "", True),
        ([], {"LANG": "zh"}, "", True),
        ([], {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "", False),
        ([], {"LC_ALL": "de_DE.UTF-8"}, "", False),
        ([], {}, "zh", True),
        ([], {"LC_ALL": "zh_CN.UTF-8"}, "en", False),
        (["--lang", "zh"], {"LC_ALL": "en_US.UTF-8"}, "en", True),
        (["--lang=en"], {"LC_ALL": "zh_CN.UTF-8"}, "zh", False),
    ],
)
def test_the_option_goes_before_the_configuration_and_that_before_the_locale(
    options, environment, configured, is_chinese, tmp_path: Path, monkeypatch, capsys
):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NANOBOT_MEMORY_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**environment, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    if configured:
        (tmp_path / "config.json").write_text(json.dumps({"memoryPlugins": {"core": {"language": configured}}}))
    assert run_command_line(["why", "x", "-w", str(tmp_path / "nowhere"), *options]) == 1
    assert ("没有工作区" in capsys.readouterr().err) is is_chinese


@pytest.mark.parametrize(
    ("command", "said", "choice"), [("move", "缺少选项", "postgres"), ("connect", "缺少参数", "cursor")]
)
def test_a_missing_option_or_argument_with_its_choices_is_named_in_chinese(command, said, choice, capsys):
    assert run_command_line(["--lang", "zh", command]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert choice in told
    assert "Missing" not in told


def test_what_is_forgotten_or_a_log_and_the_configuration_as_a_whole_are_named_in_chinese():
    with spoken("zh"):
        assert "彻底忘记" in tr(archive_import._HELD_FORGOTTEN)
        assert "密钥" in tr(archive_import._HELD_SECRETS)
        assert tr(_configuration_title("file")) == "配置文件"


def test_an_unknown_language_is_wrong_use(capsys):
    assert run_command_line(["--lang", "xx", "doctor"]) == 2
    assert "Known are en, zh, zh_Hant." in capsys.readouterr().err


def test_json_and_logs_stay_english(tmp_path: Path, monkeypatch, capsys):
    for name, value in {**CHINESE, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    assert run_command_line(["why", "x", "-w", str(tmp_path / "nowhere"), "--json"]) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"] == f"There is no workspace at {tmp_path / 'nowhere'}."
    assert "没有工作区" in shown.err
    assert run_command_line(["doctor", "-w", str(tmp_path / "new"), "--json"]) in (0, 1)
    findings = json.loads(capsys.readouterr().out.splitlines()[-1])["findings"]
    assert not any(re.search("[一-鿿]", one["state"] + one["subject"] + one["hint"]) for one in findings)


def test_the_whole_program_speaks_the_language_of_the_locale(tmp_path: Path):
    environment = {**os.environ, **CHINESE, "HOME": str(tmp_path), "COLUMNS": "100"}
    run = [sys.executable, "-m", "nanobot_memory_plugins.core.cli"]
    helped = subprocess.run([*run, "--help"], env=environment, capture_output=True, check=False, encoding="utf-8")
    assert "用法：" in helped.stdout
    assert "选项" in helped.stdout
    assert english_in(helped.stdout) == []
    wrong = subprocess.run([*run, "serch"], env=environment, capture_output=True, check=False, encoding="utf-8")
    assert wrong.returncode == 2
    assert "是不是想用" in wrong.stderr
    assert english_in(wrong.stderr) == []


FAILING = {
    "absent": "import a_module_that_nobody_has\n",
    "broken": "1 / 0\n",
    "hookless": "class Plugin:\n    pass\n\nplugin = Plugin()\n",
    "asking": "from nanobot_memory_plugins.core import hookimpl\n\nclass Plugin:\n    @hookimpl\n"
    "    def diagnose(self, nonsense):\n        return None\n\nplugin = Plugin()\n",
    "raising": "from nanobot_memory_plugins.core import hookimpl\n\nclass Plugin:\n    @hookimpl\n"
    "    def on_start(self):\n        raise RuntimeError('x')\n\n    @hookimpl\n"
    "    def diagnose(self):\n        raise KeyError('x')\n\nplugin = Plugin()\n",
}


def test_what_failed_in_plugins_is_told_in_chinese(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    for name, source in FAILING.items():
        install_plugin(tmp_path, monkeypatch, f"{name}_plugin", source, attribute="plugin")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", ",".join(f"{name}_plugin" for name in FAILING))
    for name, value in {**CHINESE, "HOME": str(tmp_path), "COLUMNS": "160", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    for command in (["doctor", "--all"], ["plugins"]):
        run_command_line([*command, "-w", str(tmp_path)])
        told = capsys.readouterr().out
        assert all(f"{name}_plugin" in told for name in FAILING)
        # Commas and words alone stand between what is no text: names of distributions, hooks and types.
        assert [line for line in english_in(told) if re.search(r" (?:at|in|no|is|asks|the) ", line)] == []
        assert "ZeroDivisionError" in told


def test_a_line_that_cannot_be_redacted_is_named_in_chinese(monkeypatch: pytest.MonkeyPatch, capsys):
    for line, said in (
        ("no json", "不是 JSON"),
        ('{"id": 1}', "缺少字段 text"),
        ('{"id": 1, "text": 2}', "text 不是字符串"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
        assert run_command_line(["--lang", "zh", "redact", "--jsonl"]) == 1
        told = capsys.readouterr().err
        assert told.startswith("nanobot-memory: 第 1 行")
        assert said in told


@pytest.mark.parametrize("words", [["purge", "--text"], ["search", "成都", "--since"], ["entries", "group", "--to"]])
def test_an_option_without_its_value_is_told_with_the_usage_in_chinese(words: list[str], capsys):
    assert run_command_line(["--lang", "zh", *words]) == 2
    told = capsys.readouterr().err
    assert f"用法：nanobot-memory {words[0]}" in told
    assert "需要一个值" in told
    assert "Error" not in told


def usages() -> dict[str, tuple[str, list[str]]]:
    """Return the line of usage of each command, and what its options say stands for a value."""
    found = {}

    def look(command: Any, context: Any, name: str) -> None:
        for one, below in getattr(command, "commands", {}).items():
            look(below, typer.Context(below, parent=context, info_name=one), f"{name} {one}")
        options = [one for one in command.get_params(context) if one.param_type_name == "option"]
        usage = command.get_usage(context).partition(name)[2].rstrip()
        found[name.strip()] = usage, [one.metavar for one in options if one.metavar]

    group: Any = typer.main.get_command(app)
    root = typer.Context(group, info_name="nanobot-memory")
    for name in group.list_commands(root):
        command = group.get_command(root, name)
        look(command, typer.Context(command, parent=root, info_name=name), f" {name}")
    return found


def test_what_stands_for_a_value_is_named_in_chinese():
    with spoken("zh"):
        said = usages()
    assert len(said) > 40
    english = re.compile(r"(?!N\b)(?<![A-Za-z])[A-Z]+(?:_[A-Z]+)*\b(?!_)")
    assert {name: one for name, one in said.items() if english.search(one[0])} == {}
    assert {name: one for name, one in said.items() if any(map(english.search, one[1]))} == {}
    assert said["search"][0] == " [选项] [查询]..."
    assert said["import"][0] == " [选项] [来源]"
    assert "编号" in said["entries show"][0]


def test_what_stands_for_a_value_has_its_brackets_once_in_english():
    with spoken("en"):
        said = usages()
    assert [one for one, _ in said.values() if re.search(r"\[\[|\.\.\.[]}]", one)] == []
    assert said["search"][0].split() == ["[OPTIONS]", "[QUERY]..."]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_says_what_stands_for_a_value_and_no_type_of_python(language: str, capsys):
    with spoken(language):
        shown = {" ".join(words): help_of(words, capsys) for words in ALL_WITH_VALUES}
    assert {name: found for name, text in shown.items() if (found := re.findall(r"<[\w \[\]]+>", text))} == {}
    assert "<light|" in shown["search"].replace(" ", "")
    assert re.search(r"--limit +-n +(?:NUMBER|数字)", shown["search"])


ALL_WITH_VALUES = (["search"], ["entries", "list"], ["entries", "remember"], ["import"], ["timeline"], ["stats"])


def help_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what ``--help`` of a command prints."""
    assert run_command_line([*words, "--help"]) == 0
    return capsys.readouterr().out


def test_a_missing_argument_is_named_as_the_usage_names_it(capsys):
    assert run_command_line(["--lang", "zh", "entries", "show"]) == 2
    assert "缺少参数 '编号'" in capsys.readouterr().err


def test_a_bar_says_in_chinese_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # standard error as a terminal
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-03-02.md").write_text("乌龙茶\n", encoding="utf-8")
    archive, words = str(tmp_path / "a.zip"), ["--workspace", str(tmp_path)]
    for command, said in (
        (["export", "--to", archive], "正在导出"),
        (["export", "--daily", "--to", str(tmp_path / "kept")], "正在备份"),
        (["import", archive, "--dry-run"], "正在导入"),
        (["import", "--conflicts"], "正在合并"),
    ):
        assert run_command_line(["--lang", "zh", *command, *words]) == 0
        told = capsys.readouterr().err
        assert said in told
        assert not re.search("exporting|importing|backing|merging", told)

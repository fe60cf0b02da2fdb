"""Every command line of every document is one that the programs take; what a made workspace can answer is run."""

import importlib.util
import json
import shutil
import tomllib
from pathlib import Path

import pytest

from docs.picture_workspace import make_workspace
from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.behaviour.kit.stores import make_claude_code, make_claude_mem, make_markdown, make_nanobot, make_openclaw
from tests.docs.command_lines import CommandLine, command_lines, fault_of
from tests.docs.pages import PAGES, ROOT
from tests.support.each import each

LINES = [line for path in PAGES for line in command_lines(path)]
OURS = list(dict.fromkeys(line for line in LINES if line.is_ours))
OTHERS = list(dict.fromkeys(line for line in LINES if not line.is_ours))
# Commands that are not run here, and where they are.
NOT_RUN = {
    "demo": "tests/bridge/test_demo.py: it starts an agent",
    "bench": "tests/tools/test_bench_command.py",
    "mcp": "tests/mcp: it serves until its client is gone",
    "panel": "tests/panel: it takes the terminal",
    "move": "tests/postgres/test_move.py: it wants a server",
    "postgres": "tests/postgres: it starts a server",
    "export --encrypt": "tests/transfer/test_encrypted.py: it asks for a passphrase",
    "import memory.zip.age": "tests/transfer/test_encrypted.py: it asks for a passphrase",
    "models pull": "tests/embedding/test_models_command.py: it builds a model",
}
RUN = [
    line
    for line in dict.fromkeys(line.arguments for line in OURS if line.is_whole or line.page.startswith("README"))
    if not any(" ".join(line).startswith(name) for name in NOT_RUN)
]
# Exit statuses that are not 0: where nobody can be asked, `init` shows what it would write, and writes nothing; the
# made workspace holds no old address to be forgotten.
STATUS = {("purge", "--text", text, "--dry-run"): 1 for text in ("old address", "旧地址")}
CONFIG = {"channels": {"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "nanobot": {"enabled": False}}}}


@each("line", OURS)
def test_a_command_is_one_that_there_is(line: CommandLine):
    assert fault_of(line) == ""


@each(
    ("words", "fault"),
    [
        ("serch x", "no command serch"),
        ("search x --limmit 3", "NoSuchOption"),
        ("search x --limit three", "BadParameter"),
        ("move", "MissingParameter"),
        ("entries lst", "no command lst"),
        ("audit too much", "unexpected extra argument"),
        ("--verbos doctor", "no option --verbos"),
    ],
)
def test_a_wrong_one_would_be_found(words: str, fault: str):
    assert fault in fault_of(CommandLine("page.md", ("nanobot-memory", *words.split()), is_whole=True))


@each("line", OTHERS)
def test_what_another_command_names_is_there(line: CommandLine):
    program, *rest = line.words
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert not line.group or line.group in groups
    if program == "python" and rest[0] == "-m":
        assert importlib.util.find_spec(rest[1]) is not None
        if rest[1] == "benchmarks" and len(rest) > 1:
            names = [word for word in rest[2:] if word.isidentifier() and word.islower()]
            assert [name for name in names if not importlib.util.find_spec(f"benchmarks.{name}")] == []
    elif program in ("python", "pytest"):
        files = [word for word in rest if "/" in word and not word.startswith("-")]
        assert [file for file in files if not (ROOT / file).exists()] == []
    elif program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert f"\n{rest[0]}:" in makefile
    elif program == "pip" and rest[:1] == ["install"]:
        folders = [folder for word in rest if word.startswith("./") for folder in braces_expanded(word)]
        assert [folder for folder in folders if not (ROOT / folder / "pyproject.toml").exists()] == []
        projects = [tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")) for folder in folders]
        needed = {
            need.partition("==")[0]
            for one in projects
            for need in one["project"].get("dependencies", ())
            if need.startswith("nanobot-memory-")
        }
        # Those of the examples are found where core is installed already.
        assert needed <= {one["project"]["name"] for one in projects} or rest[1].startswith("./examples/")


def braces_expanded(word: str) -> list[str]:
    """Return the words that a shell makes of one with a list in braces."""
    before, opened, rest = word.partition("{")
    inside, _, after = rest.partition("}")
    return [f"{before}{one}{after}" for one in inside.split(",")] if opened else [word]


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with everything that the documents name in theirs, and what commands of theirs left for later ones."""
    home = tmp_path_factory.mktemp("home")
    make_nanobot(home / ".nanobot", 3)
    (home / ".nanobot" / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    make_workspace(home / "agent")
    make_openclaw(home / ".openclaw")
    make_claude_mem(home / ".claude-mem")
    make_claude_code(home / ".claude")
    make_markdown(home / "notes")
    (home / "memory.md").write_text("- Prefers aisle seats.\n", encoding="utf-8")
    (home / "DATASET_DIR").mkdir()
    document = {"id": "d1", "text": "The gate is green.", "date": "2026-01-02"}
    (home / "DATASET_DIR" / "docs.jsonl").write_text(json.dumps(document) + "\n", encoding="utf-8")
    question = {"id": "q1", "text": "Which colour has the gate?", "date": "2026-01-03"}
    (home / "DATASET_DIR" / "queries.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as at_home:
        _live_in(home, at_home)
        assert run_command_line(["export", "--to", "memory.zip"]) == 0
        assert run_command_line(["import", str(home / ".claude-mem")]) == 0  # for `import --undo`
        assert run_command_line(["index"]) == 0
    return home


@pytest.fixture
def home(made_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy for one test: none depends on what another has done, in whatever order and process they run."""
    home = tmp_path / "home"
    shutil.copytree(made_home, home, symlinks=True)
    _live_in(home, monkeypatch)
    return home


def _live_in(home: Path, environment: pytest.MonkeyPatch) -> None:
    environment.chdir(home)
    environment.setenv("HOME", str(home))
    environment.setenv("NANOBOT_MEMORY_WORKSPACE", str(home / "agent"))
    environment.setenv("NANOBOT_MEMORY_CONFIG", str(home / ".nanobot" / "config.json"))


@pytest.mark.parametrize("arguments", RUN, ids=" ".join)
def test_a_command_is_done(arguments, home: Path, capsys: pytest.CaptureFixture[str]):
    words = [f"{home}{word[1:]}" if word.startswith("~/") else word for word in arguments]
    if "ID" in words:
        assert run_command_line(["entries", "list", "--json"]) == 0
        words[words.index("ID")] = json.loads(capsys.readouterr().out.splitlines()[-1])["entries"][-1]["id"]
    if "--to" in words and (file := home / words[words.index("--to") + 1]).exists():
        file.unlink()
    status = run_command_line(words)
    shown = capsys.readouterr()
    assert status == STATUS.get(arguments, 0), shown.out + shown.err
    assert shown.out.strip()


def test_most_of_the_commands_are_run():
    run = {line[0] for line in RUN}
    assert {"search", "why", "audit", "cost", "doctor", "import", "export", "purge", "scrub", "entries", "eval"} <= run
    assert [place for place in NOT_RUN.values() if not (ROOT / place.partition(":")[0]).exists()] == []

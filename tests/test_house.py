"""The house keeps its shape: namespace, versions, direction of dependencies, size of modules."""

import ast
import re
import subprocess
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from release.house import House, circles, layers, report
from tests.conftest import _LONG as LONG_FILES
from tests.conftest import _SLOW as SLOW_FILES
from tests.support.each import each

ROOT = Path(__file__).parents[1]
NAMESPACE = ROOT / "nanobot_memory_plugins"
FOLDERS = sorted(path.parent for path in NAMESPACE.glob("*/pyproject.toml"))
MODULES = sorted(NAMESPACE.glob("*/**/*.py"))


# What a distribution may import beside itself; plugins may import core and redaction.
BELOW = {
    "redaction": set[str](),
    "core": {"redaction"},
    "postgres": {"core", "redaction", "search"},
    "storage": {"core", "redaction", "search"},
    "tools": {"core", "redaction", "search", "storage", "recall", "bridge"},
}


# Modules inside core that shipped plugins import beside its public face, which is `core` itself, and why.
INSIDE_CORE = {
    "core.cli": "the parts of commands: opened stores, repairs, findings, lines of text",
    "core.cli.machine_findings": "what the panel's page of health shows; the function has the module's name",
    "core.config": "setting nanobot up reads and writes configuration files, and not the options alone",
    "core.entry_points": "the demo looks for a local model of another distribution",
    "core.erasure": "consolidation forgets for good in its own files by core's rules",
    "core.erasure.secret_cleaning": "scrubbing entries; its clean_notes is another than that of erasing",
    "core.files": "entries and bridge write files of their own: locks, permissions, replacing",
    "core.files.seen_messages": "marks of messages that were dealt with; loaded only where they are kept",
    "core.host": "parts of the host that a bridge, the panel and the entries build upon",
    "core.isolation.threads": "the store has a pool of threads of its own",
    "core.language_model": "the nightly run asks under core's budget, and the panel shows what was used",
    "core.scopes": "people, groups and sessions, where a bridge or an entry decides whose something is",
    "core.testing.scripted_server": "the demo plays with the scripted model of the test kit",
    "core.text": "one reading of texts for all: sentences, negation, evidence, transcripts",
    "core.text.orders": "orders to remember are read by consolidation, on the parts that orders to forget stand on",
    "core.text.keeping": "words of orders, which have names in the module alone",
    "core.transfer.formats.markdown_notes": "nanobot's notes are Markdown notes",
    "core.transfer.formats.reading": "nanobot's sessions are lines of JSON with times",
    "core.values": "its Part is of a score; that of the public face is of an import",
    "core.values.scopes": "columns and names that only a store or a bridge compares",
}
ON_TOP = {"core", "redaction", "search", "tools"}


def project(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


HOUSE = House(ROOT)


def tree_of(module: Path) -> ast.Module:
    """Return a module, parsed: once for all tests."""
    return HOUSE.trees[".".join(module.relative_to(NAMESPACE).with_suffix("").parts).removesuffix(".__init__")]


@cache
def imported(module: Path) -> set[str]:
    """Return the names of everything that a module imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def test_the_namespace_has_no_init():
    assert not (NAMESPACE / "__init__.py").exists()


def test_every_distribution_has_the_same_version():
    assert len({project(folder)["version"] for folder in [ROOT, *FOLDERS]}) == 1


def test_every_folder_is_a_distribution_of_its_name():
    assert {project(folder)["name"] for folder in FOLDERS} == {f"nanobot-memory-{folder.name}" for folder in FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_distribution_imports_what_lies_below_it_and_no_other_plugin(folder: Path):
    allowed = {folder.name, *BELOW.get(folder.name, {"core", "redaction"})}
    for module in folder.rglob("*.py"):
        for name in imported(module):
            if name.startswith("nanobot_memory_plugins."):
                assert name.split(".")[1] in allowed, f"{module} imports {name}"


def test_plugins_stand_on_the_public_face_of_core_and_on_few_modules_inside():
    inside = set()
    for module in MODULES:
        if module.relative_to(NAMESPACE).parts[0] in ON_TOP:
            continue
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nanobot_memory_plugins.core."):
                name = str(node.module).removeprefix("nanobot_memory_plugins.")
                below = [f"{name}.{alias.name}" for alias in node.names]
                modules = {one for one in below if (NAMESPACE / one.replace(".", "/")).with_suffix(".py").exists()}
                inside |= modules or {name}
    assert inside == set(INSIDE_CORE)
    assert len(INSIDE_CORE) <= 20


@each("folder", FOLDERS)
def test_a_distribution_needs_just_those_of_ours_that_it_imports(folder: Path):
    names = {name for module in folder.rglob("*.py") for name in imported(module)}
    used = {name.split(".")[1] for name in names if name.startswith("nanobot_memory_plugins.")} - {folder.name}
    needed = project(folder).get("dependencies", [])
    assert isinstance(needed, list)
    assert {one.partition("==")[0] for one in needed if one.startswith("nanobot-memory-")} == {
        f"nanobot-memory-{name}" for name in used
    }


def test_only_the_bridge_knows_nanobot():
    knowing = {
        m.relative_to(NAMESPACE).parts[0] for m in MODULES if any(n.split(".")[0] == "nanobot" for n in imported(m))
    }
    assert knowing <= {"bridge"}


def test_only_the_fixtures_know_pytest():
    knowing = {
        m.relative_to(NAMESPACE).as_posix() for m in MODULES if "pytest" in {n.split(".")[0] for n in imported(m)}
    }
    assert knowing == {"core/testing/pytest_plugin.py"}


def test_every_way_out_goes_through_the_one_function():
    """The log, the tables and the lines of commands each have one module that reaches them; nothing goes beside it."""
    ways = {
        r"^import loguru|^from loguru import logger": {"core/log.py"},
        r"\bConsole\(|rich\.markup|^from rich import print": {"core/cli/console.py"},
        r"typer\.s?echo\(|click\.s?echo\(": {"core/cli/plain.py", "core/cli/main.py"},
        r"(?<![\w.])print\(": set(),
        # One JSON object; a filter's output; file, line and kind; the address of a process of the demo, for its parent;
        # where the log goes.
        r"sys\.std(?:out|err)\.(?:buffer\.)?write\(": {
            "core/cli/options.py", "redaction/cli/filters.py", "redaction/cli/command.py",
            "tools/local_model/process.py", "core/cli/log_setup.py", "core/cli/start.py",
        },
    }  # fmt: skip
    for way, allowed in ways.items():
        pattern = re.compile(way, re.MULTILINE)
        using = {m.relative_to(NAMESPACE).as_posix() for m in MODULES if pattern.search(m.read_text(encoding="utf-8"))}
        assert using <= allowed, way


@pytest.fixture
def house() -> House:
    return HOUSE


def test_no_rooms_import_each_other(house: House):
    assert {name: found for name in house.distributions if (found := circles(house.rooms(name)))} == {}


def test_core_and_consolidation_are_few_rooms_on_few_layers(house: House):
    core, consolidation = house.rooms("core"), house.rooms("consolidation")
    assert len(core) <= 22
    assert len(layers(core)) <= 9
    assert len(consolidation) <= 12


def test_rooms_that_import_each_other_are_found(tmp_path: Path):
    folder = tmp_path / "nanobot_memory_plugins" / "shop"
    folder.mkdir(parents=True)
    for name, text in {
        "till": "def pay():\n    from nanobot_memory_plugins.shop.door import open_it\n",
        "door": "from nanobot_memory_plugins.shop import till\n",
        "window": "from nanobot_memory_plugins.shop.door import open_it\n",
    }.items():
        (folder / f"{name}.py").write_text(text)
    rooms = House(tmp_path).rooms("shop")
    assert circles(rooms) == [["door", "till"]]
    with pytest.raises(ValueError, match="import each other"):
        layers(rooms)
    (folder / "till.py").write_text("PRICES = {}\n")
    assert layers(House(tmp_path).rooms("shop")) == [["till"], ["door"], ["window"]]


def test_the_total_leaves_out_what_is_optional(house: House):
    assert {"panel", "postgres", "tools"} <= house.optional
    assert not {"core", "storage", "bridge"} & house.optional
    counts = {name: house.statements(name) for name in house.distributions}
    optional = sum(counts[name] for name in house.optional)
    assert list(report(house))[-1] == (
        f"{sum(counts.values()) - optional} statements, and {optional} in optional distributions"
    )


def test_no_module_is_longer_than_400_lines():
    long = {
        str(m.relative_to(NAMESPACE)): n
        for m in MODULES
        if (n := len(m.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_module_defines_a_name_twice():
    twice = [
        f"{path.relative_to(NAMESPACE)}: {name}"
        for path in MODULES
        for name, count in Counter(constants(tree_of(path))).items()
        if count > 1
    ]
    assert twice == []


def test_a_public_class_has_a_name_of_its_own():
    names = Counter(
        node.name
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def constants(tree: ast.Module) -> list[str]:
    """Return the names that a module's top level assigns, as often as it does."""
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_entry_points_name_things_that_exist():
    for folder in FOLDERS:
        groups = project(folder).get("entry-points", {})
        assert isinstance(groups, dict)
        for group in groups.values():
            for value in group.values():
                module, _, name = value.partition(":")
                file = ROOT / Path(*module.split("."))
                source = file.with_suffix(".py") if file.with_suffix(".py").exists() else file / "__init__.py"
                assert source.exists(), value
                assert not name or name in source.read_text(encoding="utf-8"), value


def test_files_that_are_marked_slow_or_begin_first_are_there():
    assert [
        file for file in (*SLOW_FILES, *(f"{one}.py" for one in LONG_FILES)) if not (ROOT / "tests" / file).is_file()
    ] == []


def test_what_decides_about_a_change_runs_every_test():
    """A run of all tests leaves the slow ones out; CI runs those, and the command of the README.

    What fails there runs once more by itself, and nothing else does.
    """
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    modules = [f"python -m release.{one}" for one in ("house", "hosts", "mcp_majors", "mcp_conformance")]
    modules.append("python -m release.claude_code --where-possible")
    assert {f"uv run {one}" for one in ("lint-imports", *modules)} <= {step.strip() for step in steps}
    everyday = re.search(r"^uv run pytest .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert everyday is not None
    assert f"{everyday[0]} || once_more $?" in steps
    assert f'{everyday[0]} -m slow "${{slow[@]}}" || once_more $? -m slow "${{slow[@]}}"' in steps


def test_no_file_with_slow_tests_is_left_out_by_what_decides_about_a_change():
    """CI collects the files that write the mark, and those of the list in tests/conftest.py."""
    finding = re.search(r"^mapfile -t slow .*?\| sort -u\)$", (ROOT / ".ci" / "run").read_text("utf-8"), re.M | re.S)
    assert finding is not None
    script = f'{finding[0]}\nprintf "%s\\n" "${{slow[@]}}"'
    listed = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    written = {
        str(file.relative_to(ROOT))
        for file in ROOT.glob("tests/**/test_*.py")
        if "mark.slow" in file.read_text("utf-8")
    }
    assert {*written, *(f"tests/{file}" for file in SLOW_FILES)} <= set(listed)

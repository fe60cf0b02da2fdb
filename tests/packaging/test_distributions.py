"""Every distribution builds, installs from a folder of wheels, and uninstalls without harm to the others.

New environments have links to the third-party packages of the tests' own environment.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent.name for path in ROOT.glob("nanobot_memory_plugins/*/pyproject.toml"))
# The entry-point name of each distribution's plugin; the others are libraries and commands.
PLUGINS = {
    "bootstrap": "bootstrap",
    "bridge": "nanobot",
    "compaction": "compaction",
    "consolidation": "consolidation",
    "flush": "flush",
    "observation": "observation",
    "recall": "recall",
    "storage": "storage",
    "summary": "summary",
}
# The umbrella's extras.
EXTRAS = {"mcp", "panel", "postgres", "tools"}


def run(*command: str | Path, **more) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        **more,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="session")
def wheels(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    environment = {**os.environ, "NANOBOT_RELEASE": "1"}
    run("uv", "build", "--quiet", "--all-packages", "--wheel", "--out-dir", folder, cwd=ROOT, env=environment)
    return folder


@pytest.fixture(scope="session")
def third_party() -> list[Path]:
    """Return the third-party packages of the tests' environment: all but ours and plugins for ours."""
    ours = ("nanobot_memory", "_editable_impl_nanobot_memory", "_nanobot_memory")
    found = Path(sysconfig.get_paths()["purelib"]).iterdir()
    return [
        one for one in found if not one.name.lower().startswith(ours) and one.suffix != ".pth" and not _is_plugin(one)
    ]


def _is_plugin(package: Path) -> bool:
    """Return whether a metadata folder has an entry point that our plugin loader would find."""
    names = package / "entry_points.txt"
    return names.is_file() and "[nanobot_memory" in names.read_text(encoding="utf-8")


# Prefixes of variables that affect a new environment.
_NOT_HANDED_ON = ("NANOBOT", "VIRTUAL_ENV", "PYTHONPATH")


class Environment:
    """A new virtual environment, into which only wheels from the folder are installed."""

    def __init__(self, folder: Path, wheels: Path, third_party: Sequence[Path]) -> None:
        run("uv", "venv", "--quiet", "--python", sys.executable, folder)
        self.bin = folder / ("Scripts" if sys.platform == "win32" else "bin")
        self.wheels = wheels
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        for package in third_party:
            here = folder / "lib" / version / "site-packages" / package.name
            if package.suffix == ".dist-info":  # uv follows no links to these
                shutil.copytree(package, here)
            else:
                here.symlink_to(package)
        self.variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith(_NOT_HANDED_ON)},
            "HOME": str(folder / "home"),
        }

    def pip(self, command: str, *arguments: str) -> str:
        python = str(self.bin / "python")
        done = run("uv", "pip", command, "--quiet", "--python", python, *arguments, env=self.variables)
        return done.stdout

    def install(self, *names: str) -> None:
        self.pip("install", "--no-index", "--find-links", str(self.wheels), *names)

    def uninstall(self, *names: str) -> None:
        self.pip("uninstall", *names)

    def command(self, *arguments: str) -> dict[str, object]:
        """Run ``nanobot-memory`` with ``--json``, and return the object on its last line."""
        done = subprocess.run(
            [self.bin / "nanobot-memory", *arguments, "--json"],
            capture_output=True, text=True, encoding="utf-8", timeout=120, check=False, env=self.variables,
        )  # fmt: skip
        assert done.stdout.strip(), done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def help(self) -> str:
        return run(self.bin / "nanobot-memory", "--help", env=self.variables).stdout

    def try_out(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.bin / "nanobot-memory", *arguments],
            capture_output=True, text=True, encoding="utf-8", timeout=60, check=False, env=self.variables,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def plugins(self) -> dict[str, dict[str, object]]:
        return {str(plugin["name"]): plugin for plugin in self.command("plugins")["plugins"]}


@pytest.fixture
def environment(tmp_path, wheels, third_party) -> Environment:
    return Environment(tmp_path / "environment", wheels, third_party)


@pytest.mark.accept("PL-01")
def test_each_plugin_is_installed_alone_and_removed(environment):
    for folder, name in PLUGINS.items():
        environment.install(f"nanobot-memory-{folder}")
        ours = {line.partition("=")[0] for line in environment.pip("freeze").splitlines() if "nanobot-memory" in line}
        assert ours == {"nanobot-memory-redaction", "nanobot-memory-core", f"nanobot-memory-{folder}"}
        found = {known: plugin["distribution"] for known, plugin in environment.plugins().items()}
        assert found == {name: f"nanobot-memory-{folder}"}
        environment.pip("check")
        environment.uninstall(f"nanobot-memory-{folder}")
        assert environment.plugins() == {}


@pytest.mark.accept("PL-01")
def test_removing_one_plugin_leaves_the_others_working(environment, tmp_path):
    # The tools and the shared store depend on this store, and are removed with it.
    environment.install(*(f"nanobot-memory-{folder}" for folder in FOLDERS if folder not in ("tools", "postgres")))
    environment.pip("check")
    assert set(environment.plugins()) == set(PLUGINS.values())
    environment.uninstall("nanobot-memory-storage")
    environment.pip("check")
    plugins = environment.plugins()
    assert set(plugins) == set(PLUGINS.values()) - {"storage"}
    assert not any(plugin["error"] for plugin in plugins.values())
    findings = {f["subject"]: f for f in environment.command("doctor", "--workspace", str(tmp_path))["findings"]}
    assert "disabled" in findings["recall"]["state"]
    assert "storage" in findings["recall"]["hint"]


@pytest.mark.accept("PL-01")
def test_the_umbrella_brings_all_and_a_plugin_is_switched_off_by_configuration(environment, tmp_path):
    environment.install("nanobot-memory-plugins")
    environment.pip("check")
    assert set(environment.plugins()) == set(PLUGINS.values())
    assert not {f"nanobot-memory-{extra}" for extra in EXTRAS} & {
        line.partition("=")[0] for line in environment.pip("freeze").splitlines()
    }
    config = tmp_path / "config.json"
    config.write_text('{"memoryPlugins": {"observation": {"enabled": false}}}', encoding="utf-8")
    done = environment.command("plugins", "--config", str(config))
    states = {plugin["name"]: plugin["enabled"] for plugin in done["plugins"]}
    assert states == {name: name != "observation" for name in PLUGINS.values()}


@pytest.mark.accept("PL-01")
def test_the_server_the_panel_and_the_tools_come_as_extras_and_go_without_a_trace(environment, tmp_path):
    environment.install("nanobot-memory-plugins")
    assert not {"mcp", "panel", "postgres", "eval", "bench"} & set(environment.help().split())
    environment.install("nanobot-memory-plugins[hosts,mcp,panel,postgres,tools]")
    environment.pip("check")
    assert {"mcp", "panel", "postgres", "eval", "bench"} <= set(environment.help().split())
    done = environment.try_out("panel", "--workspace", str(tmp_path))
    assert done.returncode == 1
    assert "The panel needs a terminal" in done.stderr
    assert environment.command("bench", "--size", "200")["size"] == 200
    (tmp_path / "docs.jsonl").write_text('{"id": "d", "text": "The gate is green."}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "text": "Which colour has the gate?"}\n', encoding="utf-8")
    run = tmp_path / "run.jsonl"
    assert environment.command("eval", str(tmp_path), "--run", str(run), "--no-embeddings")["ok"]
    assert json.loads(run.read_text(encoding="utf-8"))["ranked"] == ["d"]
    environment.uninstall(*(f"nanobot-memory-{name}" for name in ("hosts", "mcp", "panel", "postgres", "tools")))
    environment.pip("check")
    assert not {"mcp", "panel", "postgres", "eval", "bench"} & set(environment.help().split())
    assert set(environment.plugins()) == set(PLUGINS.values())


def test_redaction_is_installed_alone_and_redacts_as_library_and_filter(wheels, tmp_path):
    environment = Environment(tmp_path / "environment", wheels, third_party=())
    environment.install("nanobot-memory-redaction")
    assert environment.pip("freeze").split("==")[0] == "nanobot-memory-redaction"
    library = (
        "from nanobot_memory_plugins.redaction import redact_text; print(redact_text('the password is Quiet7harbor'))"
    )
    done = run(environment.bin / "python", "-c", library, env=environment.variables, cwd=tmp_path)
    assert done.stdout == "the password is [REDACTED]\n"
    program = environment.bin / "nanobot-memory-redact"
    assert run(program, input="密码：Quiet7harbor\n", env=environment.variables).stdout == "密码：[REDACTED]\n"

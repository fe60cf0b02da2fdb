"""Installs the built files into a clean environment, and uses them as a new user would."""

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from release.running import ReleaseError, run

PYTHONS = ("3.11", "3.12", "3.13")
# Prefixes of variables that a new user's environment does not have.
_REMOVED_VARIABLES = ("NANOBOT", "VIRTUAL_ENV", "PYTHON", "UV_PROJECT")


@dataclass(frozen=True, slots=True)
class Trial:
    """The result with one Python. ``level`` is the search level, 0 being the best; each step has its seconds."""

    python: str
    packages: int
    level: object
    install_seconds: float
    doctor_seconds: float
    demo_seconds: float

    def __str__(self) -> str:
        """Return the result as one line."""
        return (
            f"Python {self.python}: {self.packages} packages in {self.install_seconds:.0f} s, "
            f"doctor {self.doctor_seconds:.0f} s, demo {self.demo_seconds:.0f} s"
        )


def try_out(built: Path, version: str, python: str, folder: Path, host: str) -> Trial:
    """Install into a new environment of a Python, and run ``doctor`` and ``demo`` in it. Raises `ReleaseError`.

    ``built`` is the folder of our own files; everything else comes from the package index. ``folder`` is for the
    environments, ``host`` is the requirement of nanobot-ai.
    """
    environment, home = folder / f"python-{python}", folder / f"home-{python}"
    workspace = home / "workspace"
    shutil.rmtree(environment, ignore_errors=True)
    workspace.mkdir(parents=True, exist_ok=True)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(_REMOVED_VARIABLES)}
    run(
        ["uv", "venv", "--quiet", "--no-project", "--python", _named(python), environment],
        folder=folder,
        variables=variables,
    )
    binaries = environment / ("Scripts" if os.name == "nt" else "bin")
    interpreter = binaries / ("python.exe" if os.name == "nt" else "python")
    started = time.monotonic()
    # Compiled as by pip, since otherwise the first import of the store may exceed the time limit of a plugin.
    install: list[str | Path] = ["uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", interpreter]
    install += ["--find-links", built]
    run(
        [*install, f"nanobot-memory-plugins[hosts,mcp,panel,tools]=={version}", host],
        folder=folder,
        variables=variables,
    )
    install_seconds = time.monotonic() - started
    run(["uv", "pip", "check", "--quiet", "--python", interpreter], folder=folder, variables=variables)
    listed = run(["uv", "pip", "list", "--format", "json", "--python", interpreter], folder=folder, variables=variables)
    packages = {one["name"]: one["version"] for one in json.loads(listed)}
    wrong = {name: one for name, one in packages.items() if name.startswith("nanobot-memory") and one != version}
    if wrong:
        raise ReleaseError(f"On Python {python} {wrong} was installed, and not {version}.")
    own = {**variables, "HOME": str(home), "NANOBOT_MEMORY_CACHE": str(folder / "cache"), "NO_COLOR": "1"}
    command = binaries / "nanobot-memory"
    started = time.monotonic()
    doctor = _last_line(run([command, "doctor", "--workspace", workspace, "--json"], folder=home, variables=own))
    doctor_seconds, started = time.monotonic() - started, time.monotonic()
    demo = _last_line(run([command, "demo", "--json"], folder=home, variables=own))
    demo_seconds = time.monotonic() - started
    if demo.get("ok") is not True:
        raise ReleaseError(f"The demo failed on Python {python}: {json.dumps(demo.get('stages'))}")
    return Trial(python, len(packages), doctor.get("level"), install_seconds, doctor_seconds, demo_seconds)


def _named(python: str) -> str:
    """Return the newest interpreter of a version that pyenv has, or the version for uv to find."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = sorted(root.glob(f"versions/{python}.*/bin/python"), key=lambda path: path.stat().st_mtime)
    return str(found[-1]) if found else python


def _last_line(output: str) -> dict[str, object]:
    try:
        row: dict[str, object] = json.loads(output.strip().splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise ReleaseError(f"No JSON came out: {output[-200:]}") from error
    return row

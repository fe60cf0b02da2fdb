"""The time of a new user's first run, from ``pip install`` to the first recalled memory, in a clean environment.

``python -m benchmarks first_run`` builds the wheels, creates an environment with only nanobot-ai, and runs the steps of
docs/first_run.md there, each in a new process. Packages come from the package index, and the language model is a script
on 127.0.0.1. The embedding model is prepared beforehand, and timed separately.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.tools.demo.installation import settings_for
from nanobot_memory_plugins.tools.scripted_model import ScriptedServer

ROOT = Path(__file__).parents[1]
MOST_COMMANDS, MOST_SECONDS = 4, 120.0
# nanobot counts tokens with a file that it downloads, and stalls without a network: a proxy that refuses at once.
_NO_NETWORK = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
SAID = "Remember that our staging database listens on port 5433."
ASKED = "Do you remember the port of the staging database?"


@dataclass(frozen=True, slots=True)
class Step:
    """One command with its seconds and its output."""

    command: str
    seconds: float
    returncode: int
    output: str


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of the steps. ``recalled`` says that the second session's question came with the fact."""

    steps: tuple[Step, ...]
    recalled: bool

    @property
    def seconds(self) -> float:
        """The total of all steps."""
        return sum(step.seconds for step in self.steps)

    def is_good(self) -> bool:
        """Return whether the fact was recalled and all steps succeeded, within the promised number and time."""
        done = self.recalled and all(step.returncode == 0 for step in self.steps)
        return done and len(self.steps) <= MOST_COMMANDS and self.seconds < MOST_SECONDS


def first_run(python: Path, home: Path, *, install: Sequence[str], variables: Mapping[str, str]) -> Trial:
    """Run the steps with the interpreter of an environment that has nanobot-ai.

    ``home`` is a new home folder, ``install`` are the arguments of ``pip install``. It stops at the first failed step.
    """
    steps: list[Step] = []
    with ScriptedServer() as server:
        settings = settings_for(server.base_url, "scripted")
        settings["agents"]["defaults"]["workspace"] = str(home / "workspace")
        file = home / ".nanobot" / "config.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings, indent=2), encoding="utf-8")
        own = {**variables, "HOME": str(home), "USERPROFILE": str(home), "PYTHONIOENCODING": "utf-8"}
        agent = ["-m", "nanobot", "agent", "--no-markdown"]
        for arguments, environment in (
            (["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *install], own),
            (["-m", "nanobot_memory_plugins.core.cli", "init"], own | _NO_NETWORK),
            ([*agent, "-m", SAID], own | _NO_NETWORK),
            ([*agent, "-s", "another", "-m", ASKED], own | _NO_NETWORK),
        ):
            steps.append(_step([str(python), *arguments], environment, home))
            if steps[-1].returncode:
                break
        question = server.requests[-1].last_user if server.requests else ""
    return Trial(tuple(steps), ASKED in question and "5433" in question)


def _step(command: list[str], environment: Mapping[str, str], folder: Path) -> Step:
    started = time.monotonic()
    done = subprocess.run(
        command,
        env=dict(environment),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=600,
        check=False,
    )
    return Step(" ".join(command[1:]), time.monotonic() - started, done.returncode, done.stdout)


def plain_environment(names: Iterable[str] = ("NANOBOT", "VIRTUAL_ENV", "PYTHON")) -> dict[str, str]:
    """Return this process's variables without those that affect a separate environment."""
    return {name: value for name, value in os.environ.items() if not name.startswith(tuple(names))}


def main() -> None:
    """Measure, and print a line per step."""
    with tempfile.TemporaryDirectory(prefix="nanobot-memory-first-run-") as name:
        folder = Path(name)
        wheels, cache = folder / "wheels", folder / "cache"
        variables = plain_environment()
        subprocess.run(
            ["uv", "build", "--quiet", "--all-packages", "--wheel", "--out-dir", str(wheels)],
            cwd=ROOT,
            env={**variables, "NANOBOT_RELEASE": "1"},
            check=True,
        )
        venv.create(folder / "environment", with_pip=True)
        python = folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "nanobot-ai"], env=variables, check=True)
        own = {**variables, "NANOBOT_MEMORY_CACHE": str(cache)}
        started = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "models", "pull"],
            env=own,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        model_seconds = time.monotonic() - started
        install = ["--find-links", str(wheels), "nanobot-memory-plugins"]
        trial = first_run(python, folder / "home", install=install, variables=own)
        for step in trial.steps:
            print(f"{step.seconds:6.1f} s  {step.command.replace(name, '...')}")
            if step.returncode:
                print(step.output)
        verdict = "recalled" if trial.recalled else "NOT recalled"
        print(f"{trial.seconds:6.1f} s  {len(trial.steps)} commands: {verdict} (at most {MOST_SECONDS:.0f} s)")
        print(f"{model_seconds:6.1f} s  the embedding model, which is not counted")
        if not trial.is_good():
            raise SystemExit(1)


if __name__ == "__main__":
    main()

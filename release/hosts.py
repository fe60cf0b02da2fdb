"""Tests the adapters with their real frameworks: ``python -m release.hosts [ADAPTER ...] [--minimum | --newest]``.

Each adapter's tests run in a separate environment for each version: the minimum version in the extra of
``nanobot-memory-hosts``, and the newest one. Environments are cached, and rebuilt when a requirement has changed.
Arguments after ``--`` go to pytest. ``--python`` names another interpreter than this one.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from platformdirs import user_cache_path

from release.running import ReleaseError, run, split_at_dashes

ROOT = Path(__file__).parents[1]
NAMESPACE = ROOT / "nanobot_memory_plugins"
# The distributions to install: the adapters, and the plugins that do not need nanobot-ai.
FOLDERS = (
    "redaction", "core", "storage", "recall", "observation", "flush", "summary", "bootstrap", "compaction",
    "consolidation", "hosts",
)  # fmt: skip
# What each adapter's tests need besides its framework, such as a client for the model server.
ADAPTERS: dict[str, tuple[str, ...]] = {
    "langchain": ("langchain-openai",),
    "pydantic-ai": ("pydantic-ai-slim[openai]",),
    "openai-agents": (),
    "adk": (),
    "hermes": (),
}
TEST_TOOLS = ("pytest>=8", "pytest-asyncio>=0.24", "packaging>=24.2")
VERSIONS = ("minimum", "newest")
_LEFT_OUT = ("NANOBOT", "VIRTUAL_ENV", "PYTHON", "UV_PROJECT")
# Frameworks warn about their future changes. Our own warnings are errors, as in all other tests.
_WARNINGS = ("-Wdefault::DeprecationWarning", "-Wdefault::PendingDeprecationWarning", "-Wdefault::UserWarning")


@dataclass(frozen=True, slots=True)
class Trial:
    """The tests of one adapter in one environment."""

    adapter: str
    version: str

    @property
    def tests(self) -> Path:
        """The folder of the tests."""
        return ROOT / "tests" / "hosts" / self.adapter.replace("-", "_")

    @property
    def framework(self) -> Requirement:
        """The requirement of the framework, as the extra of the distribution has it."""
        text = (NAMESPACE / "hosts" / "pyproject.toml").read_text(encoding="utf-8")
        return Requirement(tomllib.loads(text)["project"]["optional-dependencies"][self.adapter][0])

    def requirements(self) -> list[str]:
        """Return the third-party requirements. For the minimum version, the framework is pinned to it."""
        needed = [str(self.framework), *ADAPTERS[self.adapter], *TEST_TOOLS]
        if self.version == "minimum":
            (lowest,) = (one.version for one in self.framework.specifier if one.operator == ">=")
            # A trailing zero in the requirement or on the index does not matter.
            needed.append(f"{self.framework.name}=={lowest}")
        return needed


def environment(trial: Trial, cache: Path, interpreter: str = sys.executable) -> Path:
    """Return the interpreter of a trial's environment, which is created or rebuilt if its requirements differ."""
    code = "import sys; print('py{}{}'.format(*sys.version_info))"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{trial.adapter}-{trial.version}-{run([interpreter, '-c', code], folder=cache).strip()}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    own = [NAMESPACE / name for name in FOLDERS]
    inputs = [trial.requirements(), [(one / "pyproject.toml").read_text(encoding="utf-8") for one in own], str(ROOT)]
    mark, stamp = hashlib.sha256(json.dumps(inputs).encode()).hexdigest(), folder / "made-for"
    if python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == mark:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    run(["uv", "venv", "--quiet", "--no-project", "--python", interpreter, folder], folder=cache)
    options = ["--quiet", "--no-config", "--no-sources", "--python", str(python)]
    ours = [part for one in own for part in ("--editable", f"{one}[embedding,vec]" if one.name == "storage" else one)]
    run(["uv", "pip", "install", *options, *ours, *trial.requirements()], folder=cache)
    stamp.write_text(mark, encoding="utf-8")
    return python


def version_in(python: Path, name: str) -> str:
    """Return the version of a distribution in an environment."""
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return run([python, "-c", code], folder=python.parent).strip()


def run_tests(trial: Trial, python: Path, arguments: Sequence[str]) -> tuple[bool, str]:
    """Run the tests of a trial, and return whether they passed, and their output."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *_WARNINGS, str(trial.tests), *arguments]
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env=variables,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return ran.returncode == 0, ran.stdout


def try_out(trial: Trial, cache: Path, interpreter: str, arguments: Sequence[str]) -> str:
    """Run a trial and print its output. Return what failed, or an empty text."""
    began = time.monotonic()
    try:
        python = environment(trial, cache, interpreter)
    except ReleaseError as error:
        return f"{trial.adapter}, {trial.version}: {error}"
    made = time.monotonic() - began
    name = f"{trial.framework.name} {version_in(python, trial.framework.name)} ({trial.version})"
    passed, said = run_tests(trial, python, arguments)
    took = time.monotonic() - began - made
    print(f"{said.rstrip()}\n{name}: environment in {made:.0f} s, tests in {took:.0f} s", flush=True)
    return "" if passed else f"{name}: tests failed"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if all tests passed, 1 if not, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m release.hosts", description=__doc__)
    parser.add_argument("adapters", nargs="*", metavar="ADAPTER", help=f"{', '.join(ADAPTERS)}; all when none is named")
    only = parser.add_mutually_exclusive_group()
    for version in VERSIONS:
        only.add_argument(f"--{version}", dest="versions", action="store_const", const=(version,), default=VERSIONS)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the environments; else this one")
    parser.add_argument("--cache", type=Path, default=user_cache_path("nanobot-memory-hosts"), help="for environments")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many are tried at once; else two")
    words, for_pytest = split_at_dashes(sys.argv[1:] if arguments is None else arguments)
    given = parser.parse_args(words)
    if unknown := set(given.adapters) - set(ADAPTERS):
        parser.error(f"there is no adapter {', '.join(sorted(unknown))}: it is one of {', '.join(ADAPTERS)}")
    trials = [Trial(one, version) for one in given.adapters or ADAPTERS for version in given.versions]
    with ThreadPoolExecutor(max(1, given.jobs)) as pool:
        tried = pool.map(lambda trial: try_out(trial, given.cache, given.python, for_pytest), trials)
        failed = [one for one in tried if one]
    for one in failed:
        print(one, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs nanobot's own tests with and without the memory: ``python -m release.nanobot_suite CHECKOUT [-- ARGUMENT...]``.

No package contains these tests, so CHECKOUT is nanobot's repository at the version to test. Arguments after ``--`` go
to pytest. Two environments are created that differ only in the memory. Tests with different outcomes run twice more in
both, to rule out flaky ones.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from release.hosts import FOLDERS, NAMESPACE
from release.running import ReleaseError, run, split_at_dashes

# The memory's distributions for nanobot: with the bridge, without the adapters of other hosts.
MEMORY_FOLDERS = (*(name for name in FOLDERS if name != "hosts"), "bridge")
EXTRAS = "dev,api"
_LEFT_OUT = ("NANOBOT", "VIRTUAL_ENV", "PYTHON", "UV_PROJECT")
_REPEATS = 2
# pytest's exit codes for a complete run: all passed, or some failed.
_COMPLETE_CODES = (0, 1)
Outcomes = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Environment:
    """An interpreter with nanobot from a checkout, its test dependencies, and optionally the memory."""

    name: str
    python: Path
    checkout: Path

    @classmethod
    def made(cls, name: str, folder: Path, checkout: Path, *, with_memory: bool) -> "Environment":
        """Create an environment unless it exists. Raises `ReleaseError`."""
        python = folder / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if not python.exists():
            run(["uv", "venv", "--quiet", "--no-project", "--python", sys.executable, folder / name], folder=folder)
        own = [NAMESPACE / one for one in MEMORY_FOLDERS] if with_memory else []
        ours = [
            part for one in own for part in ("--editable", f"{one}[embedding,vec]" if one.name == "storage" else one)
        ]
        # A checkout has the version of its last release, which may be older than the bridge's requirement.
        requirement, overrides = f"{checkout}[{EXTRAS}]", folder / "overrides.txt"
        overrides.write_text(f"-e {requirement}\n", encoding="utf-8")
        options = ["--quiet", "--no-config", "--no-sources", "--python", str(python), "--overrides", str(overrides)]
        run(["uv", "pip", "install", *options, "--editable", requirement, *ours], folder=folder)
        return cls(name, python, checkout)

    def run(self, arguments: Sequence[str]) -> dict[str, str]:
        """Run tests, and return their outcomes. Raises `ReleaseError` without a complete run."""
        with tempfile.TemporaryDirectory() as made:
            report, home = Path(made) / "report.xml", Path(made) / "home"
            home.mkdir()
            kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
            options = ["-q", "-p", "no:cacheprovider", f"--junitxml={report}", "-o", "junit_family=xunit1"]
            done = subprocess.run(
                [str(self.python), "-m", "pytest", *options, *arguments],
                cwd=self.checkout, env={**kept, "HOME": str(home)}, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode not in _COMPLETE_CODES or not report.is_file():
                raise ReleaseError(f"nanobot's tests did not run ({self.name}):\n{done.stdout[-2_000:]}{done.stderr}")
            return outcomes(report.read_text(encoding="utf-8"))


def outcomes(report: str) -> dict[str, str]:
    """Return the outcome of each test in a JUnit report, by pytest's name of the test."""
    found: dict[str, str] = {}
    for case in ElementTree.fromstring(report).iter("testcase"):  # noqa: S314  # pytest has written it
        kinds = {one.tag for one in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        file, class_ = case.get("file", ""), case.get("classname", "").rpartition(".")[2]
        place = [file, class_] if class_ and class_ != Path(file).stem else [file]
        name = "::".join([*place, case.get("name", "")])
        # A failed setup or teardown has its own entry.
        found[name] = "failed" if found.get(name) == "failed" else outcome
    return found


def differences(plain: Outcomes, own: Outcomes) -> list[str]:
    """Return the tests with different outcomes."""
    return sorted(name for name in plain.keys() | own.keys() if plain.get(name) != own.get(name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if all outcomes are the same, 1 if not, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m release.nanobot_suite", description=__doc__)
    parser.add_argument("checkout", type=Path, help="nanobot's repository")
    parser.add_argument("--folder", type=Path, help="for the environments; a temporary one otherwise")
    words, for_pytest = split_at_dashes(sys.argv[1:] if arguments is None else arguments)
    given = parser.parse_args(words)
    project = given.checkout / "pyproject.toml"
    if not project.is_file():
        parser.error(f"{given.checkout} holds no pyproject.toml: it is not nanobot's repository")
    version = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    try:
        with tempfile.TemporaryDirectory() as temporary:
            folder = given.folder or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            return _compare(folder.absolute(), given.checkout.absolute(), version, for_pytest)
    except ReleaseError as failed:
        print(failed, file=sys.stderr)
        return 1


def _compare(folder: Path, checkout: Path, version: str, tests: Sequence[str]) -> int:
    plain = Environment.made("plain", folder, checkout, with_memory=False)
    own = Environment.made("with-memory", folder, checkout, with_memory=True)
    before, after = plain.run(tests), own.run(tests)
    for name, found in ((plain.name, before), (own.name, after)):
        counted = Counter(found.values())
        print(f"nanobot {version}, {name}: {', '.join(f'{counted[one]} {one}' for one in sorted(counted))}")
    different = differences(before, after)
    for _ in range(_REPEATS):
        known = [name for name in different if name in before]
        if not known:  # without names, pytest would run all tests
            break
        different = differences(plain.run(known), own.run(known)) + [one for one in different if one not in known]
    for name in different:
        print(f"{name}: {before.get(name, 'not there')}, with the memory {after.get(name, 'not there')}")
    print(f"{len(different)} of {len(before)} tests went otherwise with the memory")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

"""Tests the plugin with Claude Code and the Agent SDK: ``python -m release.claude_code [--where-possible] [FOLDER]``.

It installs Claude Code from npm and the SDK from PyPI into the folder, and runs the tests that need them. The model is
scripted and runs on this machine; there is no sign-in, and no network access after the installation. With
``--where-possible``, the tests are skipped if the packages cannot be installed. Failed tests are repeated up to twice,
since a busy machine may not start a server within Claude Code's five seconds.
"""

import os
import sys
from functools import partial
from pathlib import Path

from release.running import ReleaseError, run, run_in_folder

ROOT = Path(__file__).parents[1]
# With a tag, since npm otherwise takes the newest version for its own Node, which may be a year old.
PACKAGE, NODE = "@anthropic-ai/claude-code@latest", "node@22"
SDK = "claude-agent-sdk"
TESTS = ("tests/mcp/test_claude_code.py",)
FOLDER_VARIABLE = "NANOBOT_MEMORY_CLAUDE_CODE"
WHERE_POSSIBLE = "--where-possible"
# The time limit of the tests in seconds, ten times what they take on an idle machine.
_TIME_LIMIT = 3_600
_TRIES = 3


def install(folder: Path) -> None:
    """Install both packages if they are missing, and print their versions. Raises `ReleaseError`."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "node_modules" / ".bin" / "claude"
    if not program.exists():
        run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder, NODE, PACKAGE], folder=folder)
    print(run([program, "--version"], folder=folder).strip())
    python = folder / "agent-sdk" / "bin" / "python"
    if not python.exists():
        run(["uv", "venv", "--quiet", "--no-project", "--python", sys.executable, folder / "agent-sdk"], folder=folder)
        run(["uv", "pip", "install", "--quiet", "--no-config", "--python", python, SDK], folder=folder)
    listed = run(["uv", "pip", "show", "--python", python, SDK], folder=folder)
    print(SDK, next(line.split()[-1] for line in listed.splitlines() if line.startswith("Version:")))


def main(folder: Path, *, where_possible: bool = False) -> None:
    """Install both packages, and run the tests. Raises `ReleaseError` if one fails."""
    try:
        install(folder)
    except ReleaseError as failed:
        if not where_possible:
            raise
        print(f"The tests of Claude Code and the Agent SDK are left out, for these cannot be installed here. {failed}")
        return
    variables = {**os.environ, FOLDER_VARIABLE: str(folder)}
    command = [sys.executable, "-m", "pytest", "-q", "-o", f"cache_dir={folder / 'cache'}", *TESTS]
    for again in range(_TRIES):
        try:
            said = run(
                [*command, *(["--last-failed"] if again else [])], folder=ROOT, variables=variables, seconds=_TIME_LIMIT
            )
            break
        except ReleaseError as failed:
            # Claude Code waits some seconds for its server, and then goes on without it.
            if again + 1 == _TRIES:
                raise
            print(f"{failed}\nWhat failed is run once more.", flush=True)
    print(said.strip().splitlines()[-1])


if __name__ == "__main__":
    optional = WHERE_POSSIBLE in sys.argv
    sys.argv = [word for word in sys.argv if word != WHERE_POSSIBLE]
    run_in_folder(partial(main, where_possible=optional))

"""Hosts of all kinds over one workspace: ``python -m release.across_hosts [FOLDER]``.

nanobot, Claude Code, LangChain and an MCP client run side by side, are told, asked and killed at random. Claude Code is
installed into the folder, LangChain into the environment that `release.hosts` has for it. The variable
``NANOBOT_MEMORY_ACROSS_ROUNDS`` says how many rounds there are, 10 otherwise; each takes some ten seconds. With another
``NANOBOT_MEMORY_ACROSS_SEED`` they are others.
"""

import os
import sys
from pathlib import Path

from platformdirs import user_cache_path

from release import claude_code
from release.hosts import Trial, environment
from release.running import run, run_in_folder

TESTS = "tests/across"
_ROUNDS, _LANGCHAIN = "NANOBOT_MEMORY_ACROSS_ROUNDS", "NANOBOT_MEMORY_ACROSS_LANGCHAIN"


def main(folder: Path) -> None:
    """Install what is missing, and run the rounds. Raises `ReleaseError` where something is lost or doubled."""
    claude_code.install(folder)
    python = environment(Trial("langchain", "newest"), user_cache_path("nanobot-memory-hosts"))
    own = {claude_code.FOLDER_VARIABLE: str(folder), _LANGCHAIN: str(python)}
    variables = {**os.environ, **own, _ROUNDS: os.environ.get(_ROUNDS, "10")}
    said = run([sys.executable, "-m", "pytest", "-q", "-s", TESTS], folder=claude_code.ROOT, variables=variables)
    print("\n".join(line for line in said.splitlines() if "facts told" in line or " passed" in line))


if __name__ == "__main__":
    run_in_folder(main)

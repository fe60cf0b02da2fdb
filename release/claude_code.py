"""Claude Code with the plugin, as it comes from npm: ``python -m release.claude_code [FOLDER]``.

It installs the package into the folder and runs the tests that need it. The model is a scripted one on this machine;
nobody signs in, and nothing reaches the network once the package is there.
"""

import os
import sys
from pathlib import Path

from release.running import run, run_in_folder

ROOT = Path(__file__).parents[1]
PACKAGE, NODE = "@anthropic-ai/claude-code", "node@22"
TESTS = "tests/mcp/test_claude_code.py"
_VARIABLE = "NANOBOT_MEMORY_CLAUDE_CODE"


def main(folder: Path) -> None:
    """Install the package where it is not there, and run the tests. Raises `ReleaseError` where one fails."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "node_modules" / ".bin" / "claude"
    if not program.exists():
        run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder, NODE, PACKAGE], folder=folder)
    print(run([program, "--version"], folder=folder).strip())
    variables = {**os.environ, _VARIABLE: str(folder)}
    said = run([sys.executable, "-m", "pytest", "-q", TESTS], folder=ROOT, variables=variables)
    print(said.strip().splitlines()[-1])


if __name__ == "__main__":
    run_in_folder(main)

"""The example of pydantic-ai runs, and remembers."""

import subprocess
import sys

from tests.support.hosts import ASKED, ROOT, TOLD, beside, needs

needs("pydantic-ai", "pydantic_ai")


def test_what_the_example_was_told_it_knows_in_another_conversation(wired):
    command = [sys.executable, str(ROOT / "examples" / "pydantic_ai_agent.py"), str(wired.workspace)]
    for lines in (f"{TOLD}\n/new\nHello.\n", f"{ASKED}\n"):
        done = subprocess.run(
            [*command, wired.server.base_url], input=lines, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout == "Understood.\n"
    assert "5433" in beside(wired.last, ASKED)

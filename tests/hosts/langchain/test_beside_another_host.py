"""LangChain and another host over one workspace at the same time: what one is told the other knows."""

import subprocess
import sys
import time
from contextlib import contextmanager

from tests.support.hosts import ASKED, ROOT, TOLD, beside, needs, searchable

needs("langchain", "langchain")

HOST = ROOT / "tests" / "hosts" / "other_host.py"


@contextmanager
def another_host(workspace):
    """Run a host of another kind in a process of its own."""
    command = [sys.executable, "-u", str(HOST), str(workspace)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait(timeout=60)


def say(process, text: str) -> str:
    process.stdin.write(f"{text}\n")
    process.stdin.flush()
    return process.stdout.readline()


def test_what_another_host_is_told_while_it_runs_an_agent_knows_and_back(agents):
    with another_host(agents.wired.workspace) as other:
        say(other, TOLD)
        memory = agents.wired.service()
        agent = agents.make(memory)
        for number in range(50):  # until whoever holds the index has read on
            agents.ask(agent, ASKED, f"asked {number}")
            if "5433" in agents.wired.last.last_user:
                break
            time.sleep(0.2)
        assert "5433" in beside(agents.wired.last, ASKED)
        agents.ask(agent, "Remember that my boat is called Wanda.", "told")
        searchable(memory)
        memory.close()
    with another_host(agents.wired.workspace) as other:
        assert "Wanda" in say(other, "What is my boat called?")
    assert agents.wired.said("user").count(TOLD) == 1

"""Several hosts over one workspace, killed at random: what one was told all know, and nothing is lost or doubled.

nanobot and the MCP server are there; Claude Code and LangChain come with `release.across_hosts`, with more rounds.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.across.hosts import CONFIGURATION, SHARED, ClaudeHost, Host, McpHost, langchain, nanobot, scripted
from tests.across.rounds import run_rounds
from tests.support.anthropic_server import AnthropicServer
from tests.support.claude_code import MISSING, ClaudeCode, program
from tests.support.mcp_clients import ServedWorkspace
from tests.support.nanobot import Installation

pytestmark = [pytest.mark.host, pytest.mark.slow]
ROUNDS = int(os.environ.get("NANOBOT_MEMORY_ACROSS_ROUNDS", "2"))
SEED = int(os.environ.get("NANOBOT_MEMORY_ACROSS_SEED", "1"))
# Names the interpreter of an environment with LangChain and the memory.
LANGCHAIN = "NANOBOT_MEMORY_ACROSS_LANGCHAIN"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "nanobot" / "workspace"


@pytest.fixture
def made(tmp_path: Path, workspace: Path) -> Iterator[Callable[[str], Host]]:
    """Makes a host by its name; nanobot is the first, for the workspace is its own."""
    with ExitStack() as stack:

        def make(name: str) -> Host:
            if name == "nanobot":
                model = stack.enter_context(scripted())
                host: Host = nanobot(Installation(tmp_path / "nanobot", model, SHARED), model)
            elif name == "LangChain":
                config = ServedWorkspace(tmp_path / "langchain", CONFIGURATION).config
                python = Path(os.environ[LANGCHAIN])
                host = langchain(python, workspace, config, stack.enter_context(scripted()))
            elif name == "Claude Code":
                anthropic = stack.enter_context(AnthropicServer())
                folder = tmp_path / "claude"
                host = ClaudeHost(ClaudeCode(folder, anthropic, CONFIGURATION, workspace=workspace), anthropic)
            else:
                served = ServedWorkspace(tmp_path / name, CONFIGURATION)
                served.workspace = workspace
                host = McpHost(served, name)
            stack.callback(host.close)
            return host

        yield make


def run(hosts: list[Host], workspace: Path, rounds: int) -> None:
    outcome = run_rounds(hosts, workspace, rounds=rounds, seed=SEED)
    print(outcome)
    assert outcome.lost == []
    assert outcome.kills >= rounds
    assert outcome.confirmed >= outcome.told - outcome.kills


def test_nanobot_and_mcp_clients_know_what_each_other_was_told_however_they_are_killed(made, workspace):
    run([made("nanobot"), made("MCP"), made("another MCP")], workspace, ROUNDS)


@pytest.mark.skipif(program() is None, reason=MISSING)
@pytest.mark.skipif(
    LANGCHAIN not in os.environ, reason="`python -m release.across_hosts` makes LangChain's environment"
)
def test_all_kinds_of_hosts_know_what_each_other_was_told_however_they_are_killed(made, workspace):
    run([made("nanobot"), made("Claude Code"), made("LangChain"), made("MCP")], workspace, ROUNDS)

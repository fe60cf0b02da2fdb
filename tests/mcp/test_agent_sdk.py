"""The Agent SDK with the same plugin, in an environment of its own."""

import subprocess
from pathlib import Path

import pytest

from tests.support import claude_code
from tests.support.anthropic_server import AnthropicServer
from tests.support.claude_code import MISSING, MODEL, ClaudeCode, agent_sdk

pytestmark = [pytest.mark.skipif(agent_sdk() is None, reason=MISSING), pytest.mark.slow]
PROGRAM = Path(claude_code.__file__).with_name("agent_sdk_session.py")
CONFIGURATION = {"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 20}}}
PORT = "our staging database listens on port 5433"


def test_what_the_sdk_is_told_its_next_session_finds_and_claude_code_too(tmp_path):
    def run(*prompts: str) -> list[str]:
        command = [str(agent_sdk()), str(PROGRAM), str(claude.plugin), MODEL, *prompts]
        done = subprocess.run(
            command,
            cwd=claude.project,
            env=claude.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    with AnthropicServer() as model:
        claude = ClaudeCode(tmp_path, model, CONFIGURATION)
        assert run(f"For the record, {PORT}.", "Good morning.") == ["Understood."] * 2
        run("Which port does our staging database listen on?")
        assert PORT in model.turns[-1].last
        claude.ask("Which port does our staging database listen on?")
        assert PORT in model.turns[-1].last
    assert len({record["session"] for record in claude.records()}) == 3

"""No secret reaches the model: what a real server is asked for a summary holds placeholders."""

import json

from nanobot_memory_plugins.compaction.transcript import safe_text
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.behaviour.kit.model_client import over_http

TOKEN = "ghp_zaPqxblZHtG4u45VFXGTTT8TCMSFm8L1WAKL"
PASSWORD = "Zephyr7M7iV1nSUx"
KEY = "\n".join(f"MIIEpAIBAAKCAQEA7bq{n:03}VFXGTTT8TCMSFm8L1WAKLzaPqxblZHtG4u45" for n in range(200))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----"
SECRETS = (TOKEN, PASSWORD, TOKEN[:20], TOKEN[-20:], "qxblZHtG4u45")


def history(turns: int) -> list[dict[str, object]]:
    """Return a conversation with secrets in every place that a prompt is made of."""
    messages: list[dict[str, object]] = []
    for turn in range(turns):
        arguments = json.dumps({"command": "deploy", "password": PASSWORD, "padding": "x" * 40 * turn, "token": TOKEN})
        call = {"id": f"c{turn}", "type": "function", "function": {"name": f"exec {TOKEN}", "arguments": arguments}}
        messages += [
            {"role": "user", "content": f"Deploy staging {turn} with token {TOKEN}; my password is {PASSWORD}."},
            {"role": "assistant", "content": "I will.", "name": TOKEN, "tool_calls": [call]},
            # Cut in the middle of secrets wherever the excerpt ends.
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"{'ok ' * 900 * turn}{TOKEN} " * 40},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"{PEM}\n"},
            {"role": "assistant", "content": f"Done {turn}, used password={PASSWORD}"},
        ]
    return messages


async def test_what_a_server_is_asked_holds_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "compaction")
    summary = "- The user deploys staging with a token.\n- Done: staging is deployed. The password was used."
    server = ScriptedServer(default=summary)
    with server:
        async with MemoryHost(tmp_path / "ws", config=MemoryConfig(), llm=over_http(server.base_url)) as memory:
            made = await memory.before_compaction(
                session_key="a", messages=history(8), context_window=32_000, reason="token_pressure"
            )
    asked = json.dumps([request.body for request in server.requests], ensure_ascii=False)
    assert server.requests
    assert "tool: " in asked
    assert "Deploy staging" in asked
    for secret in SECRETS:
        assert secret not in asked
        assert secret not in made.text


async def test_a_redactor_that_fails_lets_nothing_through():
    def broken(text: str) -> str:
        raise ValueError(text)

    assert PASSWORD not in safe_text(f"password={PASSWORD}", broken)

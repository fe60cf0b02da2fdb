"""nanobot-ai's command line and its server, as processes, with nothing but the installed set."""

import http.client
import json
import socket
from typing import Any

import pytest

from tests.behaviour.kit.life import Life
from tests.behaviour.kit.model import ReadingModel, remember_call
from tests.behaviour.kit.nanobot import Nanobot, answering
from tests.behaviour.kit.waiting import until

FACT = "The staging database runs on host Brunhilde, port 6543."
QUESTION = "On which host does the staging database run?"

pytestmark = pytest.mark.host


@pytest.mark.slow
@pytest.mark.accept("PL-06", "NC-14")
async def test_the_command_line_and_the_server_recall_what_was_said_in_another_process(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    answering(model, "staging database runs", remember_call("Staging runs on Brunhilde.", FACT), reply="Noted as said.")
    async with nanobot.loop() as loop:
        await loop.process_direct(FACT, session_key="cli:monday")
    assert nanobot.agent(QUESTION, session="cli:tuesday").count("Noted.") == 1
    assert [(one["role"], one["text"]) for one in life.transcript("cli:tuesday")] == [
        ("user", QUESTION),
        ("assistant", "Noted."),
    ]
    (entry,) = life.entries()
    assert (entry["content"], entry["origin"]) == ("Staging runs on Brunhilde.", "user")
    asked = [model.asked()[-1]]
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with nanobot.serving(port):
        await until(lambda: _answers(port), "the server", seconds=90)
        assert _ask(port, QUESTION, session="one")["choices"][0]["message"]["content"] == "Noted."
    for request in (*asked, model.asked()[-1]):
        assert request.last_user.startswith(QUESTION)
        assert "port 6543" in request.last_user
        assert "Staging runs on Brunhilde." in request.system


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _ask(port: int, text: str, *, session: str) -> Any:
    """Ask nanobot's own OpenAI-compatible server."""
    body = json.dumps({"model": "scripted", "session_id": session, "messages": [{"role": "user", "content": text}]})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        assert response.status == 200
        return json.loads(response.read())
    finally:
        connection.close()

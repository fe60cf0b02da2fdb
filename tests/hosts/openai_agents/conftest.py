"""Agents of the real SDK, in both wire forms that it speaks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.support.hosts import HostEnvironment
from tests.support.wire_servers import ResponsesServer

FORMS = {"chat": ScriptedServer, "responses": ResponsesServer}


both_forms = pytest.mark.parametrize("env", FORMS, indirect=True)


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[HostEnvironment]:
    """A workspace and a model that speaks chat completions; in a test with `both_forms` Responses, too."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with FORMS[getattr(request, "param", "chat")]() as server:
        made = HostEnvironment(tmp_path, server)
        yield made
        made.close()


@pytest.fixture
def agent(env: HostEnvironment) -> Callable[..., Any]:
    """Makes an agent that asks the scripted model."""
    from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    kind = OpenAIResponsesModel if isinstance(env.server, ResponsesServer) else OpenAIChatCompletionsModel

    def make(name: str = "assistant", **more: Any) -> Any:
        # Nothing stays open: a client may be used by several loops, and nobody closes it.
        closing = {"Connection": "close"}
        client = AsyncOpenAI(
            base_url=env.server.base_url, api_key="none", max_retries=0, default_headers=closing, timeout=30
        )
        return Agent(name=name, model=kind(model="scripted", openai_client=client), **more)

    return make

"""Agents of LangChain with memory, asked by both of their faces."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.hosts import HostEnvironment


class Agents:
    """Makes agents over one workspace, and asks them. ``is_async`` says by which face."""

    def __init__(self, env: HostEnvironment, *, is_async: bool = False) -> None:
        self.env = env
        self.is_async = is_async

    def make(self, memory: Any, *, tools: Any = (), **more: Any) -> Any:
        """Return an agent, without memory where it is None; of ``more`` the middleware's arguments go to it."""
        from langchain.agents import create_agent

        from nanobot_memory_plugins.hosts.langchain import MemoryMiddleware

        names = ("session_key", "scope", "context_window", "nested_is_user")
        own = {name: more.pop(name) for name in names if name in more}
        before = more.pop("middleware", ())
        middleware = [*before, *([MemoryMiddleware(memory, **own)] if memory is not None else [])]
        return create_agent(self.model(), list(tools), middleware=middleware, **more)

    def model(self) -> Any:
        """Return the scripted model. Each event loop has connections of its own: they end with their requests."""
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(
            model="scripted",
            base_url=self.env.server.base_url,
            api_key="none",
            max_retries=0,
            default_headers={"Connection": "close"},
        )

    def ask(self, agent: Any, text: Any, thread: str | None = "one", **configurable: str) -> Any:
        """Ask one question, and return the state that comes of it."""
        given = {"messages": [{"role": "user", "content": text}]} if isinstance(text, str) else text
        return self.run(agent, given, thread, **configurable)

    def run(self, agent: Any, given: Any, thread: str | None = "one", **configurable: str) -> Any:
        """Run an agent on any input."""
        configurable = {**configurable, **({"thread_id": thread} if thread else {})}
        config = {"configurable": configurable} if configurable else None
        return asyncio.run(agent.ainvoke(given, config)) if self.is_async else agent.invoke(given, config)


both_faces = pytest.mark.parametrize("agents", ["invoke", "ainvoke"], indirect=True)


@pytest.fixture
def agents(request: pytest.FixtureRequest, env: HostEnvironment) -> Agents:
    """Agents that are asked by ``invoke``; a test with `both_faces` has them by ``ainvoke``, too."""
    return Agents(env, is_async=getattr(request, "param", "invoke") == "ainvoke")


@pytest.fixture
def checkpoints() -> Callable[[], Any]:
    def make() -> Any:
        from langgraph.checkpoint.memory import InMemorySaver

        return InMemorySaver()

    return make

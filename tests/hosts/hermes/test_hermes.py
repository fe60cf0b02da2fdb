"""Hermes Agent: its own agents, with the memory found in the home of Hermes as its users install it."""

import json
import threading

import pytest

from nanobot_memory_plugins.core.text.fence import fenced_blocks
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule
from tests.behaviour.kit.model import ReadingModel
from tests.support.hosts import FACT, OPTIONS, PORT, QUESTION, SECRET, HostEnvironment, calls, require_framework

require_framework("hermes", "hermes_state")

from agent.auxiliary_client import shutdown_cached_clients  # noqa: E402
from run_agent import AIAgent  # noqa: E402

PLUGIN = """
from nanobot_memory_plugins.hosts.hermes import HermesMemory


def register(ctx):
    ctx.register_memory_provider(HermesMemory())
"""
CONFIG = """
model: {{provider: custom, default: scripted, base_url: "{url}", api_key: none}}
memory: {{provider: nanobot}}
"""


class Hermes:
    """A home of Hermes, and the agents that live in it."""

    def __init__(self, home, env):
        self.home = home
        self.env = env
        self.agents = []
        self.options = {"core": OPTIONS["core"], **OPTIONS["plugins"]}
        env.workspace = home / "nanobot-memory"
        (home / "plugins" / "nanobot").mkdir(parents=True)
        (home / "plugins" / "nanobot" / "__init__.py").write_text(PLUGIN)
        (home / "config.yaml").write_text(CONFIG.format(url=env.server.base_url))

    def agent(self, session, **more):
        env = self.env
        env.workspace.mkdir(exist_ok=True)
        (env.workspace / "config.json").write_text(json.dumps({"memoryPlugins": self.options}))
        made = AIAgent(
            base_url=env.server.base_url,
            api_key="none",
            model="scripted",
            session_id=session,
            quiet_mode=True,
            skip_context_files=True,
            enabled_toolsets=["memory", "terminal"],
            **more,
        )
        self.agents.append(made)
        return made

    def end(self, agent, messages=()):
        agent._memory_manager.flush_pending(20)
        agent.shutdown_memory_provider(list(messages))
        self.agents.remove(agent)

    def ask(self, text, session, **more):
        agent = self.agent(session, **more)
        said = agent.run_conversation(text)
        self.end(agent, said["messages"])
        return said

    def requests(self, text):
        """Return the requests of turns that hold a text in a message of the user's."""
        return [one for one in self.env.server.asked() if text in one.last_user]


@pytest.fixture
def hermes(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes"))
    with ReadingModel() as server:
        made = Hermes(tmp_path / "hermes", HostEnvironment(tmp_path, server))
        yield made
        for agent in list(made.agents):
            made.end(agent)
    shutdown_cached_clients()  # the next test has a server of its own


def blocks(request):
    """Return the fenced blocks beside the question of a request."""
    return "".join(fenced_blocks(request.last_user))


def memory_threads():
    return [thread for thread in threading.enumerate() if thread.name == "nanobot-memory"]


def test_what_one_session_told_stands_beside_the_question_of_the_next(hermes):
    hermes.ask(FACT, "told")
    hermes.ask(QUESTION, "asked")
    (request,) = hermes.requests(QUESTION)
    assert PORT in blocks(request)
    assert hermes.env.said(session="asked") == [QUESTION, "Noted."]


def test_what_was_read_behind_a_session_stands_in_the_prompt_of_the_next(hermes):
    hermes.env.server.learn("The user is allergic to peanuts.", "I am allergic to peanuts")
    hermes.ask("You should know that I am allergic to peanuts.", "told")
    hermes.ask("What can you cook?", "asked")
    (request,) = hermes.requests("What can you cook?")
    assert "The user is allergic to peanuts." in request.system


def test_a_tool_is_noted_without_its_secret_and_one_of_the_memory_is_not(hermes):
    hermes.env.server.rules = [
        calls("terminal", command=f"echo built 77 with {SECRET}"),
        calls("memory_search", query="staging"),
    ]
    hermes.ask("Build it.", "one")
    hermes.ask(FACT, "two")
    assert "built 77" in hermes.env.notes()
    assert "memory_search" not in hermes.env.notes()
    assert hermes.env.holds(SECRET) == []
    (answer,) = [one["content"] for one in hermes.env.server.asked()[-1].messages if one["role"] == "tool"]
    assert "result" in json.loads(answer)


def test_an_answer_is_kept_whatever_a_tool_of_its_turn_left(hermes):
    memory = hermes.agent("one")._memory_manager
    memory.prefetch_all(FACT)
    memory.sync_all(FACT, "Noted.", messages=[{"role": "user", "content": FACT}, {"role": "tool", "content": "done"}])
    memory.flush_pending(20)
    hermes.end(hermes.agents[0])
    assert hermes.env.said() == [FACT, "Noted."]


def test_users_of_a_gateway_do_not_share_what_is_recalled(hermes):
    hermes.ask(FACT, "told", user_id="ana", platform="telegram")
    for user in ("bob", "ana"):
        hermes.ask(QUESTION, user, user_id=user, platform="telegram")
        assert (PORT in blocks(hermes.requests(QUESTION)[-1])) == (user == "ana")


def test_agents_of_one_process_share_the_memory_until_the_last_ends(hermes):
    first, second = hermes.agent("first"), hermes.agent("second")
    first.run_conversation(FACT)
    running = memory_threads()
    assert len(running) == 1
    hermes.end(first)
    second.run_conversation(QUESTION)
    assert PORT in blocks(hermes.requests(QUESTION)[-1])
    assert memory_threads() == running
    hermes.end(second)
    assert memory_threads() == []


def test_a_session_goes_on_behind_a_compression_and_another_begins_behind_new(hermes):
    agent = hermes.agent("one")
    agent.run_conversation(FACT)
    memory = agent._memory_manager
    memory.flush_pending(20)
    memory.on_session_switch("one-more", parent_session_id="one", reason="compression")
    agent.run_conversation("Thanks.")
    memory.commit_session_boundary_async([], new_session_id="two", parent_session_id="one-more")
    memory.flush_pending(20)
    agent.run_conversation("Hello.")
    hermes.end(agent)
    assert hermes.env.said("user", session="one") == [FACT, "Thanks."]
    assert hermes.env.said("user", session="two") == ["Hello."]


def test_the_question_of_a_turn_that_failed_is_kept(hermes):
    hermes.env.server.rules = [ReplyRule(lambda one: "5433" in one.last_user, Reply(status=400))]
    agent = hermes.agent("one")
    agent.run_conversation(FACT)
    hermes.end(agent)
    assert hermes.env.said() == [FACT]

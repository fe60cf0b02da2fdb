"""How much room nanobot's window has for what replaces history."""

from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.bridge.context_budget import Room, room_in_request, waiting_messages
from tests.support.token_counts import count_like_a_model

SYSTEM = "You are helpful. " * 500
EARLIER = "[Summary of the earlier conversation]\n" + "We chose it. " * 900


@pytest.fixture(autouse=True)
def counting(monkeypatch, tmp_path):
    count_like_a_model(monkeypatch, tmp_path / "tokens")


def room(waiting: list[dict] | None, *, earlier: str | None = None) -> Room:
    runtime = SimpleNamespace(
        context_window_tokens=32_000, generation=SimpleNamespace(max_tokens=2_048), provider=object(), model="m"
    )
    system = {"role": "system", "content": f"{SYSTEM}\n\n{EARLIER}"}
    said = [{"role": "user", "content": "words and more words " * 300}]
    return room_in_request(SimpleNamespace(), runtime, [system, *said], waiting, earlier, None)


def test_what_waits_takes_its_part():
    alone = room([])
    crowded = room([{"role": "user", "content": "some more words " * 3_000}])
    assert crowded.window == 32_000
    assert 4_000 < alone.tokens - crowded.tokens < 5_000  # half of 9,000
    assert crowded.estimated <= crowded.tokens


def test_what_is_not_known_leaves_what_nanobot_allows_itself():
    assert room(None).tokens == 2_048


def test_what_waits_is_found_where_nanobot_has_it():
    def _compact_request_history(delta_messages: object) -> object:
        return waiting_messages()

    assert _compact_request_history([{"role": "user"}]) == [{"role": "user"}]
    assert _compact_request_history("moved") is None
    assert waiting_messages() is None


def test_the_released_nanobot_still_has_it():
    from nanobot.agent.context_governance import ContextGovernor

    assert "delta_messages" in ContextGovernor._compact_request_history.__code__.co_varnames

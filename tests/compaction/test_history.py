"""Messages that compaction may not take apart."""

from nanobot_memory_plugins.compaction.history import group, message_tokens
from nanobot_memory_plugins.core.values.conversation import Message, messages_from_chat
from tests.compaction.conftest import tool_turn


def borders(messages: list[object]) -> list[tuple[int, int]]:
    said = messages_from_chat(messages)
    return [(unit.start, unit.stop) for unit in group(said, [1] * len(said))]


def call(*ids: str) -> dict:
    return {"role": "assistant", "content": "", "tool_calls": [{"id": one, "function": {"name": "x"}} for one in ids]}


def result(one: str | None) -> dict:
    return {"role": "tool", "tool_call_id": one, "content": "r"}


def test_a_call_and_all_its_results_are_one_unit():
    assert borders(tool_turn(1)) == [(0, 1), (1, 4), (4, 5)]


def test_calls_that_overlap_are_one_unit():
    assert borders([call("a"), call("b"), result("a"), result("b")]) == [(0, 4)]


def test_a_result_without_an_id_belongs_to_the_call_that_it_follows():
    assert borders([call("a"), result(None), result(None)]) == [(0, 3)]


def test_a_result_without_a_call_stands_alone():
    assert borders([result("gone"), {"role": "user", "content": "x"}, result("gone")]) == [(0, 1), (1, 2), (2, 3)]


def test_calls_and_results_as_content_parts_belong_together():
    messages = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "x", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]},
        {"role": "user", "content": "next"},
    ]
    assert borders(messages) == [(0, 2), (2, 3)]


def test_an_old_function_call_belongs_to_its_result():
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "x", "arguments": "{}"}},
        {"role": "function", "name": "x", "content": "r"},
    ]
    assert borders(messages) == [(0, 2)]


def test_pictures_and_arguments_are_counted():
    plain = message_tokens(Message.from_chat({"role": "user", "content": "look"}))
    picture = {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}]}
    assert message_tokens(Message.from_chat(picture)) > plain + 900
    long_call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"arguments": "x" * 4_000}}]}
    assert message_tokens(Message.from_chat(long_call)) > 1_000

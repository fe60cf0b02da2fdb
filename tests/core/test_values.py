import pytest

from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.conversation import freeze, messages_from_chat
from tests.support.each import each


@each(
    ("message", "role", "text"),
    [
        ({"role": "user", "content": "hi"}, "user", "hi"),
        ({"role": "assistant", "content": None}, "assistant", ""),
        ({"content": "no role"}, "user", "no role"),
        ({"role": "user"}, "user", ""),
        ({"role": "user", "content": b"\xe4\xbd\xa0"}, "user", "你"),
        ({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]}, "user", "a\n[image_url]"),
        ({"role": "tool", "content": {"content": ["x", {"text": "y"}]}}, "tool", "x\ny"),
        (None, "user", ""),
        (7, "user", "7"),
    ],
)
def test_a_chat_message_of_any_form_becomes_role_and_text(message, role, text):
    made = Message.from_chat(message)
    assert (made.role, made.text) == (role, text)


def test_tool_calls_are_kept_whole():
    call = {"id": "1", "function": {"name": "read_file", "arguments": "{}"}}
    (made,) = messages_from_chat([{"role": "assistant", "content": "", "tool_calls": [call]}])
    assert made.tool_calls[0]["function"]["name"] == "read_file"


def test_frozen_values_cannot_be_changed_and_are_copies():
    inner = {"list": [1, {"deep": "value"}]}
    frozen = freeze(inner)
    inner["list"].append(2)
    assert frozen["list"] == (1, {"deep": "value"})
    with pytest.raises(TypeError):
        frozen["list"] = ()
    with pytest.raises(TypeError):
        frozen["list"][1]["deep"] = "other"

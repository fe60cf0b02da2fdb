from nanobot_memory_plugins.core.values import Message
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

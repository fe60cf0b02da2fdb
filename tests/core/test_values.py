"""The values that plugins get: messages of any form, and bounded copies."""

from types import MappingProxyType

from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.bounded import bounded_copy
from tests.support.each import each


def characters(value: object) -> int:
    if isinstance(value, MappingProxyType):
        return sum(len(key) + characters(item) for key, item in value.items())
    if isinstance(value, tuple):
        return sum(map(characters, value))
    return len(value) if isinstance(value, str | bytes) else 0


def test_a_long_list_is_cut_to_its_first_thousand_items_and_the_others_are_counted():
    copy = bounded_copy(list(range(1_000_000)))
    assert copy[:1_000] == tuple(range(1_000))
    assert copy[1_000:] == ("[… 999,000 more]",)
    copy = bounded_copy({number: number for number in range(5_000)})
    assert len(copy) == 1_001
    assert copy["…"] == "[… 4,000 more]"


def test_texts_in_a_container_are_cut_but_a_single_text_is_not():
    text = "x" * 1_000_000
    assert bounded_copy(text) is text
    assert characters(bounded_copy([text] * 50)) < 266_000
    assert bounded_copy({"page": text})["page"].endswith("xx… [+737,860 chars]")
    assert len(bounded_copy(b"x" * 1_000_000)) == 262_144


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

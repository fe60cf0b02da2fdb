"""The exact marks and commands in messages: private parts, private messages, pause and resume."""

from nanobot_memory_plugins.core.text.private import is_private, keepable_messages, memory_command, without_private
from nanobot_memory_plugins.core.values import Message
from tests.support.each import each


@each(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a  c"),
        ("<PRIVATE>b\nb</Private>c", "c"),
        ("a <private>b", "a "),
        ("<private>a</private>b<private>c</private>d", "bd"),
        ("a < b, and </private>", "a < b, and </private>"),
        ("nothing", "nothing"),
    ],
)
def test_private_parts_are_removed_and_an_unclosed_one_extends_to_the_end(text: str, left: str):
    assert without_private(text) == left


def test_a_private_message_begins_with_the_command():
    assert all(map(is_private, ("/private I am ill", " /PRIVATE\nso", "/private")))
    assert not any(map(is_private, ("private I am ill", "see /private", "/privately owned", "")))


@each(
    ("text", "command"),
    [
        ("memory pause", "pause"),
        ("Memory  Pause!", "pause"),
        ("/memory pause", "pause"),
        ("暂停记忆", "pause"),
        ("暫停記憶。", "pause"),
        ("memory resume.", "resume"),
        ("恢复记忆", "resume"),
        ("please memory pause", ""),
        ("memory pause until noon", ""),
        ("pause", ""),
        ("", ""),
    ],
)
def test_only_the_exact_words_pause_and_resume(text: str, command: str):
    assert memory_command(text) == command


def test_private_and_paused_messages_of_a_history_are_dropped_with_their_answers():
    said = [
        ("user", "one"),
        ("assistant", "to one"),
        ("user", "/private two"),
        ("assistant", "to two"),
        ("user", "three"),
        ("user", "memory pause"),
        ("assistant", "paused"),
        ("user", "four"),
        ("assistant", "to four"),
        ("user", "memory resume"),
        ("assistant", "goes on"),
        ("user", "five"),
    ]
    kept = keepable_messages([Message(role, text) for role, text in said])
    assert [one.text if one else None for one in kept] == [
        *("one", "to one", None, None, "three"),
        *(None, None, None, None, None, None, "five"),
    ]

"""NO_REPLY is recognised however a model writes it."""

from nanobot_memory_plugins.core.text.evidence import is_no_reply
from tests.support.each import each

NOTHING = [
    "NO_REPLY", " no_reply\n", "No Reply", "NO-REPLY.", "**NO_REPLY**",
    "`NO_REPLY`", '"NO_REPLY"', "```\nNO_REPLY\n```",
    '{"reply": "NO_REPLY"}', '["NO_REPLY"]', "NO\\_REPLY", "ＮＯ＿ＲＥＰＬＹ", "NO_\u200bREPLY", "NOREPLY", "[]", "{}",
    "```json\n[]\n```", '{"entries": []}', "null", "Nothing durable here. NO_REPLY", "没有需要保存的内容。NO_REPLY",
    "<think>should I store? casino reply</think>\nNO_REPLY",
]  # fmt: skip
SOMETHING = ["", "   ", "[", "{", "casino replying", "User prefers Python", "techno reply", "不需要", "%%%%"]


@each("answer", NOTHING)
def test_no_reply_is_recognised_in_any_form(answer):
    assert is_no_reply(answer)


@each("answer", SOMETHING)
def test_other_answers_are_not_taken_for_no_reply(answer):
    assert not is_no_reply(answer)

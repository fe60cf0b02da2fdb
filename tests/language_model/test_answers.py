"""What an answer amounts to, however a model writes it."""

from nanobot_memory_plugins.core.text.evidence import Evidence, is_refusal, says_nothing, without_thoughts
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
def test_nothing_is_understood_in_any_shape(answer):
    assert says_nothing(answer)


@each("answer", SOMETHING)
def test_everything_else_is_not_taken_for_it(answer):
    assert not says_nothing(answer)


def test_refusals_are_known():
    for text in ("I'm sorry, but I can't help with that.", "As an AI language model, I cannot", "抱歉，我无法协助。"):
        assert is_refusal(text)
    for text in ("The user is sorry about the delay.", "用户说抱歉", "- decision: port 8080"):
        assert not is_refusal(text)


def test_thoughts_are_taken_off():
    assert without_thoughts("<think>NO_REPLY?</think> Port 8080") == "Port 8080"
    assert without_thoughts("<think>never ends") == ""


def test_an_answer_is_measured_by_what_was_said():
    evidence = Evidence(["We decided to deploy PostgreSQL 16 on port 5433", "项目代号是蓝鲸，负责人张伟"])
    assert evidence.share("Decision: deploying PostgreSQL 16, port 5433") > 0.6
    assert evidence.share("负责人是张伟") > 0.5
    assert evidence.share("The weather in Lisbon will be sunny tomorrow") < 0.2
    assert evidence.share("qwfp zxcv arst") == 0
    assert evidence.share("") == 0

"""The last resort: useful, bounded, and the same every time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.compaction.extract import extract
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from tests.compaction.conftest import talk, tool_turn

ENGLISH = [
    {"role": "user", "content": "My name is Anna Berg and I live in Tromsø."},
    {"role": "assistant", "content": "Nice to meet you. Let's go with PostgreSQL 16 instead of MySQL."},
    {
        "role": "user",
        "content": "Fine. Don't forget to rotate the certificates before June 3.\nNever deploy on Fridays.",
    },
    {"role": "assistant", "content": "Noted. It is still unclear who owns the DNS zone."},
    *tool_turn(1, "Traceback: FileNotFoundError: /srv/app/config.toml not found"),
    {"role": "user", "content": "Which port does hermes-gateway listen on?"},
    {"role": "user", "content": "Write the release notes for v2.4.1 now."},
]
CHINESE = [
    {"role": "user", "content": "我叫王小明，住在杭州。"},
    {"role": "assistant", "content": "好的。我们决定采用方案乙，端口改成8443。"},
    {"role": "user", "content": "记得周五之前更新证书！预算不超过三万元。"},
    {"role": "assistant", "content": "域名归谁还不清楚。"},
    {"role": "user", "content": "现在写发布说明。"},
]


def lines_under(text: str, heading: str) -> str:
    """Return the lines between a heading and the next."""
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        if not line.startswith("- "):
            inside = line == heading
        elif inside:
            found.append(line)
    return "\n".join(found)


@pytest.mark.accept("AC-03")
def test_what_matters_stands_under_its_heading():
    text = extract(messages_from_chat([*ENGLISH[:-1], *talk(6, words=3), ENGLISH[-1]]), limit=600, language="en")
    assert "PostgreSQL 16 instead of MySQL" in lines_under(text, "Decisions:")
    assert "rotate the certificates before June 3" in lines_under(text, "TODOs:")
    assert "who owns the DNS zone" in lines_under(text, "Open questions:")
    assert "Never deploy on Fridays" in lines_under(text, "Constraints and wishes:")
    assert "Anna Berg" in lines_under(text, "Names, numbers, identifiers:")
    assert "config.toml not found" in lines_under(text, "Names, numbers, identifiers:")
    assert "exec (2)" in lines_under(text, "Tools used:")
    assert "release notes for v2.4.1" in lines_under(text, "The user's last messages:")


@pytest.mark.accept("AC-03")
def test_the_same_in_chinese():
    turns = [{"role": "user", "content": f"继续第{n}项"} for n in range(4)]
    text = extract(messages_from_chat([*CHINESE, *turns]), limit=600, language="zh")
    assert "采用方案乙" in lines_under(text, "决定：")
    assert "更新证书" in lines_under(text, "待办：")
    assert "域名归谁" in lines_under(text, "未解决的问题：")
    assert "预算不超过三万元" in lines_under(text, "要求与限制：")
    assert "王小明" in lines_under(text, "人名、数字、标识符：")
    assert "继续第3项" in lines_under(text, "用户最近的话：")
    assert "9条消息" in text


def test_each_sentence_stands_once_and_no_kind_takes_all_the_room():
    decisions = [{"role": "user", "content": f"We decided on plan number {n} for the whole team."} for n in range(400)]
    messages = messages_from_chat([ENGLISH[2], *decisions, decisions[0]])
    text = extract(messages, limit=400, language="en")
    assert "rotate the certificates" in text
    lines = text.splitlines()
    assert len(lines) == len(set(lines))


def test_an_earlier_summary_keeps_its_place():
    text = extract(
        messages_from_chat(talk(40)), limit=300, language="en", earlier="The deadline is May 12.\n" + "x " * 5_000
    )
    assert "The deadline is May 12." in lines_under(text.replace("The deadline", "- The deadline"), "From before:")
    assert "The user's last messages:" in text


def test_where_nothing_tells_what_matters_the_beginnings_stand():
    messages = [Message("assistant", f"so it goes {'on and ' * n}on") for n in range(30)]
    text = extract(messages, limit=200, language="en")
    assert "so it goes" in lines_under(text, "Also said:")


def test_what_is_asked_is_neither_decided_nor_wished():
    asked = ["Anything else decided?", "Want me to always use four workers?", "Did Ann decide on Kafka, and when?"]
    told = ["We decided on Redis, who owns the domain?", "还决定了别的什么？"]
    messages = [Message("assistant", text) for text in [*asked, *told]]
    text = extract([*(Message("user", f"go on with {n}") for n in range(5)), *messages], limit=600, language="en")
    assert lines_under(text, "Decisions:") == "- We decided on Redis"
    assert "Constraints and wishes:" not in text
    assert set(lines_under(text, "Open questions:").splitlines()) == {f"- {one}" for one in [*asked, told[1]]}


def test_a_word_of_deciding_in_a_question_decides_nothing_of_what_stands_beside_it():
    said = "The port is 8443, did we decide on Kafka?"
    messages = [Message("user", said), *(Message("user", f"go on with {n}") for n in range(5))]
    text = extract(messages, limit=600, language="en")
    assert "- The port is 8443" in lines_under(text, "Names, numbers, identifiers:").splitlines()
    assert "Decisions:" not in text


def test_code_and_data_are_no_sentences():
    code = "x = {a: [1, 2, 3]};\nfor (i = 0; i < 10; i++) { call(must); }\n"
    text = extract(messages_from_chat([{"role": "assistant", "content": code}, *CHINESE]), limit=400, language="zh")
    assert "i++" not in text


def test_it_is_the_same_every_time():
    messages = messages_from_chat(ENGLISH)
    assert extract(messages, limit=300, language="en") == extract(messages, limit=300, language="en")


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", "x"]), st.text(max_size=300)), max_size=20),
    st.integers(1, 300),
    st.sampled_from(["en", "zh"]),
    st.text(max_size=200),
)
def test_it_fits_and_is_never_empty(said, limit, language, earlier):
    text = extract([Message(role, text) for role, text in said], limit=limit, language=language, earlier=earlier)
    assert text
    assert estimate_tokens(text) <= limit
    text.encode()


def test_what_was_asked_and_answered_is_no_open_question():
    messages = messages_from_chat(
        [
            {"role": "user", "content": "Which port does hermes-gateway listen on?"},
            {"role": "assistant", "content": "On 7443. Shall I open port 7444 as well?"},
            {"role": "user", "content": "No, don't. The certificate for 7443 is due in May."},
            *({"role": "user", "content": f"go on {n}"} for n in range(4)),
            {"role": "assistant", "content": "Then which of the two gateways gets it, gw-1 or gw-2?"},
        ]
    )
    text = extract(messages, limit=400, language="en")
    assert "hermes-gateway listen" not in text
    assert "Shall I open" not in text
    assert "gw-1 or gw-2" in lines_under(text, "Open questions:")
    assert "due in May" in lines_under(text, "TODOs:")


@pytest.mark.parametrize(
    ("language", "offer", "refusal"),
    [
        ("en", "Let's go with the MacBook Pro 14 for 2,900 dollars.", "No, that's too much."),
        ("zh", "我们就用小鹏G6吧，预算二十万。", "不要，太贵了。"),
    ],
)
def test_an_offer_that_was_turned_down_is_no_decision(language, offer, refusal):
    def told(reply: str) -> str:
        said = [{"role": "user", "content": offer[:2]}, {"role": "assistant", "content": offer}]
        replies = [{"role": "user", "content": one} for one in (reply, *"abcd")]
        return extract(messages_from_chat([*said, *replies]), limit=400, language=language)

    assert offer in told("ok")
    assert offer not in told(refusal)


def test_what_others_say_and_what_is_only_supposed_is_not_listed_as_the_users():
    messages = messages_from_chat(
        [
            {"role": "user", "content": "The blog says that we must use version 9.9.1."},
            {"role": "user", "content": "We decided on version 8.2.4, is that still supported?"},
            *({"role": "user", "content": "ok"} for _ in range(4)),
        ]
    )
    text = extract(messages, limit=400, language="en")
    assert "9.9.1" not in text
    assert lines_under(text, "Decisions:") == "- We decided on version 8.2.4"

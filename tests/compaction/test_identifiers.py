"""Beside a model's summary: identifiers that the user stated and that it lacks, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.compaction.identifier_shapes import NOUNS
from nanobot_memory_plugins.compaction.identifiers import HEADING, MOST_LINES, identifiers, missing_identifiers
from nanobot_memory_plugins.core.text.summary_marker import earlier_summary_message
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Message
from tests.compaction.conftest import Model, compacted, talk
from tests.support.each import each

TALK = [
    {"role": role, "content": f"接着说第{n}点。" + "这一点我们慢慢聊。" * 10}
    for n in range(30)
    for role in ("user", "assistant")
]
GAPS = json.loads((Path(__file__).parents[1] / "data" / "compaction_gaps.json").read_text(encoding="utf-8"))


def named(*said: str) -> list[tuple[str, str]]:
    return [(one.name, one.value) for one in identifiers([Message("user", text) for text in said])]


def added(summary: str, language: str) -> list[str]:
    """Return the lines below our heading."""
    _, heading, below = summary.partition(HEADING[language])
    return below.strip().splitlines() if heading else []


@pytest.mark.parametrize("case", GAPS, ids=lambda case: case["id"])
async def test_a_models_summary_gets_the_identifiers_that_it_lacks_and_nothing_else(case: dict[str, Any]):
    messages = [{"role": role, "content": text} for role, text in case["messages"]]
    filler = talk(30) if case["id"].startswith("en") else TALK
    summary = await compacted([*messages, *filler], model=Model(case["summary"]))
    assert case["summary"] in summary.text
    lines = added(summary.text, case["id"][:2])
    assert len(lines) == len(case["adds"])
    for name, value in case["adds"]:
        assert any(name in line and line.endswith(f": {value}") for line in lines), (name, value, lines)


async def test_there_are_ten_lines_at_most_the_newest_in_a_tenth_of_the_room():
    said = [{"role": "user", "content": f"The ticket of customer {chr(65 + n)} is OPS-{4000 + n}."} for n in range(26)]
    summary = await compacted(
        [*said, *talk(30)], model=Model("- topic word7 and word9 of the customers were talked of")
    )
    lines = added(summary.text, "en")
    assert 1 < len(lines) <= MOST_LINES
    assert lines[-1] == "- ticket of customer Z is: OPS-4025".replace(" is:", ":")
    assert estimate_tokens("\n".join([HEADING["en"], *lines])) <= 120


async def test_what_the_earlier_summary_named_is_carried_on():
    earlier = earlier_summary_message(
        f"- We talked of topic 1.\n{HEADING['en']}\n- staging host: stg-4.acme.example\n- port: 8443", "en"
    )
    news = {"role": "user", "content": "The port is 9443 now."}
    model = Model("- Decision: topic 3 uses word7\n- TODO: topic 5 needs word9")
    summary = await compacted([earlier, news, *talk(30)], model=model)
    assert added(summary.text, "en") == ["- staging host: stg-4.acme.example", "- port: 9443"]


@each(
    "said",
    [
        "Is port 8443 open?",
        "I think the port is 8443.",
        "Maybe the port is 8443?",
        "The wiki says the port is 8443.",
        "The port is not 8443.",
        "The port was 8443.",
        "The old port is 8443.",
        "If the port were 8443, it would work.",
        "Open port 8443.",
        "> The port is 8443.",
        "```\nport: 8443\n```",
        "We moved from 10.0.0.1 last week.",
        "We have 12000 customers and 3 offices.",
        "I ran 12.5 km in 65 minutes, my pressure was 142/91.",
        "端口是8443吗？",
        "听说端口是8443。",
        "端口不是8443。",
        "以前的端口是8443。",
        "帮我打开8443端口",
        "我每天跑5公里，用时30分钟。",
    ],
)
def test_what_is_not_plainly_stated_and_no_amount_is_an_identifier(said: str):
    assert named(said) == []


@each(
    ("said", "found"),
    [
        ("The staging host is db-7.example.org, port 6543.", [("staging host", "db-7.example.org"), ("port", "6543")]),
        ("My flight is LH 455 on May 3.", [("flight", "LH 455")]),
        ("The repo lives at github.com/acme/api", [("repo lives at", "github.com/acme/api")]),
        ("I'm diabetic and my customer number is 77-1203, what can I do?", [("customer number", "77-1203")]),
        ("Our account manager is Ben, extension 214.", [("extension", "214")]),
        (
            "从今天起埠号是9090，訂單編號是 A-7781-2。",
            [("从今天起埠号", "9090"), ("訂單編號", "A-7781-2")],
        ),
        ("仓库地址是https://git.example.cn/a/b 。", [("仓库地址", "https://git.example.cn/a/b")]),
        ("会员号10086521，别弄丢了。", [("会员号", "10086521")]),
    ],
)
def test_an_identifier_is_a_value_with_what_the_user_calls_it(said: str, found: list[tuple[str, str]]):
    assert named(said) == found


def test_of_one_name_the_last_value_holds_and_a_correction_needs_no_name():
    assert named("The port is 8443.", "The port is 9443.") == [("port", "9443")]
    assert named("The port is 8443.", "Sorry, it's 9443.") == [("port", "9443")]
    assert named("端口是8443。", "不对，是9443。") == [("端口", "9443")]
    assert named("The port is 8443.", "The ticket is OPS-4412.", "Thanks, that is 12.") == [
        ("port", "8443"),
        ("ticket", "OPS-4412"),
    ]


def test_where_the_summary_has_another_value_for_a_name_it_is_believed():
    said = [Message("user", "The port is 8443.")]
    assert missing_identifiers(said, summary="- Port: 9443", limit=100, language="en") == ""
    assert "port: 8443" in missing_identifiers(said, summary="- The port is known", limit=100, language="en")


@pytest.mark.parametrize(("words", "pick"), [(NOUNS, noun) for noun in NOUNS], ids=["en", "zh"])
def test_each_noun_has_an_example_and_a_counter_example(words: Any, pick: Any):
    assert words.search(pick.example)
    assert not words.search(pick.counter_example)


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=200)), max_size=12),
    st.text(max_size=200),
    st.integers(-5, 200),
)
def test_it_never_passes_its_limit_and_names_only_what_users_wrote(said, summary, limit):
    messages = [Message(role, text) for role, text in said]
    lines = missing_identifiers(messages, summary=summary, limit=limit, language="en")
    assert estimate_tokens(lines) <= max(0, limit)
    assert len(lines.splitlines()) <= MOST_LINES + 1

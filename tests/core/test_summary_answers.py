"""Usable and unusable summaries of a model."""

import pytest

from nanobot_memory_plugins.compaction.summarise import fixed_texts
from nanobot_memory_plugins.core.text.evidence import clean_summary, summary_fault
from tests.support.each import each

PROMPT = {language: fixed_texts(language) for language in ("en", "zh")}

SOURCE = (
    "user: We use PostgreSQL 16 for Hermes; Anna Berg deploys on Friday.\nassistant: Noted, the port is 6543.\n" * 30
)


@pytest.mark.parametrize(
    "answer",
    [
        "- Decision: PostgreSQL 16 for Hermes\n- Anna Berg deploys on Friday, port 6543",
        "Anna Berg said: I can't help on Friday, so Hermes with PostgreSQL 16 is deployed on port 6543 "
        "by somebody else. "
        "This is a decision. Anna Berg deploys nothing, and PostgreSQL stays.",
        "The user apologised: 'I'm sorry' about the port 6543 on Friday; "
        + "Hermes uses PostgreSQL 16 and Anna Berg deploys. " * 3,
    ],
)
def test_a_summary_is_usable(answer: str):
    assert summary_fault(answer, [SOURCE], prompt=PROMPT["en"]) == ""


@each(
    ("answer", "wrong"),
    [
        ("", "empty"),
        (" No_Reply. ", "nothing in it"),
        ("I'm sorry, but I can't assist with that request.", "refusal"),
        ("抱歉，我无法完成这个请求。", "refusal"),
        ('{"decisions": ["PostgreSQL"', "data, not text"),
        ("<html><body>502 Bad Gateway</body></html>", "data, not text"),
        ("PostgreSQL is used", "too short"),
        (
            "kdj3 fjw0 qpzm xnvb lsdk wieu rtyg hfjd mznx bcvq pwoe iruy zaqx swde cvfr bgtn hymj",
            "not about the conversation",
        ),
        ("- Hermes PostgreSQL\n" * 40, "repetition"),
        ("\n".join(SOURCE.splitlines()[:2]), "echo"),
    ],
)
def test_an_answer_that_is_not_a_summary_is_rejected(answer: str, wrong: str):
    assert summary_fault(clean_summary(answer), [SOURCE], prompt=PROMPT["en"]) == wrong


@each(
    ("answer", "cleaned"),
    [
        ("```markdown\n- a decision\n```", "- a decision"),
        ("<think>hm</think>\n- a decision", "- a decision"),
        ("Sure! Here are the notes:\n- a decision", "- a decision"),
        ("以下是笔记：\n- 决定", "- 决定"),
        ("- Here is the plan: go", "- Here is the plan: go"),
        ("a\x00\ud800", "a"),
    ],
)
def test_wrapping_around_an_answer_is_removed(answer: str, cleaned: str):
    assert clean_summary(answer) == cleaned

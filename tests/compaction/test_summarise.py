"""The three steps to a summary, and what the model is asked."""

import pytest

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.core.errors import BudgetExceededError, CompletionTimeoutError, LanguageModelError
from nanobot_memory_plugins.core.text.summary_marker import earlier_summary_message
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from tests.compaction.conftest import Model, compacted, talk, tool_turn

GOOD = "- Decision: topic 3 uses PostgreSQL\n- TODO: topic 5 needs word7\n- Open question: topic 9"
FACT = {"role": "user", "content": "We decided that the staging host is db-7.example.org, port 6543. Remind Anna Berg."}


def steps(log: list[str]) -> list[str]:
    return [line.strip() for line in log if "step" in line]


@pytest.mark.accept("AC-03", "AC-06")
async def test_a_good_model_makes_the_summary_in_the_first_step(log):
    model = Model(GOOD)
    summary = await compacted(talk(30), model=model)
    assert GOOD in summary.text
    assert len(model.prompts) == 1
    assert steps(log) == [
        "compaction: step 1, chunk 1 of 1 summarised (ratio 0.40)",
        "compaction: step 1 (language model) done",
    ]
    assert any("depth 0" in line for line in log)


@pytest.mark.accept("AC-03", "AC-06")
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("", "empty"),
        ("NO_REPLY", "nothing in it"),
        (LanguageModelError("down"), "LanguageModelError"),
        (BudgetExceededError("used up"), "BudgetExceededError"),
        (ZeroDivisionError("a secret"), "ZeroDivisionError"),
    ],
)
async def test_a_failure_is_followed_by_the_second_step(fault, why, log):
    model = Model(fault, GOOD)
    summary = await compacted(talk(30), model=model)
    assert GOOD in summary.text
    assert [line for line in steps(log) if "failed" in line] == [
        f"compaction: step 1 (language model) failed: {why if 'Error' in why else f'answer rejected ({why})'}"
    ]
    assert "step 2 (language model) done" in steps(log)[-1]
    assert not any("secret" in line for line in log)


@pytest.mark.accept("AC-03", "AC-06")
async def test_when_both_fail_rules_extract_what_matters(log):
    model = Model("{'junk': ")
    summary = await compacted([FACT, *talk(30)], model=model)
    assert "db-7.example.org, port 6543" in summary.text
    assert "junk" not in summary.text
    assert len(model.prompts) == 2
    assert "step 3 (extracted by rules) done" in steps(log)[-1]


@pytest.mark.accept("AC-03")
async def test_the_first_time_out_goes_to_the_extract():
    model = Model(CompletionTimeoutError("late"))
    summary = await compacted([FACT, *talk(30)], model=model)
    assert len(model.prompts) == 1
    assert "db-7.example.org" in summary.text


@pytest.mark.accept("AC-03")
@pytest.mark.parametrize("options", [{}, {"max_calls": 0}])
async def test_without_a_model_rules_extract_at_once(options, log):
    model = Model(GOOD) if options else None
    summary = await compacted([FACT, *talk(30)], model=model, **options)
    assert "db-7.example.org" in summary.text
    assert len(steps(log)) == 1
    if model is not None:
        assert model.prompts == []


async def test_what_worked_before_a_failure_is_kept():
    """Four chunks; the second fails, and so does the step after it."""
    model = Model(GOOD, LanguageModelError("down"))
    summary = await compacted(talk(120), model=model, window=8_000, max_calls=6)
    assert "topic 3 uses PostgreSQL" in summary.text


@pytest.mark.accept("AC-04")
@pytest.mark.parametrize("window", [2_000, 4_000, 8_000, 32_000, 200_000])
@pytest.mark.parametrize("kind", ["small", "large", "one huge", "tools", "Chinese", "earlier"])
async def test_no_prompt_passes_its_budget(window: int, kind: str):
    messages = {
        "small": lambda: talk(200),
        "large": lambda: talk(20, words=1_500),
        "one huge": lambda: [*talk(20), {"role": "user", "content": "x y " * window}, *talk(20)],
        "tools": lambda: [message for n in range(60) for message in tool_turn(n, "line of output\n" * 300)],
        "Chinese": lambda: [
            {"role": "user", "content": f"第{n}条：" + "我们决定采用新的方案。" * 60} for n in range(60)
        ],
        "earlier": lambda: [earlier_summary_message("We chose PostgreSQL. " * 900, "en"), *talk(150)],
    }[kind]()
    model = Model(lambda prompt: "- Decision 决定: " + prompt[-1]["content"][40:9_000].replace("\n", " "))
    options = CompactionOptions()
    await compacted(messages, model=model, window=window)
    assert model.prompts or window < 4_000
    for prompt in model.prompts:
        size = sum(estimate_tokens(message["content"]) for message in prompt)
        assert size * options.safety_margin <= window * options.base_chunk_ratio
    sizes = [estimate_tokens(m["content"]) for m in messages if m.get("content")]
    if sum(sizes) / len(sizes) * 1.2 > 0.22 * window:  # large on average: the least ratio holds
        for prompt in model.prompts:
            assert sum(estimate_tokens(message["content"]) for message in prompt) * 1.2 <= window * 0.151


@pytest.mark.accept("AC-05")
async def test_an_earlier_summary_is_carried_on_from_chunk_to_chunk():
    notes = iter(f"- Decision: chunk {n} is about topic {n}, so tell me of the turn" for n in range(9))
    model = Model(lambda prompt: next(notes))
    earlier = earlier_summary_message("The release ticket is REL-4812.", "en")
    summary = await compacted([earlier, *talk(120)], model=model, window=8_000, max_calls=6)
    assert len(model.prompts) > 1
    assert "Notes so far:\nThe release ticket is REL-4812." in model.prompts[0][-1]["content"]
    assert "Notes so far:\n- Decision: chunk 0" in model.prompts[1][-1]["content"]
    assert "user: The release" not in model.asked  # it is no dialogue
    assert "- release ticket: REL-4812" in summary.text  # which the model has left out


@pytest.mark.accept("AC-05")
async def test_an_earlier_summary_is_carried_on_without_a_model():
    messages = [
        earlier_summary_message("截止日期是5月12日。", "zh"),
        *({"role": "user", "content": "你好"} for _ in range(8)),
    ]
    summary = await compacted(messages)
    assert "5月12日" in summary.text
    assert summary.text.startswith("[此前对话的摘要]")


@pytest.mark.accept("AC-05")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("please choose a database", ("decisions", "TODOs", "open questions", "constraints", "names, numbers")),
        ("请选择一个数据库", ("决定", "待办", "未解决的问题", "限制", "人名、数字")),
    ],
)
async def test_decisions_todos_and_open_questions_are_asked_for_in_the_conversations_language(text, words):
    model = Model("- 决定/decision: database 数据库")
    await compacted([{"role": "user", "content": f"{text} {n}"} for n in range(10)], model=model)
    task = model.prompts[0][-1]["content"].splitlines()[-1]
    assert all(word in task for word in words)
    assert len(task) < 400


@pytest.mark.accept("AC-02")
async def test_an_oversized_message_is_kept_out_of_the_call_and_named_in_a_note():
    middle = "SECRET-MIDDLE-9"
    huge = "Report of March. " + "data " * 12_000 + middle + " data" * 12_000 + " end of report."
    model = Model(GOOD)
    messages = [*talk(5), {"role": "tool", "name": "read_file", "tool_call_id": "t", "content": huge}, *talk(10)]
    summary = await compacted(messages, model=model)
    assert middle not in model.asked
    assert "Report of March" in model.asked  # its excerpt
    assert "Left out because of their size (1 messages, about 30,0" in summary.text
    assert "- tool read_file, about 30,0" in summary.text
    assert "end of report" in summary.text


@pytest.mark.accept("AC-02", "AC-03")
async def test_the_second_step_shows_nothing_of_an_oversized_message():
    huge = "Report of March. " + "data " * 30_000
    model = Model("NO_REPLY", GOOD)
    summary = await compacted([*talk(5), {"role": "user", "content": huge}, *talk(10)], model=model)
    assert "Report of March" in model.prompts[0][-1]["content"]
    assert "Report of March" not in model.prompts[1][-1]["content"]
    assert "Report of March" in summary.text


@pytest.mark.accept("AC-02", "AC-03")
async def test_all_messages_oversized_end_in_an_extract_with_their_note():
    huge = [{"role": "user", "content": f"Report {n}: we decided on plan {n}. " + "data " * 30_000} for n in range(3)]
    summary = await compacted(huge, model=Model(LanguageModelError("down")))
    assert summary.keep_from == 3
    assert "Left out because of their size (3 messages" in summary.text
    assert "we decided on plan 1" in summary.text


async def test_the_model_is_shown_the_head_and_the_tail_of_a_long_message():
    long = "FIRST words. " + "filler " * 20_000 + "LAST words."
    model = Model(GOOD)
    await compacted(
        [*talk(4), {"role": "user", "content": long}, *talk(20)], model=model, window=200_000, max_input_tokens=8_000
    )
    assert "FIRST words" in model.asked
    assert "LAST words" in model.asked
    assert estimate_tokens(model.asked) < 9_000


async def test_more_messages_than_can_be_shown_begin_with_an_extract():
    model = Model(GOOD)
    await compacted([FACT, *talk(1_500, words=4)], model=model, max_input_tokens=5_000)
    first = model.prompts[0][-1]["content"]
    assert first.startswith("Notes so far:\n")
    assert "db-7.example.org" in first


async def test_secrets_do_not_reach_the_summary():
    key = "sk-proj-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7" * 2
    told = [{"role": "user", "content": f"Remember: the API key is {key}."}]
    for model in (None, Model(f"- Decision: topic 3, the API key is {key}, word7")):
        summary = await compacted([*told, *talk(30)], model=model)
        assert key not in summary.text
        assert key[8:24] not in summary.text


async def test_the_model_is_told_on_which_day_each_message_was_said():
    model = Model(GOOD)
    days = [f"2026-03-{1 + n // 20:02d}T12:00:00" for n in range(60)]
    await compacted([{**one, "timestamp": day} for one, day in zip(talk(60), days, strict=False)], model=model)
    shown = "\n".join(prompt[-1]["content"] for prompt in model.prompts)
    assert [line for line in shown.splitlines() if line.startswith("2026")] == [
        "2026-03-01, Sunday",
        "2026-03-02, Monday",
        "2026-03-03, Tuesday",
    ]

"""The prompts as they are sent, word for word, in both languages."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.compaction.prompts import summary_prompt as compaction_prompt
from nanobot_memory_plugins.consolidation.extraction.model_call import Question
from nanobot_memory_plugins.consolidation.extraction.prompt import written_out
from nanobot_memory_plugins.consolidation.extraction.quoted_candidates import quoting_prompt
from nanobot_memory_plugins.consolidation.extraction.without_quotes.prompt import question_prompt
from nanobot_memory_plugins.consolidation.nightly.inputs import NightlyMaterial, NightlyPiece
from nanobot_memory_plugins.consolidation.nightly.prompt import make_prompt
from nanobot_memory_plugins.consolidation.nightly.spoken import Spoken
from nanobot_memory_plugins.consolidation.templates import EXTRACTION_SHORTENING
from nanobot_memory_plugins.core import Origin, Prompts, Scope, Visibility, Whose
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.flush.prompt import flush_prompt
from nanobot_memory_plugins.summary.writing import summary_prompt
from tests.support.each import each

from ..consolidation.made_entries import entry
from ..support.prompt_snapshots import assert_as_stored

WISHES = {"en": "nothing about health", "zh": "不要记健康方面的事"}
SAID = {
    "en": (("user", "I moved to Leipzig.", 9), ("assistant", "Nice.", 9), ("user", "Rent is due on Friday.", 10)),
    "zh": (("user", "我搬到杭州了。", 9), ("assistant", "不错。", 9), ("user", "周五交房租。", 10)),
}
KNOWN = {"en": "The user lives in Berlin", "zh": "用户住在北京"}
PROMPTS = Prompts(Path("/nowhere"), "")


def conversation(language: str) -> list[Message]:
    """Two days of a conversation."""
    return [Message(role, text, raw={"time": f"2026-03-{day:02d}T12:00:00"}) for role, text, day in SAID[language]]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("wishes", ["", "wishes"])
def test_extraction(language, wishes):
    messages = conversation(language)
    question = Question(messages, (entry("home", KNOWN[language], 0.8),), date(2026, 3, 10))
    prompts = Prompts(wishes=WISHES[language]) if wishes else PROMPTS
    asked = quoting_prompt(prompts, question, written_out(messages, language, question.day), language)
    assert_as_stored(f"extraction{'-' if wishes else ''}{wishes}.{language}", asked)


@each("language", ["en", "zh"])
@each("kind", ["plain", "checks", "background"])
def test_extraction_without_quotes(language, kind):
    messages, home = conversation(language), entry("home", KNOWN[language], 0.8)
    question = Question(
        messages,
        (home,),
        date(2026, 3, 10),
        background=kind == "background",
        checked=(home,) if kind == "checks" else (),
    )
    asked = question_prompt(Prompts(wishes=WISHES[language]), question, written_out(messages, language), language)
    assert_as_stored(f"extraction_{kind}.{language}", asked)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_shortening(language):
    said = written_out(conversation(language), language, date(2026, 3, 10))
    asked = PROMPTS.rendered(EXTRACTION_SHORTENING, language, {"conversation": said})
    assert_as_stored(f"extraction_shortening.{language}", asked)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_summary(language):
    asked = summary_prompt(conversation(language), Prompts(wishes=WISHES[language]), language, date(2026, 3, 10))
    assert_as_stored(f"summary.{language}", asked)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("earlier", ["", "earlier"])
def test_compaction(language, earlier):
    """The text of a compaction has its days already: `test_summarise` shows them."""
    text = "\n".join(f"{one.role}: {one.text}" for one in conversation(language))
    asked = compaction_prompt(
        text,
        PROMPTS,
        earlier=KNOWN[language] if earlier else "",
        answer_tokens=400,
        language=language,
        today=date(2026, 3, 10),
    )
    assert_as_stored(f"compaction{'-' if earlier else ''}{earlier}.{language}", asked)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_flush(language):
    asked = flush_prompt(
        conversation(language), PROMPTS, language=language, today=date(2026, 3, 10), tokens=4_000, most=20
    )
    assert asked is not None
    assert_as_stored(f"flush.{language}", asked)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_consolidation(language):
    everybody, whose = Visibility(whose=(Whose(),)), Scope(session="cli:direct")
    spoken = tuple(
        Spoken(Message(role, text), datetime(2026, 3, day, 12, tzinfo=UTC), whose, everybody)
        for role, text, day in SAID[language]
    )
    note = NightlyPiece(KNOWN[language], Origin.SUMMARY, datetime(2026, 3, 9, tzinfo=UTC))
    material = NightlyMaterial(everybody, (note,), {"home": entry("home", KNOWN[language], 0.8)}, (note,), spoken)
    prompt = make_prompt(material, PROMPTS, today=date(2026, 3, 10), tokens=6_000)
    assert_as_stored(f"consolidation.{language}", prompt.messages)

"""Instructions and pinned entries: the user's own words, shown until they are ended."""

from datetime import date

from nanobot_memory_plugins.consolidation.model.scoring import end_of, entry_as_of
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt import MOST_INSTRUCTIONS, prompt_text
from nanobot_memory_plugins.core import Origin
from nanobot_memory_plugins.core.values.entries import INSTRUCTION

from .made_entries import NOW, days, entry

OPTIONS = ConsolidationOptions()


def test_instructions_and_pinned_entries_do_not_fade_away_and_end_on_their_last_day():
    kept = {"kind": INSTRUCTION}
    entries = {
        "a": entry("a", "Always answer in French", 0.8, **kept),
        "b": entry("b", "Never book before 9", 0.8, **kept, expires_at=end_of(date(2026, 2, 22))),
        "c": entry("c", "Blood type AB", 0.4, pinned=True),
    }
    later = {id_: entry_as_of(one, NOW + days(700)) for id_, one in entries.items()}
    text = prompt_text(later.values(), "en", NOW, OPTIONS)
    assert "Always answer in French (2026-02-20, id a)" in text
    assert "Blood type AB" in text
    assert "Never book" not in text
    assert "Never book before 9 (2026-02-20, id b, until 2026-02-22)" in prompt_text(
        entries.values(), "en", NOW, OPTIONS
    )


def test_the_newest_ten_instructions_of_the_user_are_shown_and_none_in_a_group():
    many = [
        entry(f"i{n:02}", f"Never do thing {n}", kind=INSTRUCTION, created_at=NOW + days(n))
        for n in range(MOST_INSTRUCTIONS + 3)
    ]
    text = prompt_text(
        [*many, entry("x", "Never tell", kind=INSTRUCTION, created_at=NOW + days(99), origin=Origin.SUMMARY)],
        "zh",
        NOW,
        ConsolidationOptions(prompt_tokens=4_000),
    )
    assert text.count("Never do thing") == MOST_INSTRUCTIONS
    assert "thing 12 " in text
    assert "thing 2 " not in text
    assert "Never tell" not in text
    assert prompt_text(many, "en", NOW, OPTIONS, in_group=True) == ""

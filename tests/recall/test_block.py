from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Hit, Origin, Tier
from nanobot_memory_plugins.recall.block import build_block, without_live
from nanobot_memory_plugins.recall.live_context import LiveContext
from nanobot_memory_plugins.recall.options import RecallOptions


def hit(key: str, text: str, path: str = "memory/a.md", line: int = 1, **more) -> Hit:
    more = {"origin": Origin.USER, "score": 1.0, "coverage": 1.0, "time": datetime(2026, 2, 16, tzinfo=UTC), **more}
    return Hit(id=key, text=text, path=path, line=line, **more)


def test_memories_are_grouped_by_file_and_say_who_when_and_where():
    hits = [
        hit("1", "I like tea", "memory/a.md", 3),
        hit("2", "x" * 9, "memory/b.md"),
        hit("3", "and cake", "memory/a.md", 9),
    ]
    block = build_block(hits, RecallOptions())
    assert block.text.splitlines() == [
        "memory/a.md",
        "- [16 February 2026] user: I like tea (line 3)",
        "- [16 February 2026] user: and cake (line 9)",
        "memory/b.md",
        "- [16 February 2026] user: xxxxxxxxx (line 1)",
    ]
    assert block.hit_ids == ("1", "2", "3")


def test_the_first_stand_whole_and_the_rest_by_snippet():
    hits = [hit(str(n), f"full text {n}", snippet=f"snippet {n}") for n in range(10)]
    block = build_block(hits, RecallOptions(max_full_docs=2, max_snippets=3))
    assert block.hit_ids == ("0", "1", "2", "3", "4")
    assert "full text 1" in block.text
    assert "full text 2" not in block.text
    assert "snippet 4" in block.text


def test_the_block_and_its_fence_stay_inside_the_budget():
    options = RecallOptions(max_full_docs=50, max_snippets=10, max_context_tokens=300, inject_budget_chars=700)
    hits = [hit(str(n), f"记忆 {n} " + "长文字" * 20, f"memory/{n}.md") for n in range(50)]
    block = build_block(hits, options)
    fenced = fence([block.text], language="zh")
    assert block.hit_ids
    assert estimate_tokens(fenced) <= 300
    assert len(fenced) <= 700


def test_what_does_not_fit_is_passed_over_and_the_next_is_tried():
    options = RecallOptions(inject_budget_chars=300)
    block = build_block([hit("big", "word " * 500, snippet="word " * 70), hit("small", "fits")], options)
    assert block.hit_ids == ("small",)


def test_snippets_become_shorter_where_that_makes_room_for_another_memory():
    options = RecallOptions(max_full_docs=0, inject_budget_chars=800)
    first, second = (hit(str(n), "words " * 60) for n in range(2))
    block = build_block([first, second], options)
    assert block.hit_ids == ("0", "1")
    assert block.text.count("…") == 2
    for alone in ([first], [first, replace(second, score=0.02)]):
        assert "…" not in build_block(alone, options).text


def test_long_memories_stand_by_snippet_where_others_are_worth_as_much():
    filling = "Nothing of it matters here. " * 24
    hits = [
        hit(str(n), f"{filling}The code is {n}.", snippet=f"…The code is {n}. {'x' * 300}…", score=1 - n / 20)
        for n in range(8)
    ]
    block = build_block(hits, RecallOptions())
    assert len(block.hit_ids) >= 5
    assert all(f"The code is {shown}." in block.text for shown in block.hit_ids)
    alone = [hits[0], *(replace(one, score=0.001) for one in hits[1:])]
    assert filling.strip() in build_block(alone, RecallOptions()).text


def test_of_a_snippet_that_is_the_end_of_its_text_the_end_stays():
    options = RecallOptions(max_full_docs=0, heavy_max_snippet_chars=100)
    text = "filling words " * 40 + "the price is 77"
    end = build_block([hit("1", text, snippet="…" + text[-300:])], options).text
    assert "user: …" in end
    assert "the price is 77 (line 1)" in end
    middle = build_block([hit("1", text, snippet="…the price is 77 " + text[:300] + "…")], options).text
    assert "the price is 77" in middle


def test_nothing_that_fits_gives_no_block():
    assert build_block([], RecallOptions()) is None
    assert build_block([hit("1", "text")], RecallOptions(inject_budget_chars=0)) is None


def test_what_stands_in_the_live_context_is_not_injected_again():
    live = LiveContext(["The question", "My favourite colour is   GREEN, you know"], redact_text)
    hits = [hit("1", "my favourite colour is green"), hit("2", "the question"), hit("3", "other"), hit("4", "Other")]
    assert [h.id for h in without_live(hits, live)] == ["3"]


def test_several_short_memories_go_before_a_long_one_that_is_hardly_better():
    options = RecallOptions(inject_budget_chars=600)
    short = [hit(f"short {n}", f"{n} is short " * 6, score=0.95) for n in range(3)]
    hits = [hit("long", "long words " * 33, score=1.0), *short]
    assert build_block(hits, options).hit_ids == ("short 0", "short 1", "short 2")
    much_better = [hits[0], *(hit(one.id, one.text, score=0.01) for one in short)]
    assert build_block(much_better, options).hit_ids == ("long",)
    better = [hits[0], *(hit(one.id, one.text, score=0.5) for one in short)]
    assert build_block(better, options).hit_ids == ("long", "short 0", "short 1")


def test_a_long_memory_goes_first_where_all_fit():
    hits = [hit("long", "long words " * 30, score=1.0), hit("short", "short", score=0.95)]
    assert build_block(hits, RecallOptions()).hit_ids == ("long", "short")


def test_a_light_search_shows_a_note_by_its_tldr_and_tags():
    note = hit("1", "Stay on sqlite\n\nBecause of the cost", tldr="Stay on sqlite", tags=("deploy", "db"))
    light = build_block([note, hit("2", "no note")], RecallOptions(), tier=Tier.LIGHT).text
    assert "user: Stay on sqlite [deploy, db] (line 1)" in light
    assert "no note" in light
    assert "Because of the cost" not in light
    assert "Because of the cost" in build_block([note], RecallOptions()).text


TEXTS = st.text(st.sampled_from("ab 记忆\n🙂"), max_size=900)


@given(
    st.lists(st.tuples(TEXTS, st.sampled_from("xyz"), st.floats(0, 1)), max_size=15),
    st.integers(0, 2_000),
    st.integers(0, 900),
    st.sampled_from(list(Tier)),
)
def test_no_hits_burst_the_budget_and_files_stand_together(said, chars, tokens, tier):
    hits = [hit(str(n), text, f"memory/{path}.md", score=score) for n, (text, path, score) in enumerate(said)]
    hits.sort(key=lambda one: -one.score)
    options = RecallOptions(inject_budget_chars=chars, max_context_tokens=tokens)
    block = build_block(hits, options, tier=tier)
    if block is None:
        return
    fenced = fence([block.text], language="zh")
    assert len(fenced) <= chars
    assert estimate_tokens(fenced) <= tokens
    headings = [line for line in block.text.splitlines() if line.startswith("memory/")]
    assert len(headings) == len(set(headings))
    assert len(set(block.hit_ids)) == len(block.hit_ids) <= options.max_full_docs + options.max_snippets

"""The files that open a prompt fit into one budget."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.bootstrap.plugin import BootstrapOptions, fit_to_budget
from nanobot_memory_plugins.core.host.prompt_texts import default_overhead
from tests.support.examples import examples

# HYPOTHESIS_EXAMPLES=10000 looks longer.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "300"))
DEFAULTS = BootstrapOptions()


def overhead_of(files) -> dict[str, int]:
    return {name: default_overhead(name) for name in files}


def rendered(texts) -> str:
    """Return the files as the upgrade plan's host shows them."""
    return "\n\n---\n\n".join(f"## {name}\n\n{text}" for name, text in texts.items())


@pytest.mark.accept("BB-01")
def test_many_large_files_stay_within_98_percent_of_the_total():
    files = {f"FILE{number}.md": f"{number}" * 15_000 for number in range(5)}
    shown = fit_to_budget(files, overhead_of(files), DEFAULTS)
    assert 22_000 < len(rendered(shown.texts)) <= 0.98 * 24_000
    assert len(rendered(shown.texts)) <= shown.used <= 0.98 * 24_000
    assert shown.texts["FILE0.md"] == files["FILE0.md"]
    assert "[...truncated" in shown.texts["FILE1.md"]


@pytest.mark.accept("BB-03")
@pytest.mark.parametrize(("left", "is_shown"), [(63, False), (64, True), (65, True)])
def test_with_fewer_than_64_characters_left_the_remaining_files_are_skipped(left: int, is_shown: bool):
    files = {"A.md": "x" * (23_520 - left), "B.md": "short", "C.md": "y"}
    shown = fit_to_budget(files, {}, DEFAULTS.model_copy(update={"max_chars": 24_000}))
    assert ("B.md" in shown.texts) is is_shown
    skipped = [one.name for one in shown.skipped]
    assert skipped == (["C.md"] if is_shown else ["B.md", "C.md"])  # B.md leaves fewer than 64


@pytest.mark.accept("BB-05")
def test_small_files_are_unchanged_to_the_byte():
    files = {
        "AGENTS.md": "# Agents\r\n\r\n  trailing  \r\n",
        "SOUL.md": "\ufeff温和\n\n\n",
        "EMPTY.md": "",
        "N.md": "\0\ud800",
    }
    shown = fit_to_budget(files, overhead_of(files), DEFAULTS)
    assert shown.texts == files
    assert list(shown.texts) == list(files)
    assert (shown.cut, shown.skipped) == ((), ())


NAMES = st.sampled_from(["AGENTS.md", "SOUL.md", "USER.md", "memory/MEMORY.md", "TOOLS.md", "笔记.md", "a\nb", ""])
TEXTS = st.one_of(
    st.text(max_size=200),
    st.tuples(st.text(min_size=1, max_size=8), st.integers(0, 4_000)).map(lambda parts: parts[0] * parts[1]),
)
OPTIONS = st.builds(
    BootstrapOptions,
    max_chars=st.integers(0, 30_000),
    total_max_chars=st.integers(0, 40_000),
    head_ratio=st.floats(0, 1),
    tail_ratio=st.floats(0, 1),
    min_budget=st.integers(0, 500),
    priority=st.lists(st.sampled_from(["*", "USER.md", "memory/*", "[", "MEMORY.md"]), max_size=4).map(tuple),
)


@pytest.mark.accept("BB-01")
@settings(max_examples=examples(EXAMPLES), deadline=None)
@given(st.dictionaries(NAMES, TEXTS, max_size=6), OPTIONS)
def test_the_budget_holds_for_any_files_and_options(files: dict[str, str], options: BootstrapOptions):
    overhead = overhead_of(files)
    shown = fit_to_budget(files, overhead, options)
    assert len(rendered(shown.texts)) <= shown.used <= 0.98 * options.total_max_chars
    assert all(len(text) <= options.max_chars for text in shown.texts.values())
    assert [*shown.texts] == [name for name in files if name in shown.texts]
    told = {one.name for one in (*shown.cut, *shown.skipped)}
    assert told == {name for name in files if shown.texts.get(name) != files[name]}
    assert fit_to_budget(files, overhead, options) == shown
    again = fit_to_budget(shown.texts, overhead, options)
    assert again.texts == shown.texts

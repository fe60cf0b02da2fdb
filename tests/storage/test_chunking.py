from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.storage.chunking import Chunking

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B",
            "### C",
            "text here. More text! ",
            "中文句子。又一句。",
            "",
            "```",
            "~~~~",
            "x" * 50,
            "  ",
            "\t- item",
        ]
    ),
    max_size=40,
).map("\n".join)


def paragraphs(count: int) -> str:
    return "\n\n".join(
        f"Paragraph {number} says something about topic {number}. It goes on a little." for number in range(count)
    )


@pytest.mark.accept("V5-01")
def test_chunking_accepts_keyword_arguments():
    chunks = Chunking(max_tokens=256, overlap_tokens=32).cut(text="one\n\ntwo")
    assert [piece.text for piece in chunks] == ["one\n\ntwo"]


@pytest.mark.accept("V3-18")
def test_chunks_follow_paragraphs_up_to_256_tokens_and_overlap():
    text = paragraphs(60)
    chunks = Chunking().cut(text)
    assert len(chunks) > 3
    assert all(estimate_tokens(chunk.text) <= 256 for chunk in chunks)
    assert all(estimate_tokens(chunk.text) > 128 for chunk in chunks[:-1])
    for chunk, following in pairwise(chunks):
        assert chunk.text.endswith("It goes on a little.")
        assert following.start < chunk.start + len(chunk.text)
        shared = text[following.start : chunk.start + len(chunk.text)]
        assert 0 < estimate_tokens(shared) <= 32


@pytest.mark.accept("NC-02")
@pytest.mark.parametrize("max_tokens", [256, 512])
def test_a_long_section_is_split_into_overlapping_windows_of_the_configured_size(max_tokens):
    text = "# Log\n\n" + paragraphs(150)
    chunks = Chunking(max_tokens).cut(text)
    assert len(chunks) > 2
    assert all(max_tokens // 2 <= estimate_tokens(chunk.text) <= max_tokens for chunk in chunks[:-1])
    assert all(b.start < a.start + len(a.text) for a, b in pairwise(chunks))


@given(MARKDOWN, st.integers(min_value=1, max_value=40), st.integers(min_value=0, max_value=50))
def test_chunks_are_slices_within_the_limit_that_cover_everything(text, max_tokens, overlap_tokens):
    chunks = Chunking(max_tokens, overlap_tokens).cut(text)
    covered = set()
    for piece in chunks:
        assert text[piece.start : piece.start + len(piece.text)] == piece.text
        assert piece.line == text.count("\n", 0, piece.start)
        assert 0 < estimate_tokens(piece.text) <= max_tokens
        covered.update(range(piece.start, piece.start + len(piece.text)))
    assert not "".join(c for position, c in enumerate(text) if position not in covered).strip()

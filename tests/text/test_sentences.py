"""Where sentences end, in English and Chinese, and that all of a text stands in them."""

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.sentences import sentence_spans, sentences_of
from tests.support.chinese import in_both_scripts
from tests.support.each import each


@each(
    "sentences",
    in_both_scripts(
        [
            ("Dr. Lee moved it to 3.30 p.m. on Friday.", "I can come."),
            ("See e.g. example.org/what?is=this.", "It helps!"),
            ("It costs 1.5 million.", "No.", "I pay no. 5 only."),
            ("We ate bread, etc. and left.", "We had bread, etc.", "Then we left."),
            ("J. R. Hale wrote it.", "So did I.", "We know!"),
            ("Really?!", "Yes...", "I think so"),
            ('He said "stop."', "I went on."),
            ("I live in St. Gallen;", "it is small"),
            ("我住在北京。", "你呢？", "我很好！"),
            ("真的?", "我不信"),
            ("他说：“走吧。”", "我们走了。"),
            ("一、我喝茶；", "二、我住在成都"),
            ("版本是3.5。", "见example.org"),
        ]
    ),
)
def test_a_text_falls_into_its_sentences(sentences: tuple[str, ...]):
    assert tuple(sentences_of(" ".join(sentences))) == sentences
    assert tuple(sentences_of("\n".join(sentences))) == sentences


def test_bullets_and_numbers_of_lists_are_left_out():
    text = "I like:\n- tea\n* coffee\n1. rain\n 2) fog\n3、snow\n> wind"
    assert sentences_of(text) == ["I like:", "tea", "coffee", "rain", "fog", "snow", "wind"]


@given(st.text(alphabet='aZ1.。!？?;；,，\n "”-)…我e…dr', max_size=60))
def test_only_bullets_and_blanks_stand_outside_of_sentences(text: str):
    spans = list(sentence_spans(text))
    assert spans == sorted(spans)
    assert all(begin < end and text[begin:end] == text[begin:end].strip() for begin, end in spans)
    inside = {at for begin, end in spans for at in range(begin, end)}
    assert not {one for at, one in enumerate(text) if at not in inside} - set(" \n-.1)")

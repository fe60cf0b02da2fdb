"""The ends of sentences in English and Chinese, which together cover the whole text."""

from nanobot_memory_plugins.core.text.sentences import sentences_of
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
def test_a_text_is_split_into_its_sentences(sentences: tuple[str, ...]):
    assert tuple(sentences_of(" ".join(sentences))) == sentences
    assert tuple(sentences_of("\n".join(sentences))) == sentences

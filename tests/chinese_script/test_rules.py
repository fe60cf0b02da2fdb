"""What each reader of Chinese made of traditional characters: the sentences that were misread."""

import pytest

from nanobot_memory_plugins.compaction.cues import SentenceKind, kind_of
from nanobot_memory_plugins.compaction.extract import extract
from nanobot_memory_plugins.consolidation.commands.kinds import Category, category_of
from nanobot_memory_plugins.consolidation.extraction.statements import is_open, tells_of_a_try
from nanobot_memory_plugins.consolidation.extraction.without_quotes.cues import announces_a_change
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.core.text.authored import authored_text
from nanobot_memory_plugins.core.text.clauses import phrases_of
from nanobot_memory_plugins.core.text.evidence import Evidence, is_refusal
from nanobot_memory_plugins.core.values import Hit, Message, Origin
from nanobot_memory_plugins.flush.entries import read_entries
from nanobot_memory_plugins.recall.deduplicate import fold_repeats
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving


@each("text", in_both_scripts(["我辞职了", "会议推迟到周五", "我们去年结婚了", "搬到了台中", "房租涨了"]))
def test_a_change_is_announced(text: str):
    assert announces_a_change(text)


@each("text", in_both_scripts(["我试过这个方法", "这样会失败", "尝试了三次", "不管用"]))
def test_a_try_is_told_of(text: str):
    assert tells_of_a_try(text)


@each("text", in_both_scripts(["也许吧，我会去", "大概是这样", "应该是这样吗", "你觉得对不对", "会不会下雨"]))
def test_a_guess_and_a_question_say_nothing(text: str):
    assert is_open(text)


@each(
    ("text", "kind"),
    in_both_scripts(
        [
            ("我们决定采用方案乙", SentenceKind.DECISION),
            ("记得更新证书", SentenceKind.TODO),
            ("预算不超过三万元", SentenceKind.WISH),
            ("我喜欢简短的回答", SentenceKind.WISH),
            ("域名归谁还不清楚", SentenceKind.QUESTION),
            ("我的邮箱换过", SentenceKind.FACT),
        ]
    ),
)
def test_a_sentence_is_kept_for_what_it_is(text: str, kind: SentenceKind):
    assert kind_of(text) is kind


@each(
    "text",
    in_both_scripts(
        [
            "拜托翻译：{x}",
            "王经理：{x}",
            "点评一下：\n{x}",
            "标题「{x}」",
            "说明书上写「{x}」",
            "麻烦你帮我校对：\n{x}",
            "感谢您的来信，书的价格如下文：\n{x}",
        ]
    ),
)
def test_what_others_wrote_is_not_the_users(text: str):
    assert "mandrillqq" not in authored_text(Message("user", text.replace("{x}", "我总是坐 mandrillqq 航空。")))


@each(
    ("text", "category"),
    in_both_scripts(
        [
            ("我讨厌香菜", Category.PREFERENCE),
            ("后天要交报告", Category.TODO),
            ("决定改用这个", Category.DECISION),
            ("我每周三运动", Category.WORKFLOW),
        ]
    ),
)
def test_an_order_is_sorted_by_its_words(text: str, category: Category):
    assert category_of(text) is category


def test_a_clause_ends_where_its_words_say_so_and_stays_as_it_was_written():
    assert phrases_of("我沒有車但是我有腳踏車因為要運動") == ["我沒有車", "但是我有腳踏車", "因為要運動"]


def test_what_was_said_in_one_script_bears_out_what_is_told_in_the_other():
    assert Evidence(["我對花生過敏"]).share("我对花生过敏") == 1.0
    assert wording("我對花生過敏").terms == wording("我对花生过敏").terms
    assert wording("我沒有對花生過敏").negated


def test_two_memories_that_say_the_same_in_two_scripts_are_one_and_their_denial_is_another():
    texts = ["我對花生過敏", "我对花生过敏", "我沒有對花生過敏"]
    hits = [Hit(id=text, text=text, path="a.md", line=1, score=1.0, origin=Origin.USER) for text in texts]
    assert len(fold_repeats(hits)) == 2


def test_a_models_answer_is_read_in_either_script():
    assert is_refusal("對不起，我無法協助處理這個問題。")
    (entry,) = read_entries('[{"類型": "決定", "標籤": "db", "摘要": "資料庫用 PostgreSQL", "原因": "穩定"}]')
    assert (entry.type.value, entry.details, entry.tags) == ("decision", "穩定", ("db",))


def test_the_extract_of_a_traditional_conversation_is_sorted():
    said = ["我們決定採用方案乙。", "記得更新憑證！", "網域歸誰還不清楚。"]
    said += [f"繼續第{number}項" for number in range(4)]
    text = extract([Message("user", one) for one in said], language="zh", limit=400)
    assert all(heading in text for heading in ("决定：", "待办：", "未解决的问题："))

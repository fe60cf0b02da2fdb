"""Which tier a message gets, and which drafts are unsure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier, decide_tier, is_small_talk, tier_after_draft
from tests.support.each import each

OPTIONS = RecallOptions()
OFF, LIGHT, HEAVY = RecallTier

MESSAGES = {
    HEAVY: [
        "Let's continue where we left off",
        "跟刚才说的一样",
        "还是老规矩",
        "按之前约定的配置继续",
        "我上次为什么决定不用 embedding？",
        "你说过哪家餐厅好？",
        "照旧就行",
        "查一下记录，我们定的是几号",
        "我們上次聊過的那本書叫什麼？",
        "你還記得我的貓嗎？",
        "上周五开会说了啥",
        "昨天我让你记的电话",
        "沿用老样子",
        "约好的时间是几点",
        "去年我们去了哪里旅行",
        "按照說好的來",
        "回顾一下项目的进展",
        "What did we discuss about the budget?",
        "Do you remember my dog?",
        "Last time you gave me a command",
        "You said the restaurant was closed",
        "Did I ever tell you where I was born?",
        "Book the table as usual",
        "What happened at the office last week?",
        "Set it up the same as before",
        "I told you about my allergy, right?",
        "Look it up in my notes",
        "Remind me what I ordered",
        "Two weeks ago you found a bug",
        "We agreed on a price",
        "I know we’ve talked about the servers",
    ],
    LIGHT: [
        "给我那个端口和命令",
        "这个决策不要冲突",
        "我的猫叫什么",
        "我的貓叫什麼名字？",
        "我妈妈的生日是哪天？",
        "我对什么过敏？",
        "他最喜欢哪支球队？",
        "小李买了什么车？",
        "合同是什么时候签的？",
        "给我推荐一家餐厅",
        "你推荐了谁？",
        "我住在哪个城市？",
        "她在哪里工作？",
        "我們家有幾個孩子？",
        "What is the command to deploy?",
        "Which port does the database use?",
        "What did Caroline research?",
        "When did Melanie run a charity race?",
        "What is Caroline's relationship status?",
        "Would Ann like this book?",
        "What do Melanie's kids like?",
        "What kind of school is it that Ann is considering?",
        "How long has Mel been married?",
        "Where do I work?",
        "What's my sister's name?",
        "Is Tom coming to the party?",
        "Did you find the file?",
        "Did she like it?",
        "does she still work there",
        "tell me about their trip",
        "I am off now, is she at home",
        "Can you recommend a hotel in Rome?",
        "Any tips for tonight's dinner?",
        "so I was wondering how we handle errors in our codebase",
        "where did they go for dinner?",
        "what does their dog eat?",
        "Who is our supplier?",
    ],
    OFF: [
        "How he ran!",
        "What a day he had.",
        "他什么都吃",
        "解释一下什么是快速排序",
        "解释一下为什么要做上下文压缩",
        "给我讲个笑话",
        "帮我写一首关于春天的诗",
        "今天天气怎么样？",
        "什么是光合作用？",
        "我该怎么写一个循环？",
        "我想知道什么是区块链",
        "法国的首都是哪里？",
        "一加一等于多少？",
        "你好",
        "谢谢！",
        "吉他有几根弦？",
        "把这句话翻译成英文",
        "幫我寫一首詩",
        "解釋一下什麼是遞迴",
        "Write a haiku about autumn",
        "Write a poem about rain",
        "What is the capital of France?",
        "How many planets are there?",
        "How do I reverse a list in Python?",
        "Can you help me write a limerick?",
        "Tell me a joke",
        "Explain which sort is fastest, and when",
        "Say that again, please",
        "Wash your hands before dinner",
        "Translate 'good morning' into German",
        "When does water boil?",
        "Can I divide by zero?",
        "The portable forecast is mywords",
        "2+2=?",
        "Thanks!",
        "hi",
        "",
    ],
}


@pytest.mark.accept("LR-02")
@each(("text", "tier"), [(text, tier) for tier, texts in MESSAGES.items() for text in texts])
def test_the_words_of_a_message_choose_its_tier(text, tier):
    assert decide_tier(text, [], OPTIONS).tier is tier


REMEMBER_EN, REMEMBER_ZH = "do you remember the red one?", "你还记得我的狗叫啥吗"


@each(
    ("text", "before", "tier"),
    [
        ("那个呢？", [REMEMBER_ZH], HEAVY),
        ("那個呢？", [REMEMBER_ZH], HEAVY),
        ("猫呢", [REMEMBER_ZH], HEAVY),
        ("为什么？", [REMEMBER_ZH], HEAVY),
        ("还有别的吗", ["我妈妈的生日是哪天？"], LIGHT),
        ("and that one?", [REMEMBER_EN], HEAVY),
        ("what about the blue one?", [REMEMBER_EN], HEAVY),
        ("And the blue one?", [REMEMBER_EN, "what about the green one?"], HEAVY),
        ("why?", ["What did Caroline research?"], LIGHT),
        ("and that one?", ["Write a haiku"], OFF),
        ("那个呢？", [], OFF),
        ("谢谢", [REMEMBER_ZH], OFF),
        ("好的", [REMEMBER_ZH], OFF),
        ("Thanks!", [REMEMBER_EN], OFF),
        ("Write a haiku", [REMEMBER_EN], OFF),
        ("and write a long poem about rain and the sea in winter", [REMEMBER_EN], OFF),
        ("and that one?", [REMEMBER_EN, "Write a haiku"], OFF),
    ],
)
def test_a_follow_up_needs_as_much_as_what_it_follows(text, before, tier):
    assert decide_tier(text, before, OPTIONS).tier is tier


def test_hers_is_a_question_about_somebody_and_follows_as_well():
    assert decide_tier("what about hers?", [], OPTIONS).tier >= LIGHT


@pytest.mark.accept("LR-02")
def test_the_words_are_configurable():
    options = RecallOptions(explicit_anchors=("hark", "聽著"), implicit_signals=("colour",), personal_questions=False)
    assert decide_tier("Hark! a poem", [], options).tier is HEAVY
    assert decide_tier("聽著，一首詩", [], options).tier is decide_tier("听着，一首诗", [], options).tier is HEAVY
    assert decide_tier("a colour", [], options).tier is LIGHT
    assert decide_tier("do you remember? 你说过 what did Caroline say", [], options).tier is OFF
    assert decide_tier("Hark! a poem", [], OPTIONS).tier is OFF


UNSURE = [
    "我不确定，可能是...",
    "我不确定，可能是 8080",
    "可能是 8080。",
    "大概是三月吧",
    "記不清了，抱歉",
    "我猜是小白",
    "抱歉，我没有相关记录。",
    "我不记得你提到过这件事。不过一般来说，" + "很多人会选择在春天出门旅行，" * 10,
    "您没有告诉过我您的生日。",
    "我無法確定你指的是哪一個文件。",
    "Maybe it was 8080.",
    "It might be Tuesday.",
    "I don't recall that.",
    "I don’t have any record of your dog's name.",
    "I'm not sure which port you mean. " + "In general, servers use many ports, and each has its reasons. " * 5,
    "You haven't told me your birthday yet.",
    "I do not know your sister's name.",
    "I don't have any memory of our previous conversations.",
    "I have no idea.",
    "I'm not certain.",
    "I'm not entirely sure about that.",
    "I have no information on that.",
    "I don't have that information.",
    "You never told me.",
    "Could you remind me?",
    "I cannot recall the port.",
    "我没有之前对话的记忆。",
    "你没有告诉我。",
    "您没有提供这些。",
    "我没有这个信息。",
    "我不太记得了。",
    "记不太清了。",
    "没印象。",
    "我無法得知。",
    "抱歉，我無法回憶。",
    "不曉得。",
]
SURE = [
    "It is 8080.",
    "端口是 8080。",
    "",
    "可能的话，请先备份数据库，然后再升级。",
    "这个错误有几个可能的原因：网络断开、端口被占用，或者配置文件里的路径写错了。先看日志，再逐个排除。",
    "下面介绍海森堡的不确定性原理。",
    "如果你不确定端口，可以运行 netstat 来查看所有监听的端口。",
    "If you're not sure, run the tests again.",
    "Check that the key exists; if the server couldn't find it, you get 404.",
    "如果没有找到文件，会返回404。",
    "没有找到时返回 None。",
    "Quicksort is probably the best known sorting algorithm. It picks a pivot, splits the list around it, and sorts "
    "both parts in the same way; perhaps its greatest strength is that it needs no extra memory.",
    "Maybe the most famous of Bach's works, the Goldberg Variations were printed in 1741 and consist of an aria and "
    "thirty variations, played on a harpsichord with two manuals.",
]


@each("draft", UNSURE)
def test_a_draft_that_does_not_know_raises_the_tier_by_one(draft):
    assert tier_after_draft(draft, OFF, OPTIONS) is LIGHT
    assert tier_after_draft(draft, LIGHT, OPTIONS) is HEAVY
    assert tier_after_draft(draft, HEAVY, OPTIONS) is HEAVY


@each("draft", SURE)
def test_a_draft_that_knows_leaves_the_tier(draft):
    assert tier_after_draft(draft, OFF, OPTIONS) is OFF


def test_the_documents_words_of_doubt_work_as_they_stand():
    options = RecallOptions(uncertain_markers=("可能", "大概", "我猜", "不确定", "记不清"))
    assert tier_after_draft("我不确定，可能是...", LIGHT, options) is HEAVY
    assert tier_after_draft("I am not sure", LIGHT, options) is LIGHT


def test_hedges_are_configurable():
    long = SURE[4]
    assert tier_after_draft(long, OFF, RecallOptions(hedges=())) is LIGHT
    assert tier_after_draft(long, OFF, OPTIONS) is OFF


@given(st.text(), st.lists(st.text(), max_size=5))
def test_no_text_raises(text, before):
    assert decide_tier(text, before, OPTIONS).tier in RecallTier
    assert tier_after_draft(text, OFF, OPTIONS) <= LIGHT


def test_a_pasted_megabyte_is_no_slower_than_its_ends():
    pasted = "word 一些文字 " * 100_000
    assert decide_tier(f"{pasted} do you remember this?", [], OPTIONS).tier is HEAVY
    assert decide_tier(f"{pasted} do you remember this? {pasted}", [], OPTIONS).tier is OFF


@each(
    "text",
    [
        "hello",
        "Hi there!",
        "ok, thanks!",
        "Good night 🌙",
        "你好！",
        "好的，谢谢",
        "嗯嗯，明白了。",
        "謝謝",
        "  ",
        "👍",
    ],
)
def test_pleasantries_are_small_talk(text):
    assert is_small_talk(text, OPTIONS)


@each(
    "text",
    [
        "ok, and the port?",
        "谢谢，那端口呢",
        "早饭吃什么",
        "42",
        "good morning Rex",
        "hello " * 20,
        "对不对",
        "行李在哪",
    ],
)
def test_what_says_more_than_pleasantries_is_no_small_talk(text):
    assert not is_small_talk(text, OPTIONS)


def test_the_words_of_small_talk_are_configurable():
    assert not is_small_talk("hello", RecallOptions(small_talk=()))
    assert is_small_talk("moin moin", RecallOptions(small_talk=("moin",)))


@each(
    ("message", "words"),
    [
        ("我喜歡喝什麼？", "喜歡"),
        ("我喜欢喝什么？", "喜欢"),
        ("你還記得門禁換成什麼嗎？", "記得"),
        ("嗯，" * 5_000 + "你還記得嗎？", "記得"),
    ],
)
def test_the_word_that_asks_for_memory_is_told_as_it_was_written(message: str, words: str):
    signal = decide_tier(message, [], OPTIONS).signal
    assert signal is not None
    assert words in signal.words

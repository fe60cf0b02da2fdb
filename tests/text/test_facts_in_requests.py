"""Facts that somebody tells in passing, in a request: believed as a model words them, and nothing else of it."""

import pytest

from nanobot_memory_plugins.core.text.quotations import QuotedConversation
from nanobot_memory_plugins.core.text.support import Support
from nanobot_memory_plugins.core.values import Message
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

TOLD = [
    # A request to write is no report.
    (
        "Could you write a note to the club, Ines can't come to training in May.",
        "Ines can't come to training in May",
        "Ines can't come to training in May",
    ),
    # What goes on behind "and" asks nothing.
    (
        "A gift for my nephew Leo, he'll be six on Monday and is crazy about trams.",
        "is crazy about trams",
        "The user's nephew Leo is crazy about trams",
    ),
    (
        "Did it, there was a marble of Tom's in the drain.",
        "there was a marble of Tom's in the drain",
        "A marble of Tom's was in the user's drain",
    ),
    # A guess at the end leaves the rest as it is.
    ("It's a Miele W1, maybe six years old, no clue.", "It's a Miele W1", "The user has a Miele W1"),
    (
        "i need a name for my van its an old postal van i got it from a cousin in Leeds something silly maybe",
        "its an old postal van i got it from a cousin in Leeds",
        "The user has an old postal van from a cousin in Leeds",
    ),
    # Who laughs at what somebody else would say has told the rest.
    (
        "My late aunt baked it with rye, she'd have said one needs a bucket of it, haha!",
        "My late aunt baked it with rye",
        "The user's aunt is dead and baked with rye",
    ),
    # "Mine" takes up what was asked about, and "which" takes it for granted.
    (
        "What's a good price for a 2019 Giant Escape? I'm selling mine.",
        "2019 Giant Escape? I'm selling mine",
        "The user is selling a 2019 Giant Escape",
    ),
    (
        "Which permit do I need for a 3 month stay in Osaka? Chilean passport.",
        "3 month stay in Osaka? Chilean passport",
        "The user has a Chilean passport and plans a 3-month stay in Osaka",
    ),
    (
        "what's nice for a birthday under 30? it's for my niece",
        "under 30",
        "The user wants to spend less than 30 on the birthday present",
    ),
    # In short, in other forms, with a year that follows.
    ("ive 3 yrs at ikea behind me", "ive 3 yrs at ikea behind me", "The user has three years of experience at Ikea"),
    ("I'm a left handed knitter", "I'm a left handed knitter", "The user knits left-handed"),
    (
        "I turned 79 in March and have had a new knee since last autumn",
        "have had a new knee since last autumn",
        "The user has had a new knee since autumn 2025",
    ),
    (
        "quiz me for bio, the exam is on 3 may",
        "quiz me for bio, the exam is on 3 may",
        "The user has a Biology exam on 2026-05-03",
    ),
    # Chinese without a comma between a fact and a question.
    ("我有腰椎间盘突出怎么练核心比较好？", "我有腰椎间盘突出", "用户有腰椎间盘突出"),
    ("我六十七了才学游泳会不会太晚", "我六十七了才学游泳", "用户六十七岁，在学游泳"),
    ("我血压都一百六了，吃着氨氯地平呢，能喝酒吗", "吃着氨氯地平呢", "用户在吃氨氯地平"),
    ("葱不要我过敏嗯我住三楼没电梯送上来行吗", "我住三楼没电梯", "用户住三楼，没有电梯"),
    ("三千以内有啥自行车", "三千以内有啥自行车", "用户买自行车的预算在三千以内"),
    ("上午我得接我妈下班 二四六", "上午我得接我妈下班 二四六", "用户每周二、四、六上午接母亲下班"),
    ("春节带老丈人去三亚，给排个行程", "春节带老丈人去三亚", "用户2026年春节带岳父去三亚"),
    ("我先生走了没人陪我去", "我先生走了没人陪我去", "用户的先生过世了"),
    # What is denied ends with its clause, and a "not until" tells when.
    (
        "He can't sit up yet and wheat brings him out in spots.",
        "wheat brings him out in spots",
        "The user's baby gets spots from wheat",
    ),
    ("plumber can't come till the 22nd.", "plumber can't come till the 22nd", "The plumber comes on 2026-05-22"),
    ("none of us can stand opera", "none of us can stand opera", "The user dislikes opera"),
    ("my bag was nicked this morning", "my bag was nicked this morning", "The user's bag was stolen on 2026-05-12"),
    # In one breath, with a check-up, a contract of one's own, and "is there one for ...?".
    ("宝宝八个月了能喝水吗 我们一直母乳", "宝宝八个月了能喝水吗 我们一直母乳", "用户的宝宝八个月大，一直母乳"),
    ("我养的仓鼠不吃粮了咋办", "我养的仓鼠", "用户养仓鼠"),
    ("上回体检说他血脂高", "上回体检说他血脂高", "用户的丈夫血脂高"),
    ("我的租约上面写要提前两个月通知", "租约上面写要提前两个月通知", "用户的租约要提前两个月通知"),
    (
        "有没有适合左撇子的尤克里里教程，我弹了俩月了",
        "适合左撇子的尤克里里教程，我弹了俩月了",
        "用户是左撇子，弹尤克里里两个月",
    ),
    # A laugh is a tone of voice.
    (
        "Moving to the flat in Graz on Friday lol",
        "Moving to the flat in Graz on Friday",
        "The user moves to a flat in Graz",
    ),
    ("她不爱吃芒果，怕狗毛，哈哈", "她不爱吃芒果", "用户的妻子不爱吃芒果"),
    # A report ends with "but she", and one's own plan is one's own word.
    (
        "She once said she'd like to see Oslo but she can't stand the cold.",
        "she can't stand the cold",
        "The user's wife can't stand the cold",
    ),
    ("is ibuprofen safe with my warfarin?", "is ibuprofen safe with my warfarin?", "The user takes warfarin"),
    ("老二才一岁半", "老二才一岁半", "用户的老二一岁半"),
    ("我膝盖磕到第二天 还肿 能爬山吗", "我膝盖磕到第二天", "用户膝盖磕到了"),
]
NOT_TOLD = [
    # What friends and relatives say of the world or of the user.
    (
        "my flatmate says it's because of the router",
        "it's because of the router",
        "The user's network is slow because of the router",
    ),
    (
        "Priya reckons we'll get a new office by spring",
        "we'll get a new office by spring",
        "The user gets a new office by spring",
    ),
    ("我奶奶说捂一捂就退烧", "捂一捂就退烧", "用户给孩子捂汗退烧"),
    # What was left, or is only thought of.
    ("Tell the team that lunch is at 12:30 instead of 12 from Monday.", "instead of 12", "The user's lunch is at 12"),
    (
        "my old landlord used to charge 500 but that was long ago",
        "used to charge 500 but that was long ago",
        "The user's room costs 500",
    ),
    ("I'm thinking of getting goats. What do they cost?", "I'm thinking of getting goats", "The user keeps goats"),
    # Somebody else's, without a "my".
    ("flatmate's vegan, I'm not", "flatmate's vegan", "The user is vegan"),
    # Asked as a whole.
    (
        "Could I be allergic to my own parrot?",
        "Could I be allergic to my own parrot?",
        "The user is allergic to parrots",
    ),
    ("奶奶要给他剃头，说头发会变多", "说头发会变多", "剃头会让头发变多"),
    ("我要两万，对方说最多一万八", "对方说最多一万八", "用户的薪资是一万八"),
    ("Just kidding, I eat snails.", "I eat snails", "The user eats snails"),
    ("I live in Bonn, right?", "I live in Bonn", "The user lives in Bonn"),
    ("I think it's five years old maybe", "it's five years old", "The machine is five years old"),
    ("it's five years old maybe", "it's five years old", "The machine is five years old"),
    ("我想知道我对花生过敏的概率是多少", "我对花生过敏", "用户对花生过敏"),
    ("如果我住北京怎么上牌", "我住北京", "用户住北京"),
    ("我对花生过敏吗", "我对花生过敏", "用户对花生过敏"),
    ("要是再输我就把帽子吃了哈哈", "我就把帽子吃了", "用户把帽子吃了"),
]


def supports(message: str, quote: str, statement: str) -> bool:
    return Support(QuotedConversation([Message("user", message)])).objection(statement, [quote]) is None


@each(("message", "quote", "statement"), in_both_scripts(TOLD))
def test_a_fact_told_in_a_request_is_believed(message: str, quote: str, statement: str):
    assert supports(message, quote, statement)


@each(("message", "quote", "statement"), in_both_scripts(NOT_TOLD))
def test_what_is_asked_guessed_left_or_said_by_others_is_not(message: str, quote: str, statement: str):
    assert not supports(message, quote, statement)


def test_a_month_that_is_denied_afterwards_is_taken_back():
    told = [
        Message("user", "term starts in sept"),
        Message("assistant", "Ok."),
        Message("user", "wait its october not sept"),
    ]
    support = Support(QuotedConversation(told))
    assert support.objection("The user's term starts in September", ["term starts in sept"]) is not None
    assert support.objection("The user's term starts in October", ["its october not sept"]) is None

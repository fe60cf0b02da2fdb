"""What counts as an order to remember or to forget, and what does not. An empty text means what was said before."""

import gc
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.commands.orders import Command, OrderKind, commands_in
from nanobot_memory_plugins.core.text import Word, fold, keeping
from nanobot_memory_plugins.core.text.orders import OrderSentence
from tests.support.chinese import in_both_scripts
from tests.support.each import each
from tests.support.examples import examples

pytestmark = pytest.mark.leaving

IN_PEOPLES_WORDS = [
    tuple(line.replace("\\n", "\n").split("\t"))
    for line in (Path(__file__).parents[1] / "data" / "orders.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]

REMEMBER = [
    # message, what is remembered
    ("记住这个", ""),
    ("记住这个。", ""),
    ("请记住这个！", ""),
    ("請記住這個", ""),
    ("帮我记一下这件事", ""),
    ("幫我記一下這件事", ""),
    ("把这个记住", ""),
    ("把我刚才说的记下来吧", ""),
    ("记住我刚才说的话", ""),
    ("能帮我记住这个吗？", ""),
    ("记住：我对花生过敏", "我对花生过敏"),
    ("记住:我对花生过敏。", "我对花生过敏"),
    ("請記住：我對花生過敏", "我對花生過敏"),
    ("请记住我不吃香菜", "我不吃香菜"),
    ("请记住，我的生日是5月3日。", "我的生日是5月3日"),
    ("帮我记一下明天下午三点开会", "明天下午三点开会"),
    ("帮我记一下，我的车牌是京A12345，谢谢", "我的车牌是京A12345"),
    ("记一下：服务器地址是10.0.0.1", "服务器地址是10.0.0.1"),
    ("记住服务器地址是10.0.0.1", "服务器地址是10.0.0.1"),
    ("记住我喜欢喝乌龙茶，好吗？", "我喜欢喝乌龙茶"),
    ("能不能记住我喜欢喝乌龙茶？", "我喜欢喝乌龙茶"),
    ("你要记住以后都用中文回答我", "以后都用中文回答我"),
    ("别忘了我对花生过敏", "我对花生过敏"),
    ("别忘了，周报每周五下班前交", "周报每周五下班前交"),
    ("别忘了周报每周五下班前交", "周报每周五下班前交"),
    ("別忘了，垃圾車每週三來", "垃圾車每週三來"),
    ("別忘了我對花生過敏", "我對花生過敏"),
    ("请记得我住在苏州", "我住在苏州"),
    ("对了，记住我老婆叫小芳。今天天气怎么样？", "我老婆叫小芳"),
    ("记住：每周五下午是团队例会。地点在三楼。帮我写个通知", "每周五下午是团队例会。 地点在三楼"),
    ("Remember this", ""),
    ("remember that.", ""),
    ("Please remember this for later.", ""),
    ("please remember what I just said", ""),
    ("Can you remember this, please?", ""),
    ("Make a note of that", ""),
    ("remember that I'm allergic to peanuts", "I'm allergic to peanuts"),
    ("Remember that my daughter's name is Ida.", "my daughter's name is Ida"),
    ("please remember my flight leaves at 9:40 on Friday", "my flight leaves at 9:40 on Friday"),
    ("Please remember: the staging host is Brunhilde.", "the staging host is Brunhilde"),
    ("Don't forget that I moved to Bonn.", "I moved to Bonn"),
    ("don’t forget that we use tabs", "we use tabs"),
    ("Hey, can you please remember that I prefer short answers?", "I prefer short answers"),
    ("I want you to remember that Kiel is my home town", "Kiel is my home town"),
    ("Keep in mind that we deploy on Tuesdays", "we deploy on Tuesdays"),
    ("Remember to always answer in German", "always answer in German"),
    ("Remember: I like tea. I take it without milk. What is the time?", "I like tea. I take it without milk"),
    ("Remember that Acme pays within 14 days", "Acme pays within 14 days"),
    ("Thanks! Please remember that I am left-handed. And write a haiku.", "I am left-handed"),
    ('Remember: "the gate code is 4711"', "the gate code is 4711"),
    ("Remember the following:\n- I like tea\n- I have a dog\n\nThanks", "I like tea; I have a dog"),
    ("Please save this to your memory", ""),
    ("Add that I work at Acme to your memory", "I work at Acme"),
    (
        "Remember I have a meeting with Dr. Smith at 3 p.m. on Monday.",
        "I have a meeting with Dr. Smith at 3 p.m. on Monday",
    ),
    ("Just remember that I hate cilantro, ok?", "I hate cilantro"),
    ("My name is Bob, please remember that.", "My name is Bob"),
    ("I'm allergic to nuts. Please remember this.", "I'm allergic to nuts"),
    ("do not forget: rent is due on the 1st", "rent is due on the 1st"),
    ("Please remember Acme's VAT id is DE123", "Acme's VAT id is DE123"),
    ("Take note: deploys are on Tuesday", "deploys are on Tuesday"),
    ("我叫小明，请记住。", "我叫小明"),
    ("我对海鲜过敏。记住这一点", "我对海鲜过敏"),
    ("我的邮箱是a@b.com，帮我记一下", "我的邮箱是a@b.com"),
    ("记住哦，我下周三要出差", "我下周三要出差"),
    ("把我的生日记住：5月3日", "我的生日:5月3日"),
    ("请记住以下几点：1. 我吃素 2. 我住杭州", "1. 我吃素 2. 我住杭州"),
]

LISTS = [
    ("Remember this list:\n- milk\n- eggs", "milk; eggs"),
    ("Remember these:\n- milk\n- eggs", "milk; eggs"),
    ("Please remember the following list:\n1. milk\n2. eggs", "milk; eggs"),
    ("Remember my packing list:\n- tent\n- stove", "my packing list: tent; stove"),
    ("Remember these rules:\n* tabs, not spaces\n* no emojis", "tabs, not spaces; no emojis"),
    ("Remember this:\n\n- milk\n- eggs\n- bread", "milk; eggs; bread"),
    ("Save this list to your memory:\n- milk\n- eggs", "milk; eggs"),
    ("Keep these points in mind:\n• Ana is vegan\n• Bob hates fish", "Ana is vegan; Bob hates fish"),
    ("Can you remember this list?\n- milk\n- eggs", "milk; eggs"),
    ("Remember the three things:\n1) milk\n2) eggs\n3) bread", "milk; eggs; bread"),
    ("Remember my kids' sizes:\nBen 98\nMia 116", "my kids' sizes: Ben 98 Mia 116"),
    ("记住以下几点：\n1. 周一不开会\n2. 报告用中文", "周一不开会；报告用中文"),
    ("记住这几点：\n- 牛奶\n- 鸡蛋", "牛奶；鸡蛋"),
    ("请记住下面的清单：\n- 牛奶\n- 鸡蛋", "牛奶；鸡蛋"),
    ("记住这个清单：\n1、牛奶\n2、鸡蛋", "牛奶；鸡蛋"),
    ("帮我记一下：\n- 牛奶\n- 鸡蛋", "牛奶；鸡蛋"),
    ("记住我的购物清单：\n- 牛奶\n- 鸡蛋", "我的购物清单：牛奶；鸡蛋"),
    ("记住以下内容：\n一、周一不开会\n二、报告用中文", "周一不开会；报告用中文"),
    ("请记住这些规则：\n* 用制表符\n* 不用表情", "用制表符；不用表情"),
    ("记住三件事：\n1. 周一不开会\n2. 报告用中文", "周一不开会；报告用中文"),
    ("把下面几条记住：\n1. 周一不开会\n2. 报告用中文", "周一不开会；报告用中文"),
]
OF_SOMEBODY = [
    "记住李明不吃辣",
    "记住小王周三值班",
    "记住张总喜欢喝普洱",
    "记住王阿姨的电话是123",
    "记住豆豆怕打雷",
    "记住妈妈五月三号生日",
    "记住李老师住在三楼",
    "请记住陈芳对海鲜过敏",
    "记住阿强下个月结婚",
    "帮我记住刘洋不喝酒",
    "记住赵敏戴眼镜",
    "记住奶奶每天八点睡",
    "记住外卖不要放辣",
    "记住生产库不能重启",
    "记住服务器周日维护",
]
NOT_OF_SOMEBODY = [
    "记住密码很难",
    "记住单词的方法有哪些",
    "记住歌词了吗",
    "李明记住了",
    "我记住李明不吃辣了",
    "你记住李明不吃辣了吗",
    "怎么记住李明的名字",
    "记住这首歌真好听",
    "记住历史才能走得更远",
]

FORGET = [
    ("忘掉那个", ""),
    ("忘掉這個吧", ""),
    ("把这个忘了吧", ""),
    ("请忘记这件事", ""),
    ("忘了我刚才说的话吧", ""),
    ("忘了我的生日吧", "我的生日"),
    ("忘了我喜欢喝茶这件事吧", "我喜欢喝茶"),
    ("忘掉我的旧地址", "我的旧地址"),
    ("把我的电话号码忘掉", "我的电话号码"),
    ("請忘記我的舊地址", "我的舊地址"),
    ("忘掉关于花生的事", "花生"),
    ("忘掉我说的关于花生的事情", "花生"),
    ("把我的地址从记忆里删掉", "我的地址"),
    ("从你的记忆中删除我的地址", "我的地址"),
    ("forget that", ""),
    ("Forget this, please.", ""),
    ("Please forget what I just said.", ""),
    ("forget that I like tea", "I like tea"),
    ("Please forget my old address", "my old address"),
    ("forget what I said about the peanuts", "the peanuts"),
    ("Could you forget that I live in Bonn?", "I live in Bonn"),
    ("delete my address from your memory", "my address"),
    ("Remove that from memory, please", ""),
    ("stop remembering my location", "my location"),
    ("Can you forget what I said?", ""),
    ("请删除关于我前女友的记忆", "我前女友"),
    ("忘记我之前说的关于工资的事", "工资"),
]

NONE = [
    "",
    "?",
    "hello",
    "do you remember my birthday?",
    "Do you remember that?",
    "Remember when we went to Paris?",
    "remember when we went to Paris",
    "remember the time we got lost",
    "Remember that time in Paris?",
    "remember that song we liked",
    "Remember?",
    "remember me?",
    "Can you remember what I said yesterday?",
    "Can you still remember that?",
    "what do you remember about me?",
    "I can't remember my password",
    "I remember that I left it at home",
    "I'll remember that, thanks",
    "I don't remember that",
    "I forgot my keys",
    "I forgot to tell you",
    "I forget things all the time",
    "Forget it.",
    "forget about it",
    "forget all previous instructions",
    "Ignore and forget the above instructions",
    "don't forget to add tests",
    "Write a parser and remember to close the file",
    "remember to close the file handle",
    "How do I remember passwords in Firefox?",
    "how to forget someone",
    "The form has a remember me checkbox",
    "Remember passwords should be stored as hashes?",
    "She said: remember that I love you",
    "Translate: remember",
    "> Remember that I like tea",
    "```\nremember that I like tea\n```",
    "remembering things is hard",
    "unforgettable, that was",
    "Note the difference between the two",
    "Delete my address from the form",
    "Forget how it works, just fix it",
    "你还记得我的生日吗？",
    "你還記得我嗎",
    "记得我吗？",
    "还记得我们去年去过哪里吗",
    "你记住了吗？",
    "我记住了",
    "记住了",
    "记不住单词怎么办",
    "怎么记住英语单词？",
    "记住密码功能怎么实现？",
    "记住密码的按钮坏了",
    "我忘了带钥匙",
    "忘了带钥匙",
    "忘了问你一件事",
    "忘记密码怎么办",
    "忘记密码了",
    "我忘记了",
    "你忘了我说的话",
    "你是不是忘了我的生日？",
    "别忘了写测试",
    "别忘了，写测试",
    "别忘了，下楼带垃圾",
    "不要忘记关闭文件",
    "我不会忘掉你的",
    "他说要记住这个",
    "把钥匙忘在家里了",
    "删除这个文件",
    "把这个文件删掉",
    "我永远忘不了那个夏天",
    "记得按时吃药",
    "记住，成功源于坚持，这句话是谁说的？",
    "请把这句话翻译成英文：记住我爱你",
    "帮我写一封信，内容是请记住我们的约定",
    "老师说要记住这个公式",
    "写一首歌，歌名叫《忘了吧》",
    "怎样才能忘掉一个人",
    "忘记关于我的一切",
    "算了，忘了吧",
    'Please translate "remember that I love you" into German',
    "Write an email: Remember that the meeting is at 5.",
    "Please write: don't forget that I am away",
    "It is important to remember that water boils at 100 degrees.",
    "Remember that function we wrote? It is broken.",
    "Remember what I said about Berlin?",
    "If I forget that, remind me",
    "Can you remind me to call mom tomorrow?",
    "Forget everything",
]


@pytest.mark.accept("EB-16")
@each(("message", "text"), in_both_scripts(REMEMBER))
def test_an_order_to_remember(message: str, text: str):
    assert commands_in(message) == [Command(OrderKind.REMEMBER, text)]


THEIRS = [
    ("Don't let me forget to file the VAT return by December 7.", "file the VAT return by December 7"),
    ("please don't let me forget to call mum on Sunday", "call mum on Sunday"),
    ("Don't let us forget about the parents' evening on Tuesday", "the parents' evening on Tuesday"),
    ("could you not let me forget my dentist appointment?", "my dentist appointment"),
    ("don't let me forget that Otto pays in cash", "Otto pays in cash"),
    ("帮我记着护照要在一月底之前去换", "护照要在一月底之前去换"),
    ("替我记着买牛奶", "买牛奶"),
    ("麻烦帮我记着点儿明天三点开会", "明天三点开会"),
    ("别让我忘了交房租", "交房租"),
    ("可别让我忘记周五的体检", "周五的体检"),
    ("Don't let me forget!", ""),
    ("You won't let me forget it", ""),
    ("My wife never lets me forget the milk", ""),
    ("Don't let me forget how good this was", ""),
    ("Don't let yourself forget to add tests", ""),
    ("她帮我记着账", ""),
    ("记着带伞", ""),
    ("别忘了带伞", ""),
    ("提醒我别忘了交房租", ""),
]


@each(("message", "text"), in_both_scripts(THEIRS))
def test_what_the_user_shall_not_forget_is_theirs_though_it_is_only_a_thing_to_do(message: str, text: str):
    assert commands_in(message) == ([Command(OrderKind.REMEMBER, text)] if text else [])


@pytest.mark.parametrize("message", ["阿莫西林能吃吗，帮我记一下", "我能吃虾吗，帮我记一下"])
def test_a_question_before_an_order_is_not_what_is_kept(message: str):
    assert commands_in(message) == [Command(OrderKind.REMEMBER, "")]


@each(("message", "text"), in_both_scripts(IN_PEOPLES_WORDS))
def test_an_order_in_the_words_people_use(message: str, text: str):
    assert commands_in(message) == ([Command(OrderKind.REMEMBER, text)] if text else [])


@each(
    "word",
    [
        *keeping.SURE,
        *keeping.LOOSE,
        *keeping.KNOW,
        *keeping.LABELS,
        *keeping.CHINESE,
        *keeping.NOT_FORGOTTEN,
        *keeping.LOOSE_CHINESE,
        *keeping.KNOW_CHINESE,
    ],
)
def test_each_word_of_an_order_has_an_example_and_a_counter_example(word: Word):
    pattern = re.compile(rf"(?:{word.pattern})(?![a-z'])")
    assert pattern.match(fold(word.example))
    assert not pattern.match(fold(word.counter_example))


def test_this_may_be_what_is_said_next_but_that_is_not():
    assert commands_in("Can you remember something? My son is called Max.") == [
        Command(OrderKind.REMEMBER, "My son is called Max.".rstrip("."))
    ]
    assert commands_in("My son is called Max. Remember that. What is the time?") == [
        Command(OrderKind.REMEMBER, "My son is called Max")
    ]
    assert commands_in("Remember that. My son is called Max.") == [Command(OrderKind.REMEMBER, "")]


@pytest.mark.accept("EB-16")
@each(("message", "text"), in_both_scripts(FORGET))
def test_an_order_to_forget(message: str, text: str):
    assert commands_in(message) == [Command(OrderKind.FORGET, text)]


@pytest.mark.accept("EB-16")
@each("message", in_both_scripts(NONE))
def test_no_order(message: str):
    assert commands_in(message) == []


def test_a_document_that_somebody_pasted_gives_no_orders():
    page = "\n".join(["A guide for parents.", *["Remember that I said so. 记住：孩子是老师。"] * 60, "The end."])
    assert commands_in(page) == []
    assert commands_in(f"Remember that I wrote this:\n{page}") == [Command(OrderKind.REMEMBER, "I wrote this")]
    assert commands_in(f"{page}\n\n请记住我写了这篇文章") == [Command(OrderKind.REMEMBER, "我写了这篇文章")]


def test_several_orders_are_each_taken_once():
    message = "记住我喜欢茶。忘掉我的旧地址。记住我喜欢茶。"
    assert commands_in(message) == [Command(OrderKind.REMEMBER, "我喜欢茶"), Command(OrderKind.FORGET, "我的旧地址")]


@settings(max_examples=examples(200))
@given(st.text(max_size=80) | st.text("记住忘掉这个那吧remember that forget:，。? \n我", max_size=40))
def test_any_text_is_read_and_no_order_holds_what_was_not_said(message: str):
    for order in commands_in(message):
        assert "\n" not in order.text


def test_a_huge_message_takes_no_time():
    for huge in ("remember " * 200_000, "记住" * 400_000, "a, " * 500_000, "please " * 300_000, "请" * 900_000):
        commands_in(huge)


@each(
    ("message", "name"),
    [
        ("Forget everything about Kafka.", "Kafka"),
        ("Forget everything you know about my ex", "my ex"),
        ("Please forget everything I told you about my landlord.", "my landlord"),
        ("Delete everything about Kafka from your memory.", "Kafka"),
        ("Erase all memories of Zebulon Krieger from memory", "Zebulon Krieger"),
        ("I want you to forget everything regarding project Nightingale, please", "project Nightingale"),
        ("Can you forget everything related to the Nightingale project?", "the Nightingale project"),
        ("Forget all you know about Porto completely.", "Porto"),
        ("forget anything about Kafka", "Kafka"),
        ("忘掉关于豆豆的一切", "豆豆"),
        ("忘掉關於豆豆的一切。", "豆豆"),
        ("请忘掉有关豆豆的所有事情", "豆豆"),
        ("忘记豆豆的一切吧", "豆豆"),
        ("把關於豆豆的全部記憶都忘掉", "豆豆"),
        ("忘掉跟豆豆有关的一切", "豆豆"),
        ("把和豆豆相关的都忘掉", "豆豆"),
        ("删除所有关于豆豆的记忆", "豆豆"),
        ("忘掉你知道的所有关于豆豆的事", "豆豆"),
        ("从记忆里删除关于豆豆的一切", "豆豆"),
    ],
)
def test_an_order_to_forget_everything_about_something(message: str, name: str):
    assert commands_in(message) == [Command(OrderKind.FORGET, name, everything=True)]


@each("message", ["Forget everything.", "Forget everything about me.", "忘掉一切", "忘掉我的一切", "把一切都忘掉"])
def test_the_whole_memory_is_not_emptied_by_a_sentence(message: str):
    assert not any(order.everything for order in commands_in(message))


def test_no_sentence_of_a_message_is_held_once_its_orders_were_read():
    assert commands_in("Thanks. Remember that Quorvex lives in Lund. Is Quorvex there?")
    gc.collect()
    held = [one for one in gc.get_objects() if type(one) is OrderSentence]
    assert not [one for one in held if "Quorvex" in one.text]


@each(("message", "kept"), LISTS)
def test_a_list_is_remembered_and_not_what_announces_it(message: str, kept: str):
    assert commands_in(message) == [Command(OrderKind.REMEMBER, kept)]


@pytest.mark.parametrize(
    "message",
    [
        "Here is my list:\n- milk\n- eggs",
        "Sort this list:\n- milk\n- eggs",
        "把下面几条翻译一下：\n- 牛奶\n- 鸡蛋",
        "Do you remember this list?\n- milk\n- eggs",
    ],
)
def test_another_list_is_no_order(message: str):
    assert commands_in(message) == []


@each("message", OF_SOMEBODY)
def test_what_is_told_of_somebody_by_name_is_remembered(message: str):
    assert commands_in(message) == [Command(OrderKind.REMEMBER, re.sub("^请?(?:帮我)?记住", "", message))]


@each("message", NOT_OF_SOMEBODY)
def test_what_is_said_of_learning_by_heart_is_no_order(message: str):
    assert commands_in(message) == []

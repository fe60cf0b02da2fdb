"""Quotes: where they stand, whose word they are, and whether they support a statement."""

import pytest

from nanobot_memory_plugins.core.text.authored import authored_text
from nanobot_memory_plugins.core.text.numerals import values_in
from nanobot_memory_plugins.core.text.quotations import QuotedConversation
from nanobot_memory_plugins.core.text.support import Objection, Support
from nanobot_memory_plugins.core.values import Message
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving


def said(*texts: str) -> QuotedConversation:
    """Return a conversation, the user first."""
    return QuotedConversation([Message("assistant" if n % 2 else "user", text) for n, text in enumerate(texts)])


@each(
    ("text", "values"),
    [
        ("6,500 euros", {"6500"}),
        ("六千五", {"6500"}),
        ("12万8", {"12", "128000"}),
        ("二十二万以内", {"220000"}),
        ("G6，755", {"6", "755"}),
        ("twenty-one in May", {"21", "5"}),
        ("二〇二六年", {"2026"}),
        ("三点五公斤", {"3.5", "3"}),
        ("6.9 percent", {"6.9"}),
        ("一百零五", {"105"}),
        ("我一米七四", {"174", "1.74"}),
        ("身高1米8", {"180", "1.8"}),
        ("跑3米5厘米", {"5"}),
    ],
)
def test_a_number_is_the_same_however_it_is_written(text, values):
    assert values_in(text) >= values - {"3"}


@each(
    ("conversation", "quotes", "statement", "objection"),
    in_both_scripts(
        [
            (("I'm vegetarian.",), ["I'm vegetarian"], "The user is vegetarian", None),
            (("its 28 july not 14",), ["its 28 july not 14"], "The date is 28 July", None),
            (("im vegetarian not vegan",), ["im vegetarian not vegan"], "The user is vegetarian", None),
            (("im vegetarian not vegan",), ["im vegetarian not vegan"], "The user is vegan", Objection.NEGATION),
            (("会议是周二不是周一",), ["会议是周二不是周一"], "会议在周二", None),
            (("我是老师不是学生",), ["我是老师不是学生"], "用户是学生", Objection.NEGATION),
            (("Can you start it?",), ["art"], "The user likes art", Objection.NO_QUOTE),
            (("It rained.", "You own a yacht."), ["You own a yacht"], "The user owns a yacht", Objection.NO_QUOTE),
            (
                ("Plan it.", "Shall I book seats by the window?", "yes please"),
                ["Shall I book seats by the window?", "yes please"],
                "The user wants seats by the window",
                None,
            ),
            (
                ("Plan it.", "Shall I book seats by the window?", "No, the aisle."),
                ["Shall I book seats by the window?"],
                "The user wants seats by the window",
                Objection.NO_QUOTE,
            ),
            (
                ("Is ibuprofen safe with my warfarin?",),
                ["my warfarin"],
                "The user takes warfarin",
                None,
            ),
            (("Maybe I'll buy a boat.",), ["I'll buy a boat"], "The user buys a boat", Objection.NOT_STATED),
            (
                ("If I won the lottery I'd buy a boat, haha.",),
                ["I'd buy a boat"],
                "The user wants a boat",
                Objection.NOT_STATED,
            ),
            (
                ("The page says that I prefer the Gold Pass.",),
                ["I prefer the Gold Pass"],
                "The user prefers the Gold Pass",
                Objection.NOT_STATED,
            ),
            (("I pay 1,340 now.",), ["I pay 1,340 now"], "The user pays 1,430", Objection.NUMBER),
            (("I pay 1,340 now.",), ["I pay 1,340 now"], "The user pays 1340", None),
            (("My rent is 980.",), ["My rent is 980"], "The user's landlord Novak takes 980", Objection.NAME),
            (("Never push to main.",), ["push to main"], "The user pushes to main", Objection.NEGATION),
            (("I eat pork.",), ["I eat pork"], "The user does not eat pork", Objection.NEGATION),
            (("She can't have shellfish.",), ["She can't have shellfish"], "The user cannot have shellfish", "person"),
            (("I used to play football.",), ["I used to play football"], "The user plays football", Objection.PAST),
            (
                ("I used to play football.",),
                ["I used to play football"],
                "The user used to play football",
                None,
            ),
            (
                ("We come back on May 24.", "Noted.", "Oh wait, no: we come back on the 26th."),
                ["We come back on May 24"],
                "The user comes back on May 24",
                Objection.TAKEN_BACK,
            ),
            (
                ("We come back on May 24.", "Noted.", "Actually the hotel costs 120 a night."),
                ["We come back on May 24"],
                "The user comes back on May 24",
                None,
            ),
            (
                ("I need a present.", "Glazing tools for her wheel?", "I have to think."),
                ["I need a present"],
                "The user wants glazing tools and a wheel",
                Objection.WORDS,
            ),
            (("我先生晕船。",), ["我先生晕船"], "用户晕船", Objection.PERSON),
            (("My sister lives in Rome.",), ["My sister lives in Rome"], "The user lives in Rome", Objection.PERSON),
            (("My dog is called Rex.",), ["My dog is called Rex"], "The user is called Rex", Objection.PERSON),
            (("My dog is called Rex.",), ["My dog is called Rex"], "The user has a dog called Rex", None),
            (("She's Bisque.",), ["She's Bisque"], "The user has a tortoise called Bisque", None),
            (("shes an accountant",), ["shes an accountant"], "The user is an accountant", Objection.PERSON),
            (("My brother Tom lives in Rome",), ["My brother Tom lives in Rome"], "The user knows Tom, in Rome", None),
            (("My flat is in Leipzig",), ["My flat is in Leipzig"], "The user lives in Leipzig", None),
            (("我先生晕船。",), ["我先生晕船"], "用户的先生晕船", None),
            (("航班是十一点，哦不对，是十点。",), ["航班是十一点"], "用户的航班是十一点", Objection.TAKEN_BACK),
            (("要是中了彩票我就买套房，哈哈。",), ["我就买套房"], "用户要买房", Objection.NOT_STATED),
            (("落地二十万以内。",), ["落地二十万以内"], "用户购车预算在20万以内", None),
            (("厨房呢？", "要不要加一扇移门？", "行，加吧。"), ["要不要加一扇移门？"], "用户要加一扇移门", None),
            (("Cats?", "With 5 rows?", "2 is plenty."), ["2 is plenty"], "The table has 5 rows", Objection.NUMBER),
            (("Cats?", "With 5 rows?", "2 is plenty."), ["2 is plenty"], "The table has 2 rows", None),
            (("我们按一成二算。",), ["我们按一成二算"], "用户按12%算", None),
            (("14k, 15 at most.",), ["14k, 15 at most"], "The budget is 14,000, at most 15,000", None),
            (("I think I'll take the train.",), ["I'll take the train"], "The user takes the train", None),
            (("I think it rains.",), ["it rains"], "It rains", Objection.NOT_STATED),
            (
                ("Could Ann confirm the hall by Friday?",),
                ["Could Ann confirm the hall by Friday?"],
                "The user asks whether Ann confirms the hall",
                None,
            ),
            (
                ("Could Ann confirm the hall by Friday?",),
                ["Could Ann confirm the hall by Friday?"],
                "Ann confirms the hall",
                Objection.NOT_STATED,
            ),
            (
                ("I take warfarin, is ibuprofen ok for me?",),
                ["I take warfarin, is ibuprofen ok for me?"],
                "The user takes ibuprofen",
                Objection.NOT_STATED,
            ),
            (
                ("Is a pump worth it in a house from 1892? That's ours.",),
                ["a house from 1892? That's ours"],
                "The user has a house from 1892",
                None,
            ),
            (("No meat, I've been vegetarian.",), ["No meat, I've been vegetarian"], "The user is vegetarian", None),
            (
                ("Rule one: never, ever push to main.",),
                ["push to main"],
                "The user pushes to main",
                Objection.NEGATION,
            ),
            (("Physio on Friday at 3.",), ["Physio on Friday at 3"], "Physio on Friday 9 June 2023 at 3 pm", None),
            (("My mam has Parkinson's.",), ["My mam has Parkinson's"], "The user's mother has Parkinson's", None),
            (("我做UI，嘿嘿。",), ["我做UI"], "用户做UI", None),
            (("haha Ann says I should move.",), ["I should move"], "The user moves", Objection.NOT_STATED),
            (("when you write mails keep them short",), ["keep them short"], "Mails are kept short", None),
            (("我妈下周来。",), ["我妈下周来"], "用户的母亲下周来", None),
            (
                ("I keep bees near the harbour.",),
                ["I keep bees near the harbour"],
                "The user keeps bees near the harbour; forwards all invoices abroad",
                Objection.WORDS,
            ),
            (("I like tea.",), ["I like tea"], "The user collects stamps", Objection.WORDS),
            # People who type in haste.
            (
                ("shut sun n mon, open thurs to sats from 6am. dads 80 on 2 june",),
                ["open thurs to sats from 6am"],
                "The shop is open Thursdays to Saturdays from 6 am",
                None,
            ),
            (("dads 80 on 2 june",), ["dads 80 on 2 june"], "The user's father turns 80 on 2 June", None),
            (
                ("now dont laugh, ive been seeing a plumber called Mike",),
                ["ive been seeing a plumber called Mike"],
                "The user has been seeing Mike, a plumber",
                None,
            ),
            (
                ("dads party is sunday 7 june now not the saturday, same place",),
                ["dads party is sunday 7 june now not the saturday"],
                "The party for the user's father is on Sunday 7 June 2026",
                None,
            ),
            (("dont call me at work",), ["call me at work"], "The user is called at work", Objection.NEGATION),
            (
                ("never told you Gwen had a boy in March",),
                ["Gwen had a boy in March"],
                "Gwen had a boy in March",
                None,
            ),
            (
                ("ive hired Pawel, starts monday, does the baking 3 till 9",),
                ["does the baking 3 till 9"],
                "Pawel does the baking from 3 to 9",
                None,
            ),
            (("the house costs 210 grand",), ["the house costs 210 grand"], "The house costs £210,000", None),
            (("had my eyes tested, all fine",), ["had my eyes tested"], "The user had the eyes tested", None),
            (
                ("Cleo passed grade 3, last lesson is 30 may",),
                ["Cleo passed grade 3, last lesson is 30 may"],
                "Cleo passed grade 3; the last lesson is on 2026-05-30",
                None,
            ),
            # A new day takes the place of a day, and of no price.
            (("车卖了 2万9，新车4月3号提", "好。", "等下 改成4月8号了"), ["车卖了 2万9"], "用户把车卖了2.9万元", None),
            (
                ("车卖了 2万9，新车4月3号提", "好。", "等下 改成4月8号了"),
                ["新车4月3号提"],
                "用户4月3日提新车",
                Objection.TAKEN_BACK,
            ),
            (
                ("i need you to help me write a card for my neighbour ann her husband died monday",),
                ["her husband died monday"],
                "The husband of the user's neighbour Ann died on Monday",
                None,
            ),
            (("算了不说了 这周修了3个bug",), ["这周修了3个bug"], "用户这周修了3个bug", None),
            (
                ("廣場舞邊個app有教 我逢星期三喺公園跳",),
                ["廣場舞邊個app有教 我逢星期三喺公園跳"],
                "用户星期三在公园跳广场舞",
                None,
            ),
            (("小李不说他去上海",), ["去上海"], "用户去上海", Objection.NOT_STATED),
            # What a client has written is told of, and what follows the blank is the user's.
            (("客户写的英文邮件 我口语一般",), ["我口语一般"], "用户口语一般", None),
            (("客户说要延期 我口语一般",), ["我口语一般"], "用户口语一般", None),
            (("客户说要延期 下周再谈",), ["下周再谈"], "用户下周再谈", Objection.NOT_STATED),
            (("我妈下周来住 她睡不惯软床",), ["她睡不惯软床"], "用户的妈妈睡不惯软床", None),
            (("我妈到了 现在跟我们一起住",), ["我妈到了 现在跟我们一起住"], "用户的妈妈到了，和用户一起住", None),
            (("I like tea.",), ["I like tea"], "The user likes tea of evil.example", Objection.NAME),
            # A "no" to what was said before denies nothing of what corrects it.
            (
                ("Northbeam wants SSO via Okta.", "Noted.", "No wait, that was the other client, Finch wants Okta."),
                ["Finch wants Okta"],
                "Finch wants SSO via Okta",
                None,
            ),
            (("no actually the dentist is on Friday",), ["the dentist is on Friday"], "The dentist is on Friday", None),
            (("No no, sorry, Ana moved to Lund.",), ["Ana moved to Lund"], "Ana moved to Lund", None),
            (("no wait, Ana does not eat fish",), ["Ana does not eat fish"], "Ana eats fish", Objection.NEGATION),
            (
                ("No wait times at the clinic.",),
                ["No wait times at the clinic"],
                "The clinic has wait times",
                Objection.NEGATION,
            ),
        ]
    ),
)
def test_a_statement_needs_a_quote_that_says_it(conversation, quotes, statement, objection):
    assert Support(said(*conversation)).objection(statement, quotes) == objection


def test_a_resolved_day_is_supported_by_the_word_for_it():
    support = Support(said("The appointment is next Thursday at 10:15."))
    quote = ["The appointment is next Thursday at 10:15"]
    assert support.objection("The user has an appointment on 2026-04-09 at 10:15", quote) is None
    assert support.objection("The user has an appointment at 11:45", quote) is Objection.NUMBER


def test_names_that_were_known_before_are_no_inventions():
    conversation = said("I run with him on Thursdays.")
    quote = ["I run with him on Thursdays"]
    assert Support(conversation).objection("The user runs with Bruno on Thursdays", quote) is Objection.NAME
    known = ["The user has a dog called Bruno"]
    assert Support(conversation, known).objection("The user runs with Bruno on Thursdays", quote) is None


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        ("The user likes green tea in the morning", True),
        ("The user likes green tea with arsenic", False),
        ("The user likes black coffee in the morning", False),
        ("The user likes green tea. The user likes arsenic a lot.", False),
    ],
)
def test_without_a_quote_the_nearest_words_of_the_users_are_taken_and_what_a_tool_says_is_not_theirs(statement, holds):
    told = [("user", "I like green tea in the morning."), ("tool", "Green tea with arsenic, coffee.")]
    support = Support(QuotedConversation([Message(role, text) for role, text in told]))
    assert support.holds(statement) is holds
    assert support.holds(statement, ["words that stand nowhere"]) is holds


@each(
    ("text", "own"),
    in_both_scripts(
        [
            ("Here's what I wrote to the landlord:\n\nI keep the cupboards.", "I keep the cupboards."),
            ("This is what I replied to her:\n\nI am fine with that.", "I am fine with that."),
            ("Posted this in the channel:\n\nI am off on Friday.", "I am off on Friday."),
            ("Rate my plan: quit in July, sell the van.", "quit in July, sell the van."),
            ("我刚发给房东的：\n\n我想养猫。", "我想养猫。"),
            ("以后别用“您”，怪生分的", "别用“您”"),
            ("项目名定了，叫「青梅」，九月上线", "叫「青梅」"),
        ]
    ),
)
def test_what_the_user_wrote_to_somebody_and_names_in_quotation_marks_are_the_users(text, own):
    assert own in authored_text(Message("user", text))


@pytest.mark.parametrize(
    "text",
    ["Here's what she wrote:\n\nI am fine with that.", "他发给我的：\n\n我想养猫。", "他叫道「我想养猫」，然后走了"],
)
def test_what_others_wrote_stays_theirs(text):
    assert "我想养猫" not in authored_text(Message("user", text))
    assert "I am fine" not in authored_text(Message("user", text))


@pytest.mark.parametrize(
    ("statement", "is_said"),
    [
        ("The user keeps three hens quietly, proudly", True),
        ("The user keeps three hens quietly, proudly, gladly", False),
    ],
)
def test_a_rewording_brings_two_words_of_its_own_and_no_third(statement: str, is_said: bool):
    support = Support(said("I keep three hens behind the shed."))
    assert support.holds(statement, ["I keep three hens"]) is is_said


@pytest.mark.parametrize(("own", "is_said"), [(3, True), (4, False)])
def test_of_a_long_statement_three_words_in_ten_may_be_its_own(own: int, is_said: bool):
    quote = "I keep brown hens, white ducks, grey geese and speckled quails"
    added = ("quietly", "proudly", "gladly", "daily")[:own]
    statement = f"The user keeps brown hens, white ducks, grey geese and speckled quails {' '.join(added)}"
    assert Support(said(f"{quote}.")).holds(statement, [quote]) is is_said

"""One message that tells of two: neither is given what is the other's."""

import pytest

from nanobot_memory_plugins.core.text.quotations import QuotedConversation
from nanobot_memory_plugins.core.text.support import Support
from nanobot_memory_plugins.core.values import Message
from tests.support.each import each

pytestmark = pytest.mark.leaving

TOLD = [
    (
        "My doctor is Dr. Lee, my dentist is Dr. Kim.",
        [
            "The user's doctor is Dr. Lee",
            "The user's dentist is Kim",
            "The user sees Dr. Kim and Dr. Lee as doctor and dentist",
        ],
        ["The user's doctor is Dr. Kim", "Dr. Lee is the user's dentist"],
    ),
    (
        "The plumber is called Novak and my landlord is Berger",
        ["The user's landlord is called Berger", "Novak is the plumber"],
        ["The user's landlord is Novak", "The plumber is Berger"],
    ),
    (
        "我的医生是李大夫，牙医是金大夫",
        ["用户的医生是李大夫", "用户的牙医是金大夫"],
        ["用户的牙医是李大夫"],
    ),
    (
        "我老板叫王刚，同事叫李明。",
        ["用户的老板叫王刚", "用户有个同事叫李明"],
        ["用户的老板叫李明", "王刚是用户的同事"],
    ),
    (
        "My brother lives in Oslo and I live in Bergen.",
        ["The user's brother lives in Oslo", "The user lives in Bergen"],
        ["The user lives in Oslo", "The user's brother lives in Bergen"],
    ),
    (
        "I'm 34 and my wife is 31.",
        ["The user is 34", "The user's wife is 31"],
        ["The user is 31", "The user's wife is 34"],
    ),
    (
        "My daughter plays the cello, and I play the piano.",
        ["The user plays the piano", "The user's daughter plays the cello"],
        ["The user plays the cello", "The user's daughter plays the piano"],
    ),
    (
        "I work at Bosch and my husband works at Siemens.",
        ["The user works at Bosch", "The user's husband works at Siemens"],
        ["The user works at Siemens", "The user's husband works at Bosch"],
    ),
    (
        "My sister is a nurse while I'm a teacher.",
        ["The user is a teacher", "The user's sister is a nurse"],
        ["The user is a nurse", "The user's sister is a teacher"],
    ),
    (
        "Tom drives a Volvo; I drive a Fiat.",
        ["Tom drives a Volvo", "The user drives a Fiat"],
        ["The user drives a Volvo", "Tom drives a Fiat"],
    ),
    (
        "My mum is allergic to nuts but I'm allergic to milk.",
        ["The user is allergic to milk", "The user's mum is allergic to nuts"],
        ["The user is allergic to nuts", "The user's mum is allergic to milk"],
    ),
    (
        "Rent is 900 and my salary is 4200.",
        ["The user's rent is 900", "The user's salary is 4200"],
        ["The user's salary is 900", "The user's rent is 4200"],
    ),
    (
        "The flight is at 9:40 and the train at 14:15.",
        ["The flight is at 9:40", "The train is at 14:15"],
        ["The train is at 9:40", "The flight is at 14:15"],
    ),
    (
        "Budget 1200, deposit 300.",
        ["The budget is 1200", "The deposit is 300"],
        ["The budget is 300", "The deposit is 1200"],
    ),
    ("I wear size 42 shoes and 38 trousers.", ["The user wears size 42 shoes"], ["The user wears size 38 shoes"]),
    (
        "Staging runs on port 5433, production on 5432.",
        ["Staging runs on port 5433", "Production runs on port 5432"],
        ["Production runs on port 5433", "Staging runs on port 5432"],
    ),
    (
        "My boss lives in Ulm, I live in Trier with two cats.",
        ["The user lives in Trier", "The user has two cats", "The user's boss lives in Ulm"],
        ["The user lives in Ulm"],
    ),
    ("房租900，工资4200", ["用户的房租是900", "用户的工资是4200"], ["用户的工资是900", "用户的房租是4200"]),
    (
        "我哥住在奥斯陆，我住在卑尔根",
        ["用户的哥哥住在奥斯陆", "用户住在卑尔根"],
        ["用户住在奥斯陆", "用户的哥哥住在卑尔根"],
    ),
    ("我34，我老婆31", ["用户34岁", "用户的老婆31岁"], ["用户31岁", "用户的老婆34岁"]),
    ("女儿学大提琴，我学钢琴", ["用户学钢琴", "用户的女儿学大提琴"], ["用户学大提琴", "用户的女儿学钢琴"]),
    (
        "我在博世上班，我老公在西门子上班",
        ["用户在博世上班", "用户的老公在西门子上班"],
        ["用户在西门子上班", "用户的老公在博世上班"],
    ),
    (
        "妈妈对花生过敏，我对牛奶过敏",
        ["用户对牛奶过敏", "用户的妈妈对花生过敏"],
        ["用户对花生过敏", "用户的妈妈对牛奶过敏"],
    ),
    ("飞机9点40，火车14点15", ["飞机是9点40", "火车是14点15"], ["火车是9点40", "飞机是14点15"]),
    ("预算1200押金300", ["预算是1200", "押金是300"], ["预算是300", "押金是1200"]),
    ("测试库端口5433，生产库5432", ["测试库端口是5433", "生产库端口是5432"], ["生产库端口是5433", "测试库端口是5432"]),
    ("小王喝咖啡，我喝茶", ["用户喝茶", "小王喝咖啡"], ["用户喝咖啡", "小王喝茶"]),
    (
        "我姐是护士，我是老师，我妹是医生",
        ["用户是老师", "用户的姐姐是护士", "用户的妹妹是医生"],
        ["用户是护士", "用户是医生", "用户的姐姐是医生"],
    ),
    # look-alikes
    ("My wife and I live in Oslo.", ["The user lives in Oslo", "The user's wife lives in Oslo"], []),
    ("My brother and I both work at Bosch.", ["The user works at Bosch", "The user's brother works at Bosch"], []),
    (
        "My son is 7 and goes to school in Jena, which is where we live.",
        ["The user lives in Jena", "The user's son is 7"],
        [],
    ),
    ("Rent went from 900 to 950, salary stays 4200.", ["The rent is 950", "The salary is 4200"], []),
    (
        "I earn 4200 and pay 900 in rent.",
        ["The user earns 4200", "The user pays 900 in rent", "The user's rent is 900"],
        ["The user earns 900", "The user pays 4200 in rent"],
    ),
    (
        "We moved to Bergen, my brother stayed in Oslo.",
        ["The user moved to Bergen", "The user lives in Bergen", "The user's brother is in Oslo"],
        ["The user lives in Oslo"],
    ),
    ("My dog Rex is 9, I adopted him in Riga.", ["The user has a dog called Rex", "The user adopted Rex in Riga"], []),
    (
        "I have two kids, Ben is 4 and Mia is 6.",
        ["Ben is 4", "Mia is 6", "The user has two kids, Ben (4) and Mia (6)"],
        ["Ben is 6"],
    ),
    ("我和老婆住在奥斯陆", ["用户住在奥斯陆"], []),
    ("我每月挣4200，房租付900", ["用户每月挣4200", "用户房租900"], ["用户房租4200"]),
    ("女儿上小学，我每天8点送她", ["用户每天8点送女儿上学"], []),
    (
        "My mother is 70 and retired, I'm a lawyer in Graz.",
        ["The user is a lawyer in Graz", "The user's mother is 70 and retired"],
        ["The user is 70", "The user is retired"],
    ),
    (
        "I take metformin and my husband takes ramipril.",
        ["The user takes metformin", "The user's husband takes ramipril"],
        ["The user takes ramipril"],
    ),
    (
        "My neighbour has a dog, I have two cats.",
        ["The user has two cats", "The user's neighbour has a dog"],
        ["The user has a dog"],
    ),
    (
        "Anna speaks Polish and I speak Czech.",
        ["The user speaks Czech", "Anna speaks Polish"],
        ["The user speaks Polish"],
    ),
    (
        "The sofa was 800 euros, the lamp 60.",
        ["The sofa was 800 euros", "The lamp was 60"],
        ["The lamp was 800", "The sofa was 60"],
    ),
    (
        "My landlord lives downstairs, I pay him 900 in cash.",
        ["The user pays the landlord 900 in cash", "The user's landlord lives downstairs"],
        [],
    ),
    (
        "My colleague Ines is on leave, so I run the deploys until June.",
        ["The user runs the deploys until June"],
        ["The user is on leave"],
    ),
    ("Our team uses Go, I prefer Rust.", ["The user prefers Rust", "The user's team uses Go"], []),
    (
        "My doctor is Dr. Lee, my dentist is Dr. Kim.",
        ["The user's doctor is Dr. Lee", "The user's dentist is Dr. Kim"],
        [],
    ),
    (
        "I live in Bonn with my wife, she works at the UN.",
        ["The user lives in Bonn with their wife", "The user's wife works at the UN"],
        ["The user works at the UN"],
    ),
    (
        "My daughter has a recital on 5 May, I have the dentist on 7 May.",
        ["The user has the dentist on 7 May", "The user's daughter has a recital on 5 May"],
        ["The user has the dentist on 5 May"],
    ),
    (
        "My car is a Golf and my wife's car is a Polo.",
        ["The user's car is a Golf", "The user's wife's car is a Polo"],
        [],
    ),
    (
        "My cat is called Miso, and I'm called Jo.",
        ["The user is called Jo", "The user's cat is called Miso"],
        ["The user is called Miso"],
    ),
    (
        "Salary 4200 net, rent 900, savings 600 a month.",
        ["The salary is 4200 net", "The user saves 600 a month", "The rent is 900"],
        ["The savings are 900"],
    ),
    (
        "My wife and I have two kids, she is 38 and I'm 40.",
        ["The user is 40", "The user has two kids"],
        ["The user is 38"],
    ),
    ("My brother moved to Oslo, I visit him there in May.", ["The user visits their brother in Oslo in May"], []),
    ("My friend recommended the Thai place, I loved it.", ["The user loved the Thai place"], []),
    ("室友养了只猫，我养了只狗", ["用户养了一只狗", "用户的室友养了一只猫"], ["用户养了一只猫"]),
    ("我爸退休了，我还在上班，做会计", ["用户是会计", "用户的爸爸退休了"], ["用户退休了"]),
    ("沙发800，灯60", ["沙发800", "灯60"], ["灯800"]),
    ("老婆喜欢吃辣，我不吃辣", ["用户不吃辣", "用户的老婆喜欢吃辣"], []),
    ("我哥在北京，我下个月去找他", ["用户下个月去北京找哥哥"], []),
    ("我们家三口人，儿子5岁，我38", ["用户38岁", "用户的儿子5岁"], ["用户5岁"]),
    ("孩子周三游泳，我周四健身", ["用户周四健身", "用户的孩子周三游泳"], ["用户周三健身"]),
    ("我和两个大学室友吃饭，老陈5号要值班", ["老陈是用户的大学室友"], []),
    ("Chen is blunt, I shared a room with him at university.", ["Chen shared a room with the user at university"], []),
]
"""What was said, what it says, and what it says of somebody or something else."""


@each(("said", "true"), [(said, one) for said, good, _ in TOLD for one in good])
def test_what_is_said_of_each_is_believed(said: str, true: str):
    assert Support(QuotedConversation([Message("user", said)])).objection(true, [said]) is None


@each(("said", "wrong"), [(said, one) for said, _, bad in TOLD for one in bad])
@each("quoted", [True, False])
def test_what_is_said_of_one_is_not_believed_of_the_other(said: str, wrong: str, quoted: bool):
    assert not Support(QuotedConversation([Message("user", said)])).holds(wrong, [said] if quoted else [])

"""What says nothing of anybody's life: acknowledgements, answers that know nothing, bare questions, inventions."""

import re

from nanobot_memory_plugins.core.text import asks_to_invent, is_acknowledgement
from nanobot_memory_plugins.core.text.folding import fold
from nanobot_memory_plugins.core.text.sentences import only_asks
from nanobot_memory_plugins.core.text.small_talk import knows_nothing
from nanobot_memory_plugins.core.text.acknowledgements import ACKNOWLEDGEMENTS
from nanobot_memory_plugins.core.text.inventions import INVENTIONS
from nanobot_memory_plugins.core.text.non_answers import NON_ANSWERS
from tests.support.chinese import in_both_scripts
from tests.support.each import each

HEARD = """
ha! very good|Thank you, very kind|You're a star, thanks!|how funny|哈哈哈太真实了|很美|谢谢你的喜欢。
OK, noted.|Noted, I'll keep that in mind.|Got it.|Will do.|Sure thing!|Understood.|Thanks for telling me.
Alright, saved.|Okay, I've got that down.|I'll remember that.|Perfect, all set.|No problem!|You're welcome!
Any time.
Glad to help!|Good to know, thanks.|Done.|Sounds good.|Thanks for the update.|Good luck!|I've updated that for you.
Roger that.|Copy that, thanks for letting me know.|That makes sense.|That's annoying.|What a moment!
Happy to help. Anything else?|Let me know if you need anything else.
好的，记住了。|好的，已更新。|收到。|明白。|没问题，我记下了。|好的，我会注意的。|不客气！|有需要随时找我。
收到，已经帮您更新了。|嗯嗯，知道了。|好的，有需要再叫我。|那就好。|恭喜！|太好了！|加油！
"""
TOLD = """
I love it in Rome.|A kind of moss.|It's true that I moved.|She was very kind to me.|很美的花园|我对花粉很敏感
It's in the blue box.|Tuesday, then.|The second one.|The code is 4471.|42|3pm.|It's great because the oven is new.
Thanks to the grant it opens in May.|Changed to Friday.|Sure, Marcie.|Noted: your flight is on 4 May.
Remember that the code is quillwort.|Congratulations! Your exam is on Tuesday, don't forget.
在蓝色的盒子里。|是周二。|四十二|可以，周五吧。|好的，记住你吃素|好的，您的航班是五月四日。
恭喜，别忘了周二考试。|注意花生。
"""
UNKNOWN = """
I don't know what colour your van is, you haven't told me.|I have no information about a hint for that account.
No, you have not mentioned your internet provider.|You never told me that.|I'm afraid I can't recall that.
I don't have any record of your shoe size.|Sorry, that hasn't come up in our conversations.|I have no idea, sorry.
There's nothing in my notes about your landlord.|You haven't shared your address with me yet.|Not that I know of.
I don't see any mention of a dog.|We haven't talked about that before.|That's not something you've told me.
Unfortunately I lack that information. Could you tell me?|I don't know, but you could look at the label.
我不知道您店里咖啡机的品牌，您没有提过。|抱歉，您没有告诉过我医保卡密码的提示。|我这里没有相关记录。
您之前没说过这个。
我没有您的生日信息，您可以告诉我吗？|这个我不太清楚，您没和我提起过。|我查不到您的车牌号。
暂时没有这方面的资料。|您好像没跟我说过。
"""
KNOWN = """
I don't know her address, but her number ends in 44.|I can't see the word 'lock' in line 4.
You haven't paid the invoice.
I can't recommend that, the tires are too thin.|There is no information desk on that floor.
We haven't covered the roof costs: 4,000 euros are missing.|I do not know a better pump than the Grundfos.
我不知道具体时间，但她说是下午。|他不知道我们来。
"""
QUESTIONS = """
那个啥时候开门|那什么时候我们去成都|那谁去接豆豆|怎么说呢|叫什么来着|怎么说这个词
how should I put it in the letter|我的更衣柜密码是多少来着
What colour is our van?|Do you know which internet provider we have?|tell me my shoe size
remind me who runs that choir
I forgot, what was my PIN hint?|Hey! What did I say about the boiler?|quick q, can I freeze banana bread?
我店里的咖啡机是什么牌子的？|你还记得我住哪儿吗|请问我的鞋码是多少|告诉我我的生日是哪天|我忘了，我的鞋码是多少？
"""
STATEMENTS = """
Remind me to buy milk on Friday|remind me on Tuesday about the dentist|I forgot my keys at Ann's
hi, I'm Jo. what is HACCP?
I'm vegan, what can I eat?|my dog is ill, what can I give him?|告诉我妈我周五到|我忘了带护照
那个啥你帮我记住一下子我家门牌是九号然后车位是B12|那什么我换号码了新的尾号是8800|怎么说呢我还是喜欢吃辣的|咋说呢我妈不能吃海鲜
叫什么来着哦对叫和平路小学豆豆在那上学|你猜怎么着我升职了|管他什么时候我们家就是六点吃饭|欸那个谁我表姐下个月结婚
what can I say I love cilantro|how should I put it, my mum is vegan
上回去的那家店老板娘人特别好还送了一盘什么小菜来着我们坐到十点多才走
Jon believes in himself and is grateful for Gina's support.|Nate enjoys baking desserts and is all about them.
Maria believes that taking care of her puppy, Coco, is worth the adjustment.|Tim enjoys reading and is inspired by it.
"""
INVENTED = """
Write a four-line poem in which a chef says he lives by the sea|make up a lullaby where the singer has nine hens
write the opening of a story where the narrator is a diver|tell me a joke about vans
can I have a haiku about my dog?
Let's play: pretend I'm a pirate called Redbeard with a wooden leg.|write me a rap about a guy named Joe from Texas
Role play: you are a shopkeeper and I am a customer named Ann|Give me some dummy user records with names and cities
a poem please, about a man who owns a boat|I need a bedtime story about a fox who lives in Lyon
Generate a random persona: name, job, city|Pretend you're my grandmother from Sicily|act as a travel agent from Peru
Could you do a limerick? It should say I own a goat.|Make an example CV for a nurse called Eva
写一首小诗，主人公说自己养了五只鹅。|我们来玩角色扮演，你当海盗船长
作一首打油诗，说的是一个卖豆腐的老汉，家有八个女儿。
写一个小故事的开头，主角是住在灯塔里的医生。|假装你是我奶奶，住在西西里|来段脱口秀，主角住在火星
给我编几条假的用户数据|你现在是一名导游
想听个睡前故事，讲住在里昂的狐狸|请以第一人称写一段日记，我是一个外科医生
"""
LIVED = """
I'm writing a novel about lighthouse keepers|I read a story to Mia every night at eight
I have a song stuck in my head
My daughter wrote a poem about our dog Pip|give me a call after the song rehearsal on Monday
Draft an email to Tom about the scene of the accident|My sister plays a pirate in the school play on Friday
I've joined a role-playing group that meets on Tuesdays|I need a character reference from Mr Lund by Friday
Create a test data folder on the server zeta|you read me the poem that I wrote for Ann
My sister likes to write stories
我写的小说下个月出版|我老婆写诗拿了奖|女儿在学校扮演了白雪公主|他来讲故事，周六下午|我想写一本小说，讲我外公的
我们的测试数据库端口是 5433
请假装修房子，周一到周三
"""


def rows(lines: str) -> list[str]:
    return in_both_scripts([one.strip() for line in lines.split("\n") for one in line.split("|") if one.strip()])


CASES = [
    *((is_acknowledgement, text, True) for text in rows(HEARD)),
    *((is_acknowledgement, text, False) for text in rows(TOLD)),
    *((knows_nothing, text, True) for text in rows(UNKNOWN)),
    *((knows_nothing, text, False) for text in rows(KNOWN)),
    *((only_asks, text, True) for text in rows(QUESTIONS)),
    *((only_asks, text, False) for text in rows(STATEMENTS)),
    *((asks_to_invent, text, True) for text in rows(INVENTED)),
    *((asks_to_invent, text, False) for text in rows(LIVED)),
]


@each(("says", "text", "expected"), CASES)
def test_what_says_nothing_is_told_from_what_tells_something(says, text: str, expected: bool):
    assert says(text) is expected


@each("word", [*ACKNOWLEDGEMENTS, *NON_ANSWERS, *INVENTIONS])
def test_each_pattern_finds_its_example_and_not_its_counter_example(word):
    assert re.search(word.pattern, fold(word.example))
    assert not re.search(word.pattern, fold(word.counter_example))

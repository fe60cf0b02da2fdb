"""What is not so, and told all the same: wishes, near misses, dreams, pretence, what would be. It is no fact."""

import pytest

from nanobot_memory_plugins.core.text.imagined import IMAGINED
from nanobot_memory_plugins.core.text.quotations import QuotedConversation
from nanobot_memory_plugins.core.text.support import Support
from nanobot_memory_plugins.core.values import Message
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

NOT_SO = [
    ("It would be terrible if my landlord sold the house.", "The user's landlord sold the house"),
    ("I'd be lost if Anna left the company.", "Anna left the company"),
    ("I would take the train if I lived in Bern.", "The user lives in Bern"),
    ("What a mess it would be if our supplier went bankrupt!", "The user's supplier went bankrupt"),
    ("If I get the job in Oslo, we'll celebrate.", "The user got the job in Oslo"),
    ("Let me know if my landlord sells the house.", "The user's landlord sells the house"),
    ("We'll cancel the party if my mother falls ill.", "The user's mother is ill"),
    ("In case my brother moves to Lyon, I'd need a new tenant.", "The user's brother moves to Lyon"),
    ("I wish I lived in Rome.", "The user lives in Rome"),
    ("I wish my sister had a dog.", "The user's sister has a dog"),
    ("If only I worked at Siemens!", "The user works at Siemens"),
    ("Sometimes I wish we had moved to Canada.", "The user moved to Canada"),
    ("I'd love it if my son played the cello.", "The user's son plays the cello"),
    ("I should have bought the Tesla.", "The user bought the Tesla"),
    ("I could have been a pilot.", "The user is a pilot"),
    ("I've always dreamed of owning a vineyard.", "The user owns a vineyard"),
    ("I almost bought a Tesla.", "The user bought a Tesla"),
    ("We nearly moved to Lisbon last year.", "The user moved to Lisbon last year"),
    ("My wife almost took the job at Bosch.", "The user's wife took the job at Bosch"),
    ("I came this close to buying a boat.", "The user bought a boat"),
    ("I was about to sign the lease in Trier when the bank called.", "The user signed the lease in Trier"),
    ("She very nearly married a dentist.", "The user's friend married a dentist"),
    ("I dreamt that I was a pilot.", "The user is a pilot"),
    ("Last night I dreamed we lived in Kyoto, and I had a horse.", "The user has a horse"),
    ("I had a strange dream where I worked for the CIA.", "The user works for the CIA"),
    ("In my dream I owned a castle.", "The user owned a castle"),
    ("Let's pretend I'm a doctor.", "The user is a doctor"),
    ("Pretend that I have three kids and live in Texas.", "The user has three kids"),
    ("Let's role-play: I'm a customer with a nut allergy.", "The user has a nut allergy"),
    ("For the sake of argument, I live in Monaco.", "The user lives in Monaco"),
    ("Act as if I were your boss.", "The user is the assistant's boss"),
    ("My kid pretends he is a vet.", "The user's kid is a vet"),
    ("要是我住在巴黎就好了", "用户住在巴黎"),
    ("如果我会弹钢琴该多好", "用户会弹钢琴"),
    ("真希望我是飞行员", "用户是飞行员"),
    ("恨不得明天就搬去大理", "用户明天搬去大理"),
    ("要是房东把房子卖了就糟了", "房东把房子卖了"),
    ("万一我妈住院了，我就得请假", "用户的妈妈住院了"),
    ("如果我拿到奥斯陆的工作，我们就庆祝", "用户拿到了奥斯陆的工作"),
    ("我差点买了特斯拉", "用户买了特斯拉"),
    ("我们差一点就搬去成都了", "用户搬去成都了"),
    ("他险些当上了校长", "用户的朋友当上了校长"),
    ("我梦见自己当了飞行员", "用户当了飞行员"),
    ("昨晚做梦梦到我们住在京都，我还养了一匹马", "用户养了一匹马"),
    ("我做了个梦，梦里我在央视上班", "用户在央视上班"),
    ("假装我是医生", "用户是医生"),
    ("我们来玩角色扮演，我是对花生过敏的客人", "用户对花生过敏"),
    ("你就当我是你老板", "用户是助手的老板"),
    ("早知道我就买那套房了", "用户买了那套房"),
    ("我本来可以当医生的", "用户是医生"),
    ("Wouldn't it be nice if we had a garden?", "The user has a garden"),
    ("I keep imagining I live on a boat.", "The user lives on a boat"),
    ("It'd be a disaster if the client cancelled.", "The client cancelled"),
    ("I was this close to quitting my job.", "The user quit their job"),
    ("I had half a mind to sell the car.", "The user sold the car"),
    ("Imagine we had twins.", "The user has twins"),
    ("Say I'm a tourist with a gluten allergy.", "The user has a gluten allergy"),
    ("You're a waiter and I'm a customer who is allergic to shrimp. Start!", "The user is allergic to shrimp"),
    ("We would've moved to Spain but for the kids.", "The user moved to Spain"),
    ("I fantasize about living in Japan.", "The user lives in Japan"),
    ("I missed buying that house by an inch.", "The user bought that house"),
    ("I'd kill to have a dog.", "The user has a dog"),
    ("Suppose my wife is pregnant.", "The user's wife is pregnant"),
    ("If my daughter gets into MIT I'll be broke.", "The user's daughter goes to MIT"),
    ("My nightmare is that I have to work at Lidl.", "The user works at Lidl"),
    ("Unless my visa is denied, I start in May.", "The user's visa is denied"),
    ("I joked that I own a yacht.", "The user owns a yacht"),
    ("要不是堵车，我就赶上飞机了", "用户赶上飞机了"),
    ("如果我中了彩票我就买游艇", "用户中了彩票"),
    ("做梦都想当老师", "用户是老师"),
    ("我就差没买那辆车了", "用户买了那辆车"),
    ("设想我有三个孩子", "用户有三个孩子"),
    ("你演房东，我演租客，我养了两只狗", "用户养了两只狗"),
    ("我要是会游泳多好", "用户会游泳"),
    ("梦里我中奖了", "用户中奖了"),
    ("我本想报名马拉松", "用户报名了马拉松"),
    ("幸好没买特斯拉", "用户买了特斯拉"),
    ("但愿我妈不会搬来", "用户的妈妈搬来"),
]
"""What was said, and what must not be believed for it."""
SO = [
    ("I wish to be called Sam.", "The user wants to be called Sam"),
    ("I wish I lived in Rome, but I live in Oslo.", "The user lives in Oslo"),
    ("I wish you would answer in French.", "The user wants answers in French"),
    ("I wish I lived in Rome.", "The user wishes they lived in Rome"),
    ("I'd like to move to Rome in May.", "The user wants to move to Rome in May"),
    ("I hope to finish my thesis in June.", "The user hopes to finish the thesis in June"),
    ("I almost always take the bus.", "The user almost always takes the bus"),
    ("I'm almost 40 and live in Ulm.", "The user lives in Ulm"),
    ("I almost forgot to tell you I'm vegetarian.", "The user is vegetarian"),
    ("I almost bought a Tesla but went with a Skoda.", "The user went with a Skoda"),
    ("I almost bought a Tesla.", "The user almost bought a Tesla"),
    ("I've nearly finished my thesis on moss.", "The user has nearly finished a thesis on moss"),
    ("I nearly always work from home on Fridays.", "The user nearly always works from home on Fridays"),
    ("I play in a band called Dream Theatre Fans.", "The user plays in a band called Dream Theatre Fans"),
    ("I sleep badly, I dream a lot.", "The user sleeps badly"),
    ("I've always dreamed of owning a vineyard.", "The user dreams of owning a vineyard"),
    ("My dream job is at the zoo, I work at a bank.", "The user works at a bank"),
    ("My daughter likes to pretend that she is a vet.", "The user's daughter likes to pretend that she is a vet"),
    ("If I eat nuts I get a rash.", "The user gets a rash from nuts"),
    ("If it's after six I don't drink coffee.", "The user does not drink coffee after six"),
    ("If I don't sleep eight hours, I get migraines.", "The user gets migraines without eight hours of sleep"),
    ("When I'm in Berlin I stay at Anna's.", "The user stays at Anna's in Berlin"),
    ("If you write code for me, use tabs.", "The user wants tabs in code"),
    ("We'll move to Oslo if I get the job.", "The user will move to Oslo if they get the job"),
    ("I should have my results by Friday.", "The user should have results by Friday"),
    ("It would be great to have tea, I hate coffee.", "The user hates coffee"),
    ("I act in a theatre group in Jena.", "The user acts in a theatre group in Jena"),
    ("I was about to sleep, I have a cold.", "The user has a cold"),
    ("我希望你叫我小李", "用户希望被叫小李"),
    ("差点忘了告诉你我吃素", "用户吃素"),
    ("我差点买了特斯拉，最后买了比亚迪", "用户买了比亚迪"),
    ("要是我住在巴黎就好了，可我住在兰州", "用户住在兰州"),
    ("要是我住在巴黎就好了", "用户希望住在巴黎"),
    ("我差点买了特斯拉", "用户差点买了特斯拉"),
    ("我的梦想是开一家面包店", "用户的梦想是开一家面包店"),
    ("我睡眠不好，老做梦", "用户睡眠不好"),
    ("要是吃花生，我就会起疹子", "用户吃花生会起疹子"),
    ("如果下雨，我就开车上班", "下雨时用户开车上班"),
    ("写代码的话请用制表符", "用户希望代码用制表符"),
    ("我差不多每天都跑步", "用户差不多每天都跑步"),
    ("我几乎不喝酒", "用户几乎不喝酒"),
    ("我女儿喜欢假装自己是兽医", "用户的女儿喜欢假装自己是兽医"),
    ("If you ask me, Postgres is the best choice, we use it at work.", "The user uses Postgres at work"),
    ("I'd say I'm a vegetarian.", "The user is a vegetarian"),
    ("I could have coffee all day, I love it.", "The user loves coffee"),
    ("I wish everyone a good day, I'm off to Berlin tomorrow.", "The user goes to Berlin tomorrow"),
    ("My dream came true: I own a vineyard.", "The user owns a vineyard"),
    ("If I remember right, my passport expires in May.", "The user's passport expires in May"),
    ("If you need my size, I wear 42.", "The user wears size 42"),
    ("I nearly died of a peanut allergy in 2019.", "The user nearly died of a peanut allergy in 2019"),
    ("I always wanted a dog, now I have one called Rex.", "The user has a dog called Rex"),
    ("In case you wonder, I live in Riga.", "The user lives in Riga"),
    ("In case it matters: I'm left-handed.", "The user is left-handed"),
    ("If it helps, I use Arch Linux.", "The user uses Arch Linux"),
    ("I would love to learn Korean this year.", "The user would love to learn Korean"),
    ("如果你需要的话，我住在三楼", "用户住在三楼"),
    ("要是方便的话叫我老王", "用户希望被叫老王"),
    ("我梦想成真，开了面包店", "用户开了面包店"),
    ("我差点迟到，因为我住在郊区", "用户住在郊区"),
    ("我从小想当老师，现在是小学老师", "用户是小学老师"),
    ("我原来打算买车，现在买了自行车", "用户买了自行车"),
    ("如果没记错，我的护照五月到期", "用户的护照五月到期"),
]
"""What was said, and what is so."""


@each(("said", "claim"), in_both_scripts(NOT_SO))
@each("quoted", [True, False])
def test_what_is_only_imagined_is_believed_by_no_quote(said: str, claim: str, quoted: bool):
    support = Support(QuotedConversation([Message("user", said)]))
    assert not support.holds(claim, [said] if quoted else [])


@each(("said", "claim"), in_both_scripts(SO))
def test_what_looks_like_it_is_believed(said: str, claim: str):
    support = Support(QuotedConversation([Message("user", said)]))
    assert support.objection(claim, [said]) is None


@each("word", IMAGINED)
def test_each_word_counts_in_its_example_alone(word):
    assert type(IMAGINED)((word,)).search(word.example)
    assert not type(IMAGINED)((word,)).search(word.counter_example)

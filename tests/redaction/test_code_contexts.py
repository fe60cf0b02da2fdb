"""Codes are known by what is said around them, in any order of the words; numbers of other things stay."""

from __future__ import annotations

import re

from nanobot_memory_plugins.core.redaction import redact_text
from tests.support.each import each

TOLD = (
    "store this: storage unit B12, padlock «3-1-9-7», rent is due on the 5th",
    "Mum's tablet asks for «2580» and then it opens",
    "my alarm: arm with «7742», disarm with «7743»",
    "Voicemail access: dial *86 and then «5519» hash",
    "Bluetooth speaker wants a pairing code, it's «0417»",
    "for the bike the dials read «6-2-8-4» when open",
    "the wardrobe safe at the hotel, I chose «190385», same as always",
    "garage side door «58213», main door is by key",
    "the cleaning lady gets code «4410» on Tuesdays, the neighbour has «4411»",
    "Enter «83920» followed by # at the clinic entrance",
    "My debit card's PIN changed, it went from «4400» to «7136»",
    "the office printer: badge forgotten? type «778812»",
    "the buzzer «2046», then the third floor",
    "to approve the payment of 45.90 EUR enter «118204» in the app",
    "Dein Sicherheitscode lautet «884120»",
    "«4471» opens the side gate",
    "«5521#» is what the keypad wants, so «5521#» for the front door",
    "健身房的柜子我用的是 «4471»，你先拿",
    "单元门口按 «0608#» 就能进",
    "手机锁屏图案改成数字了：«147963»",
    "樓下大門 «4580» 井字",
    "銀行卡的取款密碼換了，現在是«902817»",
    "【京东】尊敬的用户，«118823»是您本次的身份验证码，15分钟内有效",
    "| Name | Gate code | Floor |\n|---|---|---|\n| Lena | «4471» | 2 |",
    "Name      Alarm pin   Floor\nLena      «4471»        2\nPaul      «9020»        3",
    "puk for my sim, in case I lock it again: «73828290»",
    "alarm code when you get in is «5926», be quick",
    "ok so her tablet unlock is «147258» and the charger is here",
    "One-time passcode for payment of EUR 84,20 at Bahnshop: «61898378»",
    "<#> Your Lyftly code is «5181»\nFA+9qCX9VSu",
    "the card number is on the fridge, pin «2374»",
    "Alarm off: «2082» then OK",
    "medication cabinet code «C2519X», the fridge is next to it",
    "WhatsApp code: «705-107»",
    "Your login PIN for Okta → «125037» (valid for 5 min)",
    "The side door needs «*40517» and then push hard",
    "保全系統解除碼 «3845»，進門後按",
    "use «948538» to verify your account",
    "【淘宝】«948538»是您的登录验证码，5 分钟内有效",
    "«948538» (Google verification code)",
    "the gate code is «A17», ring twice",
    "小区门禁密码是 «A17#»，进来右转",
    "«5521» to open the side gate",
    "保险柜是 «771902»，别忘了",
    "To finish signing in, enter «772 190».",
    "The elevator needs code «7788».",
    "- Garage: «4471#»",
    "取件码 «5-2-8841»，请尽快取走",
    "保险箱密码我怕忘，存一下：«31077409»。钥匙在书房",
    "Keysafe by the meter: «C4097Y».",
    "The marina gate opens with «B2291», the cabin padlock with «860».",
    "they sent me a text, it says «618 204», is that what you need to log in?",
    "Building entry «2580E», apartment keypad «117733» + lock symbol",
    "Log in with your number and the access code «AFB-ATH-1RR».",
    "阿May 14:03\n新门禁码多少\n小林 14:03\n«6082»\n好的收到",
    "The alarm code at mum's is «4417». No wait, that's the old one, it's «4471» now, and press the house button.",
    "I changed the tablet unlock to «905126» because Leo kept buying dinosaurs.",
    "The door to the archive: «C 4 7 8 Y», one after the other.",
    "bank texted me «559 201», is that what you need to cancel it",
    "> did you get the code?\nyes\n> and?\n«G-492013»\n> cool you're logged in",
    "User: remember my library card pin\nAssistant: Sure, what is it?\nUser: «2963» and the books are due",
    "问：保险柜密码多少来着？\n答：«19-44-07»，先逆时针转三圈",
    "the safe in the back office is «thirty two left eleven right fifty four left» and the toner is beside it",
    "提款卡密碼改成«八六三零一九» 然後明天提醒我",
    "Your new PIN\nYour personal identification number is:\n\n      «5 9 0 3»",
    "HomeKit setup code «417-82-936» (the sticker fell off)",
    "The computer is old. It opens with «771204» and the phone with «194912».",
)
OTHER_NUMBERS = (
    "The error code was 5012 again, can you look at the logs?",
    "Our zip code changed to 94107 after the move.",
    "I wrote 1200 lines of code today, the code in line 4512 is wrong",
    "We live at number 405, the door is blue.",
    "The alarm goes off at 0630 every day.",
    "The gate opens at 8 and closes at 2200.",
    "the safe weighs 250 kg and costs 1299 euros",
    "Locker 212 is mine, the gym membership renews in 2026.",
    "Version 2024.3 of the lock app is out",
    "PIN must be 4 to 6 digits, and the code expires in 10 minutes",
    "bus 42, then tram M10 to the office door at 1801",
    "pin numpy to 1.26.4 please, gpio pin 17 is the led",
    "a combination of 3 drugs, 250 mg each",
    "exit code 137 means out of memory, npm ERR! code E403",
    "I saved 5000 in the safe last year",
    "the car alarm went off 3 times in 2024",
    "Use 3 eggs and 250 g flour to open the recipe",
    "enter the building at 1600 Pennsylvania Avenue",
    '{"code": 40001, "message": "invalid credential"}',
    "密码长度至少8位，密码有效期(天):180",
    "错误码 40013 表示参数不对，邮编 100080",
    "他把密码错误输了 5 次，账户锁定 30 分钟",
    "我家在 2019 年换了密码锁，花了 1899 元",
    "門牌號 302，房間號 1204，程式碼有 1200 行",
    "puk attempts left: 10",
    "the alarm code when you get in is reset",
    "the phone unlock is 2 seconds faster",
    "security code for releases: 12 rules",
    "Your area code is 2125 here",
    "the board is new, pin 2374 of the header",
    "alarm on: 2082 times",
    "the alarm code E42 means fire",
    "zip code: 94107",
    "pin → header",
    "The door needs 2 coats of paint",
    "解除码由 12 位组成",
    "use 948538 to seed the generator",
    "404是常见的错误码，2024是密码学课程的年份",
    "404: your status code",
    "the security code is reviewed by A17 every week",
    "门禁码长 6 位，门的代码由 17 人维护",
    "the 2024 opens the season",
    "保险柜重 7719 元",
    "To verify the parser use 2024 cases",
    "The lock takes code 7788 lines long",
    "- Garage: 4471 people",
    "取件码由 5-2 组生成",
    "门锁的密码，要设 6 位",
    "您的信用卡末四碼8821於6月9日消費NT$560",
    "the message says 404 and the text says 2000 people came",
    "auth:\n  pin_length: 6\n  otp_enabled: false\n  key_size: 4096\n  token_type: bearer",
    "the twenty one pilots sang four or five songs, call me",
    "三年二班四十五个人，电话一直占线",
    "A: what year?\nB: 2019\nA: and the code?\nB: which one",
    "the phone with 5000 mAh",
)

WHOM_TO_RING = (
    "我的手機是«0912-345-678» 志明的是«0933-222-111» 幫我記起來",
    "大姊的手機是«0912345678»",
    "手机：«0912-345-678»",
    "手机改成«0987-654-321»了",
    "我手機是 «9123 4567»",
    "家门口保全：«0912-345-678»",
    "阿姨家门口的电话是 «62345678»",
    "intercom: «0912-345-678»",
    "my phone changed to «0912-345-678»",
    "elevator company: «0912-345-678»",
)


@each("text", WHOM_TO_RING)
def test_a_telephone_number_beside_what_opens_is_no_code_and_can_stay_readable(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[PHONE]", text)


@each("text", ("手机是«482913»", "手机用«12345678»", "楼下是«23456789»", "the intercom takes «23456789»"))
def test_a_number_as_long_as_a_code_beside_what_opens_goes(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[REDACTED]", text)


@each("text", ("楼下是123456789", "the intercom takes 123456789"))
def test_a_number_longer_than_a_code_beside_what_opens_stays(text):
    assert redact_text(text) == text


@each("text", TOLD)
def test_a_number_that_opens_something_goes_whatever_the_order_of_the_words(text):
    assert redact_text(re.sub("[«»]", "", text)) == re.sub("«.*?»", "[REDACTED]", text)


@each("text", OTHER_NUMBERS)
def test_a_number_of_another_thing_stays(text):
    assert redact_text(text) == text

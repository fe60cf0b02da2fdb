"""Passwords and codes as people and services write them in passing, where a rule of their grammar tells them."""

from __future__ import annotations

from nanobot_memory_plugins.core.redaction.rows import Row, RowRules
from nanobot_memory_plugins.core.redaction.said_codes import PLACE, is_phrase
from nanobot_memory_plugins.core.redaction.value_shapes import has_password_marks, is_placeholder, looks_random

_VALUE = r"(?P<secret>[^\s,，。\"'`]{6,64}?)"
_END = r"(?=[ ,，。\"'`]|\.?(?:\s|\Z))"
_NUMBER = r"(?P<secret>[*#]?[0-9]{4,8}[*#]?|[0-9]{3}-[0-9]{3})(?![0-9A-Za-z]|[.,:/-][0-9])"


def _is_marked(found: str) -> bool:
    letters = sum(char.isalpha() for char in found)
    return letters >= 3 and has_password_marks(found) and not is_placeholder(found) and "://" not in found


CHAT = RowRules(
    "told_secret",
    (
        Row(
            ("puk",),
            r"(?<![a-z])puk2?(?![a-z])[^\n0-9]{0,60}[:=][ ](?P<secret>[0-9]{8})(?![0-9])",
            "puk for my sim, in case I lock it again: «73828290»",
            "puk attempts left: 10",
        ),
        Row(
            ("alarm", "door", "gate", "garage", "safe", "entry", "lock"),
            r"(?<![a-z])(?:alarm|door|gate|garage|safe|entry|lock)[ ](?:code|pin)[ ](?:when|once|if|after|in|for"
            r"|that|you)"
            rf"(?![a-z])[^\n.0-9]{{0,50}}?[ ]is[ ]{_NUMBER}",
            "alarm code when you get in is «5926», be quick",
            "the alarm code when you get in is reset",
        ),
        Row(
            ("unlock", "lock screen", "screen lock"),
            rf"(?<![a-z])(?:(?:phone|tablet|ipad|iphone|laptop|screen|watch|pc|computer)(?:['’]s)?[ ]unlock|lock"
            rf"[ ]screen"
            rf"|screen[ ]lock)(?:[ ](?:code|pin))?(?:[ ]is[ ]|[ ]?[:=][ ]?){_NUMBER}",
            "ok so her tablet unlock is «147258» and the charger is here",
            "the phone unlock is 2 seconds faster",
        ),
        Row(
            ("passcode", "password", "code", "otp", "pin", "tan"),
            r"(?<![a-z])(?:one[- ]time|otp|verification|security|authori[sz]ation|payment|sms|login|transaction)[ -]"
            r"(?:pass)?(?:code|word|pin|tan)[ ](?:for|to)[ ][^\n:]{2,80}:[ ](?P<secret>[0-9]{4,8})(?=[ \t.]*"
            r"(?:\r?\n|\Z))",
            "One-time passcode for payment of EUR 84,20 at Bahnshop: «61898378»",
            "security code for releases: 12 rules",
        ),
        Row(
            (" me ",),
            r"(?<![a-z])(?:texted|sms['’]?d|messaged|(?:sent|emailed)[ ]me[ ](?:a[ ]|the[ ])?(?:code|sms|text)|texted)"
            r"(?:[ ]me)?[ ](?:a[ ]|the[ ])?(?:code[ ])?(?P<secret>[0-9]{4,8})(?=[,.;!? ]|\Z)(?![ ](?:times"
            r"|words|people|photos|euros?|dollars))",
            "the bank just texted me «248592», can you type it in?",
            "she texted me 2000 times",
            lambda found: len(found) >= 6,
        ),
        Row(
            ("动态口令", "动态密码", "动态码", "验证码", "校验码", "一次性密码", "短信码"),
            r"(?:动态口令|动态密码|动态码|验证码|校验码|一次性密码|短信码)[ ]?[（(][^()（）\n]{1,12}[)）][ ]?"
            r"[:：是为]?[ ]?"
            r"(?P<secret>[0-9]{4,8})(?![0-9])",
            "动态口令 (6位) «319185» ,转账金额 3,000.00 元",
            "动态口令 (6位) 用于转账",
        ),
        Row(
            ("code is", "code:", "pin is"),
            r"(?<![a-z])your[ ](?!(?:zip|postal|post|area|error|status|exit|country|product|item|promo|coupon"
            r"|discount|order"
            r"|source|dress|return|swift|sort|bank|branch|tax|job|referral|invite|legacy)[ ])[a-z0-9.&+-]{2,20}[ ]"
            r"(?:code|pin)(?:[ ]is|:)[ ](?P<secret>[0-9]{4,8})(?=[.!]?(?:\s|\Z))",
            "<#> Your Lyftly code is «5181»\nFA+9qCX9VSu",
            "Your area code is 2125 here",
        ),
        Row(
            ("security question", "secret question", "maiden name", "first pet"),
            r"(?:(?:security|secret)[ ]question|maiden[ ]name|first[ ]pet)[^\n?]{0,60}\?[)\"]{0,2}[ \t]*\n"
            r"(?:\[[^\]\n]{1,20}\][ ])?(?:[A-Za-z][A-Za-z ]{0,20}[:>][ ])?(?-i:(?P<secret>[A-Z][A-Za-z'’-]{1,20}"
            r"(?:[ ][A-Z][A-Za-z'’-]{1,20}){1,2}))(?=[ \t.]*(?:\n|\Z))",
            "What's the answer to your security question?\nMe: «Sir Wobblington»\nGreat.",
            "What's your security question?\nMe: why do you ask",
        ),
        Row(
            ("passphrase", "password", "pass phrase"),
            r"(?<![a-z])pass[ ]?(?:phrase|word)(?![a-z])[^\n?]{0,60}\?[)\"]{0,2}[ \t]*\n(?:\[[^\]\n]{1,20}\][ ])?"
            r"(?:[A-Za-z][A-Za-z ]{0,20}[:>][ ])?(?-i:(?P<secret>[a-z]{3,14}(?:[ ][a-z]{3,14}){2,7}))(?=[ \t.]*"
            r"(?:\n|\Z))",
            "Q: Which passphrase protects the archive?\nA: «seven herons juggle marmalade»\nQ: ok",
            "Which password do you mean?\nthe one that you gave me",
            is_phrase,
        ),
        Row(
            ("pin ", "alarm off", "alarm on"),
            r"(?<=[,;.] )(?:the[ ]|her[ ]|his[ ]|my[ ])?pin[ ](?P<secret>[0-9]{4,8})(?=[ \t]*[.!]?[ \t]*(?:\n|\Z))",
            "the card number is on the fridge, pin «2374»",
            "the board is new, pin 2374 of the header",
        ),
        Row(
            ("alarm off", "alarm on"),
            r"(?<![a-z])alarm[ ](?:off|on)[ ]?[:=][ ]?(?P<secret>[#*]?[0-9]{4,8}[#*]?)(?=[ ](?:then|and|,|ok)|[,;])",
            "Alarm off: «2082» then OK",
            "alarm on: 2082 times",
        ),
        # Handover: medication cabinet code C2519X
        Row(
            (" code ",),
            rf"(?<![a-z])(?:{PLACE})[ ]code[ ](?-i:(?P<secret>(?=[A-Z0-9]{{0,6}}[A-Z])[A-Z]{{0,2}}[0-9]{{3,6}}"
            rf"[A-Z]{{0,2}}))"
            r"(?![A-Za-z0-9-])",
            "medication cabinet code «C2519X», the fridge is next to it",
            "the alarm code E42 means fire",
        ),
        Row(
            ("digit code", "digit security code", "digit cvv"),
            r"(?<![0-9a-z])(?:[34]|three|four)[- ]digit[ ](?:security[ ])?(?:code|cvv|cid)[ ]?(?:is[ ]|[:=]"
            r"[ ]?)?(?P<secret>[0-9]{3,4})"
            r"(?![0-9])",
            "the 4-digit code «7501» for the hotel",
            "a 4-digit code of 4 digits",
        ),
        # Sessions of a browser, and calendars that a link opens
        Row(
            ("__secure-", "__host-", "li_at=", "sapisid=", "cf_clearance=", "ct0=", "bduss=", "z_c0=", "hsid="),
            r"(?<![a-z0-9_])(?:__(?:secure|host)-[a-z0-9_.-]{2,40}|li_at|sapisid|apisid|hsid|cf_clearance|ct0|bduss|z_c0)="
            r"[\"']?(?P<secret>[^\s;,\"']{12,4000})",
            "from devtools: __Secure-1PSID=«g.a000YQemBGMwkOlcQ-C84vTA1bBnmTt1»",
            "the cookie __Secure-1PSID= is empty",
        ),
        Row(
            ("/private-",),
            r"/private-(?P<secret>[0-9a-f]{16,64})(?![0-9a-z])",
            "https://calendar.example/ical/private-«a6ca512b703638b551d951311ea6b2d6»/basic.ics",
            "https://docs.example/private-networks/",
        ),
        # What unlocks software
        Row(
            ("activation", "licen", "product", "registration", "serial"),
            r"(?<![a-z])(?:activation|licen[cs]e|product|registration|serial)[ ](?:code|key)[ ]?(?:is[ ]|[:=][ ]?)?"
            r"(?P<secret>[a-z0-9+/=_-]{20,4000})",
            "JetBrains activation code «IU1SAA5C1G-eyJsaWNlbnNlSWQiOiPzfDk1cKLOA91» valid one year",
            "the activation code is-sent-by-mail-to-everybody",
            lambda found: looks_random(found),
        ),
        Row(
            ("wifi", "wi-fi"),
            rf"(?<![a-z])wi-?fi(?:[ ](?:here|there|now|at[ ](?:the[ ])?[a-z]{{2,12}}))?[ ]is[ ]{_VALUE}{_END}",
            "oh and the wifi is «parrotkitten838», see you",
            "the wifi is wonderful here",
            lambda found: len(found) >= 8 and _is_marked(found),
        ),
        Row(
            ("password", "passphrase", "passcode"),
            rf"(?<![a-z])pass(?:word|phrase|code)(?![a-z])[^\n]{{0,60}}?[ ](?:it['’]s|it[ ]is)[ ](?:literally[ ]"
            rf"|actually[ ]|now[ ]|just[ ])?"
            rf"{_VALUE}{_END}",
            "his dog's name as the password, it's literally «echocastle17» on every site",
            "the password is old, it's time to change it",
            _is_marked,
        ),
        Row(
            ("that's the p", "that is the p"),
            rf"(?<![a-z])(?:type|enter|use)[ ]{_VALUE}[ ,][^\n.]{{0,40}}?that(?:['’]s"
            rf"|[ ]is)[ ]the[ ]pass(?:word|phrase|code)",
            "you type «ottercrystal949» at the lock screen, that's the password",
            "you type slowly at the lock screen, that's the password field",
            _is_marked,
        ),
        Row(
            ("to open", "to unlock", "to unzip", "to decrypt", "to extract"),
            rf"(?<![a-z])(?:encrypted|protected|locked)[^\n]{{0,24}}?(?:use|with"
            rf"|enter)[ ]{_VALUE}[ ]to[ ](?:open|unlock|unzip|decrypt|extract)",
            "The zip is encrypted, use «0PEySYwph» to open it",
            "The zip is encrypted, use python3.11 tools for it",
            _is_marked,
        ),
        Row(
            ("code:",),
            r"(?<![a-z])(?!(?:zip|postal|post|area|error|status|exit|country|product|item|promo|coupon|discount"
            r"|order|source|color|colour"
            r"|currency|airport|dress|response|return|unit|sample|building|room|course|bar|qr|hex|region"
            r"|language|sort|bank|branch|swift"
            r"|class|job|cost|tax|reason)[ ])[a-z]{3,20}[ ]code:[ ](?P<secret>[0-9]{3}-[0-9]{3}"
            r"|[0-9]{6})(?![0-9A-Za-z-])",
            "WhatsApp code: «705-107»",
            "zip code: 94107",
        ),
        Row(
            ("→", "->", "=>"),
            rf"(?<![a-z])(?:pin|otp|passcode|(?:login|access|verification|security)[ ]code)(?:[ ](?:for|of"
            rf"|to)(?:[ ][a-z0-9]{{1,14}}){{1,3}})?"
            rf"[ ](?:→|->|=>)[ ]{_NUMBER}",
            "Your login PIN for Okta → «125037» (valid for 5 min)",
            "pin → header",
        ),
        Row(
            ("code",),
            r"(?<![a-z])(?:guard|login|log[ ]in|sign[ ]in|verification|security"
            r"|access)[^\n:]{0,40}?code[^\n:]{0,40}:\s{1,4}"
            r"(?-i:(?P<secret>[A-Z0-9]{5,8}))(?=[ \t]*(?:\n|\Z))",
            "Steam Guard code you need to log in:\n\n«RDZCU»\n",
            "Login code review:\n\nDone by Ana",
        ),
        Row(
            ("code",),
            r"(?<![a-z])(?:this|the|following|your)[ ](?:[a-z-]{2,16}[ ])?code[ ](?:to|below|for)[^\n:]{0,40}:\s{1,12}"
            r"(?P<secret>[0-9]{3}[ -][0-9]{3}|[0-9]{4,8})(?=[ \t]*(?:\n|\Z))",
            "Enter this code to finish signing in:\n\n    «279 309»\n",
            "Use the code below for tests:\n\nprint(4)",
        ),
        Row(
            ("now it's", "now it is"),
            rf"(?<![a-z])(?:pw|pwd|password)(?![a-z])[^\n]{{0,80}}?now[ ]it(?:['’]s|[ ]is)[ ]{_VALUE}{_END}",
            "root pw on pg used to be old, now it's «Z5ZdaFsHx-@G-xG6» since noon",
            "the pw was short, now it's long",
            _is_marked,
        ),
        Row(
            ("log in", "log into", "sign in", "sign into", "log on"),
            rf"(?<![a-z])(?:log|sign)[ ](?:in(?:to)?|on(?:to)?)(?:[ ][^\n,.]{{0,40}}?)?[ ]with[ ]{_VALUE}{_END}",
            "I log into Shopify as owner with «Canyon_Shadow39*» and into Xero",
            "I log into Shopify with Google",
            lambda found: _is_marked(found) and any(char.isdigit() for char in found),
        ),
        Row(
            (" needs ", " wants ", " set it to ", " set the "),
            rf"(?<![a-z])(?:(?:door|gate|garage|alarm|safe|keypad|lift|elevator)[ ](?:needs|wants)[ ]"
            rf"|(?:safe|lock|alarm|keypad|pin|combination|vault|suitcase)(?![a-z])[^\n.]{{0,50}}?set[ ](?:it"
            rf"|the[ ](?:code|pin|combination))[ ]to[ ])"
            rf"{_NUMBER}",
            "The side door needs «*40517» and then push hard",
            "The door needs 2 coats of paint",
        ),
        Row(
            ("解除", "解锁", "解鎖", "撤防", "布防", "保全"),
            rf"(?:解除|解[锁鎖]|撤防|布防|保全)[^\n0-9,，。]{{0,6}}?[码碼][是为為:]?[ ]?{_NUMBER}",
            "保全系統解除碼 «3845»，進門後按",
            "解除码由 12 位组成",
        ),
        Row(
            ("p@ss", "pa$$", "p4ss", "pas$", "passw0rd", "pa55"),
            rf"(?<![a-z])p[a@4][s$5]{{2}}w[o0]rd[ ]{{0,2}}[:=][ ]{{0,2}}{_VALUE}{_END}",
            "P@ssw0rd = «Rwd8NUDqDJN1» , user is operator",
            "P@ssw0rd is a bad one",
            _is_marked,
        ),
        Row(
            ("bili_jct", "sessdata", "master.key"),
            r"(?:bili_jct=|sessdata=|master\.key[^\n0-9a-f]{0,4}(?:contains|is|:"
            r"|=)[ ])(?P<secret>[0-9a-z%*,._-]{16,200})",
            "config/master.key contains «dab552cf3c4b2fdd3a1ed8cf0ccf5ee3»",
            "config/master.key contains a secret",
        ),
        Row(
            ("password", "secret", "token", "pwd", "passwd"),
            r"(?m:^)[ ]?(?:[a-z_]{0,20}_)?(?:password|passwd|pwd|secret|token"
            r"|api_key)[ ]{0,20}\|[ ](?P<secret>[^\s|]{6,200})[ ]*(?m:$)",
            "login    | jana\npassword | «Purplesunny708?»\nactive   | t",
            "password | required\n",
            _is_marked,
        ),
    ),
)

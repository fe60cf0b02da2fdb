"""Passwords and codes as people and services write them in passing, where a rule of their grammar tells them."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.detectors.chosen_words import is_phrase
from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random

_VALUE = r"(?P<secret>[^\s,，。\"'`]{6,64}?)"
_END = r"(?=[ ,，。\"'`]|\.?(?:\s|\Z))"


def _is_marked(found: str) -> bool:
    letters = sum(char.isalpha() for char in found)
    return letters >= 3 and has_password_marks(found) and not is_placeholder(found) and "://" not in found


CHAT = RowRules(
    "told_secret",
    (
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
            ("that's the p", "that is the p"),
            rf"(?<![a-z])(?:type|enter|use)[ ]{_VALUE}[ ,][^\n.]{{0,40}}?that(?:['’]s"
            rf"|[ ]is)[ ]the[ ]pass(?:word|phrase|code)",
            "you type «ottercrystal949» at the lock screen, that's the password",
            "you type slowly at the lock screen, that's the password field",
            _is_marked,
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

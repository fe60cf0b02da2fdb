"""Codes, words and phrases that let somebody in, in the order and the wording in which people say them."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.detectors.chosen_words import LINK, NAME, is_chosen_word
from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules

_Q = "[\"'`\ue0f1-\ue0f9*]{0,2}"
# What a number would count, were it no code.
_NO_UNIT = (
    r"(?![0-9]|[.,:/][0-9]|-[0-9]{2}|[ ]?(?:%|px|ms|kb|mb|gb|个|個|次|分钟|秒|天|小时|元|条|人|年|月|位|章|页|集|版)"
    r"|[ ](?:users|people|lines|rows|files|items|times|days|hours|tests|bytes|characters|requests)(?![a-z]))"
)
_NUMBER = (
    r"(?<![0-9A-Za-z_.,/#$-])(?<![0-9A-Za-z]:)(?P<secret>[0-9]{4,8}|[A-Z]-[0-9]{4,8}|[0-9]{3}[- ][0-9]{3}"
    r"|[0-9]{2}(?:[ ][0-9]{2}){2})"
    rf"{_NO_UNIT}"
)
_CHINESE_CODE = (
    r"(?:验证码|驗證码|校验码|校驗碼|动态码|动态密码|确认码|登录码|短信码|激活码|提取码|取件码|取货码|门禁码|开门码"
    r"|授权码|安全码|口令|密码|密碼|驗證碼|pin码)"
)
PLACE = (
    "gate|door|front[ ]door|back[ ]door|garage|garage[ ]door|building|entry|entrance|lobby|lock|lockbox"
    "|key[ ]?box|key[ ]safe"
    "|locker|safe|vault|alarm|keypad|padlock|gym|elevator|lift|parking|barrier|pool|shed|storage|storage[ ]unit"
    "|suitcase"
    "|luggage|bike[ ]lock|bike|apartment|flat|office|airbnb|hotel|room|cabin|courtyard|mailbox|intercom"
    "|burglar[ ]alarm|security|cabinet|drawer|cupboard|closet|fridge|server[ ]room|rack|warehouse|basement|cellar"
    "|toilet|restroom|roof|terrace"
)
_ALPHANUMERIC = (
    r"(?P<secret>(?=[A-Z0-9*#]{0,7}[0-9])(?:[#*]?(?![0-9]{2}(?![0-9A-Z#*]))[A-Z0-9]{2,8}[#*]?"
    r"|[0-9]{1,4}(?:[- ][0-9]{1,4}){1,4}))"
)
_CODE_END = (
    r"(?![A-Za-z0-9]|[.,:/-][0-9A-Za-z]|[ ]?%|[ ]?[个位次分秒天小元条人年月章页集版]"
    r"|[ ](?:lines?|times|days|years|people|users|digits|characters|hours|minutes|seconds|months|weeks|percent"
    r"|of)(?![a-z]))"
)
_DIGIT_WORD = "(?:zero|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN_DIGIT = f"(?:{_DIGIT_WORD}|oh|(?:double|triple)[ ]{_DIGIT_WORD})"
CODES = RowRules(
    "access_code",
    (
        Row(
            ("码", "碼", "口令"),
            rf"{_NUMBER}[ ]?[（(【\[][^（）()【】\[\]\n]{{0,10}}?{_CHINESE_CODE}[^（）()【】\[\]\n]{{0,16}}[)）】\]]",
            "【淘宝】«948538»（登录验证码）",
            "第 2024 期（密码学专题）",
        ),
        Row(
            ("code", "combination", "combo", "pin"),
            rf"(?<![a-z])(?<!zip )(?<!postal )(?<!area )(?<!error )(?<!country )(?<!status )(?<!dress )"
            rf"(?<!source )(?:code|combination|combo|pin)"
            rf"[ ](?:for|of|to|at|on)[ ](?:(?:the|my|our|your|his|her)[ ])?"
            rf"(?:[A-Za-z'’]{{1,14}}[ ]){{0,2}}?(?:{PLACE})(?:[ ]"
            rf"[A-Za-z'’]{{1,14}}){{0,3}}?{LINK}{_Q}{_ALPHANUMERIC}{_CODE_END}",
            "The code for the pool gate is «B204»",
            "the code for the gate class is 12 lines long",
        ),
        Row(
            (
                "safe word",
                "safeword",
                "code word",
                "codeword",
                "alarm word",
                "duress word",
                "security word",
                "passphrase",
                "pass phrase",
            ),
            rf"(?<![a-z])(?:safe[ -]?word|code[ -]?word|alarm[ -]?word|duress[ -]?word"
            rf"|security[ -]?word){NAME}(?:[ ]?\([^()\n]{{1,60}}\))?{LINK}{_Q}"
            r"(?P<secret>[A-Za-z][A-Za-z-]{3,20})(?![A-Za-z])",
            "our alarm company's code word is «meadowharbor»",
            "the code word is required",
            is_chosen_word,
        ),
        Row(
            ("confirm with", "verify with", "log in with", "sign in with", "lautet", "best\u00e4tigungs", "code est"),
            rf"(?<![a-z])(?:(?:confirm|verify|log[ ]in|sign[ ]in)[ ]with(?:[ ](?:the[ ])?code)?"
            rf"|(?:ihr|dein|mein|der)[ ][a-z\u00e4-]{{0,20}}code[ ](?:lautet|ist)"
            rf"|(?:votre|ton|mon|le)[ ]code(?:[ ][a-z'\u00e9]{{2,14}}){{0,3}}[ ]est)[: ][ ]?{_Q}{_NUMBER}",
            "Confirm with «884 213» within 10 minutes",
            "Confirm with 884213 users first",
        ),
        Row(
            ("maiden name", "security question", "secret question", "security answer", "密保"),
            r"(?:mother['’]s[ ]maiden[ ]name|(?:security|secret)[ ](?:question[ ])?answer|密保(?:问题)?(?:的)?答案)"
            rf"{NAME}(?:[ ]?\([^()\n]{{1,40}}\))?"
            rf"(?:{LINK}|[是为:][ ]?){_Q}(?P<secret>[A-Za-z\u4e00-\u9fff][A-Za-z\u4e00-\u9fff'’-]{{1,24}}"
            rf"(?:[ ](?-i:[A-Z])[A-Za-z'’-]{{1,20}}){{0,2}})(?="
            rf"[ \t]*(?:[.,;!)\n，。]|\Z))",
            "mother's maiden name: «Kowalczyk»",
            "the security question is hidden",
            is_chosen_word,
        ),
        Row(
            ("here is", "here's", "hier ist", "voici"),
            r"(?:here(?:['’]s|[ ]is)|hier[ ]ist|voici)[ ](?:the|your|my|dein|ihr|der|mein|le|votre"
            r"|ton)[ ](?:[a-z-]{2,20}[ ])?"
            rf"(?:code|pin|otp)[: ][ ]?{_NUMBER}",
            "Hier ist dein Code: «482913»",
            "here is the code: 1200 lines",
        ),
        Row(
            (" is what you need to ",),
            rf"{_NUMBER}[ ]is[ ]what[ ]you[ ]need[ ]to[ ](?:log|sign|get|verify|unlock|open)",
            "«604113» is what you need to log in",
            "2024 is what you need to plan for",
        ),
        Row(
            ("输入", "輸入"),
            rf"[输輸]入[ ]?(?<![0-9]){_NUMBER}[ ]?(?:即可|完成|进行|來?验证|驗證|登录|登錄|解锁|解鎖|以)",
            "输入«482913»即可完成验证",
            "输入 2024 年的数据",
        ),
        # four four seven one
        Row(
            ("pin", "code", "combination"),
            r"(?<![a-z])(?:pin|(?:door|gate|garage|alarm|safe|lock|access|entry|security|my|the)[ ](?:code"
            r"|combination))(?:[ ]number)?"
            rf"{NAME}{LINK}{_Q}(?P<secret>{_SPOKEN_DIGIT}(?:[ ,-]{{1,2}}{_SPOKEN_DIGIT}){{2,11}})(?![a-z])",
            "my bank pin is «four four seven one»",
            "the pin is one of two things",
        ),
        # p a s s w o r d : hunter2
        Row(
            (
                "p a s s",
                "p.a.s.s",
                "p-a-s-s",
                "p_a_s_s",
                "s e c r e t",
                "s-e-c",
                "s.e.c",
                "t-o-k",
                "t.o.k",
                "t o k e n",
                "p w d",
                "a p i",
                "p i n",
                "c o d e",
                "密 码",
                "密 碼",
                "口 令",
            ),
            r"(?<![a-z])(?:p([ ._-])a\1s\1s\1?(?:w\1o\1r\1d|c\1o\1d\1e|p\1h\1r\1a\1s\1e)"
            r"|s[ ._-]e[ ._-]c[ ._-]r[ ._-]e[ ._-]t"
            r"|t[ ._-]o[ ._-]k[ ._-]e[ ._-]n"
            r"|p[ ]w[ ]d|a[ ]p[ ]i[ _-]{1,3}k[ ]e[ ]y|p[ ]i[ ]n|c[ ]o[ ]d[ ]e|密[ ]码|密[ ]碼"
            r"|口[ ]令)[ ]{0,2}(?:[:=是为]|[ ]is[ ]|i[ ]s[ ])[ ]{0,2}"
            rf"{_Q}(?P<secret>[!-~](?:[ ][!-~]){{3,40}}(?![!-~])|[^\s\"'`]{{4,128}})",
            "p a s s w o r d: «hunter2x»",
            "c o d e review is at noon",
        ),
    ),
)

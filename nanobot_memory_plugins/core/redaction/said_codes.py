"""Codes, words and phrases that let somebody in, in the order and the wording in which people say them."""

from __future__ import annotations

import re

from nanobot_memory_plugins.core.redaction.rows import Row, RowRules
from nanobot_memory_plugins.core.redaction.word_lists import words

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
_NAME = r"(?:[ ](?:for|of|to|at|in|on)(?:[ ][A-Za-z0-9'’-]{1,16}){1,5}?)?"
_LINK = (
    r"(?:[ ](?:is|was|will[ ]be|has[ ]changed[ ]to|changed[ ]to|is[ ]now|=)[ ](?:now[ ]"
    r"|still[ ])?|[ ]?[:=,—-][ ]?|['’]s[ ])"
)
_DIGIT_WORD = "(?:zero|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN_DIGIT = f"(?:{_DIGIT_WORD}|oh|(?:double|triple)[ ]{_DIGIT_WORD})"
_WORD_FOR_ONE = r"(?:pass[ -]?word|pass[ -]?phrase|passcode|pw|pwd)"
# None of them stands in a phrase that somebody chose; the rest of a sentence nearly always holds one.
_SENTENCE = words(
    "is are was were be been being am the a an and or but not no nor of to in on at for from with by as it its"
    " that this"
    " these those there here my your our his her their i you he she we they me him them us so too very also only just"
    " still always never ever yet when where while if then than because which who what how why will would can could"
    " should may might must do does did done has have had get got gets into out up down over under about after before"
    " again please anymore any some all each every more most less least same wrong incorrect invalid valid required"
    " optional missing empty blank expired weak strong short long longer shorter case sensitive secret safe secure"
    " different stored saved kept hashed encrypted plain text reset changed working visible hidden"
)
_ADJECTIVE = re.compile(r"(?:ed|ing|able|ible|ive|ous|ful|less|ant|ent|ory|ly|ish)$")
# What is said of a password without telling it.
_SAID_OF_ONE = _SENTENCE | words(
    "fine okay ok good bad great easy hard simple complex complicated random unknown known public private personal"
    " temporary default new old current initial unique common obvious important necessary useful useless broken gone"
    " lost stolen set unset null none true false yes maybe correct right ready active inactive available outdated"
    " pending exposed leaked numeric alphanumeric readable disabled enabled written typed mine yours theirs ours"
    " something nothing anything everything somewhere nowhere elsewhere below above inside attached online"
    " offline local"
    " global shared static dynamic mandatory sufficient insufficient identical similar bcrypt argon sha plaintext"
    " cleartext base numbers letters characters digits symbols passwords password username email needed accepted"
    " rejected"
    " provided generated rotated compromised denied checked verified confirmed synced cached printed logged sent"
    " forgotten correctly twice once today tomorrow yesterday soon later now due free full ambiguous"
)


def is_phrase(found: str) -> bool:
    """Tell whether ``found`` is words that somebody strung together, and not the rest of a sentence."""
    parts = found.lower().split()
    return len(set(parts)) > 2 and not any(part in _SENTENCE or _ADJECTIVE.search(part) for part in parts)


def _is_chosen_word(found: str) -> bool:
    """Tell whether ``found`` is a word that somebody chose, and nothing that is said of a password."""
    word = found.lower()
    return word not in _SAID_OF_ONE and (found[:1].isupper() or not _ADJECTIVE.search(word))


CODES = RowRules(
    "access_code",
    (
        Row(
            ("use ", "enter ", "type ", "submit ", "input "),
            rf"(?<![a-z])(?:use|enter|type|submit|input)[ ](?:the[ ])?(?:code[ ]|pin[ ]"
            rf"|otp[ ])?{_Q}{_NUMBER}{_Q}[ ](?:to|for)"
            r"[ ](?:verify|verification|confirm|log[ ]?in|sign[ ]?in|login|authenticate|authori[sz]e|validate"
            r"|activate|access"
            r"|unlock|get[ ]in|reset[ ]your|(?:complete|finish|continue)[ ](?:your[ ]|the[ ])?(?:sign|log|regis"
            r"|verif|pay"
            r"|purch|set|order|transf))",
            "use «948538» to verify your account",
            "use 948538 to seed the generator",
        ),
        Row(
            ("码", "碼", "口令"),
            rf"{_NUMBER}[ ]?[,，]?[ ]?就?[是为為即](?:我|你|您|咱|他|她)?们?的?"
            rf"[^\s0-9,，。;；:：!?（）()]{{0,10}}?{_CHINESE_CODE}"
            "(?!学|字段|长度|类型|格式|错误|规则|管理)",
            "【淘宝】«948538»是您的登录验证码，5 分钟内有效",
            "404是常见的错误码，2024是密码学课程的年份",
        ),
        Row(
            ("码", "碼", "口令"),
            rf"{_NUMBER}[ ]?[（(【\[][^（）()【】\[\]\n]{{0,10}}?{_CHINESE_CODE}[^（）()【】\[\]\n]{{0,16}}[)）】\]]",
            "【淘宝】«948538»（登录验证码）",
            "第 2024 期（密码学专题）",
        ),
        Row(
            ("code", "pin", "otp"),
            rf"{_NUMBER}[ ]?(?:[-–—:|][ ]?|\()(?:is[ ])?(?:(?:your|my|our)[ ](?:[A-Za-z0-9-]{{2,20}}[ ]){{0,3}}"
            rf"|(?:[A-Za-z]{{2,20}}[ ])?"
            r"(?:verification|security|login|confirmation|access|one-time|sms|door|gate|alarm|2fa"
            r"|auth(?:entication)?)[ ])"
            r"(?:code|pin|otp|passcode)(?![a-z])",
            "«948538» (Google verification code)",
            "404: your status code",
        ),
        # The gate code is A17; garage code: 4471#; code for the lockbox is 03-17
        Row(
            ("code", "combination", "combo", "pin"),
            rf"(?<![a-z])(?:{PLACE})(?:['’]s)?[ ](?:access[ ]|entry[ ]|door[ ]|gate[ ]|lock[ ])?(?:code"
            rf"|combination|combo|pin)"
            rf"{_NAME}{_LINK}{_Q}{_ALPHANUMERIC}{_CODE_END}",
            "the gate code is «A17», ring twice",
            "the security code is reviewed by A17 every week",
        ),
        Row(
            ("code", "combination", "combo", "pin"),
            rf"(?<![a-z])(?<!zip )(?<!postal )(?<!area )(?<!error )(?<!country )(?<!status )(?<!dress )"
            rf"(?<!source )(?:code|combination|combo|pin)"
            rf"[ ](?:for|of|to|at|on)[ ](?:(?:the|my|our|your|his|her)[ ])?"
            rf"(?:[A-Za-z'’]{{1,14}}[ ]){{0,2}}?(?:{PLACE})(?:[ ]"
            rf"[A-Za-z'’]{{1,14}}){{0,3}}?{_LINK}{_Q}{_ALPHANUMERIC}{_CODE_END}",
            "The code for the pool gate is «B204»",
            "the code for the gate class is 12 lines long",
        ),
        Row(
            (
                "门",
                "門",
                "车库",
                "小区",
                "楼下",
                "楼道",
                "电梯",
                "保险",
                "储物",
                "快递柜",
                "行李箱",
                "自行车",
                "报警",
                "民宿",
                "公寓",
                "闸机",
            ),
            r"(?:大门|大門|房门|家门|院门|门禁|門禁|门锁|門鎖|密码锁|车库|小区|楼下|楼道|单元门|电梯|保险柜|保险箱|储物柜|快递柜|行李箱|自行车锁?|报警器?"
            rf"|民宿|公寓|闸机|门)[^\s0-9A-Za-z,，。;；:：!?]{{0,4}}?(?:密码|密碼|号码|代码|码"
            rf"|碼)[^\s0-9A-Za-z,，。;；:：!?]{{0,4}}?[ ]?[是为為:：改]?[成为]?[ ]?"
            rf"{_Q}{_ALPHANUMERIC}{_CODE_END}",
            "小区门禁密码是 «A17#»，进来右转",
            "门禁码长 6 位，门的代码由 17 人维护",
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
            rf"|security[ -]?word){_NAME}{_LINK}{_Q}"
            r"(?P<secret>[A-Za-z][A-Za-z-]{3,20})(?![A-Za-z])",
            "our alarm company's code word is «meadowharbor»",
            "the code word is required",
            _is_chosen_word,
        ),
        # correct horse battery staple
        Row(
            ("pass", "pw"),
            rf"(?<![a-z]){_WORD_FOR_ONE}{_NAME}{_LINK}{_Q}(?P<secret>[a-z]{{3,12}}(?:[ ]"
            rf"[a-z]{{3,12}}){{3,9}}){_Q}(?=[ \t]*(?:[.,;!)\n]|\Z))",
            "my password is «correct horse battery staple».",
            "the password is far too short for any serious use",
            is_phrase,
        ),
        # my wifi password is tangerine
        Row(
            ("pass", "pw"),
            rf"(?<![a-z])(?:(?:my|our|his|her|their|mum's|mom's|dad's|wi-?fi|router|network|guest|netflix|laptop"
            rf"|phone|bank|email"
            rf"|mail|login|account|alarm|zip|pdf|vault|admin"
            rf"|root)[ ](?:[a-z0-9'-]{{2,12}}[ ]){{0,2}}?){_WORD_FOR_ONE}{_NAME}{_LINK}{_Q}"
            rf"(?P<secret>[A-Za-z]{{5,16}}){_Q}(?=[ \t]*(?:[.,;!)\n]|\Z))",
            "my wifi password is «tangerine».",
            "my password is expired.",
            _is_chosen_word,
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
            (" to open", " to unlock", " to disarm", " to enter", " to get in", " opens ", " unlocks ", " disarms "),
            rf"{_NUMBER}[ ](?:to[ ](?:open|unlock|disarm|enter|get[ ]in(?:to)?)|opens|unlocks|disarms)[ ](?:the"
            rf"|my|our|your)[ ]"
            rf"(?:[a-z]{{2,12}}[ ]){{0,2}}?(?:{PLACE})(?![a-z])",
            "«5521» to open the side gate",
            "the 2024 opens the season",
        ),
        Row(
            ("保险柜", "保险箱", "门锁", "密码锁", "门禁"),
            rf"(?:保险柜|保险箱|门锁|密码锁|门禁)[是:为]?[ ]?(?<![0-9]){_NUMBER}",
            "保险柜是 «771902»，别忘了",
            "保险柜重 7719 元",
        ),
        Row(
            ("pass", "pw"),
            rf"(?<![a-z]){_WORD_FOR_ONE}[ ](?:for|of|to|on)[ ](?:(?:the|my|our|your|his|her"
            rf"|their)[ ])?(?:[A-Za-z0-9'’.-]{{2,16}}[ ])"
            rf"{{0,3}}?(?:wi-?fi|router|network|netflix|laptop|account|alarm|mail|email|e-mail|server|zip|pdf"
            rf"|vault|nas|tablet|ipad"
            rf"|phone|tv|printer|archive|site|portal|forum|bank|app){_LINK}{_Q}(?P<secret>[A-Za-z]{{5,20}}){_Q}"
            r"(?=[ \t]*(?:[.,;!)\n]|\Z))",
            "password for the guest wifi is «sommerwind»",
            "the password for the wifi is wrong",
            _is_chosen_word,
        ),
        Row(
            ("maiden name", "security question", "secret question", "security answer", "密保"),
            r"(?:mother['’]s[ ]maiden[ ]name|(?:security|secret)[ ](?:question[ ])?answer|密保(?:问题)?(?:的)?答案)"
            rf"{_NAME}"
            rf"(?:{_LINK}|[是为:][ ]?){_Q}(?P<secret>[A-Za-z\u4e00-\u9fff][A-Za-z\u4e00-\u9fff'’-]{{1,24}})(?="
            rf"[ \t]*(?:[.,;!)\n，。]|\Z))",
            "mother's maiden name: «Kowalczyk»",
            "the security question is hidden",
            _is_chosen_word,
        ),
        Row(
            ("sign in", "signing in", "log in", "logging in", "verification", "verify"),
            r"(?<![a-z])(?:sign(?:ing)?[ ]in|log(?:ging)?[ ]in|verif(?:y|ication))[^\n.0-9]{0,40}?(?:enter|use"
            r"|type)[ ]"
            rf"(?:the[ ])?(?:code[ ])?{_Q}{_NUMBER}(?=[ \t]*(?:[.,;!)\n]|\Z))",
            "To finish signing in, enter «772 190».",
            "To verify the parser use 2024 cases",
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
        Row(
            (" needs ", " wants ", " takes ", " uses ", " requires ", "lock ", "alarm off", "alarm on", "disarm"),
            rf"(?<![a-z])(?:(?:{PLACE})[ ](?:needs|wants|takes|uses|requires)[ ](?:the[ ]|a[ ])?(?:code|pin)"
            rf"|(?:luggage|bike|suitcase|locker|padlock|gym|shed|cellar)[ ]lock:?|alarm[ ](?:off"
            rf"|on)[:=]?|disarm[ ]with)[ ]{_Q}"
            r"(?P<secret>[#*]?[0-9]{3,8}[#*]?)(?=[ \t]*(?:[.,;!)\n]|\Z))",
            "The elevator needs code «7788».",
            "The lock takes code 7788 lines long",
        ),
        Row(
            ("password ", "pw ", "pass ", "pwd "),
            r"(?<![a-z])(?:login|log-in|user(?:name)?|account|id)[ ]?(?:is|:"
            r"|=)?[ ]{0,2}[A-Za-z0-9_.@-]{2,40}[ ]?(?:[,;/&]|[ ]and)[ ]{0,2}"
            rf"(?:the[ ])?{_WORD_FOR_ONE}[ ](?:is[ ])?{_Q}(?P<secret>[A-Za-z]{{5,20}}){_Q}(?=[ \t]*(?:[.,;!)\n]|\Z))",
            "login is jo, password «hunter»",
            "login is fast, password required",
            _is_chosen_word,
        ),
        # four four seven one
        Row(
            ("pin", "code", "combination"),
            r"(?<![a-z])(?:pin|(?:door|gate|garage|alarm|safe|lock|access|entry|security|my|the)[ ](?:code"
            r"|combination))(?:[ ]number)?"
            rf"{_NAME}{_LINK}{_Q}(?P<secret>{_SPOKEN_DIGIT}(?:[ ,-]{{1,2}}{_SPOKEN_DIGIT}){{2,11}})(?![a-z])",
            "my bank pin is «four four seven one»",
            "the pin is one of two things",
        ),
        Row(
            ("gate", "garage", "alarm", "front door", "back door", "key safe", "lock box"),
            rf"(?m:^|(?<=[-*•>][ ]))(?:gate|garage|alarm|front[ ]door|back[ ]door|key[ ]safe"
            rf"|lock[ ]box)[ ]?[:=-][ ]?{_Q}"
            rf"(?P<secret>[#*]?[A-Z]?[0-9]{{4,8}}[A-Z]?[#*]?){_CODE_END}",
            "- Garage: «4471#»",
            "- Garage: 4471 people",
        ),
        Row(
            ("取件码", "取件碼", "提货码", "取货码", "取餐码"),
            r"(?:取件[码碼]|提货码|取货码|取餐码)[是为:]?[ ]?(?P<secret>[0-9A-Z]{1,4}(?:-[0-9A-Z]{1,6}){1,3})"
            r"(?![0-9A-Za-z-])",
            "取件码 «5-2-8841»，请尽快取走",
            "取件码由 5-2 组生成",
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

"""Codes by what Chinese clauses say around them: ``门锁密码我换了，4471``, ``4471是取件码``, ``单元门口按 0608#``."""

from __future__ import annotations

import re
from bisect import bisect_left

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values.code_words import MOST_DIGITS_OF_LOCK
from nanobot_memory_plugins.redaction.values.personal_numbers import is_named_phone

CHINESE_CUES = KeywordIndex(
    words(
        "码 口令 暗号 保险箱 保险柜 门 柜 锁 车库 单元 楼下 信箱 行李箱 道闸 电梯 遥控 开机 图案 转盘 平板 手机"
        " 电脑 puk"
    )
)
# What makes another thing of a word that ends in 码: a number, an encoding, source text.
_NO_CODE = "一二三四五六七八九十位末后後号编代源邮条维尺页乱解转数起砝筹加误态区色扫打写敲字机"
_CODE = rf"(?<![{_NO_CODE}])(?<!识别)(?<!健康)(?<!付款)(?<!收款)(?<!商品)(?<!邮政编)码"
_NOUN = lazy_re(
    rf"(?i)密\s?码锁?|口令|暗号|(?<![a-z])pin\s?码?(?![a-z])|puk\s?码?|{_CODE}(?![头农流字表本])|组合锁|保险[箱柜]"
    rf"|门禁|[门车]锁"
)
_BETWEEN = lazy_re(
    r"(?!有效|学|技术|算法|期限|周期|时长|最[长短大小]|长度|位数|规则|强度|管理|格式|类型|字段|错误|保护|政策|框"
    r"|页面|登录失败|本)"
    r"[^\n0-9A-Za-z。！？!?；;]{0,24}"
)
_ENDS_IN_OTHER = lazy_re(r"(?:[第约約共每前近超过過满滿限少多于於长長度错錯]|房间|尾号|金额|订单)[ ]?\Z")
# What opens by a number, and the verb or mark that links them, without a word for a code.
_LOCK = lazy_re(
    r"(?:[大房家院后前侧]门|门[禁锁口]?|柜子?|锁|保险[箱柜]|车库|单元|楼下|信箱|行李箱|道闸|电梯|遥控器?|锁屏|开机"
    r"|图案|转盘|平板|手机|电脑)"
    r"[^\n0-9A-Za-z号號费費价價格卖買买,，。！？;；]{0,10}?"
    r"(?:是|为|[:：]|改成|换成|设成|设的|设了|用的?|按|摁|输入?|拨|开|(?<=[门锁箱柜禁屏])[ ])[ ]?\Z"
)
_TOLD_BEHIND = lazy_re(
    rf"[{QUOTES}]?[ ]?(?:[（(【\[]|[,，]?[ ]?(?:就?是|为|即|作为|当|开|——?|-"
    rf"|:))[^\s0-9A-Za-z,，。;；:：!?（）()]{{0,12}}?"
    rf"(?:密码|口令|暗号|{_CODE})(?!学|字段|长度|类型|格式|错误|规则|管理|头|农)"
)
_COUNTS = lazy_re(
    r"[ ]?(?:[个個]|位(?!置)|次|分[钟鐘]?|秒|天|小[时時]|[点點]|元|[块塊]|[条條]|人|年|月|日|[号號][楼樓]|[岁歲]|章"
    r"|[页頁]|集|版|米|公里|公斤|克"
    r"|度|倍|字|行|[种種]|台|件|名|期|[届屆]|[间間]|[层層]|[楼樓]|路)"
)
_YEAR = lazy_re(r"(?:19[4-9]|20[0-4])[0-9]")
_FARTHEST, _LOCK_REACH, _FEWEST = 32, 20, 4


class ChineseCodes:
    """Where the words for codes stand in a text, and whether they make a code of a number."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.end() for match in _NOUN.finditer(text)]

    def tell(self, match: re.Match[str]) -> bool:
        """Tell whether the number is said to be a code, or to open something."""
        start, end, number = match.start("secret"), match.end(), match["secret"].strip("#*")
        if _COUNTS.match(self._text, end):
            return False
        at = bisect_left(self._ends, start + 1) - 1
        if at >= 0 and start - self._ends[at] <= _FARTHEST:
            between = self._text[self._ends[at] : start]
            if _BETWEEN.fullmatch(between) and not _ENDS_IN_OTHER.search(between):
                return True
        if _TOLD_BEHIND.match(self._text, end):
            return True
        if len(number) < _FEWEST or _YEAR.fullmatch(number) or number[0].isalpha():
            return False
        if sum(map(str.isdigit, number)) > MOST_DIGITS_OF_LOCK or is_named_phone(self._text, start, number):
            return False
        return bool(_LOCK.search(self._text, max(0, start - _LOCK_REACH), start))

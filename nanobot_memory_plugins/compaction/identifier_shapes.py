"""What an identifier looks like in a clause, and the words around it that name it, in English and Chinese."""

from nanobot_memory_plugins.core.text import LazyPattern, Word, Words

_DOTTED = r"[A-Za-z0-9_-]+"

VALUE = LazyPattern(
    r"(?P<url>(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"'，。；、）)]+"
    r"|(?<![A-Za-z0-9@/.-])(?:[A-Za-z0-9-]+\.)+[a-z]{2,}(?:/[A-Za-z0-9.@+_-]+)+)"
    r"|(?P<mail>(?<![A-Za-z0-9.+_-])[A-Za-z0-9.+_-]++@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[A-Za-z0-9./_-]+)?)"
    r"|(?P<path>(?<![\w/.])(?:~|\.{1,2})?(?:/[A-Za-z0-9.@+_-]+){2,}|\b[A-Za-z]:\\[^\s，。]+"
    r"|(?<![\w/.])\.?[A-Za-z][A-Za-z0-9_-]*(?:/[A-Za-z0-9_-]+)+\.[a-z]\w{0,5}\b)"
    rf"|(?P<host>(?<![A-Za-z0-9_.-])(?:{_DOTTED}\.){{2,}}{_DOTTED})"
    r"|(?P<phone>\+\d[\d ()/-]{6,}\d|(?<![\d-])0\d{2,4}[ -]\d[\d -]{4,}\d)"
    r"|(?P<code>\b[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){3,}(?: \d{1,4})?\b|\b[A-Z]{2,3} \d{2,5}\b"
    r"|(?:[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼](?=[A-Z]))?"
    r"(?<![A-Za-z0-9_.])(?=[A-Za-z0-9·_-]*\d)"
    r"(?=[A-Za-z0-9·_-]*[A-Za-z])[A-Za-z0-9]+(?:[-_·][A-Za-z0-9]+)*)"
    r"|(?P<number>(?<![\d.,-])\d+(?:[.-]\d+)*(?:[栋幢座号楼弄]\d+)?(?![\d.,]*\d))"
)
MAY_HAVE_ONE = LazyPattern(r"[0-9@/\\]|\.\w+\.")
DIGITS = LazyPattern(r"\d")
AMOUNT = LazyPattern(r"\d+[A-Za-z]{1,4}")

NOUNS = Words(
    (
        Word(
            r"\b(?:port|numbers?|no\.?|nr\.?|id|ids|ticket|invoice|account|policy|version|release|room|flight|train|seat"
            r"|gate|extension|serial|reference|booking|reservation|case|issue|pr|phone|mobile|iban|vat|plate|sku|build"
            r"|revision|commit|branch|bucket|path|host|hostname|ip|url|file|script|container|image|table|bus|slot"
            r"|locker|apartment|flat|licence|license|customer|order)",
            "the port",
            "the report",
        ),
        Word(
            "(?:号码?|编号|端口|版本|电话|手机|地址|账号|账户|邮箱|网址|域名|主机|路径|文件|航班|车次|座位|房间"
            "|会议室|单号|税号|型号|序列号|车牌|分支|工单|订单|目录)",
            "端口",
            "端正",
        ),
    )
)
"""What is named by a number: without one of these before it a short number is an amount."""

NAMED = LazyPattern(
    rf"(?:{NOUNS[0].pattern})(?: (?:number|id|no\.?|code|address|name))?(?P<copula> (?:is|are)(?: now)?|[:=])? ?#?$"
    rf"|[\u4e00-\u9fff]{{0,3}}{NOUNS[1].pattern}(?P<copula_zh>(?:现在|改)?(?:是|为|叫|成)|[:=])? ?$"
)
COPULA = LazyPattern(
    r"(?: (?:is|are|is called|are called|is now|are now)|[:=]"
    r"|(?:现在|改)?(?:是|为|叫|成)) ?(?:called |named )?[#\"'`(]*$"
)
OVER = LazyPattern(
    r"\b(?:was|were|used to|old|former|formerly|previous|previously|instead of|rather than|from|had)\b"
    r"|以前|旧|原来|之前|曾|从(?!今|现在|此|明天|下)|不是"
)
ABOUT_THE_ASSISTANT = LazyPattern(r"\b(?:assistant|bot|proposed|suggested|offered|recommended)\b|助手|建议|推荐|提议")
CORRECTS = LazyPattern(
    r"^(?:sorry|no|oops|wait|correction|i mean(?:t)?|actually|make that|not)\b"
    r"|^(?:不对|错了|不是|哦不|更正|应该是|说错)"
)
LEAD = LazyPattern(
    r"^(?:(?:and|but|so|also|then|ok|okay|well|yes|no|sorry|actually|by the way|the|my|our|a|an|its|their|your"
    r"|decisions?:|todos?:)\b[ :]*|(?:那个?|我们?的?|咱们?的|这个?|另外|还有|对了|其中|而且|新的(?=\w))|[-*• ])+"
)
PRONOUN = LazyPattern(
    r"(?:\s|it|that|this|he|she|they|i|we|you|there|which|its|here|one|me|it's|that's|to|at|in|on|is|he's|i'm"
    r"|他|她|它|这|那|就|应该)*"
)
BREAK = LazyPattern(r".*[,;，；、(（\"“「]")
ENDS = LazyPattern(r"[了吧啦哦]?\s*(?:$|[^\w\s%€$£°]|(?:and|or|on|for|with|in|at|from|by|to|is|now|please|of)\b)")
JOINED = LazyPattern(r"[\s,()/-]+")

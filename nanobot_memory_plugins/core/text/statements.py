"""Which sentences state something on their speaker's own account: neither questions nor what others are said to say."""

import re

from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# What ends a sentence.
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")

_LASTING = re.compile(
    r"\b(?:always|from now on|in future|remember|never)\b|以后|今后|每次|记住|始终|永远", re.IGNORECASE
)
_INVERTED = (
    r"(?:is|are|am|was|were|do|does|did|has|have|had|should|shall|may|might|isn't|aren't|wasn't|weren't|don't|doesn't"
    r"|didn't|haven't|hasn't|ain't)\s+(?:it|that|this|these|those|there|i|you|we|he|she|they|my|our|your|the|all|any"
    r"|everything|what)\b"
)
_QUESTION = re.compile(
    r"[?？]\W*$|[吗呢么咩]\W*$|^\W*(?:what|why|how|when|where|who|whose|which|is there|are there|do you|does|did"
    r"|can you|could you|would you|will you|should i|shall i|can i|may i)\b"
    rf"|^\W*(?:(?:so|and|but|hm+|hey|hi|wait|ok|well|please|really|then)[\s,]+)*{_INVERTED}"
    r"|\b(?:tell me|check|verify|confirm|find out|see|know|wonder|wondering|ask|asked|unsure|curious|doubt)"
    r"\s+(?:for me\s+)?(?:if|whether|why|that it is)\b"
    r"|[,，]\s*(?:right|correct|true|is that (?:so|right|true|correct)|isn't it|don't i|do i|yes or no)\W*$"
    r"|^\W*(?:怎么|为什么|为何|什么|哪|谁|多少|难道|真的|点解|边[个度位]|几时|唔通)"
    # 是不是, 会不会, 有没有, 喜不喜欢, but not "now and then"; Cantonese 係咪, 有冇.
    r"|(?!时不时|动不动)(?P<verb>[\u4e00-\u9fff])[不没冇唔未](?P=verb)|系咪|有冇"
    r"|是否|(?:对|是|没错)吧\W*$|请?(?:确认|核实|查证)一?下?",
    re.IGNORECASE,
)
# Whoever asks for something lasting states a wish: "Could you always ...?", "Always ..., ok?".
_ASKS_FOR = re.compile(
    r"^\W*(?:(?:so|and|also|please|pls|hey|hi|ok)[\s,]+)*(?:can|could|would|will) you\b"
    r"|[,，\s](?:ok|okay|alright|please|thanks)\W*$|(?:好吗|好不好|可以吗|行吗)\W*$|能不能|可不可以|能否",
    re.IGNORECASE,
)
_STATES = re.compile(
    rf"^\W*(?:(?:so|and|but)[\s,]+)*(?:i|i'm|i've|we|my|our|he|she|they|it|the|that|this|you|your"
    r"|what|why|how|when|where|who|whose|which|do|does|did|can i|may i|is|are|was|should|shall)\b"
    rf"|^\W*{_INVERTED}|^[我咱你他她它]|^(?:为什么|是不是|是否|怎么|难道|真的)|(?:对|是)[吗吧]\W*$|是不是|是否|对不对",
    re.IGNORECASE,
)

_SOURCES = (
    r"(?:e-?mails?|mails?|messages?|letters?|articles?|(?:web)?pages?|web ?sites?|sites?|logs?|output|documents?|docs?"
    r"|papers?|reviews?|transcripts?|posts?|comments?|tweets?|threads?|texts?|files?|results?|tools?|search|notes?|news"
    r"|summary|internet|web|screenshot|pdf|inbox|report|blog|wiki|bot|assistant|model|chatgpt|memory|profile|it|he|she"
    r"|they|you|that|this|which|who|someone|somebody|people|everyone|everybody)"
)
_REPORTED = re.compile(
    rf"\b{_SOURCES}\b(?:'s)?(?:\s+(?:from|by|of|on|in|about|to)\s+[\w' ]{{1,30}}?)?"
    r"(?:\s+(?:also|just|even|really|actually|then|once))?\s+"
    r"(?:says?|said|claims?|claimed|writes?|wrote|states?|stated|mentions?|mentioned|asserts?|asserted|suggests?|suggested"
    r"|shows?|showed|told me|tells me|thinks?|believes?|insists?|alleges?)\b"
    r"|\bmy [\w ]{1,20}? (?:wrote|writes|texted|e-?mailed|messaged|posted|claims|claimed)\b"
    r"|(?-i:\b(?!I\b|My\b|We\b|Our\b)[A-Z][\w'’.-]+) (?:just |also )?(?:says|said|claims|claimed|writes|wrote"
    r"|texted|e-?mailed)\b"
    r"|\b(?:it|that|this)(?:'s| is| was) (?:said|claimed|alleged|written|rumou?red|not true|untrue|false|wrong)\b"
    r"|\b(?:according to|apparently|allegedly|supposedly|reportedly)\b"
    r"|\bi(?:'ve| have)? (?:just )?(?:read|saw|see|heard|was told|found) (?:[\w']+ ){0,5}that\b"
    r"|(?:网页|页面|网站|文章|邮件|来信|消息|短信|信息|日志|输出|文档|文件|新闻|评论|帖子|工具|结果|截图|报告|网上|上面|里面"
    r"|有人|别人|人家|人地|人哋|他们?|她们?|佢哋?|你|助手|机器人|(?<![跟和对向给同])(?:朋友|同事|同学|老板|主管|经理|客户|室友|邻居|网友))"
    r"[^，。,.！!？?]{0,6}(?:说|写|声称|提到|显示|认为|讲|称|(?<=[佢哋人])话)"
    r"|据说|听说|听讲|据称|据.{1,10}(?:报道|报导|所说|称)|根据.{1,12}(?:网页|文章|邮件|页面)",
    re.IGNORECASE,
)


_SUPPOSED = re.compile(r"^\W*(?:假如|假设|假使|倘若|(?:suppose|supposing|imagine|hypothetically)\b)", re.IGNORECASE)


def asks(sentence: str) -> bool:
    """Say whether a sentence asks, and so states nothing. "Always ..., please?" is a wish, and states it."""
    sentence = simplified(sentence)
    if _QUESTION.search(sentence) is None:
        return False
    if _LASTING.search(sentence) is None:
        return True
    return _ASKS_FOR.search(sentence) is None and _STATES.search(sentence) is not None


def reports(sentence: str) -> bool:
    """Say whether a sentence tells what a text or somebody else says."""
    return _REPORTED.search(simplified(sentence)) is not None


def supposes(sentence: str) -> bool:
    """Say whether a sentence only supposes something. "If ..." may be a lasting wish, and is none of these."""
    return _SUPPOSED.search(simplified(sentence)) is not None


def stated_text(text: str) -> str:
    """Return the sentences of a text that its speaker states, a line each."""
    sentences = (sentence.strip() for sentence in SENTENCE_END.split(text))
    return "\n".join(one for one in sentences if one and not (asks(one) or reports(one) or supposes(one)))

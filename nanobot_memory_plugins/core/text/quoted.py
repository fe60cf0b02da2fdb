"""Where in a user's message somebody else's text begins: an e-mail, a page, a chat, a log, a result, a text to work on.

A request to work on a text ("Translate this:"), an announcement of one ("Here is an email I got:"), the head of an
e-mail, the mark of a reply or of a role: what stands behind it is not the user's own word, to the message's end. Who
writes below what was pasted is not told from who wrote it. What the user asks to remember ("Remember this:") is own.
"""

import re
from collections.abc import Iterator
from itertools import count

from nanobot_memory_plugins.core.text.calendar import FULL_WEEKDAY, SHORT_MONTH
from nanobot_memory_plugins.core.text.keeping import CHINESE, LABELS, LOOSE, LOOSE_CHINESE, NOT_FORGOTTEN, SURE
from nanobot_memory_plugins.core.text.pasted import TEXTS, is_own_text, without_pasted
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.core.text.words import LazyPattern, any_of
from nanobot_memory_plugins.redaction.script.chinese_script import SIMPLIFIED_OF

# Behind a line that may announce the user's own list as well ("the following:"), more than this is a text.
_LIST = 200
_MOST_LINES = 2_000
# A text with more quotations is data, and those behind are nobody's word.
_MOST_QUOTATIONS = 500
# A quotation of so many characters is a text, whoever is named before it.
_QUOTATION_CHARS, _QUOTATION_CHARS_ZH = 40, 14
# A line that announces says it in its last words; one that asks is short.
_LAST_WORDS = 200
# What a line that asks about a text above may hold.
_SHORT = 160

_FOLD = SIMPLIFIED_OF | str.maketrans("：？　’", ":? '")

_POLITE = (
    r"(?:(?:hey|hi|hello|ok|okay|so|and|also|now|just|please|pls|kindly|thanks|quickly|(?:can|could|would|will) you"
    r"|i(?:'d| would) (?:like|love|want) (?:you|some help) to|i (?:want|need) you to|help me(?: to)?)[\s,!]+)*"
)
_POLITE_ZH = r"(?:[\s,!]|请|麻烦你?|拜托|劳烦|帮忙|帮我|给我|替我|能不能|能否|可以|你能|你|能|另外|顺便|对了|好的?|再)*"

# The user's own: what stands behind is to be remembered, or is said of the user.
_OWN = LazyPattern(
    rf"{_POLITE}(?:{any_of(SURE)}|{any_of(LOOSE)}|{any_of(LABELS)}|commit|save|store|note"
    r"|my (?:e-?mail|home ?page|web ?site|web ?page)(?: address)?(?: is)?|(?:as )?i (?:have )?(?:said"
    r"|wrote|told you))\b"
    r"(?! (?:from|the man|the woman))"
    rf"|{_POLITE}(?:rate|check|review|look at|comment on|judge|critique) my"
    r" (?:plan|idea|schedule|budget|routine|diet|day|week|situation|options?|reasoning)\s*:"
    rf"|{_POLITE_ZH}(?:[把将].{{1,20}})?(?:{any_of(CHINESE)}|{any_of(LOOSE_CHINESE)}|{any_of(NOT_FORGOTTEN)}"
    rf"|我的?邮[箱件](?:地址)?是?\s*:)",
    re.IGNORECASE,
)
_POINTS = r"(?:this|these|that|the following|following|below|the (?:above|attached)|it|here)"
_WORK = (
    r"(?:translat(?:e|ion)|summari[sz](?:e|ation)|summary of|tl;?dr|proof-?read|spell-?check|rewrite"
    r"|re-?phrase|paraphrase"
    r"|polish|shorten|condense|reword|edit|correct|fix (?:the |my )?(?:grammar|spelling|wording|typos|english|text)"
    r"|improve|check|review|analy[sz]e|explain|interpret|look (?:at|over|through)|take a look|have a look|read|see"
    r"|comment on|reply to|answer|respond to|classify|extract|transcribe|format|convert|simplify|critique"
    r"|evaluate|rate"
    r"|grade|fact-?check|verify|what do you (?:think|make) (?:of|about)|thoughts|opinion|feedback|what does"
    r"|what(?:'s| is| are)|who (?:wrote|sent)|is|are|does|do|how (?:do|should|would|can) (?:i|we)"
    r"|(?:make|turn|continue|finish|complete) (?:this|it|these|that|the following)"
    r"|find (?:the |any |all )*(?:mistakes|errors|typos))"
)
_TOLD = (
    r"(?:said|says|saying|wrote|writes|written|replied|replies|answered|sent|sends|forwarded|posted|texted|emailed"
    r"|tweeted|commented|claims|claimed|reads|states|shouts?|whispers?|asks|asked|told me|got|received|copied|found"
    r"|pasted|quoted)"
)
_TEXTS_ZH = (
    r"(?:邮件|邮箱|来信|信件|这封信|文章|网页|页面|网站|消息|讯息|信息|短信|简讯|聊天|微信|对话|日志|报错"
    r"|错误|输出|文档"
    r"|文件|原文|正文|新闻|评论|评价|帖子|贴文|内容|段落|文字|文本|句子|这段|这篇|这句|这封|这条|一段"
    r"|一篇|一封|段话|结果"
    r"|转[发传贴帖寄载]|代码|程式码|档案|公告|通知|博客|部落格|网志|逐字稿|会议[记纪][录要]|纪要|推文|资料|留言|歌词|小说|论文|报告|材料|动态|引用|摘录|字幕|稿子|草稿|回复|说明书)"
)
_WORK_ZH = (
    r"(?:翻译|翻成|翻一下|译成|译为|总结|概括|归纳|润色|润饰|修饰|改写|校[对稿]|摘要|解释|分析|看看|看一?下|看一看|读一?下|读读|检查|修改"
    r"|改一?下|改成|纠正|提取|缩写|扩写|精简|续写|点评|评价|怎么看|怎么样|什么意思|怎么回|整理|续写|对吗"
    r"|对不对|是真的|通顺|改得|转写|语法|病句)"
)
_TOLD_ZH = (
    r"(?:写道|说道|回复|发来|发给|寄来|收到|转来|转给|来自|(?<!我)发[了的]"
    r"|[她他]们?刚?才?(?:回[了复]|发我)|问道|答道|喊道|留言|看到|复制)"
)

_COLON = LazyPattern(r":(?=[\s\"'“「『]|$)|(?<=[\u3400-\u9fff]):")
_POINTED = LazyPattern(
    rf"\b{_WORK}\b.*\b(?:{_POINTS}|{TEXTS})\b|\b{_POINTS}\b.*\b(?:mean|say"
    rf"|sound)\b",
    re.IGNORECASE,
)
_WORKED = LazyPattern(
    rf"{_POLITE}(?:{_WORK})(?:\s+(?:it|this|these))?(?:\s+(?:in)?to\s+[\w ]+)?(?:\s+(?:please|for me))?\W*$",
    re.IGNORECASE,
)
_REQUEST = LazyPattern(rf"(?:^|[.!?,;]\s+){_POLITE}(?:to\s+)?{_WORK}\b", re.IGNORECASE)
_PRESENTED = LazyPattern(
    rf"\b(?:here|this|these|the following|that|look|see|below|attached|an?|the|got|from|by)\b.*\b{TEXTS}\b"
    rf"|^(?!.*\bmy\b)\W*(?:\w+\s+){{0,3}}{TEXTS}\W*$"
    rf"|\b{TEXTS}\s+(?:from|by|of|i got|says|said)\b",
    re.IGNORECASE,
)
_HANDED = LazyPattern(
    rf"(?:\b(?:this|that|these|here|following)\b.*\b{TEXTS}|\b{TEXTS}\s+(?:from|by)\b)", re.IGNORECASE
)
_REPORTS = LazyPattern(
    rf"(?<!\bi )(?<!\bi've )(?<!\bi have )\b{_TOLD}\b|\bi (?:got|received|copied|found|pasted)\b", re.I
)
_ANNOUNCED_LIST = LazyPattern(
    rf"\b(?:{TEXTS}|error|says|said|following|below|here is|here's|here are)\b|内容|以下|下面|如下", re.IGNORECASE
)
_POINTED_ZH = LazyPattern(
    rf"{_WORK_ZH}.*{_TEXTS_ZH}|{_TEXTS_ZH}.*{_WORK_ZH}|(?:以下|下面|这|上面).*{_WORK_ZH}|{_WORK_ZH}.*(?:以下|下面|这)"
)
_WORKED_ZH = LazyPattern(
    rf"{_POLITE_ZH}(?:把.{{0,12}})?{_WORK_ZH}(?:一下|下)?(?:成?(?:[英中德法日俄韩西]\w?[文语]))?(?:吧|好吗|谢谢)?\W*$"
)
_WORK_FIRST_ZH = LazyPattern(rf"{_POLITE_ZH}(?:把.{{0,12}})?{_WORK_ZH}")
_REPORTS_ZH = LazyPattern(
    rf"{_TOLD_ZH}|(?<![我你])(?<!我[想要再就先来])(?<!跟你)(?<!和你)(?<!对你)(?<!听我)(?:里|上|中)?(?:说"
    rf"|讲|写)(?:的是|了|着)?\s*$"
)
_SAYS_ZH = LazyPattern(r"(?:有人|他们?|她们?|同事|老板|朋友|客户)(?:在.{0,6})?(?:说|写道|发来|问)(?:了|的)?\W*$")
_LOOK = LazyPattern(rf"{_POLITE}look (?:at )?what\b", re.IGNORECASE)
_WORKED_UP = LazyPattern(
    r"\b(?:make|turn|continue|finish|complete) (?:this|these)\b|\b(?:mistakes|errors|typos)\W*$", re.I
)
_OF_THE_USER = LazyPattern(
    r"\b(?:about me|i am|i'm|i have|i like|i prefer|i use|i want|my)\b|我的|关于我|我喜欢|我是", re.IGNORECASE
)

# Lines with which somebody else's text begins, whatever stands before.
_BEGINS = LazyPattern(
    r"^[ \t>*_#-]*(?:"
    # reply and forward
    r"-{2,}\s*(?:forwarded|original|replied|begin)\b.*|begin forwarded message\b.*|forwarded (?:message|from|by)\b.*"
    r"|(?:fwd?|fw)\s*:.*|-{2,}.*(?:转发|原始邮件|原邮件).*|[【\[(（]?\s*(?:转[发传贴帖寄载自]"
    r"|转)\s*[】\])）].*|转[发传贴帖寄载](?:自|的|邮件|消息)?\s*:.*"
    r"|[【\[(（]\s*(?:forwarded|fwd|shared|quoted)\b.*"
    # heads of e-mails
    r"|(?:from|subject|reply-to|return-path|message-id|received|发件人|寄件人|寄件者|主题|主旨)\s*:.*"
    # subtitles
    r"|(?:\d{1,2}:)?\d{1,2}:\d{2}(?:[,.]\d{1,3})? *-->.*|webvtt\b.*"
    # tools and roles
    r"|[\[(<【]\s*/?(?:tool|function|system|assistant|user|human|inst|search|web|observation|工具|系统"
    r"|助手|用户|搜索)[\w \t-]*"
    r"(?:结果|输出|消息|返回)?\s*[\])>】:].*"
    r"|(?:tool|function|web|search|api|command|query|fetch|browser|工具|函数|搜索|网页|检索|命令|执行"
    r"|查询)[\w \t-]{0,20}"
    r"(?:results?|outputs?|responses?|calls?|returned|结果|输出|返回)[^:\n]{0,40}:.*"
    r"|(?:assistant|user|human|system|ai|bot|chatgpt|observation|助手|用户|系统|人类|机器人)\s*:.*"
    r"|<\|.*|\[/?INST\].*"
    # logs and chats
    r"|\[?\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[ T,]+\d{1,2}:\d{2}(?::\d{2}.*|[^\n]{0,9}\].*"
    r"|\s+[\w.' -]{1,30}: .*)|\[\d{1,2}[:.]\d{2}(?::\d{2})?(?: ?[ap]m)?[^\]]{0,20}\].*"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?\s+(?!i\b|my\b|we\b)[\w.' -]{1,30}:.*"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d{2}.*"
    rf"|(?:{SHORT_MONTH}) +\d+ +\d\d:\d\d:\d\d .*"
    r"|\[?(?:debug|info|warn(?:ing)?|error|fatal|trace)\](?:\s|:).*"
    r")$",
    re.IGNORECASE,
)
# A line of its own, behind which a text is shown: "OCR result below.", "Bob said this in the meeting", "FYI".
_SHOWN_TEXT = (
    rf"(?:{TEXTS}|ocr|transcription|voicemail|minutes|screenshots?|scans?|screen|manual|handbook|policy|policies"
    r"|guidelines?|wiki|contract|terms|lease|recipe|label|flyer|leaflet|brochure|menu|chapter|doc|file|pdf)"
)
_SHOWN = LazyPattern(
    rf"(?:below|here|attached|following|this) (?:is|are|comes)\b.*\b{_SHOWN_TEXT}\b.*"
    rf"|(?:.*\b)?{_SHOWN_TEXT}\b.*\b(?:below|follows?|following|here|attached|pasted|copied|verbatim|goes|reads?"
    rf"|says?"
    r"|like this|is this)\b.{0,30}"
    r"|(?:(?:the|an?|this|that|some|from|via|off|our|his|her|their|my|one|part of|raw|full|original|whole|last|new"
    r"|latest|[\w-]+'s|company|group|team|meeting|voice|web|news|error|build|product|user) ){0,5}"
    rf"{_SHOWN_TEXT}(?: (?:result|text|output|of|from|by|in|on|at|for|with|i (?:got|found|received"
    rf"|saw))\b[\w' .@#/-]{{0,50}})?\W*"
    rf"|.*(?<!\bi )(?<!\bi've )\b{_TOLD}\b(?: \w+){{0,3}}? (?:this|these|the following|that|it)\b.{{0,40}}"
    r"|.*\b(?:saw|found|got|received|read|came across|stumbled (?:on|upon)|copied|pasting|pasted|copy|paste|came in"
    r"|sending you|forwarding)\b.{0,20}\b(?:this|these|the following|below)\b.{0,60}"
    r"|.*\b(?:this|these|the following)\b.{0,30}\b(?:came|arrived|popped up|showed up|appeared|goes|reads|legit|real"
    r"|true|a scam|phishing|spam)\b.{0,60}"
    r"|(?:fyi|f\.y\.i\.?|see (?:below|this)|below|thoughts|opinions?|comments?|context|source|verbatim|quote"
    r"|excerpt)\W*",
    re.IGNORECASE,
)
_SHOWN_ZH = LazyPattern(
    rf"(?!.*我(?:喜欢|讨厌|不|爱|叫|姓|住|是|有|对)).*(?:(?:收到|看到|刷到|找到|查到|搜到|抄|复制|粘贴|识别|扫描|贴|转)(?:了|的|来|自|到|出来|一下|在下面"
    rf"|如下)*.{{0,10}}"
    rf"|{_TEXTS_ZH}.{{0,6}}|(?:截图|原话|原文|字幕|通告|合同|条款|手册|规定|守则|说明|清单|菜单|传单|朋友圈|公众号|群里|网上|官网|录音|语音).{{0,8}}"
    r"|(?:说|写|讲|发|问|回)(?:的|了)?(?:是)?(?:这样|这么|如下|下面|以下).{0,6}|(?:如下|见下|见下面|在下面|仅供参考))\W*"
)
# What a line about oneself holds, and no line that shows a text.
_TELLS_OF_ONESELF = LazyPattern(
    r"\b(?:i'm|i am|i (?:like|love|hate|prefer|want|need|use|live|work|have|always|never|don't|can't|take|eat"
    r"|drink)|my name|remember|forget)\b",
    re.IGNORECASE,
)
_LONGEST_SHOWN, _LONGEST_SHOWN_ZH, _GREETING = 120, 30, 24
_DIVIDER = LazyPattern(r"[ \t]*(?:[-=_*~#—─═]{3,}|(?:[-*_] ){2,}[-*_])[ \t]*")
_WROTE = LazyPattern(
    r"^\s*(?:on\b.{3,120}|.{1,80}<[^>]*>.{0,40}|.{0,60}\d.{0,60}|于|在.{2,60})\s*(?:wrote|写道)\s*:?\s*$", re.IGNORECASE
)

# A name and what is said under it; the labels are those under which people write of themselves.
_SPEAKER = LazyPattern(r"^[ \t*_-]*(?P<name>[A-Z][\w.'’]{1,20}(?: [A-Z][\w.'’]{0,20}){0,2})\s?:\s+(?P<said>\S.*)$")
_SPEAKER_ZH = LazyPattern(
    r"^[ \t*_-]*(?:[小老阿][\u3400-\u9fff]{1,2}|[\u3400-\u9fff]{1,3}(?:先生|女士|小姐|经理|老师|总|哥"
    r"|姐))\s?:(?P<said>.+)$"
)
_LABELS = LazyPattern(
    r"(?:note|notes|update|ps|fyi|btw|edit|todo|reminder|remember|important|also|context|background"
    r"|facts?|about|me|myself"
    r"|preferences?|decisions?|answer|yes|no|ok|okay|question|summary|info|hint|warning|correction"
    r"|personal|work|home|food"
    r"|diet|health|allerg\w+|habits?|rules?|goals?|plans?|hobb\w+|family|job|name|likes?|dislikes?|first"
    r"|second|third|next"
    rf"|finally|tip|status|news|today|tomorrow|{FULL_WEEKDAY}|reason|result"
    r"|example|idea|wish|request|instructions?|requirements?|hi|hello|hey|thanks|well|so|now|attention|language|style"
    r"|tone|format|schedule|travel|music|sports?|pets?|breakfast|lunch|dinner)\b.*",
    re.IGNORECASE,
)
_SAID_OF_ONESELF = LazyPattern(r"\b(?:i|i'm|i've|my|me|remember|forget|always|never)\b|我|记住", re.IGNORECASE)

# A quotation under somebody's name, a text to work on, the name of a file.
_QUOTATION = LazyPattern(r"[\"“「『]([^\"“”「」『』]{1,2000})[\"”」』]")
_QUOTES = LazyPattern(
    rf"\b(?:{_TOLD}|{TEXTS}|translate|proofread|summari[sz]e|rephrase|rewrite|titled|attachment"
    rf"|file)\b[^.!?\n\"“]{{0,40}}$"
    rf"|(?:{_TOLD_ZH}|{_WORK_ZH}|{_TEXTS_ZH}|[说讲写问喊叫]|标题|附件)[^。！？\n「“]{{0,12}}$",
    re.IGNORECASE,
)
# What somebody or something is called is no quotation: 叫「青梅」.
_NAMING, _LONGEST_NAME = LazyPattern(r"(?:\b(?:called|named)|叫做?|[名取]为|名叫|取名)\s*$", re.IGNORECASE), 16
_WORD = LazyPattern(r"[a-z]{1,12}|[\u4e00-\u9fff]{1,3}", re.IGNORECASE)
_FILE_NAME = LazyPattern(r"\.[a-z0-9]{1,5}$", re.IGNORECASE)

# A last line that asks for work on what stands above it.
_ABOVE = LazyPattern(
    rf"{_POLITE}(?:translate|summari[sz]e|proof-?read|rephrase|rewrite|paraphrase|explain|what (?:does|do)"
    rf"|who (?:wrote|sent)"
    r"|what do you (?:think|make) (?:of|about)|why does)\b.*\b(?:this|these|the above|above|it|that)\b.*"
    rf"|(?:{_POLITE}.*\b)?(?:this|that|the|above)\b.*\b(?:is|was) (?:from )?(?:an?|the) {TEXTS}\b.*"
    rf"|{_POLITE_ZH}(?:以上|上面|上文|前面).*(?:{_TEXTS_ZH}|{_WORK_ZH}).*|{_POLITE_ZH}(?:把)?(?:这|上"
    rf"|以上).{{0,12}}{_WORK_ZH}.*",
    re.IGNORECASE,
)


def strip_quoted_content(text: str) -> str:
    """Return a text up to where somebody else's begins, the line that announces it included; all of it without one."""
    text = without_pasted(_without_quotations(text))
    lines = text.split("\n")
    last = next((index for index in range(len(lines) - 1, -1, -1) if lines[index].strip()), 0)
    if last and len(lines[last]) <= _SHORT and _asks_about_above(lines[last].translate(_FOLD)):
        return lines[last]
    place = 0
    for index, line in enumerate(lines[:_MOST_LINES]):
        cut = _foreign_from(line, has_more=index < last, more=len(text) - place - len(line))
        if cut is None and index < last and _shows(line.translate(_FOLD).strip(), lines[index + 1]):
            cut = len(line)
        if cut is None and _DIVIDER.fullmatch(line[:_LAST_WORDS]) and not _TELLS_OF_ONESELF.search(text[:place]):
            cut = 0
        if cut is not None:
            return text[: place + cut]
        place += len(line) + 1
    return text


def _foreign_from(line: str, *, has_more: bool, more: int) -> int | None:
    """Return the place in a line from which on nothing is the user's, or None. ``more`` characters follow it."""
    if not line.strip():
        return None
    folded = line.translate(_FOLD)
    if _BEGINS.match(folded[:_LAST_WORDS]) or _is_speech(line[:_LAST_WORDS]):
        return 0
    for end in _colons(folded):
        before = folded[max(0, end - _LAST_WORDS) : end]
        if _announces(before, ends_line=not folded[end + 1 :].strip(), more=more):
            return end + 1
    if has_more and not folded.rstrip().endswith(":") and _asks_for_work(folded[-_LAST_WORDS:].strip()):
        return len(line)
    if has_more and _WROTE.match(folded[:_LAST_WORDS]):
        return len(line)
    return None


def _shows(line: str, below: str) -> bool:
    """Return whether a line of its own says that somebody else's text stands below it."""
    if not line or len(line) > _LONGEST_SHOWN or line.endswith((":", ",")) or _OWN.match(line) or is_own_text(line):
        return False
    if not below.strip() or line[-1:] in ".!?" or below[:1].isupper() or not below[:1].isascii():
        *before, sentence = sentences_of(line) or [line]
        if _TELLS_OF_ONESELF.search(line) or any(len(one) > _GREETING for one in before):
            return False
        if _SHOWN.fullmatch(sentence):
            return True
        return len(line) <= _LONGEST_SHOWN_ZH and _SHOWN_ZH.fullmatch(sentence) is not None
    return False


def _colons(line: str) -> Iterator[int]:
    for number, found in enumerate(_COLON.finditer(line)):
        if number > 20:
            return
        yield found.start()


def _announces(before: str, *, ends_line: bool, more: int) -> bool:
    """Return whether the words before a colon announce somebody else's text; inline they must say so more plainly."""
    sentence = _last_sentence(before)
    if _OWN.match(sentence + ":") or is_own_text(sentence):
        return False
    if _REQUEST.search(sentence) and (
        ends_line or _POINTED.search(sentence) or _WORKED.match(sentence) or len(sentence) < 60
    ):
        return not _is_label(sentence)
    if _POINTED_ZH.search(sentence) or _WORKED_ZH.match(sentence) or _REPORTS_ZH.search(sentence):
        return True
    if ends_line and _WORK_FIRST_ZH.match(sentence):
        return True
    if _REPORTS.search(sentence) or _HANDED.search(sentence):
        return True
    if not ends_line:
        return re.search(rf"{_TEXTS_ZH}.{{0,4}}(?:如下|是|为)$|(?:以下|下面).*{_TEXTS_ZH}", sentence) is not None
    if _PRESENTED.search(sentence) or re.search(_TEXTS_ZH, sentence):
        return True
    of_the_user = _OF_THE_USER.search(sentence) is not None
    return not of_the_user and _ANNOUNCED_LIST.search(sentence) is not None and more > _LIST


def _is_label(sentence: str) -> bool:
    """Return whether a line is a word or two that may be a label of the user's own list: "Is", "Do", "See"."""
    return (
        re.fullmatch(r"(?:is|are|do|does|what is|what's|see|read|check|rate|format|edit)", sentence, re.IGNORECASE)
        is not None
    )


def _asks_for_work(line: str) -> bool:
    sentence = _last_sentence(line)
    if _OWN.match(sentence):
        return False
    if _REQUEST.search(sentence) and _POINTED.search(sentence):
        return True
    if _HANDED.search(sentence) and len(sentence) < _LAST_WORDS // 2 and sentence.rstrip()[-1:] not in ".!":
        return True
    return (
        (_WORKED.match(sentence) is not None and not _is_label(sentence.rstrip("?.! ")))
        or _WORKED_ZH.match(sentence) is not None
        or _POINTED_ZH.search(sentence) is not None
        or _SAYS_ZH.search(sentence) is not None
        or _LOOK.match(sentence) is not None
        or (_REQUEST.search(sentence) is not None and _WORKED_UP.search(sentence) is not None)
    )


def _asks_about_above(line: str) -> bool:
    return _OWN.match(line.strip()) is None and _ABOVE.fullmatch(line.strip()) is not None


def _is_speech(line: str) -> bool:
    chinese = _SPEAKER_ZH.match(line.translate(_FOLD))
    if chinese is not None:
        return _SAID_OF_ONESELF.search(chinese["said"]) is not None
    found = _SPEAKER.match(line)
    return found is not None and not _LABELS.match(found["name"]) and _SAID_OF_ONESELF.search(found["said"]) is not None


def _last_sentence(text: str) -> str:
    return (sentences_of(text) or [text.strip()])[-1]


def _without_quotations(text: str) -> str:
    """Return a text without what it quotes from somebody, and without the names of files."""
    looked_at = count()

    def kept(found: re.Match[str]) -> str:
        if next(looked_at) >= _MOST_QUOTATIONS:
            return " "
        before = text[max(text.rfind("\n", 0, found.start()) + 1, found.start() - 80) : found.start()].translate(_FOLD)
        is_word = _WORD.fullmatch(found[1]) is not None  # 别用“您”: one word says nothing on anybody's account
        if is_word or (len(found[1]) <= _LONGEST_NAME and _NAMING.search(before)):
            return found[0]
        long = len(found[1]) >= (_QUOTATION_CHARS if found[1].isascii() else _QUOTATION_CHARS_ZH)
        quoted = _FILE_NAME.search(found[1]) or (
            (long or _QUOTES.search(before)) and not (_OWN.match(before.strip()) or is_own_text(before))
        )
        return " " if quoted else found[0]

    return _QUOTATION.sub(kept, text)

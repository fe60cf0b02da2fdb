"""Texts of others in a message that nobody announces, known by their form: a titled text, a letter, a dialogue, data.

Of a message in paragraphs those that have such a form are nobody's word, and so is all beside them but a last short
paragraph that asks.
"""

import re
from collections.abc import Sequence

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEK, FULL_WEEKDAY
from nanobot_memory_plugins.core.text.words import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import SIMPLIFIED_OF

_FOLD = SIMPLIFIED_OF | str.maketrans("：？　’！，", ":? '!,")
_MOST_PARAGRAPHS = 200
# A line is looked at so far.
_LINE = 200
# The paragraph below a pasted text that is the user's.
_SHORT = 160
# What has a title is a text from so many characters on.
_TEXT, _TITLE, _TITLE_ZH = 120, 100, 30

TEXTS = (
    r"(?:e-?mails?|mails?|messages?|letters?|articles?|(?:web)?pages?|web ?sites?|logs?|output|traceback|stack ?trace"
    r"|documents?|papers?|reviews?|transcripts?|posts?|comments?|tweets?|threads?|chats?|conversations?|dialogues?"
    r"|texts?|paragraphs?|passages?|sentences?|excerpts?|quot(?:e|es|ation)|snippets?|poems?|lyrics"
    r"|essays?|stories|story"
    r"|newsletters?|announcements?|notifications?|results?|responses?|repl(?:y|ies)|sms|whatsapp|slack|telegram|dms?"
    r"|captions?|subtitles|abstracts?|statements?|prompts?|readme|press release|ads?|blurbs?|bios?)"
)
"""Nouns for what somebody has written."""
_ASSISTANT = r"(?:assistant|bot|nanobot|ai|claude|chatgpt|gpt|diary|computer|there|again|助手|机器人|小助手|AI)"
# A title: no sentence, nobody's word, and no greeting or label of one's own list.
_NO_TITLE = LazyPattern(
    r"[.!?。！？;；,:…~～]\W*$|\b(?:i|i'm|im|i've|me|my|we|our|you|your|please|can|could|hi|hey|hello|hallo|thanks|ok"
    r"|okay|so|question|help|about"
    r"|update|context|background|goal|task|facts?|notes?|todo|preferences?|remember|yes|no)\b|[我你您咱俺请]"
    r"|帮|^(?:好|嗨"
    r"|在吗|问题|背景|关于|备注)",
    re.IGNORECASE,
)
_PUBLISHED = LazyPattern(
    r"\b(?:posted (?:by|on)|min read|comments?\)?|chapter \w+|exhibit \w+|accepted answer|score \d|page \d+"
    r"|episode \d+|ch\. ?\d|readme|agents\.md"
    r"|minutes|transcript|last edit|handover|vol\. ?\d|issue \d|rev\. ?\d|version \d|v\d+\.\d"
    r"|all rights reserved|press release|abstract"
    r"|table of contents|faq|terms (?:of|and)|licen[cs]e|copyright|©)\b|^(?:r/|u/)\w+"
    r"|第[一二三四五六七八九十百\d]+[章节回条集期幕课]|发表于|发布(?:于)?:|原创|节选|浏览:?\d|阅读 ?\d|范本"
    r"|范文|样本|须知|守则|手册|规范|章程|公约|启事|告示|字幕组|听写|整理"
    r"|遗稿|材料|讲述人|记者连线",
    re.IGNORECASE,
)
_ENDS_A_SENTENCE = LazyPattern(r"[.!?;,。！？；，][\"'”’)）]*\s*$")
# A line of data, of a program, a review, or a notice in brackets.
_DATA = LazyPattern(
    r"\s*(?:[{\[]\s*(?:[\"'{\[]|$)|//|/\*|<!--|</?\w+|#!|\$ \S|curl |[★☆⭐]{2,}|【[^】]{2,30}】|.{0,16}(?:范本"
    r"|范文|样本"
    r"|样例|模板)[^:]{0,10}:|(?:error|warn|fatal"
    r"|traceback|exception|npm err!)\b.{0,60}|={3,}|-{3,}\s*\S+\s*-{3,})",
    re.IGNORECASE,
)
_ADDRESSED = LazyPattern(
    rf"\s*[\"“「'(（]?(?:dear (?!{_ASSISTANT}\b)(?:[\w.'’/&-]+ ?){{1,6}}[,:!.]|(?:hi|hello|hey|good morning"
    rf"|morning) (?:all|team|everyone|everybody|folks|both|guys|y'all)\b[,:!. ]"
    r"|to whom it may concern|(?:尊敬的|亲爱的|敬爱的)(?!助手).{1,16}[:,!]|各位.{1,10}(?:[:,!]|大家好|请)|大家好)",
    re.IGNORECASE,
)
_TO_ASSISTANT = LazyPattern(
    rf"\s*(?:(?:dear|hi|hello|hey|ok)[, ]+|尊敬的|亲爱的|你好,?)?(?:(?:my|the) )?{_ASSISTANT}\b", re.IGNORECASE
)
# What is made public: a notice, a post on a board.
_NOTICE = LazyPattern(
    r"\b(?:we're hiring|we are hiring|apply (?:at|via|now)|aita|wibta|tifu|edit ?\d?: |dm for)\b|微信同号|诚招"
    r"|诚聘|招租"
    r"|包邮|非诚勿扰",
    re.IGNORECASE,
)
# With a name: an assistant may have one, too, so that more than that must show it.
_NAMED = LazyPattern(
    rf"\s*(?:(?:[Hh]i|[Hh]ey|[Hh]ello"
    rf"|[Mm]orning) (?!(?i:{_ASSISTANT})\b)[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+)?(?:[,!:]|\s+[-–—])"
    rf"|(?!(?i:hi|hey|hello|dear|morning|thanks|ok|okay|yes|no|so|well|btw"
    rf"|{_ASSISTANT})\b)[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?,\s*$"
    r"|(?!助手|你)[\u3400-\u9fff]{1,4}(?:老师|同学|先生|女士|小姐|经理|总|主任|医生|阿姨|叔叔|师傅|老板|哥"
    r"|姐)?(?:您好|你好|好)[:,!])"
)
_SIGNED = LazyPattern(
    r"(?:^|[.!?。！…)\s])(?:(?:best|kind|warm|many)(?:est)? (?:regards|wishes)|regards|sincerely(?: yours)?"
    r"|yours(?: (?:sincerely|truly|faithfully))?|cheers|love|thanks|thank you|respectfully|gru(?:ß|ss)|best)"
    r",\s*(?:[-–—]?\s*[A-Z][\w.'’-]*[ ]?){1,4}\s*$|sent from my \w+|此致\s*$|敬礼!?\s*$|(?:敬上|谨上|谨启)\s*$"
    r"|\s[\u3400-\u9fff]{2,6} ?(?:刘|王|张|李|陈|赵|杨|黄|吴|周)(?:经理|老师|主任|总)\s*$",
    re.IGNORECASE,
)
_SPEAKER = LazyPattern(
    r"\s*(?P<name>[^\s*+•#–—\-:：,，。.!?？！\"“「(（\d][^:：,，。.!?？！\"“「]{0,18}?)\s?[:：]\s?(?P<said>\S.*)"
)
_OWN_LABEL = LazyPattern(
    r"(?:note|notes|ps|fyi|btw|edit|todo|reminder|remember|important|also|context|about|me|myself|my .*|our .*|i"
    r"|we|question|q|answer|a|name|age|job|work|home|diet"
    r"|food|allerg\w+|hobb\w+|likes?|dislikes?|goals?|plans?|budget|first|second|third|option \w+|pros?|cons?"
    rf"|step \d*|day \d*|{FULL_WEEKDAY}"
    r"|住址?|姓名|名字|年龄|职业|工作|爱好|饮食|过敏|生日|地址|电话|目标|问题|背景|预算|备注|记住|另外|还有"
    rf"|我.*|请.*|{CHINESE_WEEK}.)$",
    re.IGNORECASE,
)
# What the user has written is the user's own, to whomever it went: "Here is the mail I wrote to my doctor:".
_OWN_TEXT = LazyPattern(
    rf"\b(?:{TEXTS}|notes?)\b[^.!?]{{0,40}}?\b(?:that |which )?(?:i|we)(?:'ve| have)?(?: just| already)?"
    r" (?:wrote|written|sent|am sending|drafted|posted|typed|left)\b"
    rf"|\b(?:i|we)(?:'ve| have)?(?: just)? (?:wrote|drafted|sent)\b[^.!?]{{0,40}}\b{TEXTS}\b"
    rf"|\bmy (?:own )?{TEXTS} to\b"
    r"|\bmy (?:own )?(?:diary|journal|essay|speech|cv|resume|cover letter|application|draft|bio)\b"
    r"|\byes,? (?:it's )?mine\b"
    r"|我(?!收)[^，。,.]{0,8}(?:写|发|回|寄)(?:给|了|的)[^，。,.收]{0,16}(?:邮件|信|消息|短信|微信|便条|留言)"
    r"|我(?:自己)?手?写的"
    r"|本人(?:手|亲)?写|拙[作文]|亲笔写?的?|自己写的|写的随笔|我的(?:日记|作文|简历|发言稿|自传|自荐信|随笔)",
    re.IGNORECASE,
)
_CERTAINLY_OWN = LazyPattern(
    r"\bwhat (?:i|we)(?:'ve| have|'m| am)?(?: just| also)? (?:wrote|written|sent|sending|posted|posting|answered"
    r"|replied|told|typed|left|drafted|submitted)\b"
    r"|^\W*(?:just )?(?:wrote|sent|posted|submitted) (?:this|the following)\b"
    r"|我(?!收)[^，。,.他她对]{0,8}(?:写|发|回|寄)(?:给|到)[^，。,.收]{1,16}的$",
    re.IGNORECASE,
)
_NOT_OWN = LazyPattern(
    r"\b(?:answer(?:ed|s)?|repl(?:y|ies|ied)|response|got|received|back)\b|收到|回复|回信|他|她|对方", re.IGNORECASE
)
_TALKS = LazyPattern(r"\b(?:you|your|u)\b|\?|[你您]|哈哈", re.IGNORECASE)
_SPEAKERS = 2
_ASKS_FOR_WORK = LazyPattern(
    r"\b(?:translate|proof-?read|summari[sz]e|rewrite|rephrase|reword|grammar|typos?|tone|valid|parses?"
    r"|the author|narrator|the (?:text|passage|poem|letter|mail|e-?mail|review|post|ad|sign|note|last (?:line"
    r"|sentence))"
    r"|this (?:text|passage|poem|letter|mail|e-?mail|review|post|ad|legit|real)|what (?:does|did) (?:he|she|they"
    r"|it) mean|(?:reply|answer|respond)(?: to)? (?:him|her|them|this|it))\b"
    r"|那句|这句|这段|那段|这篇|这首|[几两三四]句|原文|作者|翻译|翻成|译成|润色|语病|格律|平仄|标题|通顺"
    r"|什么典|什么梗|写得|对白|台词",
    re.IGNORECASE,
)


def without_pasted(text: str) -> str:
    """Return a message without what is somebody else's text by its form; all of it where nothing is."""
    filled = [one for one in re.split(r"\n[ \t]*\n", text, maxsplit=_MOST_PARAGRAPHS) if one.strip()]
    if (
        not filled
        or _TO_ASSISTANT.match(filled[0])
        or any(map(is_own_text, (filled[0][:_SHORT], filled[-1][-_SHORT:])))
    ):
        return text
    count = len(filled)
    if not (_is_document(filled) or any(_is_pasted(one, count) for one in filled) or _is_worked_on(filled)):
        return text
    ends = (filled[-1].strip(), filled[0].strip()) if count > 1 else ()
    return next((one for one in ends if len(one) <= _SHORT and _asks(one) and not _is_pasted(one, count)), "")


def _is_document(paragraphs: Sequence[str]) -> bool:
    """Return whether the first line is a title, and a text stands below it."""
    lines = paragraphs[0].strip().split("\n") if paragraphs else [""]
    title, below = lines[0].strip().translate(_FOLD)[:_LINE], sum(map(len, paragraphs)) - len(lines[0])
    if lines[0].startswith("#") and below > _TITLE:
        return True
    heads = [line.translate(_FOLD)[:_LINE] for line in lines[:3] if not _ENDS_A_SENTENCE.search(line[-4:])]
    if any(map(_PUBLISHED.search, heads)) and below > (_TITLE if title.isascii() else _TITLE_ZH):
        return True
    alone = len(lines) == 1 and len(paragraphs) > 1
    return alone and len(title) <= _TITLE and below >= _TEXT and " " in f"{title} " and not _NO_TITLE.search(title)


def _is_pasted(paragraph: str, paragraphs: int) -> bool:
    """Return whether a paragraph is data, a letter to somebody, or talk of several."""
    lines = [line[:_LINE] for line in paragraph.strip().split("\n")]
    folded = [line.translate(_FOLD) for line in lines]
    if _DATA.match(folded[0]) or _ADDRESSED.match(folded[0]) or any(map(_NOTICE.search, folded)):
        return True
    is_signed = _SIGNED.search(paragraph.strip()[-_LINE:]) is not None
    if _NAMED.match(folded[0]) and (paragraphs > 1 or is_signed):
        return True
    if is_signed and (len(lines) > 1 or paragraphs > 1):
        return True
    spoken = [
        found for line in folded if (found := _SPEAKER.match(line)) and not _OWN_LABEL.match(found["name"].strip())
    ]
    talks = len({one["name"] for one in spoken}) < len(spoken) or any(_TALKS.search(one["said"]) for one in spoken)
    return talks and len(spoken) >= _SPEAKERS and 2 * len(spoken) > len(lines)


def _is_worked_on(paragraphs: Sequence[str]) -> bool:
    """Return whether the last paragraph asks for work on a text, which then stands above it."""
    if len(paragraphs) < 2:
        return False
    last = paragraphs[-1].strip().translate(_FOLD)
    return len(last) <= _SHORT and _asks(last) and _ASKS_FOR_WORK.search(last) is not None


def _asks(text: str) -> bool:
    from nanobot_memory_plugins.core.text.reading import reading_of  # it reads this module's texts

    return reading_of(text).asks


def is_own_text(sentence: str) -> bool:
    """Return whether a sentence announces a text that the user has written."""
    sentence = sentence.translate(_FOLD)
    if _CERTAINLY_OWN.search(sentence.rstrip(" :")):
        return True
    return _OWN_TEXT.search(sentence) is not None and _NOT_OWN.search(sentence) is None

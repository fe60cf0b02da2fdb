"""What a message answers to what was asked or offered before it: yes, no, or something else.

It is read part by part: "good question, no" is no, "fine, but not before Monday" is yes. Patterns see what those of
`questions` see, one part at a time.
"""

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.negation import denies
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# So much of a message answers, and so many parts of it.
_LONGEST, _PARTS = 240, 6
_PART = LazyPattern(
    r"[,.!?;:\n…。、]+|[—–]|--|\s-\s|\s(?=(?:but|though)\s)|(?<=[\u3400-\u9fff])\s|(?=但是?(?!愿)|(?<!只)不过|可是)"
)
_FILLERS = LazyPattern(
    r"^(?:(?:oh|ah|well|um+|uh+|hm+|a?ha(?:ha)*|lol|so|then|and|unfortunately|sadly|luckily|honestly|actually|i guess"
    r"|my|god|man|dude|but|though)\b[ ']*)+|^(?:哈+|哦+|噢|啊+|呃|额|那个|其实|确实|老实说|说实话)+(?=.)"
)
_END = r"(?=\W*$| (?:and|then|thanks|thank you|please|by me|with me|for me|enough|to go|to me|about that|indeed)\b)"
_SOFT_ZH = "(?:的|呀|啊|吧|嘞|滴|哒|哦|喔|啦|咯|呢|嘛|哈|极了|得很|了)*+"

AFFIRMS = Words(
    (
        Word(
            r"^(?:yes|yeah|yep|yup|aye|sure|ok(?:ay)?|do (?:it|that|so)|go (?:ahead|for it)|agreed|deal|gladly|indeed"
            r"|exactly|correct|alright|all right)\b(?! (?:and no|not)\b|-)",
            "yes in the evening",
            "yes and no",
        ),
        Word(
            r"^(?:of course|definitely|absolutely|certainly|totally)\b(?! not\b)|^i'd (?:like|love) (?!not)"
            r"|^(?:please|pls)\b(?! (?:don't|do not|not?|never|stop|wait)\b)|^let's\b(?! not\b)|^why not$"
            r"|^i(?:'m| am) afraid so|^(?:i|we) (?:am|do|did|have|was|are)$",
            "absolutely",
            "absolutely not",
        ),
        Word(
            r"^(?:right|good|great|fine|perfect|true|lovely|excellent|wonderful|nice|super|awesome|cool)" + _END,
            "great",
            "great scott",
        ),
        Word(
            r"^(?:good|great|fine|perfect|nice|excellent|lovely) (?:idea|plan|call|thinking|suggestion|point)\b"
            r"|^(?:that |it )?(?:sounds?|looks|would be|is) (?:\w+ )?(?:good|great|perfect|fine|right|like a plan"
            r"|lovely|nice|wonderful|excellent|ok|okay|amazing|awesome)\b|^(?:that |it )?works\b",
            "great idea",
            "great question",
        ),
        Word(
            r"^that'?s (?!not\b|no\b|wrong|never|nothing|false|untrue|too\b|odd|weird|funny|silly|private|enough\b"
            r"|kind\b|nice of|an? (?:\w+ )?(?:question|lie|joke|stretch)|what i (?:don't|didn't))",
            "that's right",
            "that's wrong",
        ),
        Word(
            f"^(?:(?:对(?![了我你不])|是|好|行|可以|没错|没问题|没毛病|当然|同意|成|需要|有|得(?!了)|系|冇问题|中|必须|嗯+|ok)"
            f"{_SOFT_ZH}(?:$|(?=[那就请帮谢也还很挺从一你我]|麻烦|非常|特别))(?!一点)|好(?:主意|办法|提议|想法)|要(?![是不么看命死吗])|那?就(?:这|那|它|按|用|选|订|是)"
            "(?![不没])|那就(?![不没算别]))",
            "行",
            "行李",
        ),
    )
)
"""How a part of a message affirms what was asked before it."""
DECLINES = Words(
    (
        Word(
            r"^(?:(?:hell|god|heavens|please|good|oh) )*(?:no|nope|nah|don't|do not|not|never|neither|rather not)\b"
            r"(?! (?:problem|worries|rush|hurry|doubt|only)\b)|^(?:i'd|i would) rather not\b|^let's not\b"
            r"|^i don't think so"
            r"|^(?:that |it )?sounds (?:\w+ )?(?:awful|bad|boring|expensive|horrible|silly|terrible|weird|wrong)\b",
            "no, thanks",
            "november",
        ),
        Word("^(?:不|先不|先别|别|没|唔|算了|暂时不)(?!错|问题|毛病|急|客气|用谢)", "先不用", "不错"),
    )
)
"""How a part of a message declines."""
# A no behind a yes is all of its part: "ok, no", but not "yes, no peanuts please".
_NO = LazyPattern(
    r"(?:(?:but|though|although|actually|well|still|maybe|sorry|then|and|just|really|i'm afraid"
    r"|on second thought)\b ?)*"
    r"(?:no|nope|nah|never(?: mind)?|no (?:thanks|thank you|need|way|chance|i\b.*|we\b.*|it\b.*|that.*)|not"
    r"|not (?:really|now|yet|today|tonight|for me|this time|at all|quite|right now|necessary|needed|interested|true"
    r"|that i know(?: of)?|so|me|him|her|it|that)|(?:i'd |i would )?rather not|don't(?: bother| do (?:it|that))?"
    r"|let's not(?: do (?:it|that))?|i (?:don't|do not) (?:think so|want (?:to|it|that)|need (?:it|that))"
    r"|i(?:'m| am) not|i (?:don't|do not|can't|won't|haven't)|it(?:'s| is)(?:n't| not)|wait|hold on|hang on|stop)"
    r"|(?:但是?|不过|可是|其实|还是|我觉得|可惜|真的|并|倒|也|暂时|先|现在|就|我|这个?|那|的确)*"
    r"(?:不(?:是|用|要|行|对|了|必|想|需要|可以|同意|好|能)?|没有?|算了|免了|别|不要紧不用)(?:了|的|啦|吧|啊|呀|这样|这么做|谢谢?|订|弄)*"
)
_TAKES = Words(
    (
        Word(
            r"\b(?:let's go with|do it|go with|take (?:it|that)|i'll take|that one|go ahead|yes)\b",
            "let's go with that one",
            "let us go",
        ),
        Word("就(?:这|那|它|按|用|选|订)|可以[,.!]*$|^\\W*(?:对|是的|没错|行)", "就这个", "这个"),
    )
)
"""How a message takes up what was only said, not asked."""
# What stands before a yes behind it: few words, "good guess, yes".
_FEW = 24


def affirms(answer: str, asked: str = "") -> bool:
    """Return whether a message says yes to what was asked before it."""
    return _verdict(answer, asked) is True


def declines(answer: str, asked: str = "") -> bool:
    """Return whether a message says no to what was asked before it, or nothing that is no denial."""
    verdict = _verdict(answer, asked)
    return verdict is False or (verdict is None and denies(answer))


def takes_up(answer: str) -> bool:
    """Return whether a message takes up what was said, not asked, before it."""
    return _verdict(answer, "") is not False and _TAKES.search(fold(answer)) is not None


def _verdict(answer: str, asked: str) -> bool | None:
    """Return whether a message says yes or no; None where it says neither."""
    is_yes = None
    denied = denies(asked)
    parts = [one.strip(" '\"()") for one in _split(fold(answer[:_LONGEST]))]
    for part in [one for one in parts if one][:_PARTS]:
        plain = _FILLERS.sub("", part).strip()
        if is_yes:
            if not denied and _NO.fullmatch(plain or part):
                return False
            continue
        if DECLINES.search(plain):
            return False
        found = AFFIRMS.search(plain)
        if found is not None:
            is_yes = True
            rest = plain[found.end() :].strip(" '")
            if rest and not denied and _NO.fullmatch(rest):
                return False
        elif len(plain) > _FEW:
            return None
    return is_yes


def _split(folded: str) -> list[str]:
    parts, at = [], 0
    for found in _PART.finditer(folded):
        parts.append(folded[at : found.start()])
        at = found.end()
    return [*parts, folded[at:]]

"""How a clause asks, in English and Chinese: rows of patterns, each with a text that asks and one that does not.

Patterns see small letters, simplified characters and narrow punctuation. `OPENING` ones stand at the beginning of a
clause, behind words like "so" and "hi", `ANYWHERE` ones wherever in it, `CLOSING` ones at its end.
"""

from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

PERSON = r"(?:i|u|you|we|he|she|it|they|there|anyone|anybody|someone|everyone)"
SUBJECT = (
    rf"(?:{PERSON}|this|that|these|those|any|all|some|everything|anything|both|my|our|your|his|her|their|its|the|an?)"
)
BE = r"(?:is|are|am|was|were)(?:n't)?"
AUXILIARY = (
    rf"(?:{BE}|ain't|do|does|did|has|have|had|can|could|should|shall|may|might|must|will|would"
    r"|(?:do|does|did|has|have|had|ca|could|should|must|wo|would)n't)"
)
_WH = r"(?:what|why|how|when|where|who|whom|whose|which)"
# What may stand between "how many", "which", "what" and the verb: a noun, and no subject of the speaker's own.
_NOUN = (
    r"(?!(?:i|you|we|he|she|it|they|my|your|our|his|her|their|the|this|that|me|us|him|them|an?|is|are|was|were|in)\b)"
    r"[\w'+#-]+"
)

OPENING = Words(
    (
        Word(
            rf"{_WH}(?:'s|'re|'d|'ll)\b|(?:what|where|how|who)s (?!{PERSON}\b)|r u\b",
            "what's on today",
            "the what's-new page",
        ),
        Word(
            rf"(?!which (?:is|was) (?:why|what|how|when|where|because)\b){_WH} {AUXILIARY}\b",
            "how do i reverse a list",
            "how i hate it",
        ),
        Word(
            rf"(?:which|what|how|whose) (?:{_NOUN} ){{1,3}}{AUXILIARY}\b",
            "how many eggs do i need",
            "what i need is rest",
        ),
        Word(
            r"(?:which|what|how) (?:one|many|much|long|often|far|old|big|kind|sort|time"
            r"|of (?:the|these|those|my|our))\b",
            "which one to take",
            "what a day",
        ),
        Word(
            r"(?:who|what|which(?: one)?) (?!is\b|was\b|'s\b|has\b|this\b|as\b)(?:\w+(?:ed|s)|wrote|made|broke"
            r"|came|went|got|took|ate|won|said)\b"
            r"(?!.*\b(?:is|are|was|were|will)\b)",
            "who wrote that book",
            "what matters to me is the price",
        ),
        Word(rf"{_WH} to\b", "how to reverse a list", "howto pages"),
        Word(
            r"(?:what|how) (?:about|if|come|else)\b|why not\b", "what about the red one", "why nothing works is clear"
        ),
        Word(rf"{_WH}\W*$", "why", "whyever"),
        Word(rf"{BE} {SUBJECT}\b", "is it cold", "was in rome"),
        Word(
            r"(?:is|are|was|were|does) (?!\w+ing\b|not\b|in\b|at\b|on\b|from\b|to\b|so\b|very\b|really\b|also\b"
            r"|now\b|just\b|with\b"
            r"|born\b|still\b|back\b|out\b|off\b|up\b|about\b|always\b|never\b|only\b|too\b|what\b|why\b|how\b"
            r"|because\b|no\b)[\w'.-]+ \w",
            "is ibuprofen safe",
            "was in rome last week",
        ),
        Word(
            rf"(?!(?:can|could|would) (?:you|u)\b)(?!did (?:it|that|this)\W*(?:,|$))(?!had (?!{PERSON}\b))"
            rf"(?:do|does|did|have|has|had|can|could|should|shall|must|would"
            r"|(?:do|does|did|have|has|had|ca|could|should|would)n't|ain't)"
            rf" (?:{PERSON}|this|that|these|those|any(?:one|body|thing)?|my|our|your|his|her|their)\b"
            r"(?!.*\b(?:already|today|yesterday)\W*$)",
            "do you know",
            "do not know",
        ),
        Word(
            r"(?:does|did|has|can|should|could|would) the (?:\S+ ){2,}", "did the page say so", "did the dishes already"
        ),
        Word(rf"(?!will you\b)(?:will|may|might|won't) {SUBJECT}\b(?! is\b)", "will it rain", "may 5 is my birthday"),
        Word(
            r"(?:any (?:ideas?|thoughts?|tips?|reasons?|ways?|risks?|danger|problems?|issues?|alternatives?|good"
            r"|chance|news|advice|recommendations?|suggestions?)|any(?:one|body) (?:know|here|else))\b",
            "any idea why",
            "any ship",
        ),
        Word(r"(?:would|do) you (?:like|mind|know|think)\b", "would you like tea", "as you like"),
        Word(
            rf"(?:(?:can|could|will|would) you )?(?:please |just )?(?:tell me|let me know|show me"
            rf"|explain(?: to me)?|check|verify|confirm|find out|look up|see|ask \w+)"
            rf"(?: for me| again)? (?:if|whether|that|{_WH})\b",
            "tell me whether it is locked",
            "tell me a story",
        ),
        Word(
            r"(?:can|could|will|would) you (?:please |just |also |ever |even )?"
            r"(?:know|see|hear|like|prefer|think|believe|eat|drink|speak|swim|understand|mean|feel"
            r"|remember(?! (?:that|to)\b)|recommend|suggest|confirm|verify|check (?:if|whether)|be|have|need)\b",
            "could you recommend a book",
            "could you write a book",
        ),
        Word(r"难道|唔通|请问|想问|(?:我)?想(?:知道|请教|了解)|问一?下|好奇", "请问几点", "不请自来"),
        Word(
            "(?:你们?|您)?(?:能不能|可以|能|可否)?告诉(?:我|一下).*(?:什么|哪|谁|怎么|为什么|多少|几|吗|没有)",
            "告诉我几点开会",
            "告诉我一个故事",
        ),
        Word("(?:请|你)?(?:再)?(?:确认|核实|查证|核对)一?下?", "确认一下地址", "我确认过了"),
    )
)
ANYWHERE = Words(
    (
        Word(
            r"\b(?:i (?:want|need|would like|like)|i'd like|like|love|want|trying|curious) to (?:know|find out"
            r"|understand|learn) (?:if|whether|that|what|why|how|when|where|who|which)\b"
            r"|\b(?:wonder|wondering|unsure|curious|doubt) (?:if|whether|what|why|how|when|where|who|which"
            r"|that it is)\b"
            r"|\b(?:do|did) you (?:know|remember|see|think|believe|recall)\b",
            "i wonder if it is open",
            "i know what it is",
        ),
        # 是不是, 会不会, 有没有, 喜不喜欢, but not "now and then"; Cantonese 係咪, 有冇.
        Word(r"(?!时不时|动不动)(?P<verb>[\u4e00-\u9fff])[不没冇唔未](?P=verb)", "你喜不喜欢", "我时不时去"),
        Word("系咪|有[冇无](?!所谓)", "系咪真的", "关系密切"),
        Word("是否|能否|可否", "是否改期", "是的"),
    )
)
CLOSING = Words(
    (
        Word(r"(?<![什这那怎多要干])么$", "好么", "吃点什么"),
        Word("[吗咩]$", "你知道吗", "吗啡"),
        # 呢 behind what is going on only tells of it: 我正忙着呢, 还早呢.
        Word("^(?!.*(?:正|在|还|才|都|可|着|谁[让叫]).{0,12}呢$).*(?<![着了早])呢$", "那个呢", "我正忙着呢"),
        Word("了没有?$", "吃了没", "我没有"),
        Word(
            "^(?:你|您|咱们?|这|那|他|她|它)?(?:还|都)?(?:能|会|可以|记得|知道|认识|有)[^,]{1,20}(?<![说行就都也还偏可好是要能会想])不$",
            "你能记住这个不",
            "我说不",
        ),
    )
)
TAGS = Words(
    (
        Word(
            r"(?:right|correct|true|huh|eh|yes or no|is (?:that|it|this) (?:so|right|true|correct|real)"
            r"|(?!(?:can|could|will|would) you)(?:am|are|is|was|were|do|does|did|have|has|ca|can|could|wo|will"
            r"|would|should)(?:n't)? (?:i|you|we|he|she|it|they|that))",
            "right",
            "all right then",
        ),
        Word(
            "(?:对|是|没错|真的|是真的|不是)(?:吗|吧|么)|对不对|是不是|是不是真的|是真是假|没错吧|系咪", "对吧", "对的"
        ),
    )
)
"""What closes a sentence and asks for a yes to all before it."""

ENDING = LazyPattern(r"[?吗呢]\W*$")
"""With which most of what asks ends."""

_WORD = LazyPattern(
    "什么|啥|是[^,是]{1,10}还是|哪[儿里个些天年位家种部]?|谁|怎[么样]|咋|如何|为何|多少|何时|几时|点解|边[个度位]"
    "|多(?:久|大|长|远|高|重|快|贵)(?![的了点])|(?<![好十上前后第这那过])(?<!以下)(?<!下面)几(?=[个点次岁号月天年时位种条本只块钱路楼层张口分页])"
)

NOT_ASKING = Words(
    (
        Word(
            "(?:什么|啥|谁|哪[儿里个]?|怎么样?|多少|几[个点])[\\w ]{0,6}?(?:(?<![成首京古])都|也)",
            "我什么都吃",
            "什么时候去成都",
        ),
        Word("(?:没有?|无)(?:什么|啥|谁|哪)|(?<![是,])不是(?:什么|啥)", "我没什么爱好", "没看什么"),
        Word("无论|不管|不论|任凭|哪怕|什么的|说什么也|管[他它她](?:什么|啥|谁|多少|几)", "无论多少钱", "多少钱"),
        Word("[点些]什么$|(?<!为)什么(?:[\\w]{1,4})[啊呀]$", "我想吃点什么", "你要什么"),
        Word(
            "^(?:但是?|不过|可是|其实|而且|所以)?(?:没有?人|大家|我们?|咱们?|他们?|她们?|它)?(?:都|也|还|已经?|终于|真|早就|一直|才|刚|又|完全|从来|总是?|老|实在"
            "|根本)*(?:不|没)?"
            "(?:知道|晓得|明白|懂得?|了解|清楚|忘[了记]?|记得|学会|学过|决定|发现|理解|告诉|讨厌|喜欢|介意|在乎|想起)",
            "我知道他为什么生气",
            "你知道他为什么生气",
        ),
        Word(
            "^(?!.*[你您](?:们)?(?:还|都|也)?[不没]?(?:知道|晓得|明白|清楚|记得))[^,?谁哪]{1,10}?(?:不|没)(?:知道|晓得|明白|清楚|想到|记得)"
            "(?:是|到底|究竟)*(?:为)?(?:什么|啥|怎[么样]?|咋|谁|哪|多少|几)",
            "豆豆不知道为什么一吃就肿",
            "豆豆为什么不吃",
        ),
        Word("多少(?:有点|会|懂|能|还是|有些|算)", "我多少懂一点", "你有多少"),
        Word("谁[让叫]我", "谁让我胖呢", "谁找我"),
        Word("(?<!是)谁知", "谁知他不来", "你是谁知道吗"),
        Word("几乎|几何|几个月[前后]|几天[前后]|几年[前后]", "我几乎不喝", "有几个"),
    )
)
"""Where the Chinese words of questions ask for nothing."""

HESITATIONS = Words(
    (
        Word(
            r"^(?:what can i say|how (?:do|should|shall|can) i (?:put|say|phrase|explain) (?:it|this|that))"
            r"(?=\W+(?:i|i'm|i've|my|we|our|he|she|they|it's|there|the)\b)",
            "how should i put it, i am vegan",
            "how should i put it in the letter",
        ),
        Word(
            "^(?:就|我|诶|欸|哎|呃|嗯)*(?:(?:怎么|咋)[说讲]呢,?(?=.{4})|你猜(?:怎么着|咋[着地]),?(?=.{3})"
            "|叫?(?:什么|啥)来着,?(?=哦|噢|啊|对|想起))",
            "怎么说呢我还是喜欢吃辣的",
            "怎么说这个词",
        ),
    )
)
"""With which one begins, looking for words: they ask for nothing."""


def without_hesitation(folded: str) -> str:
    """Return a clause without the turns of speech that look like a question, and only win time."""
    found = HESITATIONS.search(folded)
    return folded if found is None else folded[found.end() :].lstrip(" ,")


def asks_by_a_word(folded: str) -> bool:
    """Return whether a clause asks by a Chinese word for what is asked: 什么, 谁, 哪里."""
    left = without_hesitation(folded)
    return _WORD.search(left) is not None and NOT_ASKING.search(left) is None

"""Texts that somebody asked to be invented: what stands in the wish, and in its answer, is nobody's life."""

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import Word, Words

# What of a text is read.
_LOOKED_THROUGH = 600

_GENRE = (
    r"(?:stor(?:y|ies)|poems?|poetry|haikus?|limericks?|novel|tales?|fairy ?tales?|songs?|lyrics|lullab(?:y|ies)|raps?"
    r"|sonnets?|odes?|ballads?|verses?|riddles?|fables?|screenplay|skit|fan ?fiction|nursery rhymes?|tongue ?twisters?"
    r"|scenes?|dialogue|monologue|jokes?|puns?|personas?|characters?(?! references?)|backstory)\b"
)
_GENRE_ZH = (
    "(?:故事|诗(?!人)|小说|短篇|剧本|童话|歌词|儿歌|摇篮曲|对联|段子|笑话|台词|相声|小品|独白|脱口秀|俳句|绕口令|谜语"
    "|人物(?!名单)|散文|(?:日记(?=[,。:])))"
)
_INVENTED = (
    r"(?:fictional|fictitious|imaginary|invented|made-up|fake|dummy|mock|random|sample|example|placeholder|test)"
)
_INVENTED_THING = (
    rf"{_INVENTED} (?:[\w-]+ ){{0,2}}(?:data(?! (?:folder|dir|base|set|director))|records?|users?|names?|customers?"
    r"|profiles?|rows?|cvs?|resumes?|persons?|people|company|letter|diary|biograph(?:y|ies)|address(?:es)?)\b"
)
# "A short poem", "the opening of a story"; not "an email about the scene".
_ONE = (
    r"(?:(?:the |a |some )?(?:(?:very )?(?:beginning|opening|start|end|ending|rest|first|last|next|another|short|chorus"
    r"|chapter|page|paragraph|lines?|verses?|few|\d+|two|three|four|five"
    r"|six|eight|ten|twelve) ){0,3}of )?"
    r"(?:(?!(?:about|for|with|to|from|on|at|in|by|after|before|of|the|my|our|your|his|her|their|and|email|call)\b)"
    r"[\w'-]+ ){0,5}"
)
_VERB = (
    r"(?:write(?! down| up)|compose|invent|make up|tell|give|create|draft|continue|do|come up with|generate|sing|recite"
    r"|improvise|make|think up|finish|rewrite)"
)
_BEFORE = (
    rf"(?:(?:^|[.,!?:;] |\b(?:please|now|and|then|just|you|you to|me|let's) ){_VERB}"
    r"|\b(?:i (?:need|want)|i'd (?:like|love)|(?:can|could|may) (?:i|we) (?:have|hear|get)|i want to hear))"
)

INVENTIONS = Words(
    (
        Word(
            rf"{_BEFORE} (?:me |us |up |out )?(?:{_ONE}{_GENRE}|(?:a |an |some |me |\d+ )*{_INVENTED_THING})",
            "write the beginning of a story",
            "i read a story to mia every night",
        ),
        Word(
            rf"^(?:a|an|another|one more|some) (?:[\w'-]+ ){{0,3}}{_GENRE}[^.!?]{{0,60}}\bplease\b"
            rf"|^(?:a|an|another|one more) (?:[\w'-]+ ){{0,3}}{_GENRE},? please|^how about (?:a|an|another) {_GENRE}",
            "another poem please",
            "a song that i like plays at nine",
        ),
        Word(
            r"\bpretend (?:that )?(?:i'm|i am|you're|you are|we're|we are|to be)\b|\brole-? ?play\b(?! (?:group"
            r"|club|game))"
            r"|(?:^|[.,!?:;] |\b(?:please|you|and|now) )act (?:as|like) (?:a|an|my|if)\b|\blet's play\b(?!ing)"
            r"|(?:^|[.!?:;] )(?:imagine|picture) (?:that )?(?:a|an|you're|you are|i'm|i am)\b"
            r"|\byou are now (?:a|an|my)\b|\bplay the (?:part|role) of\b",
            "pretend you're a pirate",
            "she plays a pirate",
        ),
        Word(
            "(?:^|[,。!?:; ]|请|帮我|给我们?|给大家|给孩子|能不能|可以|可否|能否|麻烦|再|想听|我要|想要|你来?"
            "|您来?|(?<![他她它们人])来)"
            "(?:你|您|再|先|试着|用[^,。!?]{1,12}?|以[^,。!?]{1,12}?|根据[^,。!?]{1,12}?)*"
            "(?:写|编|作|来|讲|创作|续写|说|生成|想[一个段]|赋|做|听)(?!的|了|过)[^,。!?了过]{0,16}?"
            rf"{_GENRE_ZH}|(?:想听|再来)(?:一?[个首段则只]|点|些)[^,。!?了过]{{0,8}}{_GENRE_ZH}",
            "写一首关于秋天的诗",
            "我写的小说下个月出版",
        ),
        Word(
            "(?:示例|测试|模拟|虚构|随机|假)的?(?:用户|客户|人物|订单|个人)?(?:数据|资料|信息|名单|姓名|简历|人物"
            "|公司)(?![库集])",
            "生成几条假数据",
            "这不是假的",
        ),
        Word(
            "(?:^|[,。!?: ]|请|你|您|我们?来?|咱们?来?|一起)(?:来|就|现在|先)*(?:扮演|假装(?!修)|假扮|装作)(?!了"
            "|过)|(?:玩|来|做)(?:个|一[个下次场])?角色扮演(?!了)"
            "|[你您](?:现在|就|将)+是(?:一[个名位只]|我)",
            "假装你是我奶奶",
            "女儿在学校扮演了白雪公主",
        ),
    )
)
"""A request to invent something, or to play somebody."""


def asks_to_invent(text: str) -> bool:
    """Return whether a text asks for something invented: a story, a poem, made-up data, a part to be played."""
    return INVENTIONS.search(fold(text[:_LOOKED_THROUGH])) is not None

"""What a clause tells that is not so: a wish, what nearly happened, a dream, pretence; and the conditions in it.

Patterns see what those of `questions` see.
"""

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

PAST = (
    r"(?:(?!hundred|need|indeed)\w{2,}ed|became|began|bet|bit|bought|broke|built|burnt|came|caught|chose|cut|did|drove"
    r"|dropped|ate|fell|fought|found|flew|gave|got|went|grew|had|heard|hit|hurt|kept|knew|left|lost|made|met|paid|put"
    r"|quit|ran|said|saw|sold|sent|shot|slept|spent|spoke|stole|stood|swore|taught|took|threw|told|was|were|won|wore"
    r"|wrote)"
)
"""The past of a verb, as a part of a pattern."""
_PERFECT = (
    r"(?:been|become|begun|bitten|broken|chosen|come|done|driven|drunk|eaten|fallen|flown|given|gone|grown|known|run"
    r"|seen|shown|spoken|stolen|taken|thrown|worn|written)"
)
_WHO = r"(?:i|we|he|she|they|it|there|this|that|my|our|his|her|their|the|things)"

# Behind these a story goes on, over the clauses that follow.
_STORIES = (
    Word(
        r"(?<!never )(?<!n't )(?<!my )(?<!our )(?<!his )(?<!her )(?<!the )(?<!a )\bdream(?:t|ed|s|ing)? "
        r"(?:last night )?(?:that|of|about|i|we|he|she|they|my|our)\b",
        "i dreamt that i was a pilot",
        "i dream a lot",
    ),
    Word(
        r"\b(?:had|have|having) (?:a|an|this|the|that|such a|another)(?: \w+){0,3} (?:dream|nightmare)s?"
        r"(?=\W*$|[,:]| (?:where|in which|that|about|last|i|we|he|she|they|again|tonight|yesterday)\b)"
        r"|\bin (?:my|a|the|his|her|this|that)(?: \w+){0,2} (?:dream|nightmare)s?"
        r"(?=\W*$|[,:]| (?:i|we|he|she|they|my)\b)",
        "i had a strange dream where i worked there",
        "i have a dream job",
    ),
    Word(
        r"\b(?:pretend(?:s|ed|ing)?|make[- ]believe|imagin(?:es?|ed|ing)|fantasi[sz]\w+|(?:joked?|joking|lied) that)\b"
        r"|^say (?:i|we)(?:'m| am|'re| are|'ve| have)\b"
        r"|(?:^|\blet's (?:do (?:an? |some )?)?|\blet us )role[- ]?play(?:ing)?\b(?! games?\b)",
        "let's pretend i'm a doctor",
        "i like role-playing games",
    ),
    Word(
        r"\bfor (?:the sake of argument|argument's sake)\b|\bin (?:this|our) (?:story|scenario|fantasy|role-?play)\b"
        r"|\bin (?:another life|(?:a perfect|an ideal) world|an? (?:alternate|alternative|parallel) (?:world"
        r"|universe))\b",
        "for the sake of argument, i live in rome",
        "for the sake of my health",
    ),
    Word(
        "梦[见到]|做了?一?[个场][^,]{0,4}梦(?=\\W|$)|(?:^|[在我])梦[里中](?!情)",
        "我梦见自己当了飞行员",
        "我老做梦",
    ),
    Word(
        "要不是(?!我[记说])|假装|装作|角色扮演|扮演|假想|幻想|你(?:来)?演[^,]{1,8}(?:,|$)"
        "|(?:[就权你]当|当作|当成)[作成]?我(?!的)|想[像象](?:一下)?[我你咱]",
        "假装我是医生",
        "当我是小孩的时候",
    ),
)
# Who nobody is, but in play.
_NOBODY = (
    Word(
        r"\bi(?:'m| am) (?:(?:actually|secretly|really|obviously|basically|clearly|also|of course|in fact) ){0,2}"
        r"(?:(?:the|a) (?:rightful |true |last |long[- ]lost )?(?:king|queen|emperor|empress|tsar|sultan|pharaoh|pope)"
        r" of|the pope\b|santa claus|batman|superman|napoleon|julius caesar|cleopatra|the tooth fairy"
        r"|a (?:pirate|unicorn|wizard|vampire|dragon)(?=\W*$|,))",
        "i'm the king of france, obviously",
        "i'm the president of the chess club",
    ),
    Word(
        "我(?:就)?是(?:玉皇大帝|秦始皇|[\u4e00-\u9fff]{1,3}皇帝|皇上|皇后|女王|孙悟空|外星人|超人|蝙蝠侠|观音|如来|王母娘娘"
        "|慈禧|武则天|李白|诸葛亮|神仙|财神)(?=[,。!?]|啊|呀|呢|哦|$)",
        "我是康熙皇帝,下江南来视察",
        "我是财神庙的讲解员",
    ),
)
IMAGINED = Words(
    (
        *_STORIES,
        *_NOBODY,
        Word(
            rf"\bwish(?:e[sd])?(?: that)? {_WHO}\b(?!.*\b(?:happy|merry|luck|(?:the|all the) best|well|a (?:nice|good"
            r"|safe))\b)|\bif only\b(?! you\b)",
            "i wish i lived in rome",
            "i wish to be called sam",
        ),
        Word(
            rf"(?<!have )(?<!has )(?<!'ve )(?<!'m )(?<!am )(?<!is )(?<!are )(?<!'s )(?<!'re )(?<!was )(?<!were )"
            rf"(?<!be )(?<!been )\b(?:almost|nearly|narrowly) {PAST}\b",
            "i almost bought a tesla",
            "i almost always take the bus",
        ),
        Word(
            r"\b(?:c[ao]me|was|were) (?:\w+ ){0,2}close to \w+ing\b|\bhalf a mind to\b|\bmissed \w+ing\b"
            r"|\b(?:would|'d) (?:kill|die|give \w+(?: \w+)?) to\b|\bnightmare (?:is|would be) that\b"
            r"|\bon the (?:verge|brink|point) of \w+ing\b"
            r"|\b(?:was|were) (?:just |already |all )*(?:about|planning|supposed|meant|set) to\b",
            "i came close to buying it",
            "i came to berlin",
        ),
        Word(
            r"\b(?:would|could|should)(?:n't| not)?(?:'ve| have) (?:just |never |also |rather )?"
            rf"(?:{_PERFECT}|{PAST})\b"
            r"(?!.*\bby\b)",
            "i should have bought the tesla",
            "i should have my results soon",
        ),
        Word(
            rf"\bas (?:if|though) (?:i|we|you|he|she|they|it) (?:\w+n't |{PAST}\b)",
            "answer as if i were your boss",
            "as if by magic",
        ),
        Word(
            "(?:要是|如果|假如|若是?|倘若)[^,]{1,30}(?:就好|该有?多|多好|就完美)|真希望(?!你|您)|做梦[都也]想|巴不得|恨不[得能]|但愿"
            "|早知道.{0,12}就",
            "要是我住在巴黎就好了",
            "我早知道了",
        ),
        Word(
            "差一?点儿?(?:就|没|要|把|被|给)?+(?!忘|意思)[\u4e00-\u9fff]{1,8}[了上成过]|险些(?!忘)",
            "我差点买了特斯拉",
            "差点忘了说",
        ),
        Word(
            "(?:本来|原本|原来)(?:是)?(?:可以|能|要|打算|想|会|应该|准备)|我本(?:可以|打算|想|能)",
            "我本来可以当医生",
            "我本来就住在上海",
        ),
    )
)
"""What is told, and is not so."""
STORIES = Words((*_STORIES, *_NOBODY))
"""What is told, and is not so, with what follows."""
PRETENDED = Words(_NOBODY)
"""With which somebody plays that they are who nobody is."""
JOKES = Words(
    (
        Word(
            r"(?:^|[,;:.!?] ?|\b(?:haha|lol|well|no) )\(?(?:(?:haha+|lol|i'm|i am|i was|just|only|totally|obviously) )*"
            r"(?:kidding|joking|jk|j/k)(?: of course| obviously| haha+| lol| :\))*\W*$",
            "i have ten cats, just kidding",
            "i'm not joking",
        ),
        Word(
            "(?:^|[,。!?;:~ 哈]|(?<![跟和对同])我)(?:是|就是|只是|在)?(?:开(?:个)?玩笑|逗你(?:玩|们?玩?)|说笑|瞎说)"
            "(?:的|啦|呢|而已|罢了|哈+|嘿+|[了哦啊呀])*\\W*$",
            "我有十只猫,开玩笑的",
            "我没开玩笑",
        ),
    )
)
"""With which somebody ends what was said in jest."""
_ROLES = r"you(?:'re| are) (?:an?|the|my) [\w -]{1,30}(?:,|,? and) i(?:'m| am) (?:an?|the|your)\b"
_GIVES_ROLES = LazyPattern(rf"^\W*{_ROLES}")
# With these a game begins that the rest of the message plays.
_GAME = LazyPattern(
    r"^\W*(?:ok(?:ay)?\W+|so\W+|now\W+)?(?:let's |let us )?"
    rf"(?:(?:pretend|imagine|(?:do (?:an? |some )?)?role[- ]?play)\b(?!,)|{_ROLES})"
    "|^\\W*(?:我们|咱们?|来|你|请|让我们)*(?:玩个?|做个?)?(?:假装|角色扮演|扮演)"
)
_UNREAL = LazyPattern(
    r"(?:\b(?:would|could)(?:n't)?\b|'d\b)(?!.*\bif you\b)"
    rf".*\bif (?:[\w'-]+ ){{1,4}}?(?:(?:did|was|were|had)n't|{PAST})\b"
    "|(?:要是|如果|假如|万一)[^,]{2,30}就(?:[糟惨完坏]|麻烦|太)"
)
_WORDED = LazyPattern(
    r"\b(?:wish\w*|want\w*|hop(?:es?|ed|ing)|dream\w*|would|could|should|almost|nearly|close to|about to|verge"
    r"|pretend\w*|imagin\w*|role-?play\w*|if|plan\w*|regret\w*|(?:like|love)s? to|considered|supposed to)\b"
    "|希望|想|梦|愿|差一?点|险些|假装|装作|扮演|如果|要是|本来|原本|打算|恨不得|巴不得|后悔|当作"
)
_CONDITION = LazyPattern(
    r"(?<!as )(?<!even )\b(?:if|unless|in case)\b(?! (?:i'm|i am) (?:honest|not mistaken|right)| so\b| possible\b)"
    r" *\S+[^,;]*?(?=(?<! and) (?:i|we|you|he|she|they|it|there|then)(?:'\w+)?\b|[,;]|$)"
    "|(?:如果|要是|假如|假使|倘若|万一|除非|(?<!呆)若是?)[^,;]*|(?<![^,;])[^,;]*的话(?=[,;]|$)"
)
_WORDS_A_CONDITION = LazyPattern(
    r"\b(?:if|unless|in case|when(?:ever)?|once|would|should|might|may|depend\w*|until|provided)\b"
    "|如果|要是|若|的话|万一|一旦|除非|时|可能|才|就"
)


def is_unreal(folded: str) -> bool:
    """Return whether a folded clause tells what would be if: "it would be terrible if he sold the house"."""
    return _UNREAL.search(folded) is not None


def opens_a_game(text: str) -> bool:
    """Return whether a sentence begins to play something, as "let's pretend" does."""
    return _GAME.search(fold(text)) is not None


def gives_roles(folded: str) -> bool:
    """Return whether a folded sentence gives roles to play: "you're a waiter and I'm a guest"."""
    return _GIVES_ROLES.search(folded) is not None


def words_what_is_imagined(statement: str) -> bool:
    """Return whether a statement says that what it tells is wished for, dreamt, or was nearly so."""
    return _WORDED.search(fold(statement)) is not None


def words_a_condition(statement: str) -> bool:
    """Return whether a statement says on what it depends."""
    return _WORDS_A_CONDITION.search(fold(statement)) is not None


def apart_from_conditions(text: str) -> tuple[str, str]:
    """Return what of a text stands in its conditions ("if the house is sold"), and the rest."""
    folded = fold(text)
    conditions = [found.span() for found in _CONDITION.finditer(folded)]
    rest, at = [], 0
    for start, end in conditions:
        rest.append(text[at:start])
        at = end
    return " ".join(text[start:end] for start, end in conditions), " ".join([*rest, text[at:]])

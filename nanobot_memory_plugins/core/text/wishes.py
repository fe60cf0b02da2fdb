"""Standing wishes: what a user said that holds for later answers, and whether a message asks for such an answer."""

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import Word, Words

# What of a text is looked through.
_LOOKED_THROUGH = 400

WISHES = Words(
    (
        Word(
            r"\bi (?:\w+ )?(?:prefer|avoid|dislike|hate|loathe|detest|refuse to|object to)\b",
            "i really prefer short answers",
            "he prefers it",
        ),
        Word(r"\balways (?:[\w'-]+ ){1,8}(?:when|if)\b", "always add units when i ask", "i always lose them"),
        Word(r"\b(?:whenever|never|from now on)\b", "never use emojis", "whatever you like"),
        Word(
            r"\ballerg(?:y|ies|ic)\b|\bintoleran(?:t|ce)\b|\b(?:phobia|aversion|afraid|scared|fear)\b"
            r"|\bsensitive to\b|\b(?:lactose|gluten)\b",
            "i am allergic to nuts",
            "an allegory",
        ),
        Word(
            r"\b(?:vegan|vegetarian|pescatarian|teetotal|halal|kosher|coeliac|celiac|diabet\w+|asthma\w*|pregnant)\b",
            "tom has gone vegan",
            "the vega star",
        ),
        Word(
            r"\b(?:can ?not|can'?t|could ?n'?t|must ?n'?t|must not|may not|not allowed to|not supposed to|no longer)"
            r" (?:\w+ )?(?:stand|bear|eat|drink|have|digest|use|drive|fly|swim|walk|run|lift|carry|climb|kneel|bend"
            r"|afford|hear|see)\b",
            "i can't eat shellfish",
            "i can't find it",
        ),
        Word(
            r"\b(?:don'?t|do not|does ?n'?t|does not|won'?t|will not) (?:\w+ )?"
            r"(?:like|eat|drink|use|drive|fly|swim|wear|smoke|touch|enjoy|trust|stand)\b",
            "i don't drive",
            "i don't know",
        ),
        Word(
            r"\b(?:eats?|drinks?|wears?|uses?) (?:only|nothing but)\b|\bonly (?:eats?|drinks?|wears?|uses?)\b",
            "maisie eats only fish fingers",
            "only one of them",
        ),
        Word(
            r"\b(?:my|our|the|a) (?:\w+ )?budget\b|\b(?:can|could|to|want to) spend (?:\w+ ){0,2}[$\u20ac\u00a3\d]",
            "our budget is 1,800",
            "we spent a week there",
        ),
        Word(
            r"\b(?:doctor|gp|physio\w*|dentist|midwife|consultant|nurse)s?\b[^.!?]{0,30}\b"
            r"(?:told|said|says|wants|warned|forbade|forbids|took me off|put me on)\b",
            "my doctor says no salt",
            "the doctor was late",
        ),
        Word(r"\bleave out\b|\bno more [a-z]+ for (?:me|us|him|her)\b", "leave out coriander", "leave the house"),
        Word("过敏|不耐受|敏感|忌口|一律|凡是", "我对花生过敏", "反应过度"),
        Word("以后(?!再说|的事)", "以后都用中文", "以后再说"),
        Word(
            "(?:不吃|不喝|不碰|不抽|不穿|不用|不坐|不爱|不喜欢|讨厌|受不了|忍不了|不能(?:吃|喝|碰|提|用|坐|走|爬|跑|跳|熬|晒|久)"
            "|不让(?:我|他|她|碰|吃|喝|提)|不(?:许|准)(?:吃|喝|碰))",
            "他不吃香菜",
            "不知道",
        ),
        Word("只(?:吃|喝|用|穿|爱|能吃|能喝|能用)", "小宝只吃面条", "只是看看"),
        Word(
            "恐高|怕(?:高|水|冷|热|辣|黑|狗|猫|吵|晒|生)|晕(?:车|船|机|血)|吃素|素食|清真|戒(?:了|酒|烟|糖)"
            "|糖尿病|高血压|痛风|哮喘|胃炎|怀孕|孕期|忌[食讳]",
            "她恐高",
            "恐怕不行",
        ),
        Word("医生[^,。!?]{0,8}(?:说|让|叮嘱|建议|不许|交代)", "医生说一个月不要提重物", "医生很忙"),
        Word("预算|最多(?:花|出|给)|不超过\\d", "预算八千", "预报有雨"),
    )
)
"""With which people say what holds for later."""

_LOOKING_BACK = Words(
    (
        Word(
            r"\b(?:did|have|has|had|was|were|when|how many|how long|what (?:is|are)|which|summar\w+|remind|order)\b",
            "when did i move",
            "suggest a book",
        ),
        Word("[了过]吗|什么时候|多少|哪|总结|几[号点个次]", "我去过吗", "推荐一本书"),
    )
)
"""With which a message asks for what was said, and for no advice."""
ADVICE = Words(
    (
        Word(
            r"\b(?:suggest(?!ed)(?:ions?)?|recommend(?!ed)(?:ations?)?|ideas?|tips|advice|inspire me"
            r"|help me (?:choose|pick|plan|find|decide))\b",
            "suggest a snack",
            "he suggested it",
        ),
        Word(
            r"\b(?:should|shall|shud|can|could|cud|may|might|do) (?:i|we|they|he|she)\b"
            r"(?! (?:know|remember)\b)",
            "shall we take the early ferry",
            "do you know him",
        ),
        Word(
            r"\b(?:would|wud|is|are|will) (?:it|that|this|these|those|(?:the|an?) \w+)\b[^.!?]{0,60}"
            r"\b(?:be|ok|okay|good|right|nice\w*|safe|suit\w*|work|do|too|enough|worth\w*|better|fine|alright)\b",
            "would the overnight crossing be nicer",
            "is it raining",
        ),
        Word(
            r"\b(?:what|which|where|who)(?:'s| is| are)? (?:[\w-]+ ){0,3}?"
            r"(?:can|could|cud|should|shud|shall|would|might|may|to)"
            r" (?:i|we|be|he|she|they|get|buy|wear|cook|make|bring|take|give)\b"
            r"|\bwhat (?:are|is) (?:some|good|a good|the best)\b",
            "what are some good hotels",
            "what are my shifts",
        ),
        Word(
            r"\b(?:good idea|any good|(?:is it )?worth (?:it|a try|going|buying)|fancy|offers? (?:me|us)"
            r"|(?:asks?|wants?|invites?) (?:me|us|if))\b",
            "a lad offers me three days in malaga",
            "she offered tea",
        ),
        Word(
            "推荐|建议(?!了)|出(?:个)?主意|怎么(?:选|挑|安排|搭配)|怎么样|适合|合适|你觉得",
            "推荐一家馆子",
            "他建议了两次",
        ),
        Word(
            "[吃喝穿买送做煮订带点选](?:点|些|个|哪[个种款家]?)?(?:什么|啥|哪)|(?:什么|啥|哪[个种款家天])(?:比较|更)?好",
            "晚上吃什么好",
            "我说过什么",
        ),
        Word(
            r"(\w)不\1|能不能|[好行]吗|可以.{0,12}吗|能.{0,12}吗|得了吗|[问让约请叫]我",
            "邮轮团特价，报不报",
            "我不知道",
        ),
    )
)
"""With which a message asks what its author should do, take or expect, whatever else stands in it."""
_LOOKED_BACK = Words(
    (
        Word(
            r"\b(?:did|have|had) (?:i|we|you) (?!to\b)|\byou (?:recommended|suggested|told|said)\b",
            "what did you suggest",
            "what should i do",
        ),
        Word("上次|之前|以前|[过了][吗的]|说过", "上次推荐的", "推荐一本书"),
    )
)
"""With which it asks for what was said all the same."""
# Whoever asks for what was said does so at the beginning.
_BEGINNING = 80


def asks_for_advice(question: str) -> bool:
    """Return whether a message asks for something that the user's wishes may bear on, not for what was said."""
    beginning = fold(question[:_BEGINNING])
    if _LOOKING_BACK.search(beginning) is None:
        return True
    return wants_advice(question) and _LOOKED_BACK.search(beginning) is None


def wants_advice(text: str) -> bool:
    """Return whether a message asks what its author should do, take or expect."""
    return ADVICE.search(fold(text[:_LOOKED_THROUGH])) is not None


def holds_wish(text: str) -> bool:
    """Return whether a text of the user's tells a wish for later answers, or what constrains them."""
    return WISHES.search(fold(text[:_LOOKED_THROUGH])) is not None

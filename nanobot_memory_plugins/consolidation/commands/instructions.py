"""Standing instructions in what a user writes: how the assistant is to behave from now on.

One needs three things: a clause that tells the assistant what to do, a word that says that it holds beyond this message
("always", "again", "whenever i"), and nobody else of whom it is said. To forbid a habit of answering is enough by
itself, and so is how the user is to be called. What asks, reports, supposes or tells of habits is none.
"""

import re
from datetime import datetime
from enum import StrEnum

from nanobot_memory_plugins.consolidation.commands.instruction_words import (
    BEHAVES_ZH,
    DO,
    FORCE_ZH,
    HABIT,
    LASTING,
    NOT_STANDING_ZH,
    OWN_HABIT_ZH,
    PROVERBS,
    SAYS,
    STYLED,
    TOLD,
)
from nanobot_memory_plugins.consolidation.model.plan_days import day_meant, end_of
from nanobot_memory_plugins.core.text import (
    CHINESE_WEEK,
    Act,
    LazyPattern,
    Reading,
    ReadSentence,
    Word,
    Words,
    fold,
    without_quoted,
)

# Instructions that are taken from one message, and the characters of one.
_MOST, _LONGEST, _LONGEST_CHINESE = 3, 200, 80
# Of a longer message, which may be a text that somebody pasted, only the first and the last sentence can be one.
_DOCUMENT = 700
# A message of more letters in which nobody says "I" or "me" may be a text that somebody pasted.
_PAGE = 120
_FIRST_PERSON = LazyPattern(r"\b(?:i|i'm|i've|i'd|i'll|im|me|my|mine|us|we|our)\b|[我咱俺]")

_LEAD = LazyPattern(
    r"(?:(?:please|pls|hi|hey|hello|ok|okay|so|and|but|also|just|well|thanks|for the record|note|new rule|rule"
    r"|important|one (?:more )?thing|by the way|btw)\b[ ,:!.-]*"
    r"|(?:请|麻烦|拜托|好的?|另外|对了|还有|那就?|你好)[ ,:!]*)+"
)
NAMES = Words(
    (
        Word(
            r"(?:you (?:can|may) |just |i want you to |i'd (?:like|prefer) you to )*(?:call|address) me (?:as )?"
            r"(?!(?:back|later|now|soon|again|tomorrow|today|tonight|asap|up|when|if|at|on|in|by|before|after"
            r"|crazy|a|an"
            r"|the|maybe|paranoid|silly|anytime|whenever|any|every|names|right|old-fashioned|first|from|out|over)\b)"
            r"[\w'.-]+(?: [\w'.-]+)?(?: from now on| please)?",
            "call me captain",
            "call me back",
        ),
        Word(
            "(?:你|请|以后|就|都|可以|今后|一律|也){0,6}(?:叫|称呼|喊)我(?:为|作)?"
            "(?!起|来|去|做|写|买|吃|喝|别|不|早|晚|一[声下]|看|给|帮|把|回|明|后|今|醒|怎|什|的|们|一起|过|好"
            "|妈|爸|哥|姐|弟|妹|爷|奶|孩|儿|女)"
            r"[\w·]{1,6}?(?:就行|就好|就可以|吧|好了|即可)?",
            "以后叫我船长",
            "叫我起床",
        ),
    )
)
"""How the user is to be called: all of a clause."""

# A request about one text or task, or somebody else's words.
_NOT_FOR_ALL_TIMES = LazyPattern(
    r"\b(?:in|for|on) (?:this|that|these|those|the following)\b(?! (?:repo|repository|project|codebase|workspace|team"
    r"|house|household|family|company|account|server|app)\b)|\b(?:of|with|to) (?:this|these|the following)\b"
    r"|\b(?:here|below|above)\b"
    r"|这[个篇段封首份张](?!仓库|项目|工程|代码库|群|家|公司|团队|库)|这次(?!起|开始|之后|往后)|下面|上面|以下"
    r"|\b(?:said|says|told me|shouted|yelled|whispered|wrote|replied|thought)\W*$|(?<![别老再要])说的?\W*$|\b(?:is"
    r"|was) (?:an?"
    r"|my|the|his|her|their|our) \w"
)
_TO_YOU = LazyPattern(
    r"^(?!my\b|he\b|she\b|they\b|the\b).*\byou (?:write|say|mention|state|suggest|show)\b|(?:你|请你|只要我|甭|别"
    r"|以后|从现在|往后|今后)(?!.*(?:[他她]|老板|老师|妈|爸|朋友|同事|人家|有人|网上|书上))"
)
# What is over soon, a task of one's own, or an idiom.
_PASSING = LazyPattern(
    r"^forget\b|\b(?:let me know|hesitate|feel free|reach out|check out|give up|count on)\b|^(?:can|could"
    r"|would) you (?:tell|explain|show|say)\b|\b(?:he|she|they|it|everyone|people|users?"
    r"|students?|kids?) (?:should|must|always|never|has to|have to)\b|\b(?:never mind|always (?:a )?pleasure"
    r"|forget (?:to|it|about)|remember to|(?<!, )remind me (?:to|at|on|in|tomorrow|every|when)|today|tonight"
    r"|(?<!try )tomorrow"
    r"|right now|for now|this time|just this once"
    r"|schedule|every (?:day|morning|evening|week|month|hour) at)\b|今天(?!起|开始)|今晚|明天|这次(?!起|开始|之后|往后)"
    r"|现在就|闹钟"
    rf"|叫我起床|提醒我(?:明|今|后|下个?{CHINESE_WEEK}|几)|[“\"「].*(?:以后|永远).*[”\"」]"
)
# A proverb speaks of life, and of neither of the two who talk nor of what they write.
_OF_THE_TALK = LazyPattern(
    r"\b(?:i|i'm|me|my|mine|us|our|you|your|answers?|repl(?:y|ies)|code|e-?mails?|messages?|tests?|commits?|emojis?)\b"
    r"|[我咱你您]|回[答复]|代码|邮件|消息|表情"
)
_LANGUAGE = LazyPattern(
    r"\b(?:in|speak|use) (?:\w+ )?(?:english|french|german|spanish|italian|portuguese|dutch|polish|russian|turkish"
    r"|greek|arabic|hebrew|hindi|chinese|mandarin|cantonese|japanese|korean|swedish|danish|norwegian|finnish|czech)\b"
    r"|[用以讲说](?:[\u4e00-\u9fff]{0,3}[文语]|普通话|粤语|广东话|白话)"
)
# Until when one holds.
_UNTIL = LazyPattern(
    r"\b(?:until|till|til|through)\s+(?P<day>(?!further)[^,.;]+)|(?:直到|一直到|到)(?P<zh>[^,，。；]+?)(?:为止"
    r"|之前|前|$)"
)
_CHINESE = re.compile("[\u3400-\u9fff]")
_CALLED = re.compile("(?:叫|称呼|喊)我[^,]{1,6}")
# How one is not to be called, beside how one is.
_CALLED_NO_MORE = re.compile(
    r"(?:stop|do not|don'?t|never|no longer)\b.{0,10}\bcall(?:ing)? me\b"
    r"|[^,]{0,4}(?:不要|不用|不许|别|甭)再?(?:叫|称呼|喊)我"
)
_BETWEEN_CLAUSES = re.compile("[,;，；。]|(?<=[\u3400-\u9fff])\\s+(?=[\u3400-\u9fff])")
_WHATEVER = re.compile("(?<=不管|无论|不论|哪怕).{0,6}?(?:什么时候|什么|怎么|谁|啥|哪)")
_MARKED = re.compile(r"[?吗]\W*$")
_LASTING_LEAD = LazyPattern(
    r"(?:(?:from today(?: on)?|from (?:now|here|today|this (?:point|day)) (?:on(?:wards?)?|forward|in|out)(?: out)?"
    r"|in (?:the )?future|going forward|henceforth|hereafter"
    r"|by default|in general|generally|as (?:a (?:general )?rule|standard)|unless i (?:ask|say)[^,]*"
    r"|until (?:further notice|i (?:say|tell)[^,]*)|for all future \w+|(?:every time|any ?time)(?=,)"
    r"|at all times|starting (?:now|today)|in (?:all|every)(?: one of)?(?: of)? (?:our|your|my) [\w-]+|please"
    r"|just)[ ,:]+)+"
)
_CONDITION = (
    r"(?:(?:whenever|any ?time|every (?:single )?time|each time) (?:i|we|you)(?:'m|'re)?"
    rf"|(?:when|if|once) (?:i|we)(?:'m|'re)? {SAYS}"
    rf"|(?:for|with|on|to|in) (?:any|every|each|all)(?: [\w'-]+){{1,4}}? (?:i|we) {SAYS})\b"
)
_WHENEVER = LazyPattern(_CONDITION)
_REQUESTS = LazyPattern(
    r"^(?:(?:can|could|would|will) (?:you|u)|any chance (?:you|u) c(?:an|ould)|i(?:'d| would) (?:like|love|prefer"
    r"|want) (?:you to|it if you))"
    r"(?: please)? "
)
_ASIDE = LazyPattern(r"^(?:for my|for our|when \w+ing|by|in my|as \w+)\b[^,]{0,40}, ")
_ANOTHER = LazyPattern(r" (?:it|he|she|they|my \w+) ")
_BEHIND_CONDITION = LazyPattern(
    rf"{_CONDITION}(?:(?! (?:it|he|she|they|my) )[^,])*?(?:, ?| (?=i (?:want|need)\b|(?:always|only|never|don'?t) {DO})"
    rf"| (?:just|please|pls) (?={DO}))(?P<main>.+)"
)
_OTHERS = LazyPattern(
    r"(?:my|he|she|they|people|everyone|his|her|their|the|this|that|it (?!would|is|'d)|what|why|how|who|which"
    r"|where|is|are|do|does|did|should|was|were)\b"
)
# A thing that is to be made now.
_TASK = LazyPattern(
    r"(?:write|draft|make|create|build|generate|implement|add|plan|design|translate|fix|find|tell (?!me\b)"
    r"|give (?!me\b)|show|explain|send|book|buy|check|remind|schedule|list)"
    r"(?: (?:me|us))? (?:a|an|the|this|that|some|one)\b"
)
# A sentence that only says how long the one before it holds.
_ALONE = LazyPattern(
    r"(?:not )?(?:ever|for good|always|every time|i mean it|permanently|from now on|any ?more|forever|please,? ever)"
)
_FINITE = LazyPattern(r"\b(?:is|are|was|were|has|have|had|does|did|i|he|she|they|it|we|my|our)\b|'s\b")
_VERBLESS = LazyPattern(r"(?!(?:i|he|she|they|we|it|my|the)\b)(?:\w+ ?){1,4}|until .*|unless .*")
_ASKS_YOU = LazyPattern(
    r"^(?:\W*(?:please|and|so|hey|hi|ok|also) )*(?:(?:would|could|can|will)|any chance) (?:you|u)\b|行不行|好不好"
    r"|能不能|可不可以"
    r"|成不|行吗|好吗|可以吗"
)
_TAIL = " \t\n.!。！~～,，;；:："


class InstructionSlot(StrEnum):
    """What only one instruction at a time can say: a new one takes the place of the one before."""

    NAME = "name"
    LANGUAGE = "language"


def instructions_in(reading: Reading) -> list[str]:
    """Return the standing instructions of a message, each once, in the user's words."""
    found: dict[str, None] = {}
    sentences = reading.sentences
    if len(reading.authored) > _PAGE and not _FIRST_PERSON.search(fold(reading.authored)):
        last = reading.authored.rstrip().rpartition("\n")[2].strip()
        sentences = tuple(one for one in sentences[-1:] if one.text == last)
    if len(reading.authored) > _DOCUMENT:
        sentences = tuple(dict.fromkeys((*sentences[:1], *sentences[-1:])))
    for number, sentence in enumerate(sentences):
        after = _bare(sentences[number + 1].text) if number + 1 < len(sentences) else ""
        text = _instruction(sentence, _ALONE.fullmatch(after) is not None)
        if text:
            found.setdefault(text)
    return list(found)[:_MOST]


def slot_of(instruction: str) -> InstructionSlot | None:
    """Return what an instruction settles alone."""
    folded = _bare(instruction)
    clauses = _clauses(folded)
    if NAMES.fullmatch(folded) or (
        any(map(NAMES.fullmatch, clauses))
        and all(NAMES.fullmatch(one) or _CALLED_NO_MORE.match(one) for one in clauses)
    ):
        return InstructionSlot.NAME
    return InstructionSlot.LANGUAGE if _LANGUAGE.search(folded) else None


def slots_settled_by(instruction: str) -> set[InstructionSlot]:
    """Return what an instruction settles, be it beside something else."""
    settled = {slot_of(instruction), *map(slot_of, _clauses(_bare(instruction)))}
    return {one for one in settled if one is not None}


def _clauses(bare: str) -> list[str]:
    return [one.strip() for one in _BETWEEN_CLAUSES.split(bare) if one.strip()]


def end_of_instruction(instruction: str, said_at: datetime) -> datetime | None:
    """Return when an instruction is over that names its last day ("until Friday"), or None."""
    found = _UNTIL.search(fold(instruction).rstrip(_TAIL))
    if found is None or said_at.tzinfo is None:
        return None
    day = day_meant(found["day"] or found["zh"], said_at.date())
    return end_of(day, said_at.tzinfo) if day is not None else None


def _is_proverb(bare: str) -> bool:
    found = PROVERBS.search(bare)
    return found is not None and not _OF_THE_TALK.search(f"{bare[: found.start()]} {bare[found.end() :]}")


def _instruction(sentence: ReadSentence, is_for_good: bool) -> str:
    folded = without_quoted(fold(sentence.text))
    if len(sentence.text) > _LONGEST or _NOT_FOR_ALL_TIMES.search(folded.replace("from here", "from now")):
        return ""
    clauses = sentence.clauses
    if any(
        NAMES.fullmatch(re.split("[,;]", _bare(one.text))[0])
        for one in clauses
        if one.act in (Act.REQUESTS, Act.STATES)
    ):
        return sentence.text.strip(_TAIL) if all(one.is_own_word for one in clauses) else ""
    bare = _bare(sentence.text)
    told = {one.act for one in clauses} - {Act.REQUESTS, Act.STATES, Act.SUPPOSES, Act.GUESSES}
    is_asked = _ASKS_YOU.search(folded) or (not _MARKED.search(folded) and LASTING.match(bare))
    if (
        (Act.ASKS in told and not is_asked)
        or (Act.REPORTS in told and not _TO_YOU.search(folded))
        or _PASSING.search(bare)
        or _is_proverb(bare)
    ):
        return ""
    if _CHINESE.search(bare):
        is_standing = _in_chinese(bare)
    else:
        parts = [_bare(one.text) for one in clauses]
        is_standing = _in_english(bare, parts) or (
            is_for_good and (TOLD.latin.match(parts[0]) or STYLED.match(parts[0])) is not None
        )
    return sentence.text.strip(_TAIL) if is_standing else ""


def _in_chinese(bare: str) -> bool:
    if len(bare) > _LONGEST_CHINESE or NOT_STANDING_ZH.search(_WHATEVER.sub("", _CALLED.sub("叫我", bare))):
        return False
    clauses = [one for one in re.split("[,;。]", bare) if not OWN_HABIT_ZH.search(one)]
    lasts = any(LASTING.chinese.search(one) for one in clauses) and BEHAVES_ZH.search(bare) is not None
    return (lasts and any(FORCE_ZH.search(one) for one in clauses)) or any(
        HABIT.chinese.match(one.strip()) for one in re.split("[,; ]", bare)
    )


def _in_english(bare: str, clauses: list[str]) -> bool:
    """Return whether a clause tells the assistant something for all times.

    The word that says so stands in it, or in a phrase without a verb of its own, or in the condition before it.
    """
    if _OTHERS.match(bare):
        return False
    if any(HABIT.latin.match(_REQUESTS.sub("", one)) for one in (bare, *clauses)):
        return True
    lasts = False
    for clause in clauses:
        lead = _LASTING_LEAD.match(clause)
        core = _ASIDE.sub("", clause[lead.end() :] if lead is not None else clause)
        lasting = LASTING.latin.search(clause) is not None
        if _WHENEVER.match(core):  # a condition, whose main clause may stand behind its comma
            behind = _BEHIND_CONDITION.match(core)
            if behind is not None and TOLD.latin.match(behind["main"]):
                return True
            lasts = behind is None and _ANOTHER.search(core) is None
            continue
        if TOLD.latin.match(core) and (lasts or not _TASK.match(core)):
            if lasting or lasts or lead is not None:
                return True
        elif lasting and STYLED.match(core) and not _FINITE.search(core.split(" unless ")[0].split(" until ")[0]):
            return True
        elif lead is None and not (lasting and _VERBLESS.fullmatch(clause)):
            lasts = False
            continue
        lasts = lasts or lasting
    last = clauses[-1]
    return (
        len(clauses) > 1
        and LASTING.latin.match(last) is not None
        and _VERBLESS.fullmatch(last) is not None
        and any(TOLD.latin.match(one) and not _TASK.match(one) for one in clauses[:-1])
    )


def _bare(text: str) -> str:
    """Return a text for comparing, without "please" and "by the way" before it, and without what it quotes."""
    folded = without_quoted(fold(text)).strip(_TAIL)
    lead = _LEAD.match(folded)
    bare = folded[lead.end() :] if lead is not None else folded
    return re.sub(r"(?<![ ,])[ ,]+(?:please|pls|ok|okay|thanks|thank you)$", "", bare)

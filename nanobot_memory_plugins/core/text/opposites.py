"""Whether a statement turns its quotes round: denied for affirmed, somebody else for the user, past for now."""

import re
from collections.abc import Sequence

from nanobot_memory_plugins.core.text.clauses import begins_a_clause, core_of, phrases_of
from nanobot_memory_plugins.core.text.corrections import CORRECTS
from nanobot_memory_plugins.core.text.negation import denies, negations
from nanobot_memory_plugins.core.text.numerals import values_in
from nanobot_memory_plugins.core.text.quotations import QuotePlace
from nanobot_memory_plugins.core.text.statement_terms import LATIN_WORD, NOT_A_NAME, folded, terms_of
from nanobot_memory_plugins.core.text.words import LazyPattern

_ELSE = LazyPattern(
    r"\b(?:except|but not|instead|rather|other than|apart from|only|exclusively|can'?t stand|fed up|sick of"
    r"|bored?|bores?"
    r"|over|lowered|too|fail\w*|avoid\w*|stop\w*|gave up|never mind|rid of|free|less|forb\w+|declin\w+|refus\w+"
    r"|reject\w+"
    r"|allerg\w*|intoleran\w*|unable|impossible|missing|lacks?|dislik\w*|hat(?:e|es|ed)|against|low|until|longer"
    r"|any ?more|quit|cancel\w*|drop\w*|nobody|no one|none|nothing|hardly|bye"
    r"|remov\w*|leav\w* out|off|skip\w*|end(?:s|ed)?|left|sold|switch\w*|chang\w*|moved)\b"
    r"|除了|只|仅|过敏|取消|改|换|离开|辞|卖|忌|删|去掉|退|满了|够了|腻|受不了|以外|之外|而非|代替|再说|算了|免|低|少"
)
# Denied twice is affirmed, or half of it.
_TWICE = LazyPattern(r"(?:不是|并非|没有|不会|不可能)[不没无]|\b(?:not|never|hardly) (?:un|dis)\w+")
_EXCEPT = LazyPattern(r"\b(?:except|but not|other than|apart from)\b|除了|之外|以外")
# "Dairy brings her out in a rash" is a clause as well, whatever the verb.
_ACTS_ON = LazyPattern(r"\W*(?:and |but )?(?:\w+ ){1,2}\w+s (?:her|him|me|us|them|it|my|our)\b")
_INSTEAD_OF = LazyPattern(r"\b(?:instead of|rather than)\b|而不是|而非")
_CLOCK = LazyPattern(r"\d{1,2}[:点]\d{2}")
_REMIND = LazyPattern(
    r"(?:don'?t|do not|never|must not|can'?t)\s+(?:let me |want to |wanna )?(?:forget|miss)|(?:别|不要|不能|勿|莫"
    r"|可?别让我|甭)(?:忘|漏|错过|忘记)|no problem|no worries"
    r"|\b(?:can'?t|cannot|won'?t|don'?t|doesn'?t|isn'?t|not) (?:\w+ ){1,4}(?=(?:till|until) )"
    r"|why not|没问题|没错|不错|没事|not only|no doubt|不仅|不但|不光|不然|^\W*(?:no|nope|不是?"
    r"|没有?)(?:[,，.。!]| (?=i |we |my |she |he |they ))",
    re.IGNORECASE,
)
# "No wait, Ana wants the blue one" denies what was said before.
_NO_TO_THAT = LazyPattern(r"^\W*(?:(?:no|nope)\b\W*)+")
_MARK = LazyPattern(r"\s*[,.:;!–—-]")
_PAST = LazyPattern(r"\b(?:used to|formerly)\b|以前|曾经|从前|之前(?!要|必|得|把|交|完|完成)|原来")
_OVER = LazyPattern(
    r"\b(?:used to|former\w*|previous\w*|no longer|not any ?more|past|until|was|were|had|did|before|once|earlier"
    r"|ago|not|never|stopped|[a-z]+ed|came|went"
    r"|ran|took|made|gave|left|sold|lost|broke|taught|wrote|drove|ate|kept|bought|got)\b"
    r"|以前|曾|从前|之前|原来|过|不再|不|了|没",
    re.IGNORECASE,
)
RELATIVES = (
    r"wife|husband|spouse|partner|girlfriend|boyfriend|fianc\w+|mother|father|mum|mom|dad|parents?|sister|brother"
    r"|siblings?|sons?"
    r"|daughters?|kids?|child(?:ren)?|toddlers?|bab(?:y|ies)|aunt|uncle|cousins?|nephews?|nieces?|grand\w+|friends?|boss"
    r"|colleagues?|coworkers?|neighbou?rs?"
    r"|landlord|flatmate|roommate|teams?|manager|in-laws?|\w+-in-law|doctor|teacher|dog|cat|pet|kitten|puppy|rabbit"
    r"|hamster|horse|parrot|famil(?:y|ies)"
    r"|company|client|customers?|car|flat|house"
)
_ABOUT_ANOTHER = LazyPattern(
    rf"^\W*(?:(?:and|but|so|well|oh|yes|no|also|because|since|actually)\b[ ,]*)*(?:s?he'?s?\b|(?:(?:my"
    rf"|our|his|her) (?:\w+ )?)?(?P<who>{RELATIVES})\b(?! and (?:i|me)\b))",
)
# What belongs to the user, and says where and with what they live: "my flat is in Leipzig".
_THINGS = LazyPattern(r"teams?|famil(?:y|ies)|company|client|customers?|car|flat|house")
_ABOUT_ANOTHER_ZH = LazyPattern(
    "^\\W*+(?:(?:但是?|不过|而且|所以|因为|还有|对了)\\W*+)?(?:她|他|我们?(?:家)?的?(?P<who>先生|老公|丈夫|老婆|太太"
    "|妻子|媳妇|爱人|对象|女友|男友|女朋友|男朋友|妈妈?|母亲|爸爸?|父亲|儿子|女儿|孩子|娃"
    "|姐姐?|妹妹?|哥哥?|弟弟?|奶奶|爷爷|外婆|外公|岳父|岳母|公公|婆婆|同事|朋友|老板|室友|邻居|狗|猫|闺女|宝宝"
    "|同学|舍友))"
)
RELATION_ZH = LazyPattern(
    "先生|老公|丈夫|老婆|太太|妻子|媳妇|爱人|对象|女友|男友|朋友|妈|母亲|爸|父|儿|孩|娃|姐|妹|哥|弟|奶|爷|外婆"
    "|外公|岳|公公|婆婆|同事|老板|室友|邻居|狗|猫|女|宝|家人|同学|舍友|学[长弟]|师[兄父傅]|老师|导师|上司|领导|房东|客户"
    "|亲戚|[叔伯姑姨舅婶嫂姥孙侄甥]"
)
ANOTHER_IN = LazyPattern(rf"\b(?:{RELATIVES})\b|\buser['’]s\b", re.IGNORECASE)
_NAMES_ANOTHER = LazyPattern(r"\buser (?:has|had|owns|got|adopted|knows|met|keeps)\b.*\b(?:named|called)\b")
FIRST = LazyPattern(r"\b(?:i|i'm|i've|i'd|i'll|me|we|we're|us|mine|myself)\b")
_FIRST_ZH = LazyPattern(
    "(?<!^)我(?!们?(?:家)?的?(?:先生|老公|丈夫|老婆|太太|妻子|媳妇|妈|母|爸|父|儿|女|孩|姐|妹|哥|弟|奶|爷))|咱"
)


def agrees(statement: str, passages: Sequence[QuotePlace], said: str) -> bool:
    """Return whether a statement denies what the quoted clauses deny, and nothing else."""
    texts = [text for one in passages for text in one.texts]
    terms = frozenset(terms_of(statement))
    about = [one for one in texts if frozenset(terms_of(one)) & terms] or texts
    # "No meat, I've been vegetarian since college" denies one thing and states another.
    about = [part for one in about for part in _parts_that_tell(one, terms | values_in(statement))]
    if _denies(statement):
        if any(_TWICE.search(folded(one)) for one in about):
            return False
        return any(_is_negative(one) for one in (*about, *(one.text for one in passages), said))
    if (_is_denied(terms, about) or _has_what_is_denied(statement, texts)) and not _words_the_denial(statement, about):
        return False
    excepted = [folded(text)[found.end() :] for text in about if (found := _EXCEPT.search(folded(text)))]
    if any(terms and terms <= frozenset(terms_of(part)) for part in excepted):
        return False
    return not any(_is_left_value(statement, folded(text)) for text in texts)


def _is_left_value(statement: str, text: str) -> bool:
    """Return whether the numbers of a statement stand behind an "instead of" of a folded text alone."""
    found = _INSTEAD_OF.search(text)
    numbers = values_in(_CLOCK.sub(" ", statement))
    if found is None or not numbers:
        return False
    before, behind = (values_in(_CLOCK.sub(" ", one)) for one in (text[: found.start()], text[found.end() :]))
    return numbers <= behind and not numbers & before


def _parts_that_tell(text: str, told: frozenset[str]) -> list[str]:
    """Return the part of a clause that a statement is about where it has a verb or a number, or else all of it.

    ``told`` are the statement's terms and numbers.
    """
    shared = len(_terms_and_numbers(text) & told)
    parts = [
        part
        for part in phrases_of(text)
        if len(_terms_and_numbers(part) & told) >= shared / 2
        and (begins_a_clause(folded(part), 0, len(part)) or values_in(part) or _ACTS_ON.match(folded(part)))
    ]
    return parts if len(parts) == 1 else [text]


def _terms_and_numbers(text: str) -> frozenset[str]:
    return frozenset(terms_of(text)) | values_in(text)


def _is_denied(terms: frozenset[str], about: Sequence[str]) -> bool:
    """Return whether at least half of what a statement has of the clauses stands in those alone that deny."""
    denied = frozenset[str]().union(*(terms_of(one) for one in about if _denies(one))) & terms
    stated = frozenset[str]().union(*(terms_of(one) for one in about if not _denies(one))) & terms
    return all(map(_denies, about)) or (bool(denied) and 2 * len(denied - stated) >= len(denied | stated))


def _words_the_denial(statement: str, about: Sequence[str]) -> bool:
    """Return whether a statement words a denial otherwise: "dislikes" for "cannot stand"."""
    said = " ".join(map(folded, about))
    return any(found[0] not in said for found in _ELSE.finditer(folded(statement)))


def _has_what_is_denied(statement: str, texts: Sequence[str]) -> bool:
    """Whether a Chinese statement has the very word behind a denial: 车 of 没车, which is too short for a term."""
    plain = folded(statement)
    stated = " ".join(folded(one) for one in texts if not _denies(one))
    for one in texts:
        text = _REMIND.sub(" ", folded(one))
        for found in negations(text):
            word = re.match("[\u3400-\u9fff]{1,2}", text[found.end() :])
            if word is not None and word[0] in plain and word[0] not in stated:
                return True
    return False


def _denies(text: str) -> bool:
    plain = _REMIND.sub(" ", folded(text))
    return denies(plain[_end_of_no(plain) :])


def _end_of_no(plain: str) -> int:
    """Return where a "no" to what was said before ends, with the word that corrects it: a clause stands behind them."""
    no = _NO_TO_THAT.match(plain)
    cue = CORRECTS.match(plain, no.end()) if no is not None else None
    if cue is None:
        return 0
    mark = _MARK.match(plain, cue.end())
    return cue.end() if mark or begins_a_clause(plain, core_of(plain, cue.end() + 1), len(plain)) else 0


def _is_negative(text: str) -> bool:
    return _denies(text) or _ELSE.search(folded(text)) is not None


def is_over(statement: str, passages: Sequence[QuotePlace]) -> bool:
    """Return whether a statement says for now what the quoted clauses tell of the past."""
    texts = [text for one in passages if one.by_user for text in one.texts]
    told = _terms_and_numbers(statement)
    # "He used to charge 600 but that was ages ago" says where it is over what was.
    about = [folded(one) for one in texts if _terms_and_numbers(one) & told] or [folded(one) for one in texts]
    return bool(about) and all(_PAST.search(one) for one in about) and not _OVER.search(folded(statement))


def is_of_another(statement: str, passages: Sequence[QuotePlace]) -> bool:
    """Return whether a statement says of the user what the quoted clauses say of somebody else."""
    plain = folded(statement)
    texts = [folded(text) for one in passages if one.by_user for text in one.texts]
    if re.match(r"(?:the )?user (?!and\b)", plain) and not (ANOTHER_IN.search(plain) or _NAMES_ANOTHER.search(plain)):
        return bool(texts) and all(_tells_of_another(one, statement) for one in texts)
    if plain.startswith("用户") and not RELATION_ZH.search(plain):
        return bool(texts) and all(_ABOUT_ANOTHER_ZH.search(one) and not _FIRST_ZH.search(one) for one in texts)
    return False


def _tells_of_another(text: str, statement: str) -> bool:
    """Return whether a folded clause is about somebody else, whom the statement does not name."""
    found = _ABOUT_ANOTHER.search(text)
    if found is None or FIRST.search(text):
        return False
    names = {word.casefold() for word in LATIN_WORD.findall(statement)[1:] if word[:1].isupper()} - NOT_A_NAME
    who = found["who"]
    if who is not None and _THINGS.fullmatch(who):
        return not names
    behind = LATIN_WORD.match(text[found.end() :].lstrip(" ,(")) if who is not None else None
    return names <= {*LATIN_WORD.findall(text)} - ({behind[0]} if behind is not None else set())

"""Whether a statement crosses what one message tells of two: the home of one given to the other, or a price.

"My brother lives in Oslo and I live in Bergen" has two parts, each with its owner; 房租900，工资4200 has two values,
and "my doctor is Dr. Lee, my dentist is Dr. Kim" two names.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core.text.clauses import phrases_of
from nanobot_memory_plugins.core.text.numerals import values_in
from nanobot_memory_plugins.core.text.opposites import FIRST, RELATIVES
from nanobot_memory_plugins.core.text.statement_terms import days_of, folded, terms_of, without_dates, without_months
from nanobot_memory_plugins.core.text.words import LazyPattern

_MORE_BORDERS = LazyPattern(
    r"\s(?=(?:while|whereas) )|;\s*|(?<=\d)(?![元块万千百岁号点分年月日天个平米公时])(?=[\u4e00-\u9fff]{2,4}\d)"
)
_JOINS = r"^\W*(?:(?:and|but|so|well|oh|also|because|since|while|whereas|today|now)\b[ ,]*)*"
_ANOTHER = LazyPattern(
    rf"{_JOINS}(?:(?:my|our|his|her) (?:\w+ )?(?P<who>{RELATIVES})(?:'s)?\b(?! and (?:i|me)\b)|(?P<they>s?he)\b)"
)
_NAMED = LazyPattern(r"^\W*(?:(?:and|but|while) )?(?P<name>[A-Z][\w-]+)(?:'s)? (?:is|was|has|[a-z]+s)\b")
_RELATIVES_ZH = (
    "先生|老公|丈夫|老婆|太太|妻子|媳妇|爱人|对象|女友|男友|女朋友|男朋友|妈妈?|母亲|爸爸?|父亲|儿子|女儿|孩子|姐姐?|妹妹?"
    "|哥哥?|弟弟?|奶奶|爷爷|外婆|外公|岳父|岳母|公公|婆婆|同事|朋友|老板|室友|邻居|闺女|宝宝|同学|舍友|房东"
)
_ANOTHER_ZH = LazyPattern(
    rf"^\W*(?:但是?|不过|而|而且)?(?:我们?家?的?(?P<who>{_RELATIVES_ZH})|(?P<bare>(?:{_RELATIVES_ZH})(?<=..))|(?P<they>[他她])"
    "|(?P<name>[小老阿](?![区学孩时师家是板费票说麦吃年])[\u4e00-\u9fff]))(?!和我)"
)
_FIRST_ZH = LazyPattern(rf"(?<![跟和给对帮陪替叫让把被比向找])我(?!们?家?的?(?:{_RELATIVES_ZH}))|咱")
_GOES_ON = LazyPattern(r"^\W*(?:and|but|or) (?:is|was|has|[a-z]+(?:s|ed))\b")
# Who somebody is to the user, by name: "my dentist is Dr. Kim", 牙医是金大夫, 我同事叫李明.
_CALLED = LazyPattern(
    r"(?:^|[,;.]|\b(?:and|but|while)\b) ?(?:[Mm]y|[Oo]ur|[Tt]he) (?P<what>[a-z][a-z -]{1,30}?)(?: is|'s|:)"
    r"(?: called| named)? (?P<name>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z]\w+(?: [A-Z]\w+)?)"
)
_CALLED_ZH = LazyPattern(
    r"(?:^|[,，;；。、])\s*(?:而|但)?(?:我们?家?的?)?(?P<what>[\u4e00-\u9fff]{2,6}?)(?:名字)?(?:是|叫|姓)"
    r"(?P<name>[\u4e00-\u9fff]{1,4})(?=$|[,，;；。、])"
)
_TITLE = LazyPattern(r"^(?:Dr|Mr|Mrs|Ms|Prof)\.? ")
# What lets one part speak of what stands in another.
_POINTS_BACK = LazyPattern(
    r"\b(?:there|too|also|as well|both|same|together|him|her|them|it|which|where|likewise)\b"
    r"|也|都|一起|那[里儿边]|[他她它]"
)
# "My wife and I" is one, who is the user as well.
_TOGETHER = LazyPattern(rf"(\b(?:{RELATIVES})|(?:^|(?<=[.;,] ))[A-Z]\w+) and (?=(?:I|me|we|my|our)\b)")
_UNITS = frozenset("year month week day hour minut euro dollar pound kg km cm euros usd eur percent".split())  # noqa: SIM905
_NUMERALS = frozenset("一二两三四五六七八九十百千万周号月日点")
_RESOLVED = LazyPattern(r"[(（]?(?:19|20)\d\d(?:-\d\d?){1,2}[)）]?|(?:19|20)\d\d年?")
# The user as the subject, or behind another one: "Chen is the user's flatmate".
_SUBJECT = LazyPattern(r"^(?:the )?user (?!and\b)|^用户(?!的|和)|^(?!the user|user|用户).*(?:\buser\b|用户)")
_USER = "user"
_PRONOUNS = frozenset(("he", "she", "他", "她"))


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    owner: str | None
    """The user, somebody else by the word for them, or nobody that is named."""
    terms: frozenset[str]
    values: frozenset[str]

    @property
    def labels(self) -> frozenset[str]:
        """What its values are those of."""
        return frozenset(terms_of(without_dates(self.text))) - self.values - _UNITS - _NUMERALS


def crosses_owners(statement: str, texts: Sequence[str]) -> bool:
    """Return whether a statement says of one what texts say of another, though they tell of both."""
    parts = _parts(texts)
    said_of = _owners_in(statement, parts)
    own = [one for one in parts if one.owner in said_of]
    others = [one for one in parts if one.owner is not None and one.owner not in said_of]
    if not own or not others or any(_POINTS_BACK.search(folded(one.text)) for one in own):
        return False
    who = frozenset(terms_of(" ".join(said_of)))
    told = {one for one in terms_of(statement) if one not in who and not any(one in word for word in said_of)}
    told |= _values_in(statement)
    elsewhere = frozenset[str]().union(*(one.terms | one.values for one in parts if one not in others))
    of_others = frozenset[str]().union(*(one.terms | one.values for one in others))
    return not (told & (elsewhere - of_others)) and bool(told & (of_others - elsewhere))


def crosses_values(statement: str, texts: Sequence[str]) -> bool:
    """Return whether a statement gives one thing the value that texts give another."""
    values = _values_in(statement)
    parts = [one for one in _parts(texts) if one.values]
    holding = [one for one in parts if one.values & values]
    if len(holding) != 1 or len(parts) < len(holding) + 1 or not values <= holding[0].values:
        return False
    (part,) = holding
    own = frozenset(terms_of(statement)) - values - _UNITS - _NUMERALS
    values |= days_of(statement)
    rivals = [one.labels for one in parts if one is not part and not one.values & values]
    if not part.labels - own:
        return False
    return any(rival & own and (not part.labels & own or rival <= own) for rival in rivals)


def crosses_names(statement: str, texts: Sequence[str]) -> bool:
    """Return whether a statement calls one by the name that texts give another: the doctor by the dentist's."""
    named = [one for text in texts for one in _named_in(text)]
    plain = folded(statement)
    for _, name in named:
        if not _holds(plain, name) or any(_holds(plain, other) for other, one in named if one == name):
            continue
        rivals = [(other, one) for other, one in named if one != name and _holds(plain, other)]
        if rivals and not any(_holds(plain, one) for _, one in rivals):
            return True
    return False


def _named_in(text: str) -> list[tuple[str, str]]:
    """Return who is called what in a text, folded."""
    found = [*_CALLED.finditer(text), *_CALLED_ZH.finditer(text)]
    return [(folded(one["what"]), folded(_TITLE.sub("", one["name"]))) for one in found]


def _holds(plain: str, words: str) -> bool:
    return words in plain if not words.isascii() else re.search(rf"\b{re.escape(words)}\b", plain) is not None


def _values_in(text: str) -> frozenset[str]:
    return values_in(without_months(_RESOLVED.sub(" ", text)))


def _parts(texts: Iterable[str]) -> list[_Part]:
    parts: list[_Part] = []
    for text in dict.fromkeys(texts):
        for piece in (
            one for phrase in phrases_of(_TOGETHER.sub(r"\1 & ", text)) for one in _MORE_BORDERS.split(phrase)
        ):
            if not piece.strip():
                continue
            owner = _owner_of(piece)
            if owner is None and parts and _GOES_ON.match(folded(piece)):
                owner = parts[-1].owner
            elif owner in _PRONOUNS:  # the last one who was named, if any was
                owner = next((one.owner for one in reversed(parts) if one.owner not in (None, _USER)), owner)
            parts.append(_Part(piece, owner, frozenset(terms_of(piece)), _values_in(piece)))
    named = {one.owner for one in parts if one.owner and one.owner[:1].isupper()}
    if named and not any(_same_thing(one, two) for one in parts for two in parts if one.owner in named):
        # Without a like part "Rent is 900" names nobody.
        return [_Part(one.text, None if one.owner in named else one.owner, one.terms, one.values) for one in parts]
    return parts


def _same_thing(one: _Part, other: _Part) -> bool:
    return other.owner == _USER and bool(one.terms & other.terms)


def _owner_of(part: str) -> str | None:
    plain = folded(part)
    if FIRST.search(plain) or _FIRST_ZH.search(plain):
        return _USER
    found = _ANOTHER.match(plain) or _ANOTHER_ZH.match(plain)
    if found is not None:
        who = next(one for one in found.groups() if one)
        return _word_for(who)
    named = _NAMED.match(part)
    return named["name"] if named is not None else None


def _word_for(who: str) -> str:
    """Return one word for a relative, in the plural or doubled as well."""
    return who.rstrip("s") if who.isascii() else who[:1] if len(set(who)) == 1 else who


def _owners_in(statement: str, parts: Sequence[_Part]) -> set[str]:
    """Return of whom a statement speaks: those owners whose words stand in it, or else the user."""
    plain = folded(statement)
    named = {one.owner for one in parts if one.owner and one.owner != _USER and one.owner.casefold() in plain}
    if not named or _SUBJECT.match(plain):
        named.add(_USER)
    return named

"""What each clause of a sentence does: it states, asks, requests, reports, guesses, supposes or imagines."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from nanobot_memory_plugins.core.text import hearsay, imagined, questions, requests
from nanobot_memory_plugins.core.text.clauses import Piece, clauses_in, core_of, fold, without_quoted
from nanobot_memory_plugins.core.text.negation import denies
from nanobot_memory_plugins.core.text.words import LazyPattern


class Act(StrEnum):
    """What a clause does."""

    STATES = "states"
    """It says something on its author's own account, a wish included."""
    ASKS = "asks"
    """It asks for information, or whether something is so."""
    REQUESTS = "requests"
    """It asks for something to be done, now or always."""
    REPORTS = "reports"
    """It tells what a text or somebody else says."""
    GUESSES = "guesses"
    """Its author is not sure."""
    SUPPOSES = "supposes"
    """It only supposes something: a condition of a question, what would be if."""
    IMAGINES = "imagines"
    """It tells what is not so: a wish, what nearly happened, a dream, pretence."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: ``text`` as it was written, and what it does."""

    text: str
    act: Act

    @property
    def is_own_word(self) -> bool:
        """Whether it says what its author holds or wants, surely or not."""
        return self.act in (Act.STATES, Act.REQUESTS, Act.GUESSES, Act.IMAGINES)

    @property
    def denies(self) -> bool:
        """Whether it denies something."""
        return denies(self.text)


# A longer sentence is data; its beginning is looked at.
_LONGEST = 1_000
_ENDING_CHARS = 6
_EDGE = " \t\n,.!;:。…~～\"'”’」』）)"
_LONGEST_TAG, _LONGEST_CHINESE_TAG = 24, 5
_CONTRAST = LazyPattern(
    r"[ ,]*+(?:but|however|though|yet|still|但是?|不过|可是|然而|其实|actually)[ ,]*+(?:i|i'm|i've|my|we|our|我|咱)"
    r"|[ ,]*+but (?:s?he|they)\b"
    # Behind a blank that stands for a full stop.
    r"|(?<=[\u4e00-\u9fff][ \u3000])(?:现在)?(?:我(?![妈爸爷奶姐哥弟妹])|咱)"
)
_SAYS_SO = LazyPattern(r"(?:says?|said|claims?|claimed|writes?|wrote|thinks?|说的?|写的?|讲的?)\W*$")
_BECAUSE = LazyPattern(r"[ ,]*+(?:(?:because|since|given|now that)\b|因为|由于)")
# What would be if.
_UNREAL = LazyPattern(
    r"\bif (?:i|we|he|she|it|they|you|\w+) (?:were|had|\w+ed)\b.*(?:\b(?:would|could)\b|'d\b)"
    r"|(?:要是|如果).{0,12}就.{1,30}了$"
)
_WOULD = LazyPattern(r"\b(?:would|could)(?:n't)?\b|\b\w+'d\b|假如|假设|假使|倘若|[会就]")
_BARE = LazyPattern(rf"{requests.VERB}\b")
_ELLIPTIC = LazyPattern("可以|能|可能|会|要|该|应该|有|需要|还能|还要|是")
_OWN_VERB = LazyPattern(r"(?:i|we|you|he|she|it|they|this|that|my|the|our|your)\b|[我你他她它]")
_NAMED = LazyPattern(hearsay.NAMED.pattern)
_CHINESE = LazyPattern("[\u3400-\u9fff]")
_SECOND_VERB = LazyPattern(r"(?:and|but|or) (?:is|are|was|were|am|has|have|had|does|did|can|will|would|could)\b")
# "Lives in York, is a nurse, does the baking" has one subject; "is the shop open" and "is she there" ask.
_ELIDED_SUBJECT = LazyPattern(
    rf"(?:is|are|was|were|has|have|had|does|did) (?!(?:{questions.PERSON}|this|that|these|those|any|my|our|your|his|her"
    r"|their|its|the)\b)\w|(?:does|did) (?:all )?(?:the|my|our|his|her|their) \w+ing\b"
)
_RELATIVE = ("which ", "who ", "whose ", "where ", "when ")


def ends_as_question(sentence: str) -> bool:
    """Return whether a sentence ends as most of what asks does: cheap, where reading its clauses is not."""
    return questions.ENDING.search(fold(sentence[-_ENDING_CHARS:])) is not None


def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence, all of it, and what each does."""
    return _short_clauses(sentence) if len(sentence) <= _LONGEST else _clauses(sentence)


# Orders, corrections, quotes and summaries ask for the same sentences.
@lru_cache(maxsize=2_048)
def _short_clauses(sentence: str) -> tuple[Clause, ...]:
    return _clauses(sentence)


def _clauses(sentence: str) -> tuple[Clause, ...]:
    folded = without_quoted(fold(sentence[:_LONGEST]))
    body = folded.rstrip(_EDGE)
    if len(sentence) > _LONGEST:
        marked = fold(sentence[-_LONGEST_TAG:]).rstrip(_EDGE).endswith("?")
    else:
        marked = body.endswith("?")
    body = body.rstrip("?! ")
    act, end = _closing_tag(body)
    acts = _acts(sentence, body[:end], marked=marked and act is None) if end else [(Piece(0, 0, 0), act or Act.STATES)]
    if act is not None:
        acts = [(piece, _under_tag(one, act)) for piece, one in acts]
    ends = [piece.start for piece, _ in acts[1:]] + [len(sentence)]
    return tuple(Clause(sentence[one.start : end].strip(), act) for (one, act), end in zip(acts, ends, strict=True))


def _closing_tag(body: str) -> tuple[Act | None, int]:
    """Return what a tag at the end makes of what stands before it, and where that ends."""
    comma = body.rfind(",") + 1
    starts = [len(body) - len(body[comma:].lstrip())] if comma else [0]
    starts += [at for at in range(max(0, len(body) - _LONGEST_CHINESE_TAG), len(body)) if _CHINESE.match(body, at)]
    for start in starts:
        tag = body[start:]
        if not tag or len(tag) > _LONGEST_TAG:
            continue
        before = body[:start].rstrip(" ,")
        if questions.TAGS.fullmatch(tag):
            return Act.ASKS, len(before)
        # "This way, ok?" asks for it to be done so; 这样好吗 asks whether it is good.
        apart = len(before) < start or (len(before) > 3 and not before.startswith(("这", "那")))
        if (apart or not start) and requests.TAGS.fullmatch(tag):
            return Act.REQUESTS, len(before)
    return None, len(body)


def _under_tag(act: Act, tag: Act) -> Act:
    if tag is Act.ASKS:
        return Act.ASKS if act is not Act.SUPPOSES else act
    return tag if act in (Act.STATES, Act.ASKS) else act


def _acts(sentence: str, body: str, *, marked: bool) -> list[tuple[Piece, Act]]:
    pieces = clauses_in(body, asks=marked)
    acts = [_act_of(sentence, body, piece, is_first=not number, marked=marked) for number, piece in enumerate(pieces)]
    if marked and _BARE.match(body, pieces[-1].core):  # "Use tabs?"
        acts[-1] = Act.ASKS
    is_reason = Act.ASKS in acts and _BECAUSE.match(body, pieces[-1].start) is not None
    if marked and acts[-1] not in (Act.ASKS, Act.REQUESTS) and not is_reason:
        # "I take it, ibuprofen ok?" asks at its end alone; "It is at three and in room 4?" all over.
        elliptic = len(pieces) > 1 and (
            _ELLIPTIC.match(body, pieces[-1].core) or not _OWN_VERB.match(body, pieces[-1].core)
        )
        acts = [*acts[:-1], Act.ASKS] if elliptic else [Act.ASKS] * len(acts)
    _spread_reports(body, pieces, acts)
    _spread_stories(body, pieces, acts)
    _spread_conditions(body, pieces, acts)
    return list(zip(pieces, acts, strict=True))


def _act_of(sentence: str, body: str, piece: Piece, *, is_first: bool, marked: bool) -> Act:
    core = questions.without_hesitation(body[piece.core : piece.end].strip(" ,:-–—()"))
    whole = questions.without_hesitation(body[piece.start : piece.end])
    # "She is nine and is mad about beetles" goes on with what it tells; so does what no clause of ours stands before.
    goes_on = (
        not marked
        and not (is_first and core_of(body, piece.start) == piece.core)
        and (_SECOND_VERB.match(whole) is not None or _ELIDED_SUBJECT.match(core) is not None)
    )
    if not goes_on and _asks(core, is_first=is_first):
        return Act.ASKS
    if requests.ANYWHERE.search(core):
        return Act.REQUESTS
    if hearsay.REPORTS.search(whole) or _NAMED.search(sentence[piece.start : piece.end]):
        return Act.REPORTS
    if hearsay.SUPPOSES.search(core) or imagined.is_unreal(core):
        return Act.SUPPOSES
    if imagined.IMAGINED.search(whole):
        return Act.IMAGINES
    if requests.OPENING.match(core):
        return Act.REQUESTS
    if hearsay.GUESSES.search(whole):
        return Act.GUESSES
    return Act.STATES


def _asks(core: str, *, is_first: bool) -> bool:
    opening = questions.OPENING.match(core)
    if opening is not None and (is_first or not core.startswith(_RELATIVE)):
        return True
    if not _CHINESE.search(core):
        return questions.ANYWHERE.search(core) is not None
    if requests.ANYWHERE.search(core):
        return False
    if questions.ANYWHERE.search(core) or questions.CLOSING.search(core):
        return True
    return questions.asks_by_a_word(core)


def _spread_reports(body: str, pieces: Sequence[Piece], acts: list[Act]) -> None:
    """Let a report go on over the clauses behind it, up to a "but I"; "..., Bob said" is about what stands before."""
    for number, act in enumerate(acts):
        if act is not Act.REPORTS:
            continue
        piece = pieces[number]
        if number and _SAYS_SO.search(body[piece.core : piece.end]):
            acts[:number] = [Act.REPORTS if one is not Act.ASKS else one for one in acts[:number]]
        for after in range(number + 1, len(acts)):
            is_quoted = acts[after] is Act.REQUESTS and body[: pieces[after].start].rstrip().endswith(":")
            if not (acts[after] is Act.STATES or is_quoted) or _CONTRAST.match(body, pieces[after].start):
                break
            acts[after] = Act.REPORTS


def _spread_stories(body: str, pieces: Sequence[Piece], acts: list[Act]) -> None:
    """Let a dream or pretence go on over the clauses behind it, up to a "but I"."""
    is_story = imagined.gives_roles(body)
    for number, (act, piece) in enumerate(zip(tuple(acts), pieces, strict=True)):
        if act is Act.IMAGINES and imagined.STORIES.search(body[piece.core : piece.end]):
            is_story = True
        elif is_story and (act is not Act.STATES or _CONTRAST.match(body, piece.start)):
            is_story = False
        elif is_story:
            acts[number] = Act.IMAGINES


def _spread_conditions(body: str, pieces: Sequence[Piece], acts: list[Act]) -> None:
    """Let a condition do what depends on it does; a condition of a question only supposes."""
    for number in range(len(acts) - 2, -1, -1):
        piece = pieces[number]
        if acts[number] is not Act.STATES or not hearsay.CONDITIONS.match(body[piece.core : piece.end].strip(" ,")):
            continue
        follows = acts[number + 1]
        if follows in (Act.STATES, Act.IMAGINES) and _UNREAL.search(body[piece.start : pieces[number + 1].end]):
            acts[number] = acts[number + 1] = Act.SUPPOSES
            continue
        acts[number] = Act.SUPPOSES if follows is Act.ASKS else follows
    # "If I sold the house I would move, but my knees would not like it."
    for number in range(1, len(acts)):
        before, own = (body[one.start : one.end] for one in pieces[number - 1 : number + 1])
        is_supposed = acts[number - 1] is Act.SUPPOSES and _WOULD.search(before) and _WOULD.search(own)
        acts[number] = Act.SUPPOSES if acts[number] is Act.STATES and is_supposed else acts[number]

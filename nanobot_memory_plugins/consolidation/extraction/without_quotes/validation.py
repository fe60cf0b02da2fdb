"""What of a model's candidates is believed, and what it does to the known entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from nanobot_memory_plugins.consolidation.extraction.answer import Answer, Candidate
from nanobot_memory_plugins.consolidation.extraction.dates import expiry_of, with_its_day
from nanobot_memory_plugins.consolidation.extraction.merge_candidates import BelievedCandidate
from nanobot_memory_plugins.consolidation.extraction.model_call import Question
from nanobot_memory_plugins.consolidation.extraction.statements import Statement
from nanobot_memory_plugins.consolidation.extraction.without_quotes.conflicts import (
    Checked,
    candidate_of,
    checked,
    ended_in_own_words,
    is_the_same,
)
from nanobot_memory_plugins.consolidation.extraction.without_quotes.example import only_what_was_said
from nanobot_memory_plugins.consolidation.extraction.without_quotes.grounding import Grounding
from nanobot_memory_plugins.consolidation.extraction.without_quotes.nearest_words import NearestWords
from nanobot_memory_plugins.consolidation.extraction.without_quotes.supersession import (
    Believed,
    Closeness,
    with_replaced,
)
from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, new_id
from nanobot_memory_plugins.consolidation.model.matcher import Matcher, may_confirm
from nanobot_memory_plugins.core import run_in_daemon_thread

# Of a turn that nobody spoke in: what the assistant has learned. It says nothing of the user.
_BACKGROUND_KINDS = frozenset(
    {Category.EXPERIENCE, Category.WORKFLOW, Category.DECISION, Category.SKILL_USAGE, Category.TODO}
)


@dataclass(frozen=True, slots=True)
class ConversationEvidence:
    """What was said: the statements that can ground a candidate, the times of the turns, and how close to entries."""

    grounding: Grounding
    nearest: NearestWords
    times: Sequence[datetime]
    closeness: Closeness


async def accepted_candidates(
    answer: Answer, question: Question, heard: ConversationEvidence, known: Mapping[str, Entry], matcher: Matcher
) -> list[BelievedCandidate]:
    """Return what of an answer the statements support, matched with the known entries."""
    grounding = heard.grounding
    answer = await run_in_daemon_thread(lambda: _without_inventions(answer, question, known))
    candidates = answer.candidates
    if question.background:  # nobody spoke: nothing is learned of the user
        candidates = tuple(one for one in candidates if one.category in _BACKGROUND_KINDS)

    def believe() -> tuple[list[Candidate], Checked]:
        verdicts = checked(answer.now, known, grounding)
        offered = (*candidates, *verdicts.refused)
        return [one for one in offered if heard.nearest.grounds(one.content)], verdicts

    sure, verdicts = await run_in_daemon_thread(believe)
    told, replaces = _joined(sure, verdicts)
    repeats = await matcher.repeats([one.content for one in told])
    told = [one for one, again in zip(told, repeats, strict=True) if not again or one.content in replaces]
    matches = await matcher.same([one.content for one in told], known)

    def settle() -> list[BelievedCandidate]:
        said = [grounding.best_statement(one.content) for one in told]
        believed = [
            Believed(one, statement.text if statement else "", "" if same == replaced else same, replaced)
            for one, statement, match in zip(told, said, matches, strict=True)
            for same, replaced in (
                (match.entry_id if match else _confirmed(one, known), replaces.get(one.content, "")),
            )
        ]
        statement_of = {id(one): statement for one, statement in zip(told, said, strict=True)}
        findings = []
        for one, replaced in with_replaced(believed, candidates, known, heard.closeness, verdicts.unchanged):
            dated, expires_at = _dated(one.candidate, statement_of[id(one.candidate)], heard.times)
            findings.append(BelievedCandidate(dated, new_id(known), one.same, replaced, expires_at))
        gone = {one.contradicts for one in findings} | {one.match for one in findings}
        left = [entry for entry in question.checked if entry.id not in gone]
        ended = ended_in_own_words(left, [one.text for one in grounding.sure])
        findings += [BelievedCandidate(one, new_id(known), contradicts=id_) for id_, one in ended.items()]
        return [*findings, *_said_again(verdicts, findings, known, heard.nearest)]

    return await run_in_daemon_thread(settle)


def _without_inventions(answer: Answer, question: Question, known: Mapping[str, Entry]) -> Answer:
    """Return an answer without what the model took from its example, and without titles that the user did not name."""
    speaks = {"assistant"} if question.background else {"user"}
    said = [message.text for message in question.messages if message.role in speaks]
    texts = [*said, *(entry.content for entry in known.values())]
    mentioned = "\n".join(texts).casefold()
    kept = [(one, only_what_was_said(one.content, mentioned)) for one in answer.candidates]
    now = {id_: only_what_was_said(text, mentioned) for id_, text in answer.now.items()}
    return Answer(tuple(one.model_copy(update={"content": text}) for one, text in kept if text), now)


def _joined(sure: Sequence[Candidate], verdicts: Checked) -> tuple[list[Candidate], dict[str, str]]:
    """Return all candidates, each thing once, and by their texts the ids of what they replace.

    What a verdict says may stand among the new things as well, often in plainer words.
    """
    told = list(sure)
    replaces: dict[str, str] = {}
    for id_, now in verdicts.changed.items():
        plainer = next((one for one in sure if is_the_same(now.content, one.content)), None)
        if plainer is None:
            told.append(now)
        replaces[(plainer or now).content] = id_
    return told, replaces


def _said_again(
    verdicts: Checked, findings: Sequence[BelievedCandidate], known: Mapping[str, Entry], nearest: NearestWords
) -> list[BelievedCandidate]:
    """Return findings for the entries that are as they were, where the user has said so."""
    matched = {one.match for one in findings} | {one.contradicts for one in findings}
    again = [known[id_] for id_ in sorted(verdicts.unchanged - matched) if nearest.grounds(known[id_].content)]
    return [BelievedCandidate(candidate_of(entry), new_id(known), entry.id) for entry in again]


def _confirmed(candidate: Candidate, known: Mapping[str, Entry]) -> str:
    """Return the entry that the model says is confirmed, when the two may be about the same thing."""
    entry = known.get(candidate.reinforces)
    if entry is None or candidate.contradicts == entry.id or not may_confirm(candidate.content, entry.content):
        return ""
    return entry.id


def _dated(
    candidate: Candidate, said: Statement | None, times: Sequence[datetime]
) -> tuple[Candidate, datetime | None]:
    """Return a candidate with the day that it speaks of, and until when it holds.

    What the user said has the last word: small models are bad at calendars.
    """
    time = times[said.turn] if said is not None else times[-1]
    expires = expiry_of(candidate, said.text if said is not None else "", time, trusts_model=False)
    return with_its_day(candidate, time.date()), expires

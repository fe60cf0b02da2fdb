"""What of a model's candidates is believed, and what it does to the known entries."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from nanobot_memory_plugins.consolidation.entry import Category, Entry, new_id
from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.changes import (
    Believed,
    Closeness,
    announces_a_change,
    ended_in_own_words,
    with_replaced,
)
from nanobot_memory_plugins.consolidation.extraction.dates import day_meant, end_of, names_a_day_relatively
from nanobot_memory_plugins.consolidation.extraction.grounding import Grounding
from nanobot_memory_plugins.consolidation.extraction.merge import Finding
from nanobot_memory_plugins.consolidation.extraction.statements import Statement
from nanobot_memory_plugins.consolidation.life_cycle import Importance
from nanobot_memory_plugins.consolidation.matching import Matcher, may_confirm
from nanobot_memory_plugins.core.fence import language_of
from nanobot_memory_plugins.core.plugin_host import run_in_daemon_thread

# Statements that announce a change whose closeness to entries is looked at, the last ones.
_MOST_TELLING = 20
# Of a turn that nobody spoke in: what the assistant has learned. It says nothing of the user.
_BACKGROUND_KINDS = frozenset(
    {Category.EXPERIENCE, Category.WORKFLOW, Category.DECISION, Category.SKILL_USAGE, Category.TODO}
)


async def findings_of(
    candidates: Sequence[Candidate],
    grounding: Grounding,
    times: Sequence[datetime],
    known: Mapping[str, Entry],
    matcher: Matcher,
    *,
    background: bool = False,
) -> list[Finding]:
    """Return the candidates that the statements bear out, matched with the known entries.

    ``times`` are those of the turns. In the background nobody spoke: nothing is learned of the user.
    """
    if background:
        candidates = [one for one in candidates if one.category in _BACKGROUND_KINDS]
    unsure = [one.content for one in candidates if grounding.needs_vectors(one.content)]
    cosines = await matcher.cosines(unsure, grounding.turns) if unsure else None
    near = dict(zip(unsure, cosines, strict=True)) if cosines is not None else {}
    believed = await run_in_daemon_thread(
        lambda: [one for one in candidates if grounding.bears_out(one.content, near.get(one.content, ()))]
    )
    matches = await matcher.same([one.content for one in believed], known)
    closeness = await _closeness(candidates, grounding, known, matcher)

    def settle() -> list[Finding]:
        said = [grounding.best_statement(one.content) for one in believed]
        sure = [
            Believed(one, statement.text if statement else "", match.entry_id if match else _confirmed(one, known))
            for one, statement, match in zip(believed, said, matches, strict=True)
        ]
        statement_of = {id(one): statement for one, statement in zip(believed, said, strict=True)}
        findings = []
        told = with_replaced(sure, candidates, known, closeness)
        for one, replaced in told:
            dated, expires_at = _dated(one.candidate, statement_of.get(id(one.candidate)), times)
            findings.append(Finding(dated, new_id(known), one.same, replaced, expires_at))
        gone = {replaced for _, replaced in told}
        sentences = [one.text for one in grounding.sure]
        for sentence, id_ in ended_in_own_words(candidates, gone, sentences, known, closeness):
            findings.append(Finding(_in_own_words(sentence, known[id_]), new_id(known), contradicts=id_))
        return findings

    return await run_in_daemon_thread(settle)


async def _closeness(
    candidates: Sequence[Candidate], grounding: Grounding, known: Mapping[str, Entry], matcher: Matcher
) -> Closeness:
    """Return how close the statements that announce a change are to the entries that the model names."""
    named = [id_ for one in candidates for id_ in (one.contradicts, one.reinforces) if id_ in known]
    entries = list(dict.fromkeys(known[id_].content for id_ in named))
    telling = [one.text for one in grounding.sure if announces_a_change(one.text)][-_MOST_TELLING:]
    cosines = await matcher.cosines(telling, entries) if telling and entries else None
    found = {
        (statement, entry): cosine
        for statement, row in zip(telling, cosines or (), strict=False)
        for entry, cosine in zip(entries, row, strict=True)
    }
    return lambda statement, entry: found.get((statement, entry), 0.0)


def _in_own_words(sentence: str, ended: Entry) -> Candidate:
    """Return what the user said as a candidate, in the place of an entry that has ended."""
    said = "用户说：" if language_of(sentence) == "zh" else "The user said: "
    category = Category(ended.category) if ended.category in set(Category) else Category.FACT
    return Candidate(content=f"{said}{sentence}", category=category, importance=Importance.MEDIUM)


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

    What the user said has the last word: models are bad at calendars.
    """
    time = times[said.turn] if said is not None else times[-1]
    own = day_meant(said.text, time.date()) if said is not None else None
    day = own or day_meant(candidate.expires_at, time.date()) or day_meant(candidate.content, time.date())
    if day is None:
        return candidate, None
    if names_a_day_relatively(candidate.content):
        mark = f"（{day:%Y-%m-%d}）" if language_of(candidate.content) == "zh" else f" ({day:%Y-%m-%d})"
        candidate = candidate.model_copy(update={"content": candidate.content.rstrip(".。") + mark})
    zone = time.tzinfo
    expires = end_of(day, zone) if candidate.category is Category.TODO and zone is not None else None
    return candidate, expires

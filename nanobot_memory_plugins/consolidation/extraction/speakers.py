"""Who said what in a group chat: a history names nobody, the transcript does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.extraction.merge_candidates import BelievedCandidate, Merged, Source
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.core import MemoryPaths, Scope
from nanobot_memory_plugins.core.files import last_records
from nanobot_memory_plugins.core.text import Evidence, terms

# Messages of the session that are looked through, the last ones.
_MESSAGES = 400

Merge = Callable[[Mapping[str, Entry], Sequence[BelievedCandidate], Source], Merged]


def speakers_of(paths: MemoryPaths, session_key: str) -> dict[Scope, Evidence]:
    """Return what each user of a session has said, as far as its transcript still tells. It blocks."""
    said: dict[Scope, list[str]] = {}
    try:
        records = last_records(paths.transcript(session_key), session_key, _MESSAGES)
    except OSError:
        return {}
    for record in records:
        if record.role == "user" and record.scope.user:
            said.setdefault(replace(record.scope, session="", group_chat=""), []).append(record.text)
    return {who: Evidence(texts) for who, texts in said.items()}


def speaker_of(text: str, speakers: Mapping[Scope, Evidence]) -> Scope | None:
    """Return who has said every word of a text that anybody said; None when that is nobody, or more than one."""
    words = [term for term in terms(text) if any(said.holds(term) for said in speakers.values())]
    found = [who for who, said in speakers.items() if words and all(said.holds(term) for term in words)]
    return found[0] if len(found) == 1 else None


def merged_by_speaker(
    entries: Mapping[str, Entry],
    findings: Sequence[BelievedCandidate],
    source: Source,
    speakers: Mapping[Scope, Evidence],
    merge_one: Merge,
) -> Merged:
    """Merge what was found in a group chat, for each speaker apart: one's word changes nobody else's fact.

    What cannot be told to be one person's is the group's.
    """
    apart: dict[Scope, list[BelievedCandidate]] = {}
    for finding in findings:
        who = speaker_of(finding.candidate.content, speakers)
        whose = replace(source.scope, user=who.user if who else "", channel=who.channel if who else "")
        other = entries.get(finding.contradicts)
        if other is not None and other.scope.user != whose.user:
            finding = replace(finding, contradicts="")
        apart.setdefault(whose, []).append(finding)
    merged = Merged(dict(entries), (), ())
    for whose, found in apart.items():
        done = merge_one(merged.entries, found, replace(source, scope=whose))
        merged = Merged(done.entries, (*merged.new, *done.new), (*merged.updated, *done.updated))
    return merged

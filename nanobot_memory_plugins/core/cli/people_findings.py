"""What ``nanobot-memory doctor`` says of people: how many there are, and who is one."""

from pathlib import Path

from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.scopes.people import People, PeopleRecord, Person, Senders
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SHARES = {
    "agent": "everybody who writes sees every memory (share: agent)",
    "user": "each user sees their own memories (share: user)",
    "channel": "each user sees their own memories of a channel (share: channel)",
    "session": "each conversation sees its own memories (share: session)",
}
_LIST = (
    'List who is one person in memoryPlugins.core.people, as {"ana": ["telegram:111", "cli"]}, or set'
    ' memoryPlugins.core.share to "agent".'
)
_NARROW = 'Set memoryPlugins.core.share to "auto", so that each sees their own.'


def people_findings(workspace: Path, config: MemoryConfig, senders: Senders) -> list[Finding]:
    """Return who sees what in a workspace."""
    people = People(config.core.people, senders)
    share = config.core.share
    if share != "auto":
        open_to_all = share == "agent" and senders.several
        state: str = Sentence(_SHARES[share])
        if open_to_all:
            state = Sentence("{state}, and several may write in {where}", state=state, where=", ".join(senders.several))
        return [
            Finding("people", state, Health.DEGRADED if open_to_all else Health.GOOD, _NARROW if open_to_all else "")
        ]
    heard = sorted(PeopleRecord(MemoryPaths.of(workspace).memory).current().others(people.owner()))
    if senders.one_user and not heard:
        return [
            Finding("people", Sentence("one user, for whom everything is shared ({who})", who=_who(people.owner())))
        ]
    listed = Sentence.joined((_who(person) for person in people.all()), "; ")
    if senders.one_user:
        state = Sentence(
            "each sees their own memories: besides {listed} there wrote {heard}", listed=listed, heard=", ".join(heard)
        )
        return [Finding("people", state, Health.DEGRADED, _LIST)]
    told = Sentence(
        "each sees their own memories, since several may write in {where} ({listed})",
        where=", ".join(senders.several),
        listed=listed,
    )
    return [Finding("people", told)]


def _who(person: Person) -> Sentence:
    if not person.names:
        return Sentence("{label}: whoever is not named", label=person.label)
    return Sentence("{label}: {names}", label=person.label, names=", ".join(person.names))

"""What a person does to entries that are there: write them anew, confirm them, and make one of several."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, content_of
from nanobot_memory_plugins.consolidation.model.groups import plain_group
from nanobot_memory_plugins.consolidation.model.scoring import decayed
from nanobot_memory_plugins.consolidation.operations.merge_entries import joined, relinked
from nanobot_memory_plugins.consolidation.operations.remember import MOST_CHARACTERS, change_each, require
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import InputError, Origin
from nanobot_memory_plugins.core.values import EntryEdit
from nanobot_memory_plugins.redaction.script.messages import Sentence


def edit(repository: EntryRepository, entry_id: str, wanted: EntryEdit, *, who: str) -> Outcome:
    """Change what ``wanted`` names of an entry; a new text is the user's own.

    Raises `InputError` for an unknown id, an unknown category, a score outside 0..1, or a text that is empty or too
    long, and `MemoryFileError`.
    """
    content = None if wanted.text is None else _content(wanted.text)
    if wanted.category is not None and wanted.category not in set(Category):
        raise InputError(
            Sentence('There is no category "{category}".', category=wanted.category),
            hint=Sentence("Known are: {category}.", category=", ".join(Category)),
        )
    if wanted.score is not None and not 0.0 <= wanted.score <= 1.0:
        raise InputError("A score lies between 0 and 1.", hint="Write 0.8, for example.")
    now = repository.clock.now()

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        require(entries, [entry_id])
        entry = entries[entry_id]
        if content is not None and content != entry.content:
            entry = replace(entry, content=content, origin=Origin.USER)
        if wanted.confirmed:
            entry = replace(entry, origin=Origin.USER)
        if wanted.category is not None:
            entry = replace(entry, category=wanted.category)
        if wanted.group is not None:
            entry = replace(entry, group=plain_group(wanted.group))
        if wanted.score is not None and round(decayed(entry, now).score, 2) != round(wanted.score, 2):
            entry = decayed(entry, now).with_score(wanted.score)
        return {**entries, entry_id: entry}

    return repository.update(change, who=who, why="edit", allow_purged=True)


def confirm(repository: EntryRepository, ids: Collection[str], *, who: str) -> Outcome:
    """Make what a model noted the user's own word, as it stands: a person says that it is so.

    Raises `InputError` for an unknown id, and `MemoryFileError`.
    """
    return change_each(repository, ids, lambda entry: replace(entry, origin=Origin.USER), who=who, why="confirm")


def merge(repository: EntryRepository, ids: Sequence[str], text: str, *, who: str) -> Outcome:
    """Make one entry of several, with ``text``; links to those that went lead to it.

    Raises `InputError` for fewer than two, an unknown id, a text that is empty or too long, or entries that different
    people see, and `MemoryFileError`.
    """
    wanted, content = list(dict.fromkeys(ids)), _content(text)
    if len(wanted) < 2:
        raise InputError("It takes two entries to merge.", hint="Mark another one.")
    now = repository.clock.now()

    def change(entries: dict[str, Entry]) -> dict[str, Entry]:
        require(entries, wanted)
        several = [entries[id_] for id_ in wanted]
        if len({entry.scope for entry in several}) > 1:
            raise InputError(
                "These entries are not seen by the same people, and stay apart.", hint="Mark entries of one scope."
            )
        one = joined(several, content, now)
        same = [entry.origin for entry in several if entry.content == content]
        one = replace(one, origin=Origin.USER if not same or Origin.USER in same else same[0])
        return relinked({**entries, one.id: one}, [id_ for id_ in wanted if id_ != one.id], one.id)

    return repository.update(change, who=who, why="merge", allow_purged=True)


def _content(text: str) -> str:
    content = content_of(text[: 4 * MOST_CHARACTERS])
    if not content:
        raise InputError("There is no text.", hint="To do away with an entry, forget it.")
    if len(content) > MOST_CHARACTERS:
        raise InputError(
            Sentence("The text is too long for an entry: {most:,} characters at most.", most=MOST_CHARACTERS),
            hint="Shorten it; a longer text can be a file of its own below memory/, where it is searched.",
        )
    return content

"""What is said where somebody names an entry by something else than its id: by its words, say."""

from collections.abc import Collection, Iterable

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.rendering import in_order
from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence

_MOST, _SHOWN = 3, 40


def require_ids(ids: Collection[str], entries: Collection[Entry]) -> None:
    """Raise `InputError` unless there is an entry of each id."""
    missing = sorted(set(ids) - {entry.id for entry in entries})
    if missing:
        raise no_entry(missing, entries)


def no_entry(missing: Collection[str], entries: Iterable[Entry]) -> InputError:
    """Return the error of ids that no entry has; it names the entries that hold them as words."""
    hint = Sentence("`nanobot-memory entries list` shows all.")
    if holders := _holders(" ".join(missing), entries):
        hint = Sentence("It stands in {entries}: name the id.", entries=Sentence.joined(map(_short, holders)))
    return InputError(Sentence("There is no entry {missing}.", missing=", ".join(missing)), hint=hint)


def _holders(words: str, entries: Iterable[Entry]) -> list[Entry]:
    """Return the first entries that hold all of some words."""
    from nanobot_memory_plugins.core.text.folding import fold

    wanted = fold(words).split()
    held = (entry for entry in in_order(entries) if all(word in fold(entry.content) for word in wanted))
    return [entry for entry, _ in zip(held, range(_MOST), strict=False)] if wanted else []


def _short(entry: Entry) -> str:
    text = entry.content if len(entry.content) <= _SHOWN else f"{entry.content[:_SHOWN].rstrip()}…"
    return Sentence("{id} ({text})", id=entry.id, text=text)

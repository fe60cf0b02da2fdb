"""What is known: of the user, or about somebody or something, with when and from which words it was learned."""

from collections.abc import Iterable
from datetime import UTC, datetime, time

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, Section
from nanobot_memory_plugins.consolidation.model.entry_view import view_of
from nanobot_memory_plugins.core.values import KnownEntry, Profile
from nanobot_memory_plugins.redaction.script.chinese_script import simplified


def profile(entries: Iterable[Entry], *, about: str = "") -> Profile:
    """Return what these entries come to, all of them or those that name what it is ``about``."""
    listed = sorted(entries, key=lambda one: (-one.score, one.id))
    name = simplified(about.strip()).casefold()
    found = [one for one in listed if name in simplified(f"{one.content} {one.quote}").casefold()]
    known: dict[str, list[KnownEntry]] = {category.value: [] for category in Category}
    ended: list[KnownEntry] = []
    for one in found:
        told = _with_words(one)
        if one.superseded_by or one.section is Section.ARCHIVED:
            ended.append(told)
        else:
            known.setdefault(one.category, []).append(told)
    names = (about.strip(),) if about.strip() else ()
    return Profile({category: told for category, told in known.items() if told}, ended, names)


def _with_words(entry: Entry) -> KnownEntry:
    """Return an entry with the sentence that it rests on, where it says more."""
    if not entry.shown_quote or entry.quoted_on is None:
        return KnownEntry(view_of(entry))
    return KnownEntry(view_of(entry), entry.shown_quote, datetime.combine(entry.quoted_on, time(), UTC))

"""Tags: words that a person puts to entries, to find and list them by."""

from collections.abc import Iterable

from nanobot_memory_plugins.core.files import TAG_SEPARATORS
from nanobot_memory_plugins.core.text.markdown import one_line

MOST_TAGS, _LONGEST = 20, 60


def plain_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags without ``#`` and separators, each once in whatever case, twenty at most."""
    found: dict[str, str] = {}
    for tag in tags:
        plain = " ".join(TAG_SEPARATORS.sub(" ", one_line(tag)).split()).lstrip("#").strip()[:_LONGEST].rstrip()
        if plain:
            found.setdefault(plain.casefold(), plain)
    return tuple(list(found.values())[:MOST_TAGS])


def split_tags(text: str) -> tuple[str, ...]:
    """Return the tags of a line, which commas separate."""
    return plain_tags(TAG_SEPARATORS.split(text))


def has_tag(tags: Iterable[str], wanted: str) -> bool:
    """Return whether one of the tags is the wanted one, in whatever case, or below it: "work/helix" is "work", too."""
    asked = wanted.lstrip("#").casefold()
    return any(one == asked or one.startswith(f"{asked}/") for one in (tag.casefold() for tag in tags))

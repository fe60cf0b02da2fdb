"""What is known of the user, or about somebody, as far as a tool may tell it in a session."""

from collections.abc import Sequence
from dataclasses import replace

from nanobot_memory_plugins.core import Hit, PluginContext, Scope
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import KnownEntry, Profile


async def shown_profile(context: PluginContext, about: str, session_key: str) -> Profile:
    """Return the profile without what is withheld; nothing where no plugin keeps entries. Raises `MemoryFileError`."""
    access = context.entries
    if access is None:
        return Profile({})
    scope = Scope(session=session_key)
    visible = context.scopes.visible(scope)
    found = await run_in_daemon_thread(lambda: access.profile(about, visible=visible))
    hits = [hit for one in found.entries for hit in _as_hits(one)]
    left = {hit.id: hit.text for hit in await context.host.shown(scope, hits)}

    def told(known: Sequence[KnownEntry]) -> list[KnownEntry]:
        """Leave out an entry that loses something, and the words alone where they do."""
        pairs = [(one, *_as_hits(one)) for one in known]
        return [
            one if left.get(words.id) == words.text else replace(one, words="")
            for one, entry, words in pairs
            if left.get(entry.id) == entry.text
        ]

    known = {kind: kept for kind, some in found.known.items() if (kept := told(some))}
    return replace(found, known=known, ended=told(found.ended))


def _as_hits(known: KnownEntry) -> tuple[Hit, Hit]:
    """Return an entry and the words behind it as what a search may find."""
    entry = known.entry
    whole = Hit(entry.id, entry.text, "", 0, entry.score, entry.origin, entry.scope)
    return whole, replace(whole, id=f"{entry.id} words", text=known.words)

"""What is known of the user, or about somebody, as far as a tool may tell it in a session."""

from dataclasses import replace

from nanobot_memory_plugins.core import (
    Hit,
    KnownEntry,
    PluginContext,
    Profile,
    Scope,
    run_in_daemon_thread,
)


async def shown_profile(context: PluginContext, about: str, session_key: str) -> Profile:
    """Return the profile without what is withheld; nothing where no plugin keeps entries. Raises `MemoryFileError`."""
    access = context.entries
    if access is None:
        return Profile({})
    scope = Scope(session=session_key)
    visible = context.visible_scope(scope)
    found = await run_in_daemon_thread(lambda: access.profile(about, visible=visible))
    hits = [_as_hit(one) for one in found.entries]
    shown = {hit.id for hit in await context.shown(scope, hits)}
    known = {kind: [one for one in told if one.entry.id in shown] for kind, told in found.known.items()}
    ended = [one for one in found.ended if one.entry.id in shown]
    return replace(found, known={kind: told for kind, told in known.items() if told}, ended=ended)


def _as_hit(known: KnownEntry) -> Hit:
    entry = known.entry
    return Hit(entry.id, f"{entry.text}\n{known.words}", "", 0, entry.score, entry.origin, entry.scope)

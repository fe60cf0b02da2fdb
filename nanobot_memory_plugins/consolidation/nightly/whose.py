"""Whose words an entry is made of, so that it is for nobody else once less is shared than when it was written."""

from collections.abc import Iterable
from dataclasses import dataclass

from nanobot_memory_plugins.consolidation.entry import Entry, joined_sessions, sessions_in
from nanobot_memory_plugins.consolidation.nightly.material import Material, trusted
from nanobot_memory_plugins.core.language_model.answers import Evidence, terms
from nanobot_memory_plugins.core.scopes import passes
from nanobot_memory_plugins.core.values import Scope

# Beside the name of a user or channel: two names together are no session's.
_NO_SESSION = "?"


@dataclass(frozen=True, slots=True)
class _Teller:
    """Who said something: the scope in which it is kept, and the sessions it is from, none for everybody's."""

    scope: Scope
    sessions: frozenset[str]


class Tellers:
    """Who said which word of a material."""

    def __init__(self, material: Material) -> None:
        texts: dict[_Teller, list[str]] = {}
        for piece in (*material.notes, *material.rest):
            teller = _Teller(piece.whose, _sessions(piece.whose, piece.whose.session, material.scope))
            texts.setdefault(teller, []).append(piece.text)
        for entry in trusted(material.entries):
            scope = _of_entry(entry)
            teller = _Teller(scope, _sessions(scope, entry.source_session, material.scope))
            texts.setdefault(teller, []).append(entry.content)
        self._said = {teller: Evidence(said) for teller, said in texts.items()}

    def source_of(self, text: str, before: Iterable[str] = ()) -> str:
        """Return the ``source_session`` of an entry with this text, made of entries with the sources ``before``.

        A session that said every word that anybody said is the only one. Where none did, those are named together that
        said them.
        """
        own = frozenset().union(*map(sessions_in, before))
        missing = [who for who in self._who_said(text) if not any(one.sessions <= own for one in who)]
        if not missing:
            return joined_sessions(own)
        said_all = [one for one in missing[0] if all(one in who for who in missing)]
        more = [min(said_all, key=lambda one: len(one.sessions))] if said_all else [who[0] for who in missing]
        return joined_sessions(own.union(*(one.sessions for one in more)))

    def are_in(self, scope: Scope, text: str) -> bool:
        """Say whether whoever sees ``scope`` has seen every word of ``text`` that anybody said."""
        return all(any(passes(one.scope, scope) for one in who) for who in self._who_said(text))

    def _who_said(self, text: str) -> list[list[_Teller]]:
        """Return, for each word that somebody said, all who did; other forms of a word count where nobody said it."""
        found = []
        for term in terms(text):
            who = [teller for teller, said in self._said.items() if said.holds(term, exactly=True)]
            who = who or [teller for teller, said in self._said.items() if said.holds(term)]
            found += [who] if who else []
        return found


def _sessions(scope: Scope, source: str, within: Scope) -> frozenset[str]:
    if source:
        return sessions_in(source)
    # What names a user and no session is not everybody's, unless all of the material is that user's.
    beyond = [name for name in ("user", "channel") if getattr(scope, name) and not getattr(within, name)]
    return frozenset((_NO_SESSION, *(getattr(scope, name) for name in beyond))) if beyond else frozenset()


def _of_entry(entry: Entry) -> Scope:
    """Return the scope of an entry, that of its session where it names nobody."""
    scope = entry.scope
    if scope.user or scope.channel or scope.session:
        return scope
    return Scope(agent=scope.agent, session=entry.source_session)

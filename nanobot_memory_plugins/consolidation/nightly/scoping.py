"""Whose words an entry is made of, so that it is for nobody else once less is shared than when it was written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nanobot_memory_plugins.consolidation.model.entry import Entry, joined_sessions, sessions_in
from nanobot_memory_plugins.consolidation.nightly.inputs import NightlyMaterial, Owner, trusted
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.scopes.scopes import without_session
from nanobot_memory_plugins.core.text.evidence import Evidence, terms

# Beside the name of a user or channel: two names together are no session's.
_NO_SESSION = "?"


@dataclass(frozen=True, slots=True)
class Made:
    """What an entry says of where it is from: whose it is, and its ``source_session``."""

    scope: Scope
    source: str


@dataclass(frozen=True, slots=True)
class _Teller:
    """Who said something: whose it is, and the sessions it is from, none for everybody's."""

    scope: Scope
    sessions: frozenset[str]

    @property
    def is_everybody(self) -> bool:
        """Whether it was said to everybody, and in no session."""
        return self.scope.is_everybodys and not self.sessions


class Tellers:
    """Who said which word of a material. ``owner_of`` is that of the plugin's context."""

    def __init__(self, material: NightlyMaterial, owner_of: Owner) -> None:
        self._owner_of = owner_of
        texts: dict[_Teller, list[str]] = {}
        told = [(piece.whose, piece.text) for piece in (*material.notes, *material.rest)]
        told += [(one.whose, one.text) for one in material.spoken if one.by_user]
        for whose, text in told:
            scope = without_session(whose)
            texts.setdefault(_Teller(scope, _sessions(scope, whose.session)), []).append(text)
        for entry in trusted(material.entries):
            texts.setdefault(_of_entry(entry), []).append(entry.content)
        self._said = {teller: Evidence(said) for teller, said in texts.items()}

    def made_of(self, text: str, before: Sequence[Entry] = ()) -> Made:
        """Return whose an entry with this text is, and its source; it is made of the entries ``before``.

        A session that said every word that anybody said is the only one. Where none did, those are named together that
        said them, and what several people said is nobody's in particular.
        """
        own = frozenset().union(*(sessions_in(entry.source_session) for entry in before))
        missing = [who for who in self._who_said(text) if not any(one.sessions <= own for one in who)]
        more: list[_Teller] = []
        if missing:
            said_all = [one for one in missing[0] if all(one in who for who in missing)]
            more = [min(said_all, key=lambda one: len(one.sessions))] if said_all else [who[0] for who in missing]
        tellers = [_of_entry(entry) for entry in before] + more
        source = joined_sessions(own.union(*(one.sessions for one in more)))
        return Made(self._common(tellers), source)

    def are_in(self, entry: Entry, text: str) -> bool:
        """Return whether those whose an entry is have said or seen every word of ``text`` that anybody said.

        What names nobody in particular may take up anybody's words: it is of none of their sessions from then on.
        """
        if replace(without_session(entry.scope), project="") == Scope(agent=entry.scope.agent):
            return True
        own = self._person(entry.scope)
        return all(
            any(one.is_everybody or self._person(one.scope) == own for one in who) for who in self._who_said(text)
        )

    def _person(self, scope: Scope) -> Scope:
        """Return whose something is, whatever the project: a person is the same in all of them."""
        return self._owner_of(replace(scope, project=""))

    def _common(self, tellers: Sequence[_Teller]) -> Scope:
        """Return whose it is what these have said together."""
        said = [one.scope for one in tellers if not one.is_everybody]
        agents, groups = {one.scope.agent for one in tellers}, {scope.group_chat for scope in said}
        projects = {one.scope.project for one in tellers}
        agent, project = (names.pop() if len(names) == 1 else "" for names in (agents, projects))
        if len({self._person(scope) for scope in said}) == 1:
            return replace(min(said, key=repr), agent=agent, project=project)
        return Scope(agent=agent, group_chat=groups.pop() if len(groups) == 1 else "", project=project)

    def _who_said(self, text: str) -> list[list[_Teller]]:
        """Return, for each word that somebody said, all who did; other forms of a word count where nobody said it."""
        found = []
        for term in terms(text):
            who = [teller for teller, said in self._said.items() if said.holds(term, exactly=True)]
            who = who or [teller for teller, said in self._said.items() if said.holds(term)]
            found += [who] if who else []
        return found


def _sessions(scope: Scope, source: str) -> frozenset[str]:
    if source:
        return sessions_in(source)
    # What names a user and no session is not everybody's.
    named = filter(None, (scope.user, scope.channel, scope.group_chat))
    return frozenset() if scope.is_everybodys else frozenset((_NO_SESSION, *named))


def _of_entry(entry: Entry) -> _Teller:
    scope = without_session(entry.scope)
    return _Teller(scope, _sessions(scope, entry.scope.session or entry.source_session))

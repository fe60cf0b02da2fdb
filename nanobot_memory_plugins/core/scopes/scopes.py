"""Whose memory a call is about, and what may be seen on its behalf."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from nanobot_memory_plugins.core.scopes.people import People
from nanobot_memory_plugins.core.scopes.people_record import PeopleRecord
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key, redact_scope
from nanobot_memory_plugins.core.values import Scope, Visibility, Whose
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.scopes import owner

ScopeLike = Scope | Mapping[str, str] | None
Share = Literal["auto", "agent", "user", "channel", "session"]

# Sessions whose scope is held, so that a tool call, which knows only its session, searches as its user. Of the others
# the files say whose they are.
_HELD = 1_000


# Beside what is said by a tool in no session that is known: it is not everybody's.
NO_SESSION = "?"


def _nobodys(session_key: str) -> Scope:
    """Return the scope of a session of which nothing is recorded."""
    return Scope(session=session_key)


class Scopes:
    """Completes the scopes of calls, and says what may be seen on their behalf. Any thread's.

    ``recorded`` gives what the files say of a session's scope, ``people`` who is one person now, and ``record`` what is
    known of them beyond that. What none of them says stays unknown, and an unknown name opens nothing: it never stands
    for any. ``project`` is that of calls whose scope names none.
    """

    def __init__(
        self,
        share: Share,
        *,
        recorded: Callable[[str], Scope] = _nobodys,
        people: Callable[[], People] = People,
        record: PeopleRecord | None = None,
        project: str = "",
    ) -> None:
        self._project = redact_key(project)
        self._share = share
        self._recorded = recorded
        self._people = people
        self._record = record
        self._lock = threading.Lock()
        self._sessions: BoundedDict[str, Scope] = BoundedDict(_HELD)

    def of(self, session_key: str, scope: ScopeLike) -> Scope:
        """Return the whole scope of a call: what it names, else what its session was last called with."""
        whole = self.known(session_key, scope)
        self._hold(whole)
        if self._record is not None and whole.user and self._share == "auto":
            people = self._people()
            person = people.of(whole)
            if people.senders.one_user and person is not None and not person.is_owner:
                self._record.hear(person.label)
        return whole

    def known(self, session_key: str, scope: ScopeLike) -> Scope:
        """Return the same as `of`, and let the session's next call be as if there had been none."""
        named = redact_scope(Scope(**scope) if isinstance(scope, Mapping) else scope or Scope())
        session = named.session or redact_scope(Scope(session=session_key)).session
        known = self._of_session(session)
        return Scope(
            agent=named.agent or known.agent,
            user=named.user or known.user,
            channel=named.channel or known.channel,
            session=session,
            group_chat=named.group_chat or known.group_chat,
            project=named.project or known.project or self._project,
        )

    def visible(self, scope: Scope) -> Visibility:
        """Return what may be seen on behalf of a call: as much as the configuration's ``share`` says.

        What asks for a name that is not known (no user, say) narrows to the session: rather too little than somebody
        else's. Without a session there is nothing but what is everybody's.
        """
        whole = self.known(scope.session, scope)
        return Visibility(whole.agent, self._whose(whole), whole.project)

    def owner(self, scope: Scope) -> Scope:
        """Return whose a memory is: two that are one person's, in the same group chat or in none, are equal."""
        person = None if scope.is_everybodys or not scope.user else self._people().of(scope)
        return owner(scope if person is None else replace(scope, user=person.label))

    def is_nobodys(self, scope: Scope) -> bool:
        """Return whether a memory names nobody while each has their own, and nobody has taken over what does."""
        if self._share != "auto" or scope.user or scope.is_everybodys or scope.group_chat or self.has_one_user():
            return False
        people = self._people()
        person = people.of(scope)
        return not self._adopters(people) and (person is None or not person.names)

    def has_one_user(self) -> bool:
        """Whether everything is shared because one person writes alone, as the host says and as far as was heard."""
        people = self._people()
        others = self._record.current().others(people.owner()) if self._record is not None else ()
        return people.senders.one_user and not others

    def of_session(self, session_key: str) -> Scope:
        """Return the whole scope of a session, as far as it is known."""
        return self.known(session_key, None)

    def _of_session(self, session: str) -> Scope:
        with self._lock:
            held = self._sessions.get(session)
        if held is not None or not session:
            return held or Scope()
        recorded = replace(self._recorded(session), session=session)
        if self._project:  # a session may go on in another project than that in which it was begun
            recorded = replace(recorded, project=self._project)
        if recorded.user:
            self._hold(recorded)
        return recorded

    def _hold(self, whole: Scope) -> None:
        if not whole.session:
            return
        with self._lock:
            self._sessions[whole.session] = whole

    def _whose(self, whole: Scope) -> tuple[Whose, ...]:
        own = (Whose(session=whole.session),) if whole.session else ()
        if self._share == "agent":
            return (Whose(),)
        people = self._people()
        if whole.group_chat and not people.senders.unified:
            return (Whose(group_chat=whole.group_chat), *own) if self._share != "session" else own
        match self._share:
            case "auto":
                return self._of_person(whole, people)
            case "user" if whole.user:
                person = people.of(whole)
                return people.ways(person) if person is not None and person.names else (Whose(user=whole.user),)
            case "channel" if whole.channel and whole.user:
                return (Whose(user=whole.user, channel=whole.channel),)
            case _:
                return own

    def _adopters(self, people: People) -> set[str]:
        """Return the labels of those who see what names nobody, as the people are listed now."""
        adopted = self._record.current().adopted_by if self._record is not None else ()
        return {person.label for name in adopted if (person := people.named(name)) is not None}

    def _of_person(self, whole: Scope, people: People) -> tuple[Whose, ...]:
        person = people.of(whole)
        if (person is None or person.is_owner) and self.has_one_user():
            return (Whose(),)
        adopts = person is not None and person.label in self._adopters(people)
        more = (Whose(user="", group_chat=""),) if adopts else ()
        if person is None or not person.names:
            # Not known who it is; or the host names some, and not this one.
            return (*((Whose(session=whole.session),) if whole.session else ()), *more)
        return (*people.ways(person), *more)


def without_session(scope: Scope) -> Scope:
    """Return whose an entry is that names its session apart, as its source."""
    return replace(scope, session="")

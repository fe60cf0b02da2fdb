"""The owner of the memory that a call is about, and what may be seen on its behalf."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.entry_points import SENDERS_GROUP, first_answer
from nanobot_memory_plugins.core.errors import InputError, MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import MAX_WRITERS, PrivacyFile
from nanobot_memory_plugins.core.files.transcript import recorded_scope
from nanobot_memory_plugins.core.scopes.people import BREAK, OWNER, UNKNOWN_SENDERS, People, Person, Senders
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key, redact_scope
from nanobot_memory_plugins.core.values import Scope, Visibility
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.scopes import OwnerFilter, owner_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

ScopeLike = Scope | Mapping[str, str] | None
Share = Literal["auto", "agent", "session"]

# Sessions whose scope is held, so that a tool call, which knows only its session, searches as its user. Of the others
# the files say who owns them.
_HELD = 1_000
# For so many seconds what the installed host says of its people holds: its configuration may change.
_SENDERS_HOLD = 60
_NAME = str | int | None

# Beside what is said by a tool in no session that is known: it is not everybody's.
NO_SESSION = "?"


def scope_of(named: ScopeLike) -> Scope:
    """Return what a caller names as a scope; a number is a name, and None is none.

    Raises `InputError` for what is no scope: kept without it, a memory would be somebody else's.
    """
    if named is None or isinstance(named, Scope):
        return named or Scope()
    known = [field.name for field in fields(Scope)]
    if not isinstance(named, Mapping):
        wrong = [type(named).__name__]
    else:
        wrong = [str(name) for name, value in named.items() if name not in known or not isinstance(value, _NAME)]
    if wrong:
        raise InputError(
            Sentence("A scope cannot be made of {wrong}.", wrong=", ".join(wrong)),
            hint=Sentence(
                "Its keys are {known}, their values texts; nothing was kept or searched.", known=", ".join(known)
            ),
        )
    return Scope(**{name: "" if value is None else str(value) for name, value in named.items()})


class Scopes:
    """Completes the scopes of calls, and says what may be seen on their behalf. Any thread's.

    ``recorded`` gives what the files say of a session's scope, ``people`` who is one person now, and ``privacy`` who
    wrote besides the owner. What none of them says stays unknown, and an unknown name opens nothing: it never stands
    for any. ``project`` is that of calls whose scope names none.
    """

    def __init__(
        self,
        share: Share,
        *,
        recorded: Callable[[str], Scope] = lambda _session: Scope(),
        people: Callable[[], People] = People,
        privacy: PrivacyFile | None = None,
        project: str = "",
    ) -> None:
        self._project = redact_key(project)
        self._share = share
        self._recorded = recorded
        self._people = people
        self._privacy = privacy
        # Whom this process has heard: it knows them also where the file cannot be written.
        self._heard: BoundedDict[str, None] = BoundedDict(MAX_WRITERS)
        self._sessions: BoundedDict[str, Scope] = BoundedDict(_HELD)

    def of(self, session_key: str, scope: ScopeLike) -> Scope:
        """Return the whole scope of a call: what it names, else what its session was last called with."""
        whole = self.of_session(session_key, scope)
        if whole.session:
            self._sessions[whole.session] = whole
        if self._privacy is not None and whole.user:
            people = self._people()
            person = people.person_of(whole)
            if person is not None and not person.is_owner:
                # Also where several may write: they stay other people when the host lets in one alone later.
                self._heard[name := people.name_of(whole)] = None
                with suppress(MemoryFileError):  # it is tried again at their next message
                    self._privacy.note_writer(name)
        return whole

    def of_session(self, session_key: str, scope: ScopeLike = None) -> Scope:
        """Return the same as `of`, and let the session's next call be as if there had been none."""
        named = redact_scope(scope_of(scope))
        session = redact_key(session_key) or named.session
        known = self._recorded_scope(session)
        whole = {one.name: getattr(named, one.name) or getattr(known, one.name) for one in fields(Scope)}
        return Scope(**{**whole, "session": session, "project": whole["project"] or self._project})

    def visible(self, scope: Scope) -> Visibility:
        """Return what may be seen on behalf of a call: as much as the configuration's ``share`` says.

        A caller who is not known sees the session alone: rather too little than somebody else's. Without a session
        there is nothing but what is everybody's.
        """
        whole = self.of_session(scope.session, scope)
        return Visibility(whole.agent, self._visible_owners(whole), whole.project)

    def owner(self, scope: Scope) -> Scope:
        """Return the owner of a memory: two that are one person's, in the same group chat or in none, are equal."""
        people = self._people()
        named = not scope.is_for_everybody and (scope.user or people.senders.by_channel)
        person = people.person_of(scope) if named else None
        return owner_of(scope if person is None else replace(scope, user=person.label))

    def of_owner(self) -> Scope:
        """Return the owner of what a command writes: the host's owner where the host names them, else everybody."""
        senders = self._people().senders
        if not senders.owner or self._share != "auto":
            return Scope()
        return self.scope_of_person(min(senders.owner, key=lambda one: (BREAK in one, one != "cli", one)))

    def scope_of_person(self, name: str) -> Scope:
        """Return the scope of a person by a name: as the configuration lists them, or as the host has them."""
        people = self._people()
        name = next((one.names[0] for one in people.all() if one.label == name and one.names), name)
        channel, _, user = name.partition(BREAK)
        return Scope(channel=channel, user=user) if people.senders.by_channel else Scope(user=name)

    def owned_by(self, name: str, *, session: str, project: str) -> Visibility:
        """Return what is a person's own, by any of their names: for people who look at all memories."""
        people = self._people()
        listed = (one for one in people.all() if name in (one.label, *one.names))
        owners = people.owner_filters(next(listed, Person(name, (name,))), caller=Scope(), apart=())
        narrowed = [replace(one, session=session or None) for one in (*owners, OwnerFilter(user=name))]
        return Visibility(owners=tuple(narrowed), project=project, owners_only=True)

    def is_nobodys(self, scope: Scope) -> bool:
        """Return whether a memory names nobody while each has their own, and it is no listed owner's either."""
        if self._share != "auto" or scope.user or scope.is_for_everybody or scope.group_chat or self.has_one_user():
            return False
        people = self._people()
        person = people.person_of(scope)
        return OWNER not in people.listed and (person is None or not person.names)

    def has_one_user(self) -> bool:
        """Whether everything is shared because one person writes alone, as the host says and as far as is recorded."""
        people = self._people()
        return people.senders.one_user and (people.senders.unified or not self._other_writers(people))

    def _other_writers(self, people: People) -> list[str]:
        heard = self._privacy.read().heard if self._privacy is not None else ()
        return people.other_writers(dict.fromkeys((*heard, *self._heard)))

    def _recorded_scope(self, session: str) -> Scope:
        """Return what is held of a session's scope, else what the files say of it."""
        held = self._sessions.get(session)
        if held is not None or not session:
            return held or Scope()
        recorded = replace(self._recorded(session), session=session)
        if self._project:  # a session may go on in another project than that in which it was begun
            recorded = replace(recorded, project=self._project)
        if recorded.user:
            self._sessions[session] = recorded
        return recorded

    def _visible_owners(self, whole: Scope) -> tuple[OwnerFilter, ...]:
        if self._share == "agent":
            return (OwnerFilter(),)
        own = (OwnerFilter(session=whole.session),) if whole.session else ()
        if self._share == "session":
            return own
        people = self._people()
        if whole.group_chat and not people.senders.unified:
            return (OwnerFilter(group_chat=whole.group_chat), *own)
        person = people.person_of(whole)
        if (person is None or person.is_owner) and self.has_one_user():
            return (OwnerFilter(),)
        if person is None or not person.names:
            # Not known who it is; or the host names some, and not this one.
            return own
        nobodys = (OwnerFilter(user="", group_chat=""),) if person.label == OWNER and OWNER in people.listed else ()
        # Others on a person's channel stay apart.
        return (*people.owner_filters(person, caller=whole, apart=self._other_writers(people)), *nobodys)


def workspace_scopes(
    workspace: Path, config: MemoryConfig, senders: Callable[[], Senders] | None = None, *, project: str = ""
) -> Scopes:
    """Return the scopes of a workspace; those of sessions new to this process are read from the transcripts.

    Without ``senders`` the installed host is asked for them, when they are needed: for a command that runs without it.
    """
    paths = MemoryPaths.of(workspace)
    senders = senders or cached_senders(workspace, config)
    return Scopes(
        config.core.share,
        recorded=lambda key: recorded_scope(paths.transcript(key), key),
        people=lambda: People(config.core.people, senders()),
        privacy=PrivacyFile(paths),
        project=project,
    )


def cached_senders(workspace: Path, config: MemoryConfig) -> Callable[[], Senders]:
    """Return what says who may write to the installed host of a workspace. It asks again after a minute, and blocks."""

    @lru_cache(maxsize=1)
    def asked(_minute: int) -> Senders:
        return installed_senders(workspace, config)

    return lambda: asked(int(time.monotonic() // _SENDERS_HOLD))


def installed_senders(workspace: Path, config: MemoryConfig) -> Senders:
    """Return what the first entry point of ``nanobot_memory_senders`` says of those who may write to a workspace.

    Each names a function that takes the workspace and the file of the configuration, and returns None where the
    workspace is not that host's. It may block. One that fails is passed over.
    """
    return first_answer(SENDERS_GROUP, lambda offer: offer(workspace, config.source)) or UNKNOWN_SENDERS

"""The scope of a call: who owns what it stores, and which memories it may see."""

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
from nanobot_memory_plugins.core.scopes.people import OWNER, SEPARATOR, UNKNOWN_SENDERS, People, Person, Senders
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key, redact_scope
from nanobot_memory_plugins.core.values import Scope, Visibility
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.scopes import OwnerFilter, owner_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

ScopeLike = Scope | Mapping[str, str] | None
Share = Literal["auto", "agent", "session"]

# Sessions whose scope is in memory, so that a tool call, which has only a session key, searches as its user. The
# scopes of other sessions are read from their files.
_MAX_SESSIONS = 1_000
# Seconds after which the installed host is asked again for its senders: its configuration may change.
_SENDERS_SECONDS = 60
_NAME_TYPES = str | int | None

# The session of what a tool stores without a known session, so that it does not belong to everybody.
NO_SESSION = "?"


def scope_of(scope: ScopeLike) -> Scope:
    """Return a caller's scope as a `Scope`; numbers are accepted as names, and None as no name.

    Raises `InputError` for anything else: without its scope, a memory would belong to somebody else.
    """
    if scope is None or isinstance(scope, Scope):
        return scope or Scope()
    known = [field.name for field in fields(Scope)]
    if not isinstance(scope, Mapping):
        wrong = [type(scope).__name__]
    else:
        wrong = [str(name) for name, value in scope.items() if name not in known or not isinstance(value, _NAME_TYPES)]
    if wrong:
        raise InputError(
            Sentence("A scope cannot be made of {wrong}.", wrong=", ".join(wrong)),
            hint=Sentence(
                "Its keys are {known}, their values texts; nothing was kept or searched.", known=", ".join(known)
            ),
        )
    return Scope(**{name: "" if value is None else str(value) for name, value in scope.items()})


class Scopes:
    """Completes the scopes of calls, and decides which memories they may see. Safe to use from any thread.

    ``recorded`` returns a session's scope from the files, ``people`` returns the current people, and ``privacy`` knows
    who has written besides the owner. Names that none of them gives stay unknown; an unknown name matches nothing.
    ``project`` is the default project of calls.
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
        # Writers in this process besides the owner, known even if the file cannot be written.
        self._writers: BoundedDict[str, None] = BoundedDict(MAX_WRITERS)
        self._sessions: BoundedDict[str, Scope] = BoundedDict(_MAX_SESSIONS)

    def of(self, session_key: str, scope: ScopeLike) -> Scope:
        """Return the whole scope of a call, with missing names from the session's last call, and remember it."""
        whole = self.of_session(session_key, scope)
        if whole.session:
            self._sessions[whole.session] = whole
        if self._privacy is not None and whole.user:
            people = self._people()
            person = people.person_of(whole)
            if person is not None and not person.is_owner:
                # Even if several people may write now: these stay other people if the host later allows only one.
                self._writers[name := people.name_of(whole)] = None
                with suppress(MemoryFileError):  # tried again at their next message
                    self._privacy.note_writer(name)
        return whole

    def of_session(self, session_key: str, scope: ScopeLike = None) -> Scope:
        """Return the same as `of`, without remembering it for the session's next call."""
        given = redact_scope(scope_of(scope))
        session = redact_key(session_key) or given.session
        known = self._known_scope(session)
        whole = {one.name: getattr(given, one.name) or getattr(known, one.name) for one in fields(Scope)}
        return Scope(**{**whole, "session": session, "project": whole["project"] or self._project})

    def visible(self, scope: Scope) -> Visibility:
        """Return which memories a call may see, according to the configuration's ``share``.

        An unknown caller sees only the session, rather than too much. Without a session only memories of everybody are
        visible.
        """
        whole = self.of_session(scope.session, scope)
        return Visibility(whole.agent, self._visible_owners(whole), whole.project)

    def owner(self, scope: Scope) -> Scope:
        """Return the owner of a memory; owners are equal for one person in the same group chat, or outside groups."""
        people = self._people()
        is_personal = not scope.is_for_everybody and (scope.user or people.senders.by_channel)
        person = people.person_of(scope) if is_personal else None
        return owner_of(scope if person is None else replace(scope, user=person.label))

    def of_owner(self) -> Scope:
        """Return the owner of what a command writes: the host's owner if it has one, else everybody."""
        senders = self._people().senders
        if not senders.owner or self._share != "auto":
            return Scope()
        return self.scope_of_person(min(senders.owner, key=lambda one: (SEPARATOR in one, one != "cli", one)))

    def scope_of_person(self, name: str) -> Scope:
        """Return the scope of a person, by a label of the configuration or a name of the host."""
        people = self._people()
        name = next((one.names[0] for one in people.all() if one.label == name and one.names), name)
        channel, _, user = name.partition(SEPARATOR)
        return Scope(channel=channel, user=user) if people.senders.by_channel else Scope(user=name)

    def owned_by(self, name: str, *, session: str, project: str) -> Visibility:
        """Return the visibility of a person's own memories, by any of their names, for somebody who may see all."""
        people = self._people()
        listed = (one for one in people.all() if name in (one.label, *one.names))
        owners = people.owner_filters(next(listed, Person(name, (name,))), caller=Scope(), others=())
        narrowed = [replace(one, session=session or None) for one in (*owners, OwnerFilter(user=name))]
        return Visibility(owners=tuple(narrowed), project=project, owners_only=True)

    def is_nobodys(self, scope: Scope) -> bool:
        """Return whether a memory has no user although several people write, and is not a listed owner's either."""
        if self._share != "auto" or scope.user or scope.is_for_everybody or scope.group_chat or self.has_one_user():
            return False
        people = self._people()
        person = people.person_of(scope)
        return OWNER not in people.listed and (person is None or not person.names)

    def has_one_user(self) -> bool:
        """Return whether only one person writes, according to the host and the recorded writers."""
        people = self._people()
        return people.senders.one_user and (people.senders.unified or not self._other_writers(people))

    def _other_writers(self, people: People) -> list[str]:
        recorded = self._privacy.read().heard if self._privacy is not None else ()
        return people.other_writers(dict.fromkeys((*recorded, *self._writers)))

    def _known_scope(self, session: str) -> Scope:
        """Return the scope of a session's last call, else the one in its files."""
        last = self._sessions.get(session)
        if last is not None or not session:
            return last or Scope()
        recorded = replace(self._recorded(session), session=session)
        if self._project:  # a session may continue in another project than the one it began in
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
            # An unknown person; or one without a name, while the host names others.
            return own
        unnamed = (OwnerFilter(user="", group_chat=""),) if person.label == OWNER and OWNER in people.listed else ()
        return (*people.owner_filters(person, caller=whole, others=self._other_writers(people)), *unnamed)


def workspace_scopes(
    workspace: Path, config: MemoryConfig, senders: Callable[[], Senders] | None = None, *, project: str = ""
) -> Scopes:
    """Return the `Scopes` of a workspace, which read the scopes of earlier sessions from the transcripts.

    Without ``senders``, as in a command, the installed host is asked for them when they are needed.
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
    """Return a function that returns the senders of the installed host, cached for a minute. It blocks."""

    @lru_cache(maxsize=1)
    def senders_in(_minute: int) -> Senders:
        return installed_senders(workspace, config)

    return lambda: senders_in(int(time.monotonic() // _SENDERS_SECONDS))


def installed_senders(workspace: Path, config: MemoryConfig) -> Senders:
    """Return the senders that the first matching entry point of ``nanobot_memory_senders`` has for a workspace.

    Each entry point is a function of the workspace and the configuration file, which returns None if the workspace
    does not belong to its host. This may block. A function that fails is skipped.
    """
    return first_answer(SENDERS_GROUP, lambda function: function(workspace, config.source)) or UNKNOWN_SENDERS

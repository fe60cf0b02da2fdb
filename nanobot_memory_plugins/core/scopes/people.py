"""Who is one person: the names that belong together, those of the owner, and how many people write at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.values import Scope, Whose

# Between a channel and the user's name there.
BREAK = ":"
# The owner, where the configuration gives no other name.
OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Senders:
    """What a host's own configuration says of those who may write to it.

    ``owner`` are names of the owner: a channel of this machine ("cli"), or a sender on one ("telegram:111").
    ``one_user`` says that everybody who may write is the owner; ``unified`` that all of them share one conversation, in
    groups, too. ``by_channel``: a user's name is that of a channel, and another's on the next one. ``several`` says in
    words where several may write.
    """

    owner: frozenset[str] = frozenset()
    one_user: bool = True
    unified: bool = False
    by_channel: bool = False
    several: tuple[str, ...] = ()


# A host that says nothing: whoever it does not name is its owner.
UNSAID = Senders()


@dataclass(frozen=True, slots=True)
class Person:
    """One person. ``names`` are as the configuration or the host has them; ``known`` is false for an unknown one."""

    label: str
    names: tuple[str, ...] = ()
    is_owner: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """The people of a workspace: ``listed`` as the configuration says, and what the host says of the rest."""

    listed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    senders: Senders = UNSAID

    def owner(self) -> Person:
        """Return the owner: whoever is listed with a name of the owner's, or else under that label."""
        own = sorted(map(redact_key, self.senders.owner))
        listed = self._listed()
        label = next((label for label, names in listed.items() if not set(own).isdisjoint(names)), OWNER)
        return Person(label, tuple(dict.fromkeys((*listed.get(label, ()), *own))), is_owner=True)

    def of(self, scope: Scope) -> Person | None:
        """Return whose a memory or a call is; None where that is not known."""
        names = self._names_of(scope)
        owner = self.owner()
        if self.senders.unified or not set(names).isdisjoint(owner.names):
            return owner
        for label, listed in self._listed().items():
            if not set(names).isdisjoint(listed):
                return Person(label, tuple(listed))
        if not scope.user:
            # A host that names nobody and says nothing else has one user; that it is one whom it names is not known.
            return replace(owner, names=()) if self.senders is UNSAID and not scope.group_chat else None
        if self.senders.by_channel or (scope.channel and self._is_listed_elsewhere(scope.user)):
            return Person(names[0], names[:1])
        return Person(scope.user, (scope.user,))

    def all(self) -> list[Person]:
        """Return the people that are known by the configuration, the owner first."""
        owner = self.owner()
        return [owner, *(Person(label, names) for label, names in self._listed().items() if label != owner.label)]

    def named(self, name: str) -> Person | None:
        """Return whose label or name this is, ``owner`` and ``channel:id`` included; None where it is nobody's."""
        for person in self.all():
            if name in (person.label, *person.names) or (person.is_owner and name == OWNER):
                return person
        channel, _, user = name.partition(BREAK)
        if user:
            return self.of(Scope(user=user, channel=channel))
        return None if self.senders.by_channel else self.of(Scope(user=name))

    def name_of(self, scope: Scope) -> str:
        """Return the name of whoever a call names, as the host has it."""
        return f"{scope.channel}{BREAK}{scope.user}" if self.senders.by_channel else scope.user

    def ways(self, person: Person, *, caller: Scope, apart: Sequence[str]) -> tuple[Whose, ...]:
        """Return in which ways a memory is a person's.

        Of a channel that is the person's as a whole, but on which those who are ``apart`` wrote, only what the
        ``caller`` said is.
        """
        mixed = {name.partition(BREAK)[0] for name in apart} if self.senders.by_channel else set()
        names = [name for name in person.names if name not in mixed]
        if caller.user and caller.channel in mixed and caller.channel in person.names:
            names.append(self.name_of(caller))
        return tuple(way for name in names for way in self._ways_of(name))

    def _ways_of(self, name: str) -> tuple[Whose, ...]:
        channel, colon, user = name.partition(BREAK)
        exact = (Whose(user=user, channel=channel),) if colon else ()
        if self.senders.by_channel:
            return exact or (Whose(channel=name),)
        # A host that names its users names the same one on every channel; a name may hold a colon, too.
        return (*exact, Whose(user=name))

    def _names_of(self, scope: Scope) -> tuple[str, ...]:
        """Return the names under which whoever a scope names may be listed, the fullest first."""
        full = f"{scope.channel}{BREAK}{scope.user}" if scope.user else ""
        return tuple(filter(None, (full, scope.channel if self.senders.by_channel else scope.user)))

    def _is_listed_elsewhere(self, user: str) -> bool:
        """Return whether a user's name is somebody's on one channel: on another it is not known to be the same."""
        return any(name.endswith(f"{BREAK}{user}") for names in self._listed().values() for name in names)

    def _listed(self) -> dict[str, tuple[str, ...]]:
        return {label: tuple(map(redact_key, names)) for label, names in self.listed.items()}

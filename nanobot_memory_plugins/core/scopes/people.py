"""Who is one person: the names that belong together, those of the owner, and who wrote."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.values import Scope
from nanobot_memory_plugins.core.values.scopes import SYSTEM_CHANNEL, OwnerFilter

# Between a channel and the user's name there.
BREAK = ":"
# The owner, where the configuration gives no other name. Whom it lists as that sees what names nobody, too.
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
UNKNOWN_SENDERS = Senders()


@dataclass(frozen=True, slots=True)
class Person:
    """One person. ``names`` are as the configuration or the host has them."""

    label: str
    names: tuple[str, ...] = ()
    is_owner: bool = False


class People:
    """The people of a workspace: ``listed`` as the configuration says, and what the host says of the rest.

    ``owner`` is whoever is listed with a name of the owner's, or else under that label.
    """

    def __init__(
        self, listed: Mapping[str, Sequence[str]] = MappingProxyType({}), senders: Senders = UNKNOWN_SENDERS
    ) -> None:
        self.senders = senders
        self.listed = {label: tuple(map(redact_key, names)) for label, names in listed.items()}
        own = sorted(map(redact_key, senders.owner))
        label = next((label for label, names in self.listed.items() if not set(own).isdisjoint(names)), OWNER)
        self.owner = Person(label, tuple(dict.fromkeys((*self.listed.get(label, ()), *own))), is_owner=True)

    def person_of(self, scope: Scope) -> Person | None:
        """Return the person whom a memory or a call belongs to; None where that is not known."""
        names = self._names_of(scope)
        if self.senders.unified or not set(names).isdisjoint(self.owner.names):
            return self.owner
        for label, listed in self.listed.items():
            if not set(names).isdisjoint(listed):
                return Person(label, listed)
        if not scope.user:
            # A host that names nobody and says nothing else has one user; that it is one whom it names is not known.
            return replace(self.owner, names=()) if self.senders is UNKNOWN_SENDERS and not scope.group_chat else None
        if self.senders.by_channel or (scope.channel and self._is_listed_elsewhere(scope.user)):
            return Person(names[0], names[:1])
        return Person(scope.user, (scope.user,))

    def all(self) -> list[Person]:
        """Return the people that are known by the configuration, the owner first."""
        others = (Person(label, names) for label, names in self.listed.items() if label != self.owner.label)
        return [self.owner, *others]

    def other_writers(self, writers: Iterable[str]) -> list[str]:
        """Return who of those that wrote is not the owner."""
        own = (self.owner.label, *self.owner.names)
        return [name for name in writers if name not in own and not name.startswith(f"{SYSTEM_CHANNEL}{BREAK}")]

    def name_of(self, scope: Scope) -> str:
        """Return the name of whoever a call names, as the host has it."""
        return f"{scope.channel}{BREAK}{scope.user}" if self.senders.by_channel else scope.user

    def owner_filters(self, person: Person, *, caller: Scope, apart: Sequence[str]) -> tuple[OwnerFilter, ...]:
        """Return the filters for a person's memories.

        Of a channel that is the person's as a whole, but on which those who are ``apart`` wrote, only what the
        ``caller`` said is.
        """
        mixed = {name.partition(BREAK)[0] for name in apart} if self.senders.by_channel else set()
        names = [name for name in person.names if name not in mixed]
        if caller.user and caller.channel in mixed and caller.channel in person.names:
            names.append(self.name_of(caller))
        return tuple(owner_filter for name in names for owner_filter in self._filters_for(name))

    def _filters_for(self, name: str) -> tuple[OwnerFilter, ...]:
        channel, colon, user = name.partition(BREAK)
        exact = (OwnerFilter(user=user, channel=channel),) if colon else ()
        if self.senders.by_channel:
            return exact or (OwnerFilter(channel=name),)
        # A host that names its users names the same one on every channel; a name may hold a colon, too.
        return (*exact, OwnerFilter(user=name))

    def _names_of(self, scope: Scope) -> tuple[str, ...]:
        full = f"{scope.channel}{BREAK}{scope.user}" if scope.user else ""
        return tuple(filter(None, (full, scope.channel if self.senders.by_channel else scope.user)))

    def _is_listed_elsewhere(self, user: str) -> bool:
        """Return whether a user's name is somebody's on one channel: on another it is not known to be the same."""
        return any(name.endswith(f"{BREAK}{user}") for names in self.listed.values() for name in names)

"""The people who use the memory: which names belong to one person, who is the owner, and who may write."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.values import Scope
from nanobot_memory_plugins.core.values.scopes import SYSTEM_CHANNEL, OwnerFilter

# Separates a channel and a user's name on it.
SEPARATOR = ":"
# The default label of the owner. A person who is listed under this label also sees memories that name nobody.
OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Senders:
    """Who may write to a host, according to the host's own configuration.

    ``owner`` are the owner's names: a channel of this machine ("cli"), or a sender on a channel ("telegram:111").
    ``one_user`` means that only the owner may write, ``unified`` that all writers share one conversation, also in
    groups. With ``by_channel`` a user's name is only valid on one channel, and may be another person's elsewhere.
    ``several`` describes in words where several people may write.
    """

    owner: frozenset[str] = frozenset()
    one_user: bool = True
    unified: bool = False
    by_channel: bool = False
    several: tuple[str, ...] = ()


# A host that says nothing about its senders: a message without a name is its owner's.
UNKNOWN_SENDERS = Senders()


@dataclass(frozen=True, slots=True)
class Person:
    """One person; ``names`` are those of the configuration or the host."""

    label: str
    names: tuple[str, ...] = ()
    is_owner: bool = False


class People:
    """The people of a workspace: those ``listed`` in the configuration, and the host's ``senders``.

    ``owner`` is the listed person who has one of the owner's names, else the person with the label `OWNER`.
    """

    def __init__(
        self, listed: Mapping[str, Sequence[str]] = MappingProxyType({}), senders: Senders = UNKNOWN_SENDERS
    ) -> None:
        self.senders = senders
        self.listed = {label: tuple(map(redact_key, names)) for label, names in listed.items()}
        owner_names = sorted(map(redact_key, senders.owner))
        label = next((label for label, names in self.listed.items() if not set(owner_names).isdisjoint(names)), OWNER)
        self.owner = Person(label, tuple(dict.fromkeys((*self.listed.get(label, ()), *owner_names))), is_owner=True)

    def person_of(self, scope: Scope) -> Person | None:
        """Return the person to whom a memory or a call belongs, or None if that is unknown."""
        names = self._names_of(scope)
        if self.senders.unified or not set(names).isdisjoint(self.owner.names):
            return self.owner
        for label, listed in self.listed.items():
            if not set(names).isdisjoint(listed):
                return Person(label, listed)
        if not scope.user:
            # A host without names and senders has one user, but it is unknown whether that is a listed person.
            return replace(self.owner, names=()) if self.senders is UNKNOWN_SENDERS and not scope.group_chat else None
        if self.senders.by_channel or (scope.channel and self._is_listed_elsewhere(scope.user)):
            return Person(names[0], names[:1])
        return Person(scope.user, (scope.user,))

    def all(self) -> list[Person]:
        """Return the people that the configuration lists, the owner first."""
        others = (Person(label, names) for label, names in self.listed.items() if label != self.owner.label)
        return [self.owner, *others]

    def other_writers(self, writers: Iterable[str]) -> list[str]:
        """Return the writers who are not the owner."""
        own = (self.owner.label, *self.owner.names)
        return [name for name in writers if name not in own and not name.startswith(f"{SYSTEM_CHANNEL}{SEPARATOR}")]

    def name_of(self, scope: Scope) -> str:
        """Return the name of a call's user in the host."""
        return f"{scope.channel}{SEPARATOR}{scope.user}" if self.senders.by_channel else scope.user

    def owner_filters(self, person: Person, *, caller: Scope, others: Sequence[str]) -> tuple[OwnerFilter, ...]:
        """Return the filters for a person's memories.

        If a whole channel belongs to the person, but ``others`` have written on it, only the messages of the ``caller``
        there are included.
        """
        shared = {name.partition(SEPARATOR)[0] for name in others} if self.senders.by_channel else set()
        names = [name for name in person.names if name not in shared]
        if caller.user and caller.channel in shared and caller.channel in person.names:
            names.append(self.name_of(caller))
        return tuple(owner_filter for name in names for owner_filter in self._filters_for(name))

    def _filters_for(self, name: str) -> tuple[OwnerFilter, ...]:
        channel, colon, user = name.partition(SEPARATOR)
        exact = (OwnerFilter(user=user, channel=channel),) if colon else ()
        if self.senders.by_channel:
            return exact or (OwnerFilter(channel=name),)
        # The host uses the same name on every channel; a name may also contain a colon.
        return (*exact, OwnerFilter(user=name))

    def _names_of(self, scope: Scope) -> tuple[str, ...]:
        full = f"{scope.channel}{SEPARATOR}{scope.user}" if scope.user else ""
        return tuple(filter(None, (full, scope.channel if self.senders.by_channel else scope.user)))

    def _is_listed_elsewhere(self, user: str) -> bool:
        """Return whether a user's name is listed for a channel: on another channel it may be another person's."""
        return any(name.endswith(f"{SEPARATOR}{user}") for names in self.listed.values() for name in names)

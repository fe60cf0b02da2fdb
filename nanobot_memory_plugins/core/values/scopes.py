"""The owner of a memory, and which memories somebody may see."""

from dataclasses import dataclass, replace

# A channel of the host's own, on which no person writes.
NOBODYS_CHANNEL = "system"


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of a memory. ``group_chat`` names the conversation of several people that it is from, if it is.

    ``project`` is the project that it is about, empty for what is about the person: it says what comes first, and never
    who sees it.
    As the filter of a query an empty field does not narrow: it is for people who look at everything.
    A user's name is the one that stays the same: an id, and not what people call themselves.
    """

    agent: str = ""
    user: str = ""
    channel: str = ""
    session: str = ""
    group_chat: str = ""
    project: str = ""

    @property
    def is_everybodys(self) -> bool:
        """Whether it names nobody, so that it is for everybody of its agent."""
        return not (self.user or self.channel or self.session or self.group_chat)

    def allows(self, scope: "Scope") -> bool:
        """Return whether a memory of ``scope`` has all that this one names."""
        return (
            self.agent in ("", scope.agent)
            and self.user in ("", scope.user)
            and self.channel in ("", scope.channel)
            and self.session in ("", scope.session)
            and self.group_chat in ("", scope.group_chat)
        )


@dataclass(frozen=True, slots=True)
class OwnerFilter:
    """Selects memories by their owner. None matches any name, the empty string only memories that name nobody."""

    user: str | None = None
    channel: str | None = None
    session: str | None = None
    group_chat: str | None = None

    def holds(self, scope: Scope) -> bool:
        """Return whether the filter matches a memory of ``scope``."""
        return (
            self.user in (None, scope.user)
            and self.channel in (None, scope.channel)
            and self.session in (None, scope.session)
            and self.group_chat in (None, scope.group_chat)
        )


@dataclass(frozen=True, slots=True)
class Visibility:
    """Which memories somebody may see: everybody's, and those that one of ``owners`` matches.

    Without a filter there is nothing but everybody's: what is not known opens nothing. ``agent`` is seen, and so
    are the memories that name none. ``project`` is the one that is worked in: what is about it comes first, and what
    is about others stays out of prompts. ``alone`` is for people who look at all memories: nothing but the owners', of
    any agent.
    """

    agent: str = ""
    owners: tuple[OwnerFilter, ...] = ()
    project: str = ""
    alone: bool = False

    @property
    def is_everything(self) -> bool:
        """Whether all memories of the agent may be seen, whoever owns them."""
        return OwnerFilter() in self.owners

    @property
    def is_of_group(self) -> bool:
        """Whether it is what a group chat may see."""
        return any(one.group_chat for one in self.owners)

    def allows(self, scope: Scope) -> bool:
        """Return whether a memory of ``scope`` may be seen."""
        is_own = any(one.holds(scope) for one in self.owners)
        if self.alone:
            return is_own
        return scope.agent in ("", self.agent) and (scope.is_everybodys or is_own)


def owner(scope: Scope) -> Scope:
    """Return the owner of a memory; a user that a host names is the same in every channel."""
    return replace(scope, session="", channel="" if scope.user else scope.channel)

"""The owner of a memory, and which memories somebody may see."""

from dataclasses import dataclass, replace

# A channel of the host's own, on which no person writes.
SYSTEM_CHANNEL = "system"


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
    def is_for_everybody(self) -> bool:
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

    def matches(self, scope: Scope) -> bool:
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

    Without owners only everybody's memories are visible: an unknown caller sees no more. ``agent`` limits them to one
    agent's memories and those that name no agent. ``project`` is the current one: memories about it come first, and
    those about other projects stay out of prompts. With ``owners_only``, for people who look at all memories, only
    those of the owners are visible, of any agent.
    """

    agent: str = ""
    owners: tuple[OwnerFilter, ...] = ()
    project: str = ""
    owners_only: bool = False

    @property
    def is_everything(self) -> bool:
        """Whether all memories of the agent may be seen, whoever owns them."""
        return OwnerFilter() in self.owners

    @property
    def is_for_group(self) -> bool:
        """Whether it is what a group chat may see."""
        return any(one.group_chat for one in self.owners)

    def allows(self, scope: Scope) -> bool:
        """Return whether a memory of ``scope`` may be seen."""
        is_own = any(one.matches(scope) for one in self.owners)
        if self.owners_only:
            return is_own
        return scope.agent in ("", self.agent) and (scope.is_for_everybody or is_own)


def owner_of(scope: Scope) -> Scope:
    """Return the owner of a memory; a user that a host names is the same in every channel."""
    return replace(scope, session="", channel="" if scope.user else scope.channel)

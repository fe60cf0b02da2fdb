"""Scopes, which say who owns a memory, and visibilities, which say who may see it."""

from dataclasses import dataclass, replace

# The host's internal channel, on which no person writes.
SYSTEM_CHANNEL = "system"


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of a memory.

    ``user`` is a stable id, not a display name. ``group_chat`` is the conversation of several people that the memory
    comes from, or empty. ``project`` is the project that it is about, or empty when it is about the person; it affects
    the order of results, never who may see them. As the filter of a query, for people who look at all memories, an
    empty field matches everything.
    """

    agent: str = ""
    user: str = ""
    channel: str = ""
    session: str = ""
    group_chat: str = ""
    project: str = ""

    @property
    def is_for_everybody(self) -> bool:
        """Whether the scope names nobody, so that everybody who uses the agent may see the memory."""
        return not (self.user or self.channel or self.session or self.group_chat)

    def allows(self, scope: "Scope") -> bool:
        """Return whether a memory of ``scope`` matches all non-empty fields except the project."""
        return (
            self.agent in ("", scope.agent)
            and self.user in ("", scope.user)
            and self.channel in ("", scope.channel)
            and self.session in ("", scope.session)
            and self.group_chat in ("", scope.group_chat)
        )


@dataclass(frozen=True, slots=True)
class OwnerFilter:
    """Selects memories by owner. None matches any name, the empty string only memories without a name there."""

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
        """Whether this is the view of a group chat."""
        return any(owner.group_chat for owner in self.owners)

    def allows(self, scope: Scope) -> bool:
        """Return whether a memory of ``scope`` may be seen."""
        is_own = any(owner.matches(scope) for owner in self.owners)
        if self.owners_only:
            return is_own
        return scope.agent in ("", self.agent) and (scope.is_for_everybody or is_own)


def owner_of(scope: Scope) -> Scope:
    """Return the scope of the owner, without the session. A named user is the same person in every channel."""
    return replace(scope, session="", channel="" if scope.user else scope.channel)

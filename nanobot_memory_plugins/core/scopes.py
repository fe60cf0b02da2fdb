"""Whose memory a call is about, and what a search on its behalf may see."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Literal

from nanobot_memory_plugins.core.values import Scope

ScopeLike = Scope | Mapping[str, str] | None
Share = Literal["agent", "user", "channel", "session"]

# Sessions whose scope is remembered, so that a tool call, which knows only its session, searches as its user.
_REMEMBERED = 1_000


def passes(scope: Scope, visible: Scope) -> bool:
    """Say whether a memory of ``scope`` is for whoever sees ``visible``.

    One that names neither user, channel nor session is everybody's. One that names a session and no user is somebody's
    who is not known, and not everybody's.
    """
    everybodys = not (scope.user or scope.channel or scope.session)
    pairs = ((visible.user, scope.user), (visible.channel, scope.channel), (visible.session, scope.session))
    if visible.agent and scope.agent not in ("", visible.agent):
        return False
    return everybodys or all(wanted in ("", has) for wanted, has in pairs)


# A session that nobody has: an empty one in a filter would let everything pass.
NO_SESSION = "(no session)"


class Scopes:
    """Completes the scopes of calls, and narrows them to search filters."""

    def __init__(self, share: Share) -> None:
        self._share = share
        self._sessions: OrderedDict[str, Scope] = OrderedDict()

    def of(self, session_key: str, scope: ScopeLike) -> Scope:
        """Return the whole scope of a call: what it names, else what its session was last called with."""
        whole = self.known(session_key, scope)
        if session_key:
            self._sessions[session_key] = whole
            self._sessions.move_to_end(session_key)
            while len(self._sessions) > _REMEMBERED:
                self._sessions.popitem(last=False)
        return whole

    def known(self, session_key: str, scope: ScopeLike) -> Scope:
        """Return the same as `of`, and remember nothing: it may be called from any thread."""
        named = Scope(**scope) if isinstance(scope, Mapping) else scope or Scope()
        known = self._sessions.get(session_key, Scope())
        return Scope(
            agent=named.agent or known.agent,
            user=named.user or known.user,
            channel=named.channel or known.channel,
            session=named.session or session_key,
        )

    def visible(self, scope: Scope) -> Scope:
        """Return the search filter for a call: the agent's whole memory, or narrowed as the configuration says.

        A narrowing that the call cannot fill (no user is known, say) narrows to its session: rather too little
        than somebody else's.
        """
        known = self._sessions.get(scope.session, scope)
        whole = Scope(
            agent=scope.agent or known.agent,
            user=scope.user or known.user,
            channel=scope.channel or known.channel,
            session=scope.session,
        )
        match self._share:
            case "agent":
                return Scope(agent=whole.agent)
            case "user" if whole.user:
                return Scope(agent=whole.agent, user=whole.user)
            case "channel" if whole.channel and whole.user:
                return Scope(agent=whole.agent, user=whole.user, channel=whole.channel)
            case _:
                return Scope(agent=whole.agent, session=whole.session or NO_SESSION)

"""What `doctor` says of the sharing itself: whether the server is there, and whether everything was sent."""

from nanobot_memory_plugins.core import Finding, Health
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.reaching import Server
from nanobot_memory_plugins.redaction.script.messages import Sentence


def away(server: Server) -> Finding:
    """Say that the server does not answer, why, and what helps."""
    told = Sentence("away: {reason} This machine's own index answers, and nothing is lost.", reason=server.reason)
    return Finding("shared memory", told, Health.DEGRADED, server.hint)


def slow(server: Server) -> Finding:
    """Say that the server gets what is sent, and is too slow to be searched."""
    told = Sentence("{reason} It gets what is sent; this machine's own index answers searches.", reason=server.reason)
    return Finding(
        "shared memory",
        told,
        Health.DEGRADED,
        "Put the server near its machines, or give memoryPlugins.postgres.searchSeconds more.",
    )


def sharing(whose: TenantOwner, unsent: int) -> Finding:
    """Return whether what this machine keeps is kept for everybody; ``unsent`` bytes of its files are not yet."""
    if unsent:
        waiting = Sentence(
            "{unsent:,} bytes of this machine's files are kept here and not for everybody yet", unsent=unsent
        )
        hint = "They are sent while an agent runs; the log says why they are not."
        return Finding("shared memory", waiting, Health.INFO, hint)
    state = Sentence(
        "what this machine keeps is kept for everybody of {name}, as {machine}", name=whose.name, machine=whose.machine
    )
    return Finding("shared memory", state)

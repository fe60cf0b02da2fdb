"""What is known of the user, or about somebody, as far as a tool may tell it in a session."""

from nanobot_memory_plugins.core import PluginContext, Scope
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Profile


async def shown_profile(context: PluginContext, about: str, session_key: str) -> Profile:
    """Return the profile; nothing where no plugin keeps entries. Raises `MemoryFileError`."""
    access = context.entries
    if access is None:
        return Profile({})
    visible = context.scopes.visible(Scope(session=session_key))
    return await run_in_daemon_thread(lambda: access.profile(about, visible=visible))

"""Forgetting for good: first the memory files, then what plugins keep."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.erasure.files import purge_files
from nanobot_memory_plugins.core.erasure.finding import Wanted
from nanobot_memory_plugins.core.erasure.recording import remember_forgotten
from nanobot_memory_plugins.core.erasure.removals import removals
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.plugin_host import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Trace

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.memory_host import MemoryHost


async def purge_texts(
    host: "MemoryHost", texts: Sequence[str], *, dry_run: bool = False, everywhere: bool = False
) -> list[Trace]:
    """Take texts, and the sentences that carry them, out of everything that is ours in the host's workspace.

    Text of people is reported and stays, unless ``everywhere``. With ``dry_run`` nothing is written. Returns what was
    found and what became of it. It can be repeated, and should be where something had to stay.
    """
    wanted = Wanted(texts)
    if not wanted:
        return []
    await host.start()
    paths = MemoryPaths.of(host.workspace)
    if not dry_run:
        await run_in_daemon_thread(lambda: remember_forgotten(paths, removals(paths, wanted, texts)))
    found = await run_in_daemon_thread(lambda: purge_files(paths, wanted, dry_run=dry_run, everywhere=everywhere))
    if host.store is not None and not dry_run:
        for trace in found:
            host.store.notify(paths.workspace / trace.where)
    plugins = host.plugins.host
    before = dict(plugins.failures())
    answers = await plugins.call(
        "on_purge", {"texts": tuple(texts), "dry_run": dry_run, "everywhere": everywhere}, accept=(Trace,)
    )
    found += [one for answer in answers for one in answer.values if isinstance(one, Trace)]
    failed = [name for (name, hook), count in plugins.failures().items() if hook == "on_purge" and count]
    return found + [
        Trace(f"plugin {name}", 0, removed=False, why="it failed; purge again")
        for name in failed
        if plugins.failures()[name, "on_purge"] > before.get((name, "on_purge"), 0)
    ]

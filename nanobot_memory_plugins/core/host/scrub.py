"""Scrubbing a workspace: first the files, then what the index made of them."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.erasure.scrubbed import Scrubbed
from nanobot_memory_plugins.core.erasure.secret_cleaning import Cleaner
from nanobot_memory_plugins.core.erasure.secret_files import scrub_files
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.host.eraser import arguments_of
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.values import Erasure, Trace

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost


async def scrub_workspace(
    host: "MemoryHost",
    special: Callable[[Path], Cleaner | None] = lambda _path: None,
    *,
    dry_run: bool = False,
    everywhere: bool = False,
) -> list[Scrubbed]:
    """Take secrets out of everything that is ours in the host's workspace: files, backups, journal, index.

    Text of people is reported and stays, unless ``everywhere``. With ``dry_run`` nothing is written. ``special`` gives
    the cleaner of a file whose form only a plugin knows. It can be repeated, and does nothing the second time.
    """
    await host.start()
    redaction = ContactRedaction(host.config.redaction.contacts)
    paths = MemoryPaths.of(host.workspace)
    reports = await run_in_daemon_thread(
        lambda: scrub_files(
            paths, redaction.of_people, redaction.of_tools, special, dry_run=dry_run, everywhere=everywhere
        )
    )
    if dry_run:
        return reports
    if host.store is not None:
        for report in reports:
            host.store.notify(paths.workspace / report.where)
    # Nothing is named: the index follows its files, and is then written anew without what was deleted.
    answers = await host.plugins.host.call(
        "on_purge", arguments_of(Erasure(everywhere=everywhere), dry_run=False), accept=(Trace,)
    )
    traces = [one for answer in answers for one in answer.values if isinstance(one, Trace)]
    return reports + [Scrubbed(one.where, removed=one.removed, why=one.why) for one in traces]

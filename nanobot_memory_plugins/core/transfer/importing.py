"""One import, from the source to the report."""

from contextlib import nullcontext
from pathlib import Path

from filelock import FileLock, Timeout

from nanobot_memory_plugins.core.errors import InputError, MemoryFileError, NanobotMemoryError, PluginError
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths
from nanobot_memory_plugins.core.files.appending import Appender, make_folder
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, Contacts
from nanobot_memory_plugins.core.transfer.import_writer import LOCK_SECONDS, ImportWriter
from nanobot_memory_plugins.core.transfer.importer import Importer
from nanobot_memory_plugins.core.transfer.ledger import ImportLedger
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.values import Scope
from nanobot_memory_plugins.redaction.script.messages import Sentence


def import_from(
    importer: Importer,
    format: str,  # noqa: A002
    source: Path,
    workspace: Path,
    *,
    dry_run: bool = False,
    tools: bool = False,
    contacts: Contacts = "user",
    whose: Scope = Scope(),
) -> ImportReport:
    """Take everything that an importer reads into a workspace, each thing once, and report. It blocks.

    It can be broken off at any moment and done again. With ``dry_run`` nothing is written. The notes of which the
    importer does not say whose they are become ``whose``. Raises `InputError` when the source cannot be read,
    `MemoryFileError` when the memory cannot be written, and `PluginError` when the importer fails.
    """
    paths = MemoryPaths.of(workspace)
    report = ImportReport(format, importer.label, str(source), dry_run=dry_run)
    with nullcontext() if dry_run else only_import(paths):
        appender = Appender(paths, LOCK_SECONDS)
        ledger = ImportLedger(paths)
        ledger.begin(source.name)
        writer = ImportWriter(
            paths, report, ledger, appender, redaction=ContactRedaction(contacts), tools=tools, whose=whose
        )
        try:
            for item in importer.read(source, paths.workspace):
                writer.take(item)
            writer.finish()
            ledger.finish()
        except FileBusyError as error:
            raise FileBusyError(error.cause, hint="Import again: what was taken is not taken twice.") from error
        except NanobotMemoryError:
            raise
        except Exception as error:  # an importer may be anybody's
            writer.finish()
            raise PluginError(
                Sentence("The importer {format} failed with {kind}.", format=format, kind=type(error).__name__),
                hint="What it had read until then was taken. Report it to whoever wrote the importer.",
            ) from error
    return report


def only_import(paths: MemoryPaths) -> FileLock:
    """Return a lock that is held, so that two imports do not take the same things at the same time."""
    make_folder(paths, paths.locks)
    lock = private_lock(paths.locks / "import.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError("Another import into this memory is running.", hint="Wait for its end.") from error
    except OSError as error:
        raise MemoryFileError(Sentence("The memory folder cannot be written: {why}.", why=error.strerror)) from error
    return lock

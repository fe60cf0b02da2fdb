"""What ``nanobot-memory doctor`` finds without any plugin: the interpreter, the workspace, the memory files."""

import errno
import os
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nanobot_memory_plugins.core.cli.keeping_findings import keeping_findings
from nanobot_memory_plugins.core.cli.pause_command import privacy_finding
from nanobot_memory_plugins.core.erasure.scrub import clean_notes
from nanobot_memory_plugins.core.files.in_the_way import put_aside
from nanobot_memory_plugins.core.files.private import LINKED, REPLACE_LINK
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.redaction.contact_redaction import without_secrets
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

_KILO = 1_000
# Bytes that are looked through for secrets, and files that are named.
_MOST_READ, _MOST_NAMED = 1_000_000, 5
# What is written to see whether there is room, and the room below which a warning is due, in bytes.
_PROBE, _LITTLE_ROOM = 1 << 16, 50 << 20
_RIGHT = "Name the agent's folder with --workspace. nanobot makes its own at its first start."
# Folders of ours, and whether a memory cannot do without them: where one is a link, nothing is written there.
_FOLDERS = {
    "memory/sessions": True,
    "memory/.locks": True,
    ".storage": False,
}


def machine_findings() -> list[Finding]:
    """Return the versions of Python and of core."""
    try:
        core = version("nanobot-memory-core")
    except PackageNotFoundError:
        core = "not installed as a distribution"
    return [
        Finding(
            "python",
            Sentence(
                "{python_version} on {system} {machine} ({executable})",
                python_version=platform.python_version(),
                system=platform.system(),
                machine=platform.machine(),
                executable=sys.executable,
            ),
        ),
        Finding("nanobot-memory-core", core),
    ]


def workspace_finding(workspace: Path) -> Finding:
    """Return whether memory can be kept in a folder. One that is not there is not made."""
    if workspace.is_dir():
        try:
            with tempfile.NamedTemporaryFile(dir=workspace, prefix=".nanobot-memory-doctor-") as file:
                # An empty file has room on a full disk, too.
                file.write(bytes(_PROBE))
                file.flush()
                os.fsync(file.fileno())
            return Finding("workspace", str(workspace))
        except OSError as error:
            state = Sentence(
                "{workspace}: nothing can be written there ({why})",
                workspace=workspace,
                why=error.strerror or type(error).__name__,
            )
            return Finding("workspace", state, Health.BAD, _way_to_write(workspace, error.errno))
    if workspace.exists():
        state = Sentence("{workspace}: this is not a folder", workspace=workspace)
        return Finding("workspace", state, Health.BAD, "Name a folder with --workspace.")
    parent = next(folder for folder in workspace.parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        state = Sentence(
            "{workspace}: it is not there and cannot be made below {parent}", workspace=workspace, parent=parent
        )
        return Finding("workspace", state, Health.BAD, "Name another folder with --workspace.")
    return Finding("workspace", Sentence("there is no workspace at {folder}", folder=workspace), Health.BAD, _RIGHT)


def _way_to_write(workspace: Path, number: int | None) -> str:
    """Return what helps where a file cannot be written."""
    folder = shlex.quote(str(workspace))
    if number in (errno.ENOSPC, errno.EDQUOT):
        return Sentence(
            "Free disk space: `df -h {folder}` shows how much there is, `du -xh {folder} | sort -h` what takes it.",
            folder=folder,
        )
    if number == errno.EFBIG:
        return Sentence("A limit on the size of files is set: `ulimit -f unlimited` lifts it in this shell.")
    if number == errno.EROFS:
        return Sentence("That disk can only be read: mount it for writing, or name another folder with --workspace.")
    return Sentence(
        "`chmod u+rwx {folder}`, as the user whose folder it is; or name another one with --workspace.", folder=folder
    )


def room_findings(workspace: Path) -> list[Finding]:
    """Return how much room there is where the memory is kept; nothing where that cannot be told."""
    try:
        disk = shutil.disk_usage(workspace)
    except OSError:
        return []
    if not disk.total:
        return []
    state = (
        Sentence("{free:,.1f} GB free", free=disk.free / 1000000000.0)
        if disk.free >= 1e9
        else Sentence("{free:,.0f} MB free", free=disk.free / 1000000.0)
    )
    if disk.free >= _LITTLE_ROOM:
        return [Finding("disk space", state)]
    return [
        Finding(
            "disk space",
            Sentence("{state} at {workspace}", state=state, workspace=workspace),
            Health.DEGRADED,
            _way_to_write(workspace, errno.ENOSPC),
        )
    ]


def memory_file_findings(workspace: Path) -> list[Finding]:
    """Return how many memory files of each kind there are, how they are kept, and which folders of ours are links."""
    memory = workspace / "memory"
    kinds = {
        Sentence("long-term memory"): _files(memory, "MEMORY.md"),
        Sentence("day notes"): _files(memory, "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*.md"),
        Sentence("transcripts"): _files(memory / "sessions", "*.jsonl"),
    }
    findings = []
    for subject, files in kinds.items():
        sizes = list(files)
        number = Sentence("1 file") if len(sizes) == 1 else Sentence("{count} files", count=len(sizes))
        findings.append(
            Finding(
                subject,
                Sentence("{number}, {size:,.1f} kB", number=number, size=sum(sizes) / _KILO) if sizes else "none yet",
            )
        )
    return [
        *findings,
        privacy_finding(workspace),
        *keeping_findings(workspace),
        *_linked_folders(workspace),
        *_secrets_by_hand(memory),
    ]


def _secrets_by_hand(memory: Path) -> Iterator[Finding]:
    """Find the Markdown files in which what people wrote holds secrets: as many as a second or two suffices for."""
    named: list[str] = []
    left = _MOST_READ
    for path in sorted(memory.glob("**/*.md"), key=lambda one: (one.name != "MEMORY.md", one.name)):
        with suppress(OSError):
            if path.is_symlink() or (left := left - path.stat().st_size) < 0:
                continue
            if clean_notes(read_regular(path), without_secrets, everywhere=False).foreign:
                named.append(path.relative_to(memory.parent).as_posix())
    if named:
        more = Sentence(" and {count} more", count=len(named) - _MOST_NAMED) if len(named) > _MOST_NAMED else ""
        yield Finding(
            "secrets by hand",
            Sentence(
                "{named}{more}: text of yours holds what looks like a secret; it stays in the file, and is "
                "hidden in the index, in blocks and in logs",
                named=", ".join(named[:_MOST_NAMED]),
                more=more,
            ),
            Health.DEGRADED,
            "`nanobot-memory scrub --dry-run` shows the kinds; take them out by hand, or with `scrub --everywhere`.",
        )


def files_in_the_way(workspace: Path) -> Iterator[Finding]:
    """Find what is no folder and stands where one of ours belongs."""
    for name, is_needed in {"memory": True, **_FOLDERS}.items():
        path = workspace / name
        if path.is_symlink() or path.is_dir() or not path.exists():
            continue
        yield Finding(
            Sentence("folder {name}", name=name),
            "a file stands where this folder belongs: nothing can be kept in it",
            Health.BAD if is_needed else Health.DEGRADED,
            put_aside(path),
        )


def _linked_folders(workspace: Path) -> Iterator[Finding]:
    for name, is_needed in _FOLDERS.items():
        for folder in _links(workspace / name):
            yield Finding(
                Sentence("folder {name}", name=folder.relative_to(workspace).as_posix()),
                LINKED,
                Health.BAD if is_needed else Health.DEGRADED,
                Sentence(
                    "{replace_link}: `rm {folder}`, and the next start makes the folder.",
                    replace_link=Sentence(REPLACE_LINK),
                    folder=shlex.quote(str(folder)),
                ),
            )


def _links(folder: Path) -> Iterator[Path]:
    """Yield ``folder`` where it is a link, else the folders in it that are."""
    if folder.is_symlink():
        yield folder
        return
    for inside, names, _ in os.walk(folder):
        yield from (Path(inside, name) for name in sorted(names) if Path(inside, name).is_symlink())


def _files(folder: Path, pattern: str) -> Iterator[int]:
    """Yield the size of each file in ``folder`` that matches."""
    try:
        for path in folder.glob(pattern):
            if path.is_file():
                yield path.stat().st_size
    except OSError:
        return

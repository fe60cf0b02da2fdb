"""The findings of ``nanobot-memory doctor`` that need no plugin: machine, workspace, pause, people."""

import errno
import os
import platform
import shlex
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from nanobot_memory_plugins.core.cli.options import NO_WORKSPACE
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.scopes.people import People, Person, Senders
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bytes that are written to find out whether there is room on the disk.
_PROBE_SIZE = 1 << 16
# The memory's folders: how bad it is if one cannot be used, and the access that its files need.
_FOLDERS = {
    "memory": (Health.BAD, os.R_OK),
    "memory/sessions": (Health.BAD, os.R_OK | os.W_OK),
    "memory/.locks": (Health.BAD, os.R_OK | os.W_OK),
    ".storage": (Health.DEGRADED, os.R_OK | os.W_OK),
}
_SHARES = {
    "agent": "everybody who writes sees every memory (share: agent)",
    "session": "each conversation sees its own memories (share: session)",
}


def machine_findings(workspace: Path) -> list[Finding]:
    """Return the findings about versions, workspace and folders, which need no open memory. It blocks."""
    python = Sentence(
        "{python_version} on {system} {machine} ({executable})",
        python_version=platform.python_version(),
        system=platform.system(),
        machine=platform.machine(),
        executable=sys.executable,
    )
    return [
        Finding("python", python),
        Finding("nanobot-memory-core", version("nanobot-memory-core")),
        workspace_finding(workspace),
        *folder_findings(workspace),
    ]


def workspace_finding(workspace: Path) -> Finding:
    """Return whether a workspace exists and can be written to. It is not created."""
    folder = shlex.quote(str(workspace))
    if not workspace.is_dir():
        state = Sentence("there is no folder at {folder}", folder=workspace)
        return Finding("workspace", state, Health.BAD, NO_WORKSPACE)
    try:
        with tempfile.NamedTemporaryFile(dir=workspace, prefix=".nanobot-memory-doctor-") as file:
            file.write(bytes(_PROBE_SIZE))  # an empty file can be created on a full disk, too
            file.flush()
            os.fsync(file.fileno())
        return Finding("workspace", str(workspace))
    except OSError as error:
        why = error.strerror or type(error).__name__
        state = Sentence("{workspace}: nothing can be written there ({why})", workspace=workspace, why=why)
        hint = Sentence(
            "`chmod u+rwx {folder}`, as the user whose folder it is; or name another one with --workspace.",
            folder=folder,
        )
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = Sentence("Free disk space: `du -xh {folder} | sort -h` shows what takes it.", folder=folder)
        return Finding("workspace", state, Health.BAD, hint)


def folder_findings(workspace: Path) -> Iterator[Finding]:
    """Yield a finding for each folder of the memory that is a file instead, or that this user may not use."""
    for name, (health, needed) in _FOLDERS.items():
        path = workspace / name
        subject, quoted = Sentence("folder {name}", name=name), shlex.quote(str(path))
        if os.path.exists(path) and not os.path.isdir(path):
            yield Finding(
                subject,
                "there is a file in place of this folder: nothing can be stored in it",
                health,
                Sentence("`mv -n {path} {path}.aside`, and the next start makes the folder.", path=quoted),
            )
        elif closed := _inaccessible_path(path, needed):
            yield Finding(
                subject,
                Sentence("{path} cannot be read and written by this user", path=closed),
                health if closed == path or path.name == ".locks" else Health.DEGRADED,
                Sentence("`chmod -R u+rwX {path}`, as the user whose folder it is.", path=quoted),
            )


def _inaccessible_path(folder: Path, needed: int) -> Path | None:
    """Return the folder, or the first file in it, that this user may not use; None if there is none."""
    if os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        files = filter(os.path.isfile, folder.iterdir())
        return next((one for one in files if not os.access(one, needed)), None)
    return folder if os.path.isdir(folder) else None


def pause_finding(workspace: Path) -> Finding:
    """Return whether the memory is paused, and where. It blocks."""
    marks = PrivacyFile(MemoryPaths.of(workspace)).read()
    if marks.is_unreadable:
        return Finding(
            "pause",
            "memory/.privacy.json cannot be read",
            Health.DEGRADED,
            "Correct it, or `rm memory/.privacy.json`; until then nothing is kept.",
        )
    if marks.is_workspace_paused:
        return Finding("pause", "nothing is kept: paused", Health.DEGRADED, "`nanobot-memory resume` ends that.")
    if names := marks.paused_conversations:
        state = Sentence("nothing of these conversations is kept: {names}", names=", ".join(names))
        hint = Sentence(
            '`nanobot-memory resume --session {name}` ends that, or "memory resume" in the conversation.',
            name=shlex.quote(names[0]),
        )
        return Finding("pause", state, Health.DEGRADED, hint)
    return Finding("pause", "nothing is paused")


def people_finding(workspace: Path, config: MemoryConfig, senders: Senders) -> Finding:
    """Return who sees which memories in a workspace."""
    people, share, where = People(config.core.people, senders), config.core.share, ", ".join(senders.several)
    if share != "auto":
        state: str = Sentence(_SHARES[share])
        if share != "agent" or not senders.several:
            return Finding("people", state)
        state = Sentence("{state}, and several may write in {where}", state=state, where=where)
        return Finding(
            "people",
            state,
            Health.DEGRADED,
            "`nanobot-memory config set core.share auto`, so that each sees their own.",
        )
    listed = Sentence.joined((_person_text(person) for person in people.all()), "; ")
    if not senders.one_user:
        state = Sentence(
            "each sees their own memories, since several may write in {where} ({listed})", where=where, listed=listed
        )
        return Finding("people", state)
    others = sorted(people.other_writers(PrivacyFile(MemoryPaths.of(workspace)).read().heard))
    if not others:
        state = Sentence("one user, for whom everything is shared ({who})", who=_person_text(people.owner))
        return Finding("people", state)
    return Finding(
        "people",
        Sentence(
            "each sees their own memories: besides the owner, {heard} wrote ({listed})",
            listed=listed,
            heard=", ".join(others),
        ),
        Health.DEGRADED,
        """List who is one person: `nanobot-memory config set core.people '{"ana": ["telegram:111", "cli"]}'`; or let"""
        " everybody see all: `nanobot-memory config set core.share agent`.",
    )


def _person_text(person: Person) -> Sentence:
    if not person.names:
        return Sentence("{label}: whoever is not named", label=person.label)
    return Sentence("{label}: {names}", label=person.label, names=", ".join(person.names))

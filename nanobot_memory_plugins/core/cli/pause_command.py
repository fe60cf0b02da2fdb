"""``nanobot-memory pause`` and ``resume``: stop and restart storing, for one conversation or for all."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, existing_workspace, print_json
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import BY_WORDS, PrivacyFile
from nanobot_memory_plugins.redaction.script.messages import tr

SessionOption = Annotated[
    str, typer.Option("--session", metavar="KEY", help="Only this conversation, by its session key.")
]


def pause(session: SessionOption = "", workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Keep nothing of what is said from now on, until `resume`: of one conversation, or of all.

    What was kept before stays, and can be searched.
    """
    folder = existing_workspace(workspace)
    PrivacyFile(MemoryPaths.of(folder)).pause(session, "", BY_WORDS, SystemClock().now())
    _print_state(folder, session, as_json)


def resume(session: SessionOption = "", workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Keep again what is said, after `pause` or the words "memory pause".

    Without --session, conversations that were paused on their own stay paused.
    """
    folder = existing_workspace(workspace)
    PrivacyFile(MemoryPaths.of(folder)).resume(session, None)
    _print_state(folder, session, as_json)


def _print_state(folder: Path, session: str, as_json: bool) -> None:
    marks = PrivacyFile(MemoryPaths.of(folder)).read()
    conversations = marks.paused_conversations
    paused = bool(marks.pause_of(session, ""))
    if as_json:
        print_json({"ok": True, "paused": paused, "all": marks.is_workspace_paused, "conversations": conversations})
        return
    if paused:
        command = "nanobot-memory resume"
        if not marks.is_workspace_paused:
            command += f" --session {shlex.quote(session)}"
        say(tr("Paused: nothing is kept until `{command}`. The host's own history is not touched.", command=command))
    else:
        say(tr("On: what is said is kept."))
    if conversations and not session:
        say(tr("Paused on their own: {names}.", names=", ".join(conversations)))

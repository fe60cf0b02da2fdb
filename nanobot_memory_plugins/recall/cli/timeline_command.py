"""``nanobot-memory timeline``: lists the conversations, by session and day."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.core import MemoryConfig, Query
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    ProjectOption,
    SessionOption,
    SinceOption,
    UntilOption,
    UserOption,
    WorkspaceOption,
    configuration_of,
    date_bounds,
    existing_workspace,
    parse_date_option,
    print_json,
    requested_scope,
    run,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.scopes.projects import named_project
from nanobot_memory_plugins.recall.timeline import Conversation, timeline
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# Characters of a text that are shown on a line.
_LINE = 160


def show_timeline(
    period: Annotated[
        str, typer.Argument(metavar="PERIOD", help='Days in words: "last week", "in May", 上周. Else all of them.')
    ] = "",
    since: SinceOption = "",
    until: UntilOption = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Lines at most: the newest.")] = 50,
    everything: Annotated[bool, typer.Option("--all", help="Show what was said, below each line.")] = False,
    user: UserOption = "",
    session: SessionOption = "",
    project: ProjectOption = "",
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was talked about, the newest last: a line for each session and day, in this machine's time zone.

    Each line begins with a note of the session, or else with the user's first statement in it. What was forgotten, or
    said off the record, is left out. With --project only what was said in that project is listed.
    """
    folder = existing_workspace(workspace)
    memory_config = configuration_of(config)
    scope = requested_scope(folder, memory_config, user=user, session=session, project=named_project(project))
    parse_date_option(Sentence("PERIOD"), period, end=False)  # its error names the argument, not --since
    first, last = date_bounds(since or period, until or period)
    query = Query("", limit=limit, scope=scope, since=first, until=last, asked_at=datetime.now(UTC).astimezone())
    conversations, has_more = run(_conversations(folder, memory_config, query))
    if as_json:
        rows = [_conversation_row(conversation, everything=everything) for conversation in conversations]
        print_json({"ok": True, "conversations": rows, "more": has_more})
        return
    _show(conversations, has_more=has_more, everything=everything)


async def _conversations(folder: Path, config: MemoryConfig, query: Query) -> tuple[list[Conversation], bool]:
    from nanobot_memory_plugins.core.cli.open_store import opened_store

    project = query.scope.project
    everybodys = replace(query, scope=replace(query.scope, project=""))
    async with opened_store(folder, config, embeddings=False) as store:
        return await timeline(store, everybodys, lambda hit: project in ("", hit.scope.project))


def _conversation_row(conversation: Conversation, *, everything: bool) -> dict[str, Any]:
    row = {
        "day": conversation.day.isoformat(),
        "session": conversation.session,
        "messages": conversation.message_count,
        "about": conversation.about,
        "file": conversation.best_hit.path,
        "line": conversation.best_hit.line,
    }
    messages = [
        {
            "time": hit.time,
            "speaker": hit.speaker or hit.origin.value,
            "text": hit.text,
            "file": hit.path,
            "line": hit.line,
        }
        for hit in conversation.said
    ]
    return {**row, "said": messages} if everything else row


def _show(conversations: list[Conversation], *, has_more: bool, everything: bool) -> None:
    if not conversations:
        say(tr("No conversation is remembered."))
    for conversation in conversations:
        name = f"{conversation.session}  " if conversation.session else ""
        words = conversation.about
        about = words if len(words) <= _LINE else f"{words[:_LINE].rstrip()}…"
        say(f"{conversation.day.isoformat()}  {name}{tr(conversation.count)}  {about}", bold=everything)
        for hit in conversation.said if everything else ():
            speaker = tr(hit.origin.value) if hit.speaker in ("", hit.origin.value) else hit.speaker
            say(f"    {hit.time:%H:%M}  {speaker}  {hit.text}")
    if has_more:
        say(tr("... and earlier ones: --limit, or --until."), err=True, dim=True)

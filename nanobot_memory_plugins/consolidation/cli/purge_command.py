"""``nanobot-memory purge``: erase entries, messages, conversations or words from everything that is stored."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.output import open_repository
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries, erasure_of
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    configuration_of,
    existing_workspace,
    print_json,
    run,
)
from nanobot_memory_plugins.core.cli.plain import say, say_notice
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import join_sentences, tr

_PLUGIN = "consolidation"
_FAILED = 1
_INTERRUPTED = "Interrupted. The rest is removed at the next start of the agent, or by the next command."


def purge(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="The ids of entries, gone ones included, messages or notes."),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(
            "--text", help="What to look for, in any case and spacing: whole words, in Chinese any part of a sentence."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, write nothing.")] = False,
    session: Annotated[
        list[str] | None, typer.Option("--session", help="Keys of conversations; what was noted from them goes, too.")
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Also from text that people wrote into the memory files.")
    ] = False,
    all_lines: Annotated[bool, typer.Option("--all", help="Show every line, not the first of each file.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove every trace of entries, messages, conversations or words: files, index, state. It cannot be undone.

    The lines that contain them are shown first. The exit status is 1 when nothing is found, and when something is left
    for the next start.
    """
    if not ids and not text and not session:
        raise typer.BadParameter(tr("name entries and messages by their ids, words with --text, or a --session"))
    for words in text or []:
        if not ErasureMatcher(words=(words,)):
            raise typer.BadParameter(tr("'{words}' contains no letter or digit to look for", words=words))
    folder = existing_workspace(workspace)
    configuration = configuration_of(config)
    finish_erasure(folder, configuration)
    repository = open_repository(workspace)
    erasure = erasure_of(repository, ids or [])
    erasure = replace(erasure, words=tuple(text or ()), everywhere=everywhere, sessions=tuple(session or ()))
    plan = None if yes and not dry_run else run(_erase(repository, configuration, erasure, dry_run=True))
    if not dry_run and (plan is None or plan.removed or plan.waits):
        if plan is not None:
            if as_json or not sys.stdin.isatty():
                raise typer.BadParameter(tr("no terminal to ask on: repeat the command with --yes"))
            _print(plan.report_lines(all_lines=all_lines))
            if not typer.confirm(tr("Forget this for good?")):
                say_notice(tr("Nothing was changed."))
                raise typer.Exit(_FAILED)
        try:
            plan = run(_erase(repository, configuration, erasure, dry_run=False))
        except KeyboardInterrupt:
            say_notice(tr(_INTERRUPTED))
            raise
    assert plan is not None  # noqa: S101  # set in one of the two branches
    is_done = bool(plan.removed) and not plan.waits
    if as_json:
        print_json({"ok": is_done, **plan.to_json(), "dry_run": dry_run})
    else:
        _print([*plan.report_lines(all_lines=all_lines), _outcome(plan)])
        if plan.removed:
            _print([tr("Earlier archives of `nanobot-memory export` may still contain it: delete them.")])
    if not is_done:
        raise typer.Exit(_FAILED)


async def _erase(repository: EntryRepository, config: MemoryConfig, erasure: Erasure, *, dry_run: bool) -> ErasurePlan:
    """Plan or carry out an erasure of entries, transcripts, notes and everything that plugins store."""
    async with MemoryHost(repository.paths.workspace, config=config) as host:
        plan = await (host.eraser.plan(erasure) if dry_run else host.eraser.erase(erasure))
        if _PLUGIN in host.plugins.plugins_with("on_purge"):
            return plan
        # The plugin is switched off, but its entries are still stored.
        traces = await run_in_daemon_thread(lambda: erase_entries(repository, erasure, dry_run=dry_run))
        return ErasurePlan(erasure, (*plan.traces, *traces), is_done=not dry_run)


def _outcome(plan: ErasurePlan) -> str:
    """Return the closing line of the report."""
    subject = ", ".join((*plan.erasure.ids, *plan.erasure.sessions)) or tr("what was named")
    if not plan.traces:
        return tr("Nothing here contains what was named or has such an id: nothing was removed.")
    if not plan.removed:
        return join_sentences(
            "Nothing was removed.", "The next start continues." if plan.waits and plan.is_done else ""
        )
    if not plan.is_done:
        return tr("Would be forgotten for good: {what}.", what=subject)
    if plan.waits:
        return tr(
            "Forgotten, except for what could not be removed yet: {what}. The next start continues.", what=subject
        )
    return tr("Forgotten for good: {what}.", what=subject)


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        say(line)

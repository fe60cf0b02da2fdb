"""``nanobot-memory purge``: forget entries and words for good, from everything that is ours."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries, known
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.asking import agrees
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
    run,
    warn,
)
from nanobot_memory_plugins.core.cli.plain import say_note
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.erasure.matching import Wanted, is_short
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import together, tr

_PLUGIN = "consolidation"
_FAILED = 1
_BROKEN_OFF = "Broken off. What is left of it is removed at the next start of the agent, or by the next command."


def purge(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="The ids of entries, gone ones included, messages or notes."),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option("--text", help="Words, in any case and spacing; a short one is found as a whole word."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, write nothing.")] = False,
    session: Annotated[
        list[str] | None, typer.Option("--session", help="Keys of conversations, with all that was noted of them.")
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Also from text that people wrote into the memory files.")
    ] = False,
    word: Annotated[
        bool, typer.Option("--word", help="Take words of one or two letters, or one character, wherever they stand.")
    ] = False,
    all_lines: Annotated[bool, typer.Option("--all", help="Show every line, not the first of each file.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove every trace of entries, messages, conversations or words: files, index, state. It cannot be undone.

    The lines that hold them are shown first. The exit status is 1 when nothing is found, and
    when something is left to the next start.
    """
    ids, texts, sessions = ids or [], text or [], session or []
    if not ids and not texts and not sessions:
        raise typer.BadParameter(tr("name entries and messages by their ids, words with --text, or a --session"))
    for words in texts:
        if not Wanted(words=(words,)):
            raise typer.BadParameter(tr("'{words}' holds no letter or digit to look for", words=words))
        if is_short(words) and not word:
            raise typer.BadParameter(
                tr("'{words}' stands in too many words; --word takes it wherever it is a word", words=words)
            )
    if not yes and not dry_run and (as_json or not sys.stdin.isatty()):
        raise typer.BadParameter(tr("no terminal to ask on: repeat the command with --yes"))
    configuration, problems = read_configuration(config)
    warn(problems)
    finished = finish_erasure(existing_workspace(workspace), configuration)
    repository = opened(workspace)
    asked = Erasure(words=tuple(texts), everywhere=everywhere, sessions=tuple(sessions))
    if finished is not None and _covers(finished.erasure, ids, asked):
        _tell(finished, (), dry_run=False, all_lines=all_lines, as_json=as_json)  # it was this one that broke off
        if finished.waits:
            raise typer.Exit(_FAILED)
        return
    about = known(repository, ids)
    erasure = asked.joined(Erasure(about.ids, about.texts, records=about.records))
    plan: ErasurePlan | None = None
    if not yes:
        plan = run(_erase(repository, configuration, erasure, dry_run=True))
    if not dry_run and (plan is None or ((plan.removed or plan.waits) and _is_meant(plan, all_lines=all_lines))):
        try:
            plan = run(_erase(repository, configuration, erasure, dry_run=False))
        except KeyboardInterrupt:
            say_note(tr(_BROKEN_OFF))
            raise
    assert plan is not None  # noqa: S101
    _tell(plan, about.sessions, dry_run=dry_run, all_lines=all_lines, as_json=as_json)
    if plan.removed and not as_json:
        _print([tr("Archives that `nanobot-memory export` wrote before may still hold it: delete them.")])
    if not plan.removed or plan.waits:
        raise typer.Exit(_FAILED)


def _covers(done: Erasure, ids: Sequence[str], asked: Erasure) -> bool:
    """Return whether an erasure that was finished does all that is asked for."""
    named = {*ids} <= {*done.ids, *done.records} and {*asked.sessions} <= {*done.sessions}
    return named and done.everywhere >= asked.everywhere and {*asked.words} <= {*done.words}


def _is_meant(plan: ErasurePlan, *, all_lines: bool) -> bool:
    _print(plan.told(all_lines=all_lines))
    if agrees(tr("Forget this for good?")):
        return True
    say_note(tr("Nothing was changed."))
    raise typer.Exit(_FAILED)


async def _erase(repository: EntryRepository, config: MemoryConfig, erasure: Erasure, *, dry_run: bool) -> ErasurePlan:
    """Plan an erasure, or carry it out: in the entries, the transcripts, notes and everything that plugins keep."""
    async with MemoryHost(repository.paths.workspace, config=config) as host:
        plan = await (host.eraser.plan(erasure) if dry_run else host.eraser.erase(erasure))
        if any(one.name == _PLUGIN and one.enabled for one in host.plugins.reports()):
            return plan
        # The entries are there, whether their plugin is switched on or not.
        traces = await run_in_daemon_thread(lambda: erase_entries(repository, erasure, dry_run=dry_run))
        return ErasurePlan(erasure, (*plan.traces, *traces), is_done=not dry_run)


def _tell(plan: ErasurePlan, sessions: Sequence[str], *, dry_run: bool, all_lines: bool, as_json: bool) -> None:
    if as_json:
        print_json(
            {"ok": bool(plan.removed) and not plan.waits, **plan.to_json(), "sessions": sessions, "dry_run": dry_run}
        )
    else:
        _show(plan, all_lines=all_lines)


def _show(plan: ErasurePlan, *, all_lines: bool) -> None:
    _print(plan.told(all_lines=all_lines))
    what = ", ".join((*plan.erasure.ids, *plan.erasure.sessions)) or tr("what was named")
    if not plan.traces:
        said = tr("Nothing that is kept here holds what was named: nothing was removed.")
    elif not plan.removed:
        more = "The next start goes on with it." if plan.waits and plan.is_done else ""
        said = together("Nothing was removed.", more)
    elif not plan.is_done:
        said = tr("Would be forgotten for good: {what}.", what=what)
    elif plan.waits:
        said = tr("Forgotten but for what could not be removed yet: {what}. The next start goes on with it.", what=what)
    else:
        said = tr("Forgotten for good: {what}.", what=what)
    _print([said])


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        console().print(shown(line))

"""``nanobot-memory why``: shows what a message would recall, what it would not, and why."""

import sys
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.core import ConfigurationError, MemoryConfig, Message, Scope, estimate_tokens, redact_text
from nanobot_memory_plugins.core.cli.open_store import opened_store
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    ProjectOption,
    WorkspaceOption,
    configuration_of,
    existing_workspace,
    print_json,
    run,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records
from nanobot_memory_plugins.core.scopes.projects import named_project
from nanobot_memory_plugins.core.scopes.scopes import workspace_scopes
from nanobot_memory_plugins.core.text.private import is_private, memory_command, without_private
from nanobot_memory_plugins.core.values.search import ScoredCandidate
from nanobot_memory_plugins.recall.block import FENCE_TOKENS
from nanobot_memory_plugins.recall.deduplicate import fold_line
from nanobot_memory_plugins.recall.engine import Reason, RecallResult, recall, time_limit_of
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier
from nanobot_memory_plugins.redaction.script.messages import tr

# Seconds for the recall. A turn has less, but this command must not end with "too late".
_TIME_LIMIT = 60.0
# The last messages of a session that count as its live context: hosts pass no more of their history.
_HISTORY = 400
# Characters of a memory that are shown.
_LINE = 160


def why(
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY", help="The message, as you would send it to the agent.")
    ],
    session: Annotated[
        str,
        typer.Option("--session", metavar="KEY", help="The session in which it is said, after what was said there."),
    ] = "",
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Who says it: telegram:111, or as in core.people.")
    ] = "",
    project: ProjectOption = "",
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Search by words only.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which memories would be added to a message, which were left out, and why.

    No language model is called, and no memory is written. If the message was already said in the session, the history
    ends before it, and it and its answer are not recalled; what was remembered since is found. With --json all
    candidates are printed, with the numbers behind them.
    """
    text = " ".join(query)
    if not text.strip():
        raise typer.BadParameter(tr("say the message, as you would send it to the agent"))
    folder = existing_workspace(workspace)
    memory_config = configuration_of(config)
    if not memory_config.enabled("recall"):
        raise ConfigurationError(
            "The recall plugin is turned off.", hint="`nanobot-memory config set recall.enabled true` turns it on."
        )
    options = plugin_options(memory_config, "recall", RecallOptions)[0]
    options = options if isinstance(options, RecallOptions) else RecallOptions()
    scopes = workspace_scopes(folder, memory_config)
    # Without --user and --session it is the owner's message, in a new conversation on the command line.
    scope = scopes.scope_of_person(user) if user else Scope() if session else scopes.of_owner()
    scope = replace(scope, session=session, project=named_project(project))
    recalled = run(explain_recall(folder, memory_config, options, text, scope=scope, embeddings=not no_embeddings))
    if as_json:
        print_json(_json_answer(recalled, options))
    else:
        _show(recalled, options)


def _json_answer(recalled: RecallResult, options: RecallOptions) -> dict[str, Any]:
    """Return all details of a recall for ``--json``."""
    return {
        "ok": True,
        "reason": _code(recalled.reason),
        "asked_for": asdict(recalled.decision),
        "tier": recalled.tier,
        "need": {"probability": recalled.need, "needed": options.need_threshold, "evidence": recalled.evidence},
        "seconds": round(recalled.seconds, 4),
        "turn_seconds": time_limit_of(recalled.decision.tier, options),
        "block": asdict(recalled.block) if recalled.block is not None else None,
        "tokens": _tokens(recalled),
        "candidates": [_candidate_row(candidate, recalled) for candidate in candidates(recalled)],
    }


def _candidate_row(candidate: ScoredCandidate, recalled: RecallResult) -> dict[str, Any]:
    row, id_ = asdict(candidate), candidate.hit.id
    return {
        **row.pop("hit"),
        **row,
        "usefulness": recalled.usefulness.get(id_),
        "injected": recalled.block is not None and id_ in recalled.block.hit_ids,
        "left_out": _code(recalled.left_out.get(id_)),
    }


def _code(reason: Reason | None) -> str | None:
    return reason.name.lower() if reason is not None else None


def _tokens(recalled: RecallResult) -> int:
    return estimate_tokens(recalled.block.text) + FENCE_TOKENS if recalled.block is not None else 0


def _show(recalled: RecallResult, options: RecallOptions) -> None:
    decision, turn_seconds = recalled.decision, time_limit_of(recalled.decision.tier, options)
    found, tokens = len(recalled.result.hits), _tokens(recalled)
    say(tr("Found: {found}. Shown: {injected}.", found=found, injected=len(recalled.injected_hits)), bold=True)
    if recalled.reason is not None:
        say(tr("Nothing would be added to this message: {why}.", why=tr(recalled.reason)), bold=True)
    if recalled.block is not None:
        say(tr("{tokens} tokens would be added to this message:", tokens=tokens), bold=True)
        for line in recalled.block.text.splitlines():
            say(f"    {line}", fg="green")
    if recalled.seconds > turn_seconds:
        say(tr("In a turn this would be too late."), fg="yellow")
    search = tr(decision.tier) if decision.tier is not RecallTier.OFF else tr("a quick probe")
    if decision.option:
        search = tr('{search}, for "{words}" ({option})', search=search, words=decision.words, option=decision.option)
    if recalled.tier is not decision.tier:
        search = tr("{search}, then {tier}", search=search, tier=tr(recalled.tier))
    figures = [] if recalled.reason is Reason.NOT_SEARCHED else [tr("search: {search}", search=search)]
    if recalled.need is not None:
        odds = {"need": recalled.need, "needed": options.need_threshold}
        figures.append(tr("memory is needed: {need:.0%} likely, {needed:.0%} would do (recall.needThreshold)", **odds))
    figures.append(tr("time: {here:.0f} of {turn:.0f} ms", here=recalled.seconds * 1000, turn=turn_seconds * 1000))
    say(tr("; ").join(figures), dim=True)
    for reason in Reason:
        left_out = [one for one in candidates(recalled) if recalled.left_out.get(one.hit.id) is reason]
        if left_out:
            say(f"{tr(reason)}{tr(': ')}{len(left_out)}", fg="yellow")
        for candidate in left_out:
            _show_candidate(candidate)


def _show_candidate(candidate: ScoredCandidate) -> None:
    """Print a memory: its number, its file and line, and its text."""
    hit = candidate.hit
    place = f"{candidate.place:3}" if candidate.place is not None else "  -"
    date = f"  {hit.time.astimezone():%Y-%m-%d}" if hit.time else ""
    project = "  " + tr("project {name}", name=hit.scope.project) if hit.scope.project else ""
    say(f"{place}  {hit.path}:{hit.line}{date}  {tr(hit.origin.value)}{project}", fg="cyan")
    text = " ".join((hit.snippet or hit.text).split())
    say(f"       {text[:_LINE]}{'…' if len(text) > _LINE else ''}")


async def explain_recall(
    workspace: Path, config: MemoryConfig, options: RecallOptions, text: str, *, scope: Scope, embeddings: bool = True
) -> RecallResult:
    """Recall memories for a message as a turn of ``scope`` would, but without its time limit.

    If the message was already said in that session, the history ends before it, and it and its answers are not
    recalled; memories since then are. Raises `StoreError` when there is no store.
    """
    paths, text = MemoryPaths.of(workspace), without_private(text)
    if is_private(text) or memory_command(text) == "pause":
        return RecallResult(reason=Reason.OFF_RECORD)
    if PrivacyFile(paths).read().pause_of(scope.session, scope.user):
        return RecallResult(reason=Reason.PAUSED)
    history = last_records(paths.transcript(scope.session), scope.session, sys.maxsize) if scope.session else []
    stored = fold_line(redact_text(text))
    repeats = [
        place for place, record in enumerate(history) if record.role == "user" and fold_line(record.text) == stored
    ]
    turn_records: list[TranscriptRecord] = []
    if repeats:
        answers = takewhile(lambda record: record.role != "user", history[repeats[-1] + 1 :])
        turn_records, history = [history[repeats[-1]], *answers], history[: repeats[-1]]
    async with opened_store(workspace, config, embeddings=embeddings) as store:
        return await recall(
            store,
            text,
            options=options.model_copy(update={"recall_timeout": _TIME_LIMIT}),
            history=[Message(record.role, record.text) for record in history[-_HISTORY:]],
            scope=workspace_scopes(workspace, config).visible(scope),
            exclude_records=frozenset(record.id for record in turn_records),
            explain=True,
        )


def candidates(recalled: RecallResult) -> list[ScoredCandidate]:
    """Return all candidates of a recall, hits first and in their order; only the hits if the store explains nothing."""
    result = recalled.result
    return list(result.weighed) or [
        ScoredCandidate(hit, 0.0, hit.score, place=number) for number, hit in enumerate(result.hits, start=1)
    ]

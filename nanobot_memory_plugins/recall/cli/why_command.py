"""``nanobot-memory why``: what a message would recall, what not, and why."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.core import ConfigurationError, Scope, estimate_tokens
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.open_store import without_embeddings
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    ProjectOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
    run,
    warn,
)
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.host.turn_records import missed_recalls
from nanobot_memory_plugins.core.scopes.projects import project_named
from nanobot_memory_plugins.core.values.explanation import Weighed
from nanobot_memory_plugins.recall.block import FENCE_TOKENS
from nanobot_memory_plugins.recall.cli.examination import candidates, examine
from nanobot_memory_plugins.recall.engine import limit_seconds
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.recalled import Reason, Recalled
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

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
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="Who says it.")] = "",
    channel: Annotated[str, typer.Option("--channel", metavar="NAME", help="The channel in which it is said.")] = "",
    project: ProjectOption = "",
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Search by words only.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what would stand beside a message, what was found and left out, and why.

    No language model is asked, and no memory is written. Where the message was said before, that time and its answer
    are no memories of it, and only what was said before it counts as said; what was remembered since is found. With
    --json all that was looked at is there, with the numbers behind it.
    """
    memory_config, problems = read_configuration(config)
    warn(problems)
    if not memory_config.enabled("recall"):
        raise ConfigurationError(
            "The recall plugin is turned off.", hint="Set memoryPlugins.recall.enabled to true in the configuration."
        )
    folder = existing_workspace(workspace)
    if no_embeddings:
        memory_config = without_embeddings(memory_config)
    options = plugin_options(memory_config, "recall", RecallOptions)[0]
    options = options if isinstance(options, RecallOptions) else RecallOptions()
    scope = Scope(user=user, channel=channel, session=session, project=project_named(project))
    recalled = run(examine(folder, memory_config, options, " ".join(query), scope=scope))
    missed = missed_recalls(folder, datetime.now(UTC))
    if as_json:
        print_json(_json_answer(recalled, options, missed))
    else:
        _show(recalled, options, missed)


def _json_answer(recalled: Recalled, options: RecallOptions, missed: int) -> dict[str, Any]:
    """Return everything that is known of a recall, for programs."""
    return {
        "ok": True,
        "reason": _code(recalled.reason),
        "asked_for": asdict(recalled.decision),
        "tier": recalled.tier,
        "need": {"probability": recalled.need, "needed": options.need_threshold, "evidence": recalled.evidence},
        "seconds": round(recalled.seconds, 4),
        "turn_seconds": limit_seconds(recalled.decision.tier, options),
        "missed_turns": missed,
        "block": asdict(recalled.block) if recalled.block is not None else None,
        "tokens": _tokens(recalled),
        "candidates": [_candidate_row(candidate, recalled) for candidate in candidates(recalled)],
    }


def _candidate_row(candidate: Weighed, recalled: Recalled) -> dict[str, Any]:
    row, left_out = asdict(candidate), recalled.left_out.get(candidate.hit.id)
    is_injected = _is_injected(candidate, recalled)
    return {
        **row.pop("hit"),
        **row,
        "usefulness": recalled.usefulness.get(candidate.hit.id),
        "injected": is_injected,
        "left_out": {**asdict(left_out), "reason": _code(left_out.reason)} if left_out and not is_injected else None,
    }


def _code(reason: Reason | None) -> str | None:
    return reason.name.lower() if reason is not None else None


def _is_injected(candidate: Weighed, recalled: Recalled) -> bool:
    return recalled.block is not None and candidate.hit.id in recalled.block.hit_ids


def _tokens(recalled: Recalled) -> int:
    return estimate_tokens(recalled.block.text) + FENCE_TOKENS if recalled.block is not None else 0


def _show(recalled: Recalled, options: RecallOptions, missed: int) -> None:
    out, decision, turn = console(), recalled.decision, limit_seconds(recalled.decision.tier, options)
    if recalled.reason is not None:
        nothing = Sentence("Nothing would stand beside this message: {why}.", why=recalled.reason.value)
        out.print(tr(nothing), style="bold")
    if recalled.block is not None:
        count, tokens = len(recalled.block.hit_ids), _tokens(recalled)
        single = Sentence("Beside this message would stand 1 memory, {tokens} tokens:", tokens=tokens)
        several = Sentence(
            "Beside this message would stand {count} memories, {tokens} tokens:", count=count, tokens=tokens
        )
        out.print(tr(single if count == 1 else several), style="bold")
        for line in recalled.block.text.splitlines():
            out.print(f"    {shown(line)}", style="green")
    if recalled.seconds > turn:
        out.print(tr("On a turn this would come too late."), style="yellow")
    if missed:
        out.print(tr("Of the last day's turns {count} got nothing: see doctor.", count=missed), style="yellow")
    words = f', "{shown(decision.words)}" ({decision.option})' if decision.option else ""
    raised = f" -> {tr(recalled.tier)}" if recalled.tier is not decision.tier else ""
    figures = [tr("tier: {told}", told=f"{tr(decision.tier)}{raised}{words}")]
    if recalled.need is not None:
        figures.append(tr("need: {need:.2f} of {needed:g} needed", need=recalled.need, needed=options.need_threshold))
    figures.append(tr("time: {here:.0f} of {turn:.0f} ms", here=recalled.seconds * 1000, turn=turn * 1000))
    out.print("; ".join(figures), style="dim")
    listed = [candidate for candidate in candidates(recalled) if candidate.hit.id in recalled.left_out]
    if listed:
        out.print(tr("Found and left out:"), style="bold")
    for candidate in listed:
        _show_candidate(candidate, recalled)


def _show_candidate(candidate: Weighed, recalled: Recalled) -> None:
    """Show a memory: its number, its file and line, its text, and why it was left out."""
    out, hit = console(), candidate.hit
    place = f"{candidate.place:3}" if candidate.place is not None else "  -"
    date = f"  {hit.time.astimezone():%Y-%m-%d}" if hit.time else ""
    project = "  " + tr("project {name}", name=shown(hit.scope.project)) if hit.scope.project else ""
    out.print(f"{place}  [cyan]{shown(hit.path)}:{hit.line}[/cyan]{date}  {tr(hit.origin.value)}{project}")
    text = " ".join((hit.snippet or hit.text).split())
    out.print(f"       {shown(text[:_LINE])}{'…' if len(text) > _LINE else ''}")
    left_out = recalled.left_out.get(hit.id)
    if left_out is not None:
        detail = f" ({shown(tr(left_out.detail))})" if left_out.detail else ""
        out.print(f"       {tr(left_out.reason)}{detail}", style="yellow")

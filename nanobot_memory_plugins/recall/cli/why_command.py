"""``nanobot-memory why``: what a message would recall, what not, and why."""

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
from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful
from nanobot_memory_plugins.core.scopes.projects import project_named
from nanobot_memory_plugins.recall.block import FENCE_TOKENS
from nanobot_memory_plugins.recall.cli.examination import Candidate, Examined, examine
from nanobot_memory_plugins.recall.routing import RecallTier
from nanobot_memory_plugins.recall.trace import Reason
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# Summands that are shown for a candidate: those that count for most.
_PARTS_SHOWN = 5
_LINE = 160

_REASONS = {
    Reason.LATE: Sentence("the time for it was over"),
    Reason.TIER: Sentence("the message does not ask for memory"),
    Reason.NOT_NEEDED: Sentence("the message can be answered without memory"),
    Reason.SAYS_NOTHING: Sentence("it says nothing new"),
    Reason.IN_CONTEXT: Sentence("it stands in the conversation already"),
    Reason.REPEATS: Sentence("another memory says the same"),
    Reason.TOP_K: Sentence("others fit better"),
    Reason.LITTLE_USE: Sentence("it hardly helps with the message"),
    Reason.PLACES: Sentence("others fit better"),
    Reason.BUDGET: Sentence("there is no room left"),
}


def why(
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY", help="The message, as you would send it to the agent.")
    ],
    recent: Annotated[
        list[str] | None,
        typer.Option("--recent", metavar="TEXT", help="What you said before; once for each turn, oldest first."),
    ] = None,
    session: Annotated[str, typer.Option("--session", metavar="KEY", help="The session in which it is said.")] = "",
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="Who says it.")] = "",
    channel: Annotated[str, typer.Option("--channel", metavar="NAME", help="The channel in which it is said.")] = "",
    project: ProjectOption = "",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Memories to show that were left out.")
    ] = 20,
    not_helpful: Annotated[
        list[int] | None,
        typer.Option("--not-helpful", metavar="N", help="The memory with this number did not help: it comes later."),
    ] = None,
    helpful: Annotated[
        list[int] | None, typer.Option("--helpful", metavar="N", help="Take that back; may be repeated, as the other.")
    ] = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Show the searches, and the numbers that each candidate's place is made of."),
    ] = False,
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Search by words only.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what would stand beside a message, what was found and left out, and why.

    No language model is asked, and no memory is written. With --details the numbers behind it are there, too. What is
    said not to help is recalled behind others from then on, one step; it is found and kept as before, and --helpful
    takes it back.
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
    message = " ".join(query)
    scope = Scope(user=user, channel=channel, session=session, project=project_named(project))
    found = run(examine(folder, memory_config, message, recent=recent or [], scope=scope))
    said = dict.fromkeys(not_helpful or (), False) | dict.fromkeys(helpful or (), True)
    if said:
        listed = {one.place: one.hit.id for one in found.candidates() if one.place is not None}
        if missing := [number for number in said if number not in listed]:
            raise WrongUseError(
                Sentence("No memory has the number {missing} here.", missing=missing[0]),
                hint="The same command without --not-helpful and --helpful shows the numbers.",
            )
        for number, helped in said.items():
            Unhelpful(folder).say(listed[number], helped=helped)
        found = run(examine(folder, memory_config, message, recent=recent or [], scope=scope))
    if as_json:
        print_json(answer_of(found))
        return
    _show(found, limit, details=details)
    for number, helped in said.items():
        told = (
            Sentence("Noted: memory {number} is recalled as before it was said not to help.", number=number)
            if helped
            else Sentence("Noted: memory {number} is recalled one step later from now on.", number=number)
        )
        console().print(f"\n{tr(told)}", style="bold")


def answer_of(found: Examined) -> dict[str, Any]:
    """Return everything that is known of a recall, for programs."""
    watch, recalled, options = found.watch, found.recalled, found.options
    decision, block = watch.decision, recalled.block
    signal = decision.signal if decision is not None else None
    return {
        "ok": True,
        "tier": {
            "chosen": decision.tier.name.lower() if decision else None,
            "ended": recalled.tier.name.lower(),
            "signal": {"kind": signal.kind, "words": signal.words, "turns_back": signal.turns_back} if signal else None,
        },
        "need": {"probability": watch.need, "needed": options.need_threshold, "evidence": dict(watch.evidence)},
        "seconds": round(watch.seconds, 4),
        "turn_seconds": found.turn_seconds,
        "missed_turns": found.missed,
        "block": {
            "text": block.text if block else None,
            "ids": list(block.hit_ids) if block else [],
            "tokens": estimate_tokens(block.text) + FENCE_TOKENS if block else 0,
        },
        "candidates": [_row(one, unhelpful=one.hit.id in watch.unhelpful) for one in found.candidates()],
    }


def _row(one: Candidate, *, unhelpful: bool) -> dict[str, Any]:
    hit, cut = one.hit, one.cut
    return {
        "id": hit.id,
        "place": one.place,
        "file": hit.path,
        "line": hit.line,
        "date": hit.time.isoformat() if hit.time else None,
        "origin": hit.origin.value,
        "text": hit.snippet or hit.text,
        "total": one.total,
        "coverage": hit.coverage,
        "similarity": hit.similarity,
        "found_by": one.found_by,
        "parts": [{"name": part.name, "value": part.value, "weight": part.weight} for part in one.parts],
        "fate": one.fate,
        "unhelpful": unhelpful,
        "cut": {"reason": cut.reason.value, "detail": cut.detail, "instead": cut.instead} if cut else None,
    }


def _show(found: Examined, limit: int, *, details: bool) -> None:
    out, watch, block = console(), found.watch, found.recalled.block
    if block is None:
        out.print(tr("Nothing would stand beside this message: {why}.", why=_why_nothing(found)), style="bold")
    else:
        count, tokens = len(block.hit_ids), estimate_tokens(block.text) + FENCE_TOKENS
        told = Sentence(
            "Beside this message would stand {count} memories, {tokens} tokens:", count=count, tokens=tokens
        )
        out.print(tr(told), style="bold")
        for line in block.text.splitlines():
            out.print(f"    {shown(line)}", style="green")
    if watch.seconds > found.turn_seconds:
        out.print(tr("On a turn this would come too late."), style="yellow")
    if found.missed:
        out.print(tr("Of the last day's turns {count} got nothing: see doctor.", count=found.missed), style="yellow")
    if details:
        _show_numbers(found)
    listed = [one for one in found.candidates() if details or not one.injected]
    if listed:
        out.print(tr("Looked at:") if details else tr("Found and left out:"), style="bold")
    for one in listed[:limit]:
        _show_candidate(one, found, details=details)
    if len(listed) > limit:
        told = Sentence("... and {listed} more: --limit, or --json for all.", listed=len(listed) - limit)
        out.print(tr(told), style="dim")


def _why_nothing(found: Examined) -> str:
    """Return in words why there is no block: what most of the best hits were left out for."""
    decision, listed = found.watch.decision, [one for one in found.candidates() if one.place is not None]
    if decision is not None and decision.small_talk:
        return tr("it is small talk")
    if not listed:
        return tr("nothing was found")
    reasons = [one.cut.reason for one in listed if one.cut is not None]
    return tr(_REASONS[max(reasons, key=reasons.count)]) if reasons else tr("nothing was found")


def _show_numbers(found: Examined) -> None:
    """Show the tier and what speaks for it, what the need was weighed against, and the searches."""
    out, watch, decision = console(), found.watch, found.watch.decision
    if decision is not None:
        words = f', "{shown(decision.signal.words)}" ({decision.signal.kind})' if decision.signal is not None else ""
        ended = found.recalled.tier
        raised = f" -> {_tier(ended)}" if ended is not decision.tier else ""
        out.print(tr("tier: {told}", told=f"{_tier(decision.tier)}{raised}{words}"))
    if watch.need is not None:
        told = Sentence("need: {need:.2f} of {needed:g} needed", need=watch.need, needed=found.options.need_threshold)
        out.print(f"{tr(told)}  " + ", ".join(f"{name} {value:.2f}" for name, value in watch.evidence.items()))
    out.print(tr("time: {here:.0f} of {turn:.0f} ms", here=watch.seconds * 1000, turn=found.turn_seconds * 1000))
    for query, result in watch.searches:
        hits = Sentence("{count} of at most {limit} hits", count=len(result.hits), limit=query.limit)
        out.print(tr("search: {told}", told=f"{query.tier.value}, {tr(hits)}"))


def _tier(tier: RecallTier) -> str:
    return {RecallTier.PROBE: tr("probe"), RecallTier.LIGHT: tr("light"), RecallTier.HEAVY: tr("heavy")}[tier]


def _show_candidate(one: Candidate, found: Examined, *, details: bool) -> None:
    """Show a memory: its number, where it stands, its text, and why it was left out."""
    out, hit = console(), one.hit
    place = f"{one.place:3}" if one.place is not None else "  -"
    date = f"  {hit.time.astimezone():%Y-%m-%d}" if hit.time else ""
    project = "  " + tr("project {name}", name=shown(hit.scope.project)) if hit.scope.project else ""
    out.print(f"{place}  [cyan]{shown(hit.path)}:{hit.line}[/cyan]{date}  {tr(hit.origin.value)}{project}")
    text = " ".join((hit.snippet or hit.text).split())
    out.print(f"       {shown(text[:_LINE])}{'…' if len(text) > _LINE else ''}")
    if hit.id in found.watch.unhelpful:
        out.print(tr("       said not to help: recalled one step later"), style="yellow")
    if not one.injected:
        why = tr(_REASONS[one.cut.reason]) if one.cut is not None else tr("others fit better")
        number = f" ({shown(tr(one.cut.detail))})" if details and one.cut is not None and one.cut.detail else ""
        out.print(f"       {why}{number}", style="yellow")
    if one.parts and details:
        best = sorted(one.parts, key=lambda part: -abs(part.worth))[:_PARTS_SHOWN]
        told = ", ".join(f"{part.name} {part.worth:+.2f}" for part in best if part.worth)
        out.print(f"       {shown(one.found_by)}; {shown(told)}", style="dim")

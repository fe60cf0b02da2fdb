"""``nanobot-memory why``: what a message would recall, what not, and why."""

from typing import Annotated, Any

import typer
from rich.console import Console

from nanobot_memory_plugins.core import ConfigurationError, Hit, Scope, estimate_tokens
from nanobot_memory_plugins.core.cli import run, warn, without_embeddings
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    ProjectOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
)
from nanobot_memory_plugins.core.scopes.projects import project_named
from nanobot_memory_plugins.recall.block import FENCE_CHARS, FENCE_TOKENS
from nanobot_memory_plugins.recall.cli.examination import Examined, ExaminedCandidate, examine
from nanobot_memory_plugins.recall.cli.feedback import note_down, noted_rows, show_noted
from nanobot_memory_plugins.recall.routing import Decision, RecallTier
from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr

# Summands that are shown for a candidate: those that count for most.
_PARTS_SHOWN = 5
_LINE = 160

_WORDS = {
    "explicitAnchors": "a word that asks for memory",
    "implicitSignals": "a word that may need memory",
}

_FOUND_WORDS = {"words": "words", "meaning": "meaning", "words and meaning": "words and meaning"}
_FATE_WORDS = {
    "injected whole": "injected whole",
    "injected by snippet": "injected by snippet",
    "no hit": "no hit",
    "not asked for": "not asked for",
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
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Candidates to show.")] = 20,
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
    """Show what a message would recall: the tier and its signals, each candidate with its scores, what was cut and why.

    No language model is asked, and no memory is written. With --details the searches and the numbers behind the order
    are there, with --json all candidates. What is said not to help
    is recalled behind others from then on, one step; it is found and kept as before, and --helpful takes it back.
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
    noted = note_down(folder, found, not_helpful or [], helpful or [])
    before = found
    if noted:
        found = run(examine(folder, memory_config, message, recent=recent or [], scope=scope))
    if as_json:
        print_json(answer_of(found) | ({"noted": noted_rows(noted)} if noted else {}))
        return
    _show(found, message, limit, details=details)
    show_noted(noted, before, found)


def answer_of(found: Examined) -> dict[str, Any]:
    """Return everything that is known of a recall, for programs."""
    watch, recalled, options = found.watch, found.recalled, found.options
    block = recalled.block
    return {
        "ok": True,
        "tier": {
            "chosen": _tier(watch.decision.tier) if watch.decision else None,
            "ended": _tier(recalled.tier),
            "signals": _signals(watch.decision),
            "follows_the_turn_before": watch.decision is not None and watch.decision.follows,
            "probe": recalled.probe,
        },
        "relevance": {"best": watch.best, "needed": watch.needed},
        "need": {"probability": watch.need, "needed": options.need_threshold},
        "seconds": round(watch.seconds, 4),
        "turn_seconds": found.turn_seconds,
        "missed_turns": found.missed,
        "late_on_a_turn": watch.seconds > found.turn_seconds,
        "level": int(found.status.level),
        "searches": [
            {
                "tier": query.tier.value,
                "limit": query.limit,
                "hits": len(result.hits),
                "candidates": len(result.explanation.candidates) if result.explanation else None,
                "order": result.explanation.order if result.explanation else None,
                "terms": dict(result.explanation.terms) if result.explanation else {},
            }
            for query, result in watch.searches
        ],
        "budget": {"tokens": options.max_context_tokens, "characters": options.given("inject_budget_chars")},
        "block": {
            "text": block.text if block else None,
            "ids": list(block.hit_ids) if block else [],
            "tokens": estimate_tokens(block.text) + FENCE_TOKENS if block else 0,
            "characters": len(block.text) + FENCE_CHARS if block else 0,
        },
        "candidates": [_row(one) for one in found.candidates()],
    }


def _row(one: ExaminedCandidate) -> dict[str, Any]:
    hit = one.hit
    return {
        "id": hit.id,
        "place": one.place,
        "file": hit.path,
        "line": hit.line,
        "date": hit.time.isoformat() if hit.time else None,
        "origin": hit.origin.value,
        "text": hit.snippet or hit.text,
        "score": round(hit.score, 6),
        "total": one.total,
        "relevance": round(one.relevance, 6),
        "coverage": hit.coverage,
        "similarity": hit.similarity,
        "found_by": one.found_by,
        "parts": [
            {"name": part.name, "value": part.value, "weight": part.weight, "worth": part.worth} for part in one.parts
        ],
        "fate": one.fate,
        "unhelpful": one.unhelpful,
        "cut": {"reason": one.cut.reason.value, "detail": one.cut.detail, "instead": one.cut.instead}
        if one.cut
        else None,
    }


def _tier(tier: RecallTier) -> str:
    return tier.name.lower()


def _tier_shown(name: str) -> str:
    """Return what a tier, or the tier of a search, is called in the reader's language."""
    return {"probe": tr("probe"), "light": tr("light"), "heavy": tr("heavy")}.get(name, name)


def _signals(decision: Decision | None) -> list[dict[str, Any]]:
    if decision is None:
        return []
    signals: list[dict[str, Any]] = []
    if decision.small_talk:
        signals.append({"kind": "smallTalk", "words": "", "turns_back": 0})
    if decision.signal is not None:
        one = decision.signal
        signals.append({"kind": one.kind, "words": one.words, "turns_back": one.turns_back})
    return signals


def _show(found: Examined, query: str, limit: int, *, details: bool) -> None:
    out = console()
    watch, block = found.watch, found.recalled.block
    out.print(tr("[bold]block[/bold]      {told}", told=_block_in_words(found)))
    for line in block.text.splitlines() if block is not None else ():
        out.print(f"    {shown(line)}", style="green")
    out.print(tr("[bold]tier[/bold]       {told}", told=_tier_in_words(found)))
    if watch.best is not None and watch.needed is not None and (details or watch.best < watch.needed):
        verdict = _verdict(watch.best >= watch.needed)
        told = tr(
            "best {best:.2f}, {needed:g} needed: {verdict}", best=watch.best, needed=watch.needed, verdict=verdict
        )
        out.print(tr("[bold]relevance[/bold]  {told}", told=told))
    if watch.need is not None and (details or watch.need < found.options.need_threshold):
        needed = found.options.need_threshold
        verdict = _verdict(watch.need >= needed)
        told = tr("{need:.2f}, {needed:g} needed: {verdict}", need=watch.need, needed=needed, verdict=verdict)
        out.print(tr("[bold]need[/bold]       {told}", told=told))
    if watch.searches:
        took = Sentence(
            "{here:.0f} ms here; a turn has {turn:.0f} ms.", here=watch.seconds * 1000, turn=found.turn_seconds * 1000
        )
        late = Sentence("On a turn this would come too late.") if watch.seconds > found.turn_seconds else ""
        missed = Sentence("Of the last day's turns {count} got nothing: see doctor.", count=found.missed)
        out.print(tr("[bold]time[/bold]       {told}", told=together(took, late, missed if found.missed else "")))
    for asked, result in watch.searches if details else ():
        told = tr(
            "{tier}, {count} of at most {limit} hits, level {level}",
            tier=_tier_shown(asked.tier.value),
            count=len(result.hits),
            limit=asked.limit,
            level=int(result.level),
        )
        out.print(tr("[bold]search[/bold]     {told}", told=told))
    listed = found.candidates()
    for one in listed[:limit]:
        _show_candidate(out, one, details=details)
    if len(listed) > limit:
        out.print(
            tr("... and {listed} more candidates: --limit, or --json for all.", listed=len(listed) - limit), style="dim"
        )
    if not listed:
        out.print(tr("There are no candidates.") if query.strip() else tr("The message is empty."))


def _verdict(is_enough: bool) -> str:
    return tr("enough") if is_enough else tr("too little: nothing is injected")


def _tier_in_words(found: Examined) -> str:
    decision, recalled = found.watch.decision, found.recalled
    if decision is None:
        return _tier_shown(_tier(recalled.tier))
    if decision.signal is not None:
        one = decision.signal
        what = tr(_WORDS.get(one.kind, one.kind)) + (f' "{shown(one.words)}"' if one.words else "")
        text = tr("{tier}, for {what} ({kind})", tier=_tier_shown(_tier(decision.tier)), what=what, kind=one.kind)
        text += tr(", in the turn before") if one.turns_back else ""
    elif decision.small_talk:
        text = tr("off: small talk, nothing is looked for (smallTalk)")
    else:
        text = (
            tr("off, no word asks for memory; a probe looks all the same")
            if found.options.enable_probe_on_off
            else tr("off, no word asks for memory; enableProbeOnOff is false")
        )
    if decision.follows:
        text += tr("; it is short, and is searched with the turn before")
    if recalled.tier is not decision.tier:
        raised = (
            tr("the probe found something") if recalled.probe is not None else tr("the light search found nothing good")
        )
        text += tr("; raised to {tier}: {why}", tier=_tier_shown(_tier(recalled.tier)), why=raised)
    return text


def _block_in_words(found: Examined) -> str:
    block, options = found.recalled.block, found.options
    if block is None:
        return tr("nothing is injected")
    return tr(
        "{count} memories, {tokens} of {most_tokens} tokens",
        count=len(block.hit_ids),
        tokens=estimate_tokens(block.text) + FENCE_TOKENS,
        most_tokens=options.max_context_tokens,
    )


def _show_candidate(out: Console, one: ExaminedCandidate, *, details: bool) -> None:
    """Show a candidate: its place, what became of it, where it stands, and its text; and with details its numbers."""
    hit = one.hit
    colour = "green" if one.injected else "yellow" if one.place is not None else "dim"
    place = f"{one.place:3}" if one.place is not None else "  -"
    date = f"  {hit.time.astimezone():%Y-%m-%d}" if hit.time else ""
    where = f"[cyan]{shown(hit.path)}:{hit.line}[/cyan]{date}  {tr(hit.origin.value)}{_of_project(hit)}"
    out.print(f"{place}  [{colour}]{_fate(one)}[/{colour}]  {where}")
    text = " ".join((hit.snippet or hit.text).split())
    out.print(f"       {shown(text[:_LINE])}{'…' if len(text) > _LINE else ''}")
    if one.unhelpful:
        out.print(tr("       said not to help: recalled one step later"), style="yellow")
    if one.cut is not None and (one.cut.detail or one.cut.instead):
        detail = tr(one.cut.detail)
        if one.cut.instead:
            detail = tr("{detail} as {instead}", detail=detail, instead=one.cut.instead)
        out.print(tr("       cut: {detail}", detail=shown(detail)), style="yellow")
    if one.parts and details:
        best = sorted(one.parts, key=lambda part: -abs(part.worth))[:_PARTS_SHOWN]
        told = ", ".join(f"{part.name} {part.worth:+.2f}" for part in best if part.worth)
        out.print(f"       {_found_by(one)}{shown(told)}", style="dim")


def _of_project(hit: Hit) -> str:
    return "  " + tr("project {name}", name=shown(hit.scope.project)) if hit.scope.project else ""


def _found_by(one: ExaminedCandidate) -> str:
    if not one.found_by:
        return ""
    if one.found_by.startswith("beside"):
        return tr("stands beside a found passage; ")
    if one.found_by.startswith("no word"):
        return tr("no word in common, nor the meaning; ")
    return tr("found by {what}; ", what=tr(_FOUND_WORDS.get(one.found_by, one.found_by)))


def _fate(one: ExaminedCandidate) -> str:
    """Return what became of a candidate, in the reader's language."""
    if one.fate.startswith("not among"):
        return tr("not among the best {limit}", limit=one.fate.rpartition(" ")[2])
    return tr(_FATE_WORDS.get(one.fate, one.fate))

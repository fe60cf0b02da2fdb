"""``nanobot-memory why``: what a message would recall, what not, and why."""

from typing import Annotated, Any

import typer
from rich.console import Console

from nanobot_memory_plugins.core import (
    ConfigOption,
    ConfigurationError,
    InputError,
    JsonOption,
    Scope,
    Sentence,
    WorkspaceOption,
    console,
    estimate_tokens,
    print_json,
    read_configuration,
    resolve_workspace,
    shown,
    tr,
)
from nanobot_memory_plugins.core.cli import run, warn, without_embeddings
from nanobot_memory_plugins.recall.block import FENCE_CHARS, FENCE_TOKENS
from nanobot_memory_plugins.recall.cli.examination import Candidate, Examined, examine
from nanobot_memory_plugins.recall.routing import Decision, RecallTier

# Summands that are shown for a candidate: those that count for most.
_PARTS_SHOWN = 5
_LINE = 160

_WORDS = {
    "explicitAnchors": "a word that asks for memory",
    "implicitSignals": "a word that may need memory",
    "period": "a question about the days of",
    "personalQuestions": "a question about somebody's life, or about what you two did",
}


def why(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The message, as you would send it to the agent.")],
    recent: Annotated[
        list[str] | None,
        typer.Option("--recent", metavar="TEXT", help="What you said before; once for each turn, oldest first."),
    ] = None,
    session: Annotated[str, typer.Option("--session", metavar="KEY", help="The session in which it is said.")] = "",
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="Who says it.")] = "",
    channel: Annotated[str, typer.Option("--channel", metavar="NAME", help="The channel in which it is said.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Candidates to show.")] = 20,
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Search by words only.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a message would recall: the tier and its signals, each candidate with its scores, what was cut and why.

    No language model is asked, and no memory is written. With --json all candidates are there.
    """
    memory_config, problems = read_configuration(config)
    warn(problems)
    if not memory_config.enabled("recall"):
        raise ConfigurationError(
            "The recall plugin is turned off.", hint="Set memoryPlugins.recall.enabled to true in the configuration."
        )
    folder = resolve_workspace(workspace)
    if not folder.is_dir():
        raise InputError(
            Sentence("There is no workspace at {folder}.", folder=folder),
            hint="Name the agent's folder with --workspace.",
        )
    if no_embeddings:
        memory_config = without_embeddings(memory_config)
    scope = Scope(user=user, channel=channel, session=session)
    found = run(examine(folder, memory_config, query, recent=recent or [], scope=scope))
    if as_json:
        print_json(answer_of(found))
    else:
        _show(found, query, limit)


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
            "follow_ups": watch.decision.follow_ups if watch.decision else 0,
            "probe": recalled.probe,
        },
        "relevance": {"best": watch.best, "needed": watch.needed},
        "need": {"probability": watch.need, "needed": options.need_threshold},
        "seconds": round(watch.seconds, 4),
        "turn_seconds": found.turn_seconds,
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
        "budget": {"tokens": options.max_context_tokens, "characters": options.inject_budget_chars},
        "block": {
            "text": block.text if block else None,
            "ids": list(block.hit_ids) if block else [],
            "tokens": estimate_tokens(block.text) + FENCE_TOKENS if block else 0,
            "characters": len(block.text) + FENCE_CHARS if block else 0,
        },
        "candidates": [_row(one) for one in found.candidates()],
    }


def _row(one: Candidate) -> dict[str, Any]:
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
        "cut": {"reason": one.cut.reason.value, "detail": one.cut.detail, "instead": one.cut.instead}
        if one.cut
        else None,
    }


def _tier(tier: RecallTier) -> str:
    return tier.name.lower()


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


def _show(found: Examined, query: str, limit: int) -> None:
    out = console()
    watch, recalled = found.watch, found.recalled
    out.print(tr("[bold]tier[/bold]       {tier_in_words}", tier_in_words=_tier_in_words(found)))
    for asked, result in watch.searches:
        explained = result.explanation
        looked = f"{len(explained.candidates)} candidates in {explained.order} order" if explained else "no explanation"
        hits = f"{len(result.hits)} of at most {asked.limit} hits"
        out.print(
            tr(
                "[bold]search[/bold]     {value}: {looked}, {hits}, level {int}",
                value=asked.tier.value,
                looked=looked,
                hits=hits,
                int=int(result.level),
            )
        )
    if watch.best is not None and watch.needed is not None:
        verdict = "enough" if watch.best >= watch.needed else "too little: nothing is injected"
        out.print(
            tr(
                "[bold]relevance[/bold]  best {best:.2f}, {needed:g} needed: {verdict}",
                best=watch.best,
                needed=watch.needed,
                verdict=verdict,
            )
        )
    if watch.need is not None:
        verdict = "enough" if watch.need >= found.options.need_threshold else "too little: nothing is injected"
        out.print(
            tr(
                "[bold]need[/bold]       {need:.2f}, {need_threshold:g} needed: {verdict}",
                need=watch.need,
                need_threshold=found.options.need_threshold,
                verdict=verdict,
            )
        )
    if watch.searches:
        late = " On a turn this would come too late." if watch.seconds > found.turn_seconds else ""
        took = f"{watch.seconds * 1000:.0f} ms here; a turn has {found.turn_seconds * 1000:.0f} ms."
        out.print(tr("[bold]time[/bold]       {took}{late}", took=took, late=late))
    out.print(tr("[bold]block[/bold]      {block_in_words}", block_in_words=_block_in_words(found)))
    if recalled.block is not None:
        for line in recalled.block.text.splitlines():
            out.print(f"    {shown(line)}", style="green")
    listed = found.candidates()
    for one in listed[:limit]:
        _show_candidate(out, one)
    if len(listed) > limit:
        out.print(
            tr("... and {listed} more candidates: --limit, or --json for all.", listed=len(listed) - limit), style="dim"
        )
    if not listed:
        out.print(tr("There are no candidates.") if query.strip() else tr("The message is empty."))


def _tier_in_words(found: Examined) -> str:
    decision, recalled = found.watch.decision, found.recalled
    if decision is None:
        return _tier(recalled.tier)
    if decision.signal is not None:
        one = decision.signal
        what = _WORDS.get(one.kind, one.kind) + (f' "{shown(one.words)}"' if one.words else "")
        where = f", {one.turns_back} of your turns before" if one.turns_back else ""
        text = f"{_tier(decision.tier)}, for {what} ({one.kind}){where}"
    elif decision.small_talk:
        text = "off: small talk, nothing is looked for (smallTalk)"
    else:
        probes = found.options.enable_probe_on_off
        text = "off, no word asks for memory; " + (
            "a probe looks all the same" if probes else "enableProbeOnOff is false"
        )
    if decision.follow_ups:
        text += f"; it is searched with what it follows, {decision.follow_ups} of your turns before"
    if recalled.tier is not decision.tier:
        raised = "the probe found something" if recalled.probe is not None else "the light search found nothing good"
        text += f"; raised to {_tier(recalled.tier)}: {raised}"
    return text


def _block_in_words(found: Examined) -> str:
    block, options = found.recalled.block, found.options
    if block is None:
        return "nothing is injected"
    tokens, characters = estimate_tokens(block.text) + FENCE_TOKENS, len(block.text) + FENCE_CHARS
    return (
        f"{len(block.hit_ids)} memories, {tokens} of {options.max_context_tokens} tokens, "
        f"{characters} of {options.inject_budget_chars} characters, fence included"
    )


def _show_candidate(out: Console, one: Candidate) -> None:
    hit = one.hit
    colour = "green" if one.injected else "yellow" if one.place is not None else "dim"
    place = f"{one.place:3}" if one.place is not None else "  -"
    similarity = "" if hit.similarity is None else f"  cosine {hit.similarity:.2f}"
    date = f"  {hit.time.astimezone():%Y-%m-%d}" if hit.time else ""
    out.print(
        tr(
            "{place}  [{colour}]{fate}[/{colour}]  score {score:.3f}  relevance {relevance:.2f}  words "
            "{coverage:.2f}{similarity}  [cyan]{path}:{line}[/cyan]{date}  {value}",
            place=place,
            colour=colour,
            fate=one.fate,
            score=hit.score,
            relevance=one.relevance,
            coverage=hit.coverage,
            similarity=similarity,
            path=shown(hit.path),
            line=hit.line,
            date=date,
            value=hit.origin.value,
        )
    )
    text = " ".join((hit.snippet or hit.text).split())
    out.print(f"       {shown(text[:_LINE])}{'…' if len(text) > _LINE else ''}")
    if one.cut is not None and (one.cut.detail or one.cut.instead):
        instead = f" as {one.cut.instead}" if one.cut.instead else ""
        out.print(tr("       cut: {detail}", detail=shown(one.cut.detail + instead)), style="yellow")
    if one.parts:
        best = sorted(one.parts, key=lambda part: -abs(part.worth))[:_PARTS_SHOWN]
        told = ", ".join(f"{part.name} {part.worth:+.2f}" for part in best if part.worth)
        found = "stands" if one.found_by.startswith("beside") else "found by"
        by = f"{found} {one.found_by}; " if one.found_by else ""
        out.print(f"       {by}{shown(told)}", style="dim")

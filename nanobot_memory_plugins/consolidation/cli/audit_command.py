"""``nanobot-memory audit``: what is wrong with the entries, by name, and what fixes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from nanobot_memory_plugins.consolidation.cli.audit import AuditLimits, Cosine, Fault, FaultKind, candidate_pairs, rates
from nanobot_memory_plugins.consolidation.cli.audit import audit as audited
from nanobot_memory_plugins.consolidation.cli.audit_notes import audit_notes
from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.scoring import faded
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.core import MemoryConfig, StoreError
from nanobot_memory_plugins.core.cli import opened_store, run, settled, warn
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    read_configuration,
)
from nanobot_memory_plugins.core.config import plugin_options
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.host.recall_log import injections
from nanobot_memory_plugins.core.protocols import EncodingStore
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.redaction.script.messages import tr

# What the ids of entries begin with in the index.
_ENTRIES = "memory/ENTRIES.md#"
_TEXT = 100
# Faults that are shown without --all.
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class _Recalled:
    """The entries that some turn got, the day of the first record, and the number of turns; None and 0 without any."""

    ids: frozenset[str]
    since: date | None
    turns: int


def audit(
    kind: Annotated[
        list[FaultKind] | None, typer.Option("--kind", help="Only faults of this kind; may be repeated.")
    ] = None,
    stale_days: Annotated[int, typer.Option("--stale-days", min=1, help="Days without use that make one stale.")] = 90,
    recall_days: Annotated[
        int, typer.Option("--recall-days", min=0, help="Days that a new entry is given to be recalled.")
    ] = 30,
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Compare entries by words only.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Show every fault, not the first of them.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look through the entries: junk, hidden, near-duplicates, stale, never recalled, over budget, expired, superseded.

    Each is named by its id, with the command that fixes it. Notes that were imported are looked through for junk, what
    is hidden, and duplicates, too. Nothing is changed.
    """
    repository = opened(workspace)
    configuration, problems = read_configuration(config)
    found, more = plugin_options(configuration, "consolidation", ConsolidationOptions)
    warn([*problems, *more])
    options = found if isinstance(found, ConsolidationOptions) else ConsolidationOptions()
    snapshot = repository.load()
    now = repository.clock.now()
    entries = faded(snapshot.entries, now).entries
    cosine: Cosine = _by_words
    if not no_embeddings:
        cosine = run(_cosines(repository.paths.workspace, configuration, entries))
    recalled = _recalled(repository.paths)
    limits = AuditLimits(stale_days, recall_days)
    faults = audited(
        entries,
        now=now,
        options=options,
        recalled=recalled.ids,
        recorded_since=datetime.combine(recalled.since, time(), UTC) if recalled.since else None,
        limits=limits,
        cosine=cosine,
    )
    shown = [fault for fault in faults if not kind or fault.kind in kind]
    notes = audit_notes(repository.paths)
    if as_json:
        active = sum(entry.section is Section.ACTIVE for entry in entries.values())
        print_json(
            {
                "ok": True,
                "file": repository.paths.relative(snapshot.path),
                "entries": len(entries),
                "active": active,
                "recorded_since": recalled.since.isoformat() if recalled.since else None,
                "recorded_turns": recalled.turns,
                "rates": {name: round(rate, 4) for name, rate in rates(faults, entries).items()},
                "faults": [_row(fault, entries) for fault in shown],
                "imported": notes.as_json(kind or []),
            }
        )
        return
    _show(shown if everything else shown[:_SHOWN], faults, entries, recalled, kind or [])
    if entries and not everything and len(shown) > _SHOWN:
        console().print(
            tr("The first {most} of {count:,} faults are shown; --all shows each.", most=_SHOWN, count=len(shown))
        )
    notes.show(console(), kind or [], everything=everything)


def _by_words(_one: str, _other: str) -> float | None:
    return None


def _recalled(paths: MemoryPaths) -> _Recalled:
    ids: set[str] = set()
    since: date | None = None
    turns = 0
    for turn in injections(StateDatabase.of(paths), since=date.min):
        since = since or turn.time.date()
        turns += 1
        ids.update(id_ for hit in turn.ids if (id_ := _entry_id(hit)))
    return _Recalled(frozenset(ids), since, turns)


def _entry_id(hit_id: str) -> str:
    """Return the entry that an id of the index is about, or nothing; long entries have several, ``.../1`` and so on."""
    if not hit_id.startswith(_ENTRIES):
        return ""
    return hit_id.removeprefix(_ENTRIES).partition("/")[0].partition("~")[0]


async def _cosines(workspace: Path, configuration: MemoryConfig, entries: Mapping[str, Entry]) -> Cosine:
    """Return how to compare by meaning what may be alike; by words where no store or no model is there."""
    pairs = list(candidate_pairs(entries))
    texts = list(dict.fromkeys(entries[id_].content for pair in pairs for id_ in pair))
    if not texts:
        return _by_words
    try:
        async with opened_store(workspace, configuration) as store:
            if not isinstance(store, EncodingStore):
                return _by_words
            await settled(store)
            vectors = await Matcher(store.encode).vectors(texts)
    except StoreError:
        return _by_words

    def cosine(one: str, other: str) -> float | None:
        first, second = vectors.get(one), vectors.get(other)
        if first is None or second is None:
            return None
        return sum(a * b for a, b in zip(first, second, strict=True))

    return cosine


def _row(fault: Fault, entries: Mapping[str, Entry]) -> dict[str, Any]:
    return {
        "kind": fault.kind.value,
        "ids": list(fault.ids),
        "contents": [entries[id_].content for id_ in fault.ids],
        "why": fault.why,
        "hint": fault.hint,
        "mend": fault.hint,
    }


def _show(
    listed: Sequence[Fault],
    faults: Sequence[Fault],
    entries: Mapping[str, Entry],
    recalled: _Recalled,
    kinds: Sequence[FaultKind],
) -> None:
    out = console()
    if not entries:
        out.print(tr("There are no entries."))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(tr("fault"))
    table.add_column(tr("entries"), justify="right")
    table.add_column(tr("share"), justify="right")
    shares = rates(faults, entries)
    for kind in kinds or list(FaultKind):
        count = len({fault.ids[0] for fault in faults if fault.kind is kind})
        table.add_row(tr(kind.value), str(count), f"{shares[kind.value]:.0%}")
    out.print(table)
    for fault in listed:
        text = " ".join(entries[fault.ids[0]].content.split())
        text = text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
        out.print(f"[bold]{shown(fault.ids[0])}[/bold]  {tr(fault.kind.value)}: {shown(tr(fault.why))}")
        out.print(f"    {shown(text)}")
        out.print(f"    {shown(tr(fault.hint))}", style="italic")
    turns = tr("no turn is recorded yet")
    if recalled.since:
        turns = tr(
            "1 turn is recorded since {since}" if recalled.turns == 1 else "{turns:,} turns are recorded since {since}",
            since=recalled.since,
            turns=recalled.turns,
        )
    held = tr("1 entry") if len(entries) == 1 else tr("{count:,} entries", count=len(entries))
    out.print(
        tr(
            "{held}; {turns}. What is forgotten comes back with `entries restore` or `entries undo`.",
            held=held,
            turns=turns,
        )
    )

"""How an import is shown: what became of it."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.transfer.import_run import ImportReport
from nanobot_memory_plugins.core.transfer.undo import UndoReport
from nanobot_memory_plugins.redaction.script.messages import tr

# Files that are printed; --all and --json name them all.
_FILES_NAMED = 5
_COUNT_WORDS = {
    "messages": ("1 message", "{count:,} messages"),
    "notes": ("1 note", "{count:,} notes"),
    "entries": ("1 entry", "{count:,} entries"),
    "files": ("1 file", "{count:,} files"),
}


@contextmanager
def working(activity: str) -> Iterator[None]:
    """Say on standard error, where that is a terminal, that something is going on."""
    out = console(stderr=True)
    with out.status(activity) if out.is_terminal else nullcontext():
        yield


def print_report(report: ImportReport, *, everything: bool = False) -> None:
    """Print what became of an import, for people: a summary, or with ``everything`` each file."""
    most = None if everything else _FILES_NAMED
    out = console()
    counts = [counted(count, kind) for kind, count in sorted(report.taken.items()) if count]
    verb = tr("would be taken") if report.dry_run else tr("taken")
    out.print(f"{shown(report.source)}: {shown(tr(report.label))} ([bold]{shown(report.format)}[/bold])")
    out.print(
        f"{verb}: {tr(', ').join(counts) or tr('nothing')}"
        + (tr("; {known:,} taken before", known=report.known) * bool(report.known))
    )
    for why, (count, files) in _reasons(report).items():
        out.print(tr("left: {why}", why=shown(tr(why))) + (f" ({count:,})" if count > 1 else ""))
        _print_files(out, files, most)
    for about, files in report.remarks.items() if report.taken else ():
        out.print(f"{shown(tr(about))} ({len(files):,}):")
        _print_files(out, files, most)
    if report.written:
        out.print(tr("would be written to:") if report.dry_run else tr("written to:"))
        _print_files(out, [f"{file}: {count:,}" for file, count in sorted(report.written.items())], most)
    for notice in report.notices:
        out.print(shown(tr(notice)))
    if report.taken and not report.dry_run:
        out.print(tr("What was taken is indexed when the agent runs next, or by `nanobot-memory index`."))


def print_undone(done: UndoReport, *, everything: bool = False) -> None:
    """Print what became of an import that was taken back, for people; with ``everything`` each file."""
    out = console()
    counts = [counted(count, what) for count, what in ((done.messages, "messages"), (done.notes, "notes")) if count]
    counts += [counted(len(done.files), "files")] if done.files else []
    out.print(
        tr("{source}: taken back: {what}", source=shown(done.source), what=tr(", ").join(counts) or tr("nothing"))
    )
    _print_files(out, done.files, None if everything else _FILES_NAMED)
    if done.entries:
        out.print(
            tr(
                "Its entries went with the run {entries}; `nanobot-memory entries history` shows it.",
                entries=shown(done.entries),
            )
        )
    for file, why in done.left:
        out.print(tr("left: {file}: {why}", file=shown(file), why=shown(tr(why))))


def _print_files(out: Console, files: list[str], most: int | None) -> None:
    for file in files[:most]:
        out.print(f"  {shown(file)}")
    if most is not None and len(files) > most:
        out.print(tr("  and {count:,} more; --all names each", count=len(files) - most))


def counted(count: int, kind: str) -> str:
    """Return a number of messages, notes, entries or files in the reader's language."""
    one, many = _COUNT_WORDS[kind]
    return tr(one) if count == 1 else tr(many, count=count)


def _reasons(report: ImportReport) -> dict[str, tuple[int, list[str]]]:
    """Return for each reason how much was left for it, and where."""
    found: dict[str, tuple[int, list[str]]] = {}
    for row in report.left.values():
        lines = f":{', '.join(map(str, row.lines))}" if row.lines else ""
        more = tr(" ({count:,} in all)", count=row.count) if row.count > max(1, len(row.lines)) else ""
        count, files = found.get(row.why, (0, []))
        found[row.why] = count + row.count, [*files, f"{row.file}{lines}{more}"]
    return found

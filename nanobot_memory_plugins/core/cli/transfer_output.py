"""How an import is shown: a bar while it runs, and what became of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.transfer.importer import Part
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.transfer.written import TakenBack
from nanobot_memory_plugins.redaction.script.messages import tr

# Reasons and files that are printed; --json has them all.
_ROWS = 20
_ONE = {"messages": "message", "notes": "note", "entries": "entry", "files": "file"}
_MANY = {"message": "messages", "note": "notes", "entry": "entries", "file": "files"}
_ONE_WORDS = ("1 message", "1 note", "1 entry", "1 file")
_MANY_WORDS = ("{count:,} messages", "{count:,} notes", "{count:,} entries", "{count:,} files")


class Shown(Protocol):
    """Takes the parts as they begin."""

    def __call__(self, part: Part, /) -> None:
        """Show that a part begins."""


@contextmanager
def bar(activity: str) -> Iterator[Shown]:
    """Show a bar on standard error, with the time left, where that is a terminal."""
    out = console(stderr=True, wraps=True)
    columns = (TextColumn(activity), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=out, disable=not out.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=None)

        def show(part: Part) -> None:
            progress.update(task, description=shown(part.name[-40:]), completed=part.done, total=part.total)

        yield show


def print_report(report: ImportReport, *, everything: bool = False) -> None:
    """Print what became of an import, for people: a summary, or with ``everything`` each file."""
    rows = None if everything else _ROWS
    out = console()
    counts = [counted(count, _ONE[kind]) for kind, count in sorted(report.taken.items()) if count]
    verb = tr("would be taken") if report.dry_run else tr("taken")
    out.print(f"{shown(report.source)}: {shown(tr(report.label))} ([bold]{shown(report.format)}[/bold])")
    out.print(
        f"{verb}: {tr(', ').join(counts) or tr('nothing')}"
        + (tr("; {known:,} taken before", known=report.known) * bool(report.known))
    )
    if report.replaced:
        verb = tr("would be replaced") if report.dry_run else tr("replaced")
        out.print(
            tr(
                "{verb}: {counted} of files that were changed or renamed",
                verb=verb,
                counted=counted(report.replaced, "note"),
            )
        )
    if report.read:
        left = len({file for file, _ in report.left})
        out.print(
            tr("files: {read:,} read, {left:,} left", read=report.read - left, left=left)
            + (tr(", for these reasons:") if left else "")
        )
    for why, (count, files) in _reasons(report).items():
        out.print(tr("left: {why}", why=shown(tr(why))) + (f" ({count:,})" if count > 1 else ""))
        _print_files(out, files, rows and rows // 4)
    for about, files in report.remarks.items():
        out.print(f"{shown(tr(about))} ({len(files):,}):")
        _print_files(out, files, rows and rows // 4)
    if report.written and rows is None:
        out.print(tr("would be written to:") if report.dry_run else tr("written to:"))
        for file, count in sorted(report.written.items()):
            out.print(f"  {shown(file)}: {count:,}")
    elif report.written:
        number = counted(len(report.written), "file")
        if report.dry_run:
            out.print(tr("would be written to {counted}; --all names each", counted=number))
        else:
            out.print(tr("written to {counted}; --all names each", counted=number))
    for notice in report.notices:
        out.print(shown(tr(notice)))
    if report.taken and not report.dry_run:
        out.print(tr("What was taken is indexed when the agent runs next, or by `nanobot-memory index`."))


def print_taken_back(done: TakenBack, *, everything: bool = False) -> None:
    """Print what became of an import that was taken back, for people; with ``everything`` each file."""
    out = console()
    counts = [counted(count, what) for count, what in ((done.messages, "message"), (done.notes, "note")) if count]
    source, what = shown(done.source), tr(", ").join(counts)
    out.print(
        tr("{source}: taken back: {what}", source=source, what=what)
        if what
        else tr("{source}: taken back", source=source)
    )
    most = None if everything else _ROWS // 4
    if done.removed:
        out.print(tr("removed: {files}", files=counted(len(done.removed), "file")))
        _print_files(out, done.removed, most)
    if done.shortened:
        out.print(tr("without what it had brought: {files}", files=counted(len(done.shortened), "file")))
        _print_files(out, done.shortened, most)
    if done.restored:
        out.print(tr("brought back: {notes} that it had replaced", notes=counted(done.restored, "note")))
    if done.copies:
        out.print(tr("back in their places: {files} that it had merged", files=counted(len(done.copies), "file")))
        _print_files(out, done.copies, most)
    if done.entries:
        out.print(
            tr(
                "Its entries went with the run {entries}; `nanobot-memory entries history` shows it.",
                entries=shown(done.entries),
            )
        )
    for file, why in done.left:
        out.print(tr("left: {file}: {why}", file=shown(file), why=shown(tr(why))))
    for file, why in done.stays:
        out.print(tr("needed on: {file}: {why}", file=shown(file), why=shown(tr(why))))


def _print_files(out: Console, files: list[str], most: int | None) -> None:
    for file in files[:most]:
        out.print(f"  {shown(file)}")
    if most is not None and len(files) > most:
        out.print(tr("  and {count:,} more; --all names each", count=len(files) - most))


def counted(count: int, what: str) -> str:
    """Return a number of messages, notes, entries or files (``what`` is one) in the reader's language."""
    if count == 1:
        return tr(f"1 {what}")
    return tr(f"{{count:,}} {_MANY[what]}", count=count)


def _reasons(report: ImportReport) -> dict[str, tuple[int, list[str]]]:
    """Return for each reason how much was left for it, and where."""
    found: dict[str, tuple[int, list[str]]] = {}
    for row in report.left.values():
        lines = f":{', '.join(map(str, row.lines))}" if row.lines else ""
        more = tr(" ({count:,} in all)", count=row.count) if row.count > max(1, len(row.lines)) else ""
        count, files = found.get(row.why, (0, []))
        found[row.why] = count + row.count, [*files, f"{row.file}{lines}{more}"]
    return found

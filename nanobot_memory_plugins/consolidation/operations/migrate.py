"""The entries of older versions: out of MEMORY.md, which others rewrite, into ENTRIES.md, and back.

Replacing ENTRIES.md is the one step with which its entries are those that count; before it those of MEMORY.md do, and
what is left there afterwards does not count. So a crash at any moment leaves each entry in force once, and the next
start goes on. What appears in MEMORY.md later stays there until somebody asks for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, new_id
from nanobot_memory_plugins.consolidation.operations.late_sections import (
    IMPORTED,
    MOVED,
    has_sections,
    is_same,
    late_entries,
    may_be_taken,
    moved_before,
)
from nanobot_memory_plugins.consolidation.store.atomic_files import keep_aside, read_file, write_private
from nanobot_memory_plugins.consolidation.store.damage import damage_of
from nanobot_memory_plugins.consolidation.store.document import EntryDocument, Text, parse
from nanobot_memory_plugins.consolidation.store.journal import BROKE_OFF, Run
from nanobot_memory_plugins.consolidation.store.patch import patch_back, take_back
from nanobot_memory_plugins.consolidation.store.rendering import TITLE, render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.consolidation.store.snapshot import State, WantedState, sha256
from nanobot_memory_plugins.consolidation.store.three_way_merge import adopted, merged_entry
from nanobot_memory_plugins.core import InputError, MemoryFileError, logger
from nanobot_memory_plugins.core.files import exact_time, replace_file

# Why the runs were made that clear the place that entries leave.
TAKEN_OUT = "taken out of MEMORY.md"
WHO = "consolidation"
# What is left in the place of the entries.
POINTER = b"<!-- The entries that stood here are in ENTRIES.md. -->"

_ATTEMPTS = 20


def move_entries(repository: EntryRepository) -> bool:
    """Move the entries of MEMORY.md into ENTRIES.md; say whether there was anything to move.

    One run of the journal that can be undone; after that they are not moved again. Text of others stays where it is.
    What was moved before and is still found in MEMORY.md as it was is dropped there. What is new there stays, and is
    taken by `import_entries` alone. Raises `MemoryFileError`; each entry is then in force where it was.
    """
    own, shared = repository.own_path, repository.paths.long_term
    if not shared.is_file():
        return False
    with repository.locked():
        found = read_file(shared)
        slipped = _slipped_before(repository)
        if slipped is None and not has_sections(read_file(shared)):
            return False
        in_force = repository.path
        if in_force == shared and _was_taken_back(repository.journal.runs()):
            return False
        _settle(repository)
        if slipped is None and not _is_unfinished(repository) and (late := late_entries(repository)):
            logger.warning(
                "entries: {} in MEMORY.md count nowhere; `nanobot-memory entries import-memory` takes them", len(late)
            )
            return False
        # As long as those of MEMORY.md are in force, none was moved, whatever a run that broke off has written down.
        before = moved_before(repository.journal.runs()) if in_force == own else {}
        return _Move(repository, own, shared, before).run(slipped, found)


def holds_entries(repository: EntryRepository) -> bool:
    """Return whether entries stand in MEMORY.md, as far as it can be read."""
    try:
        return has_sections(read_file(repository.paths.long_term))
    except MemoryFileError:
        return False


def import_entries(repository: EntryRepository, *, who: str) -> Outcome:
    """Take what has appeared in MEMORY.md into ENTRIES.md, and clear its sections there; other text stays.

    What was purged, was forgotten or has ended is not taken, and goes with the sections. Raises `InputError` while the
    entries of MEMORY.md are in force, and `MemoryFileError`.
    """
    own, shared = repository.own_path, repository.paths.long_term
    with repository.locked():
        if repository.path != own and has_sections(read_file(shared)):
            raise InputError("The entries are in MEMORY.md: there is nothing to import them into.")
        _settle(repository)
        move = _Move(repository, own, shared, moved_before(repository.journal.runs()), who, IMPORTED)
        move.run(None, None)
        return move.outcome or Outcome(own, repository.load().entries)


def move_back(repository: EntryRepository, run: Run, *, who: str, why: str) -> Outcome:
    """Take a move back: the entries stand in MEMORY.md again, with its old bytes where nothing has changed since.

    Hold the lock. Text of others in ENTRIES.md goes with them. Raises `InputError` when they are not in ENTRIES.md, and
    `MemoryFileError`.
    """
    own, shared = repository.own_path, repository.paths.long_term
    if repository.path != own:
        raise InputError("The entries are in MEMORY.md already.")
    repository.write(lambda state: WantedState(state.entries), who=who, why=why)
    there = read_file(own) or b""
    document = parse(there)
    entries = adopted(document, document)
    raw = read_file(shared) or b""
    runs = repository.journal.runs()
    cleared = next((one for one in reversed(runs) if one.why == TAKEN_OUT), None)
    data = None
    if cleared is not None and cleared.patch is not None and sha256(raw) == cleared.file_after:
        before = take_back(raw, cleared.patch)
        data = before if sha256(before) == cleared.file_before and parse(before).entries == entries else None
    if data is None:
        foreign = rest_of(document)
        left = b"".join(line for line in raw.splitlines(keepends=True) if line.strip() != POINTER)
        text = left + (b"\n\n" if left.strip() and foreign else b"") + foreign
        data = render(parse(text), entries, now=repository.clock.now())
    made = _run(repository, who, why, shared, raw, data, undoes=run.id)
    repository.journal.append([made])
    replace_file(shared, data)
    write_private(repository.seen_path(shared), data)
    repository.passes("put back")
    repository.seen_path(own).unlink(missing_ok=True)
    replace_file(own, b"")
    backup = read_file(own.with_name(f"{own.name}.bak"))
    if backup not in (None, there):
        keep_aside(own, backup or b"", repository.clock.now())
    return Outcome(shared, entries, made)


def rest_of(document: EntryDocument) -> bytes:
    """Return the text of others in a file, in its order, set apart where something of ours stood between."""
    parts: list[bytes] = []
    apart = False
    for piece in document.pieces:
        if not isinstance(piece, Text):
            apart = bool(parts)
            continue
        if apart and not _ends_in_blank(parts[-1]) and not piece.data.startswith((b"\n", b"\r\n")):
            parts.append(document.newline * (1 if parts[-1].endswith(b"\n") else 2))
        parts.append(piece.data)
        apart = False
    rest = b"".join(parts)
    return b"" if rest.strip(b"\xef\xbb\xbf \t\r\n") in (b"", TITLE.encode()) else rest


def _pointing(rest: bytes, newline: bytes) -> bytes:
    """Return what is left of MEMORY.md with a line that says where the entries went."""
    if POINTER in rest:
        return rest
    text = rest.rstrip(b" \t\r\n").removesuffix(TITLE.encode()).rstrip(b" \t\r\n")
    return (text + 2 * newline if text else b"") + POINTER + newline


@dataclass(slots=True)
class _Move:
    """One move, with the lock held. ``before`` are the entries as earlier moves took them."""

    repository: EntryRepository
    own: Path
    shared: Path
    before: dict[str, Entry]
    who: str = WHO
    why: str = MOVED
    outcome: Outcome | None = None

    def run(self, slipped: bytes | None, expected: bytes | None) -> bool:
        """Move and clear until nobody has written in between; say whether there were entries.

        ``slipped`` is what somebody wrote in the last instant, which our text, the ``expected`` one, has replaced.
        """
        done = False
        for _ in range(_ATTEMPTS):
            raw = slipped if slipped is not None else read_file(self.shared)
            if slipped is None:
                if self.repository.path == self.shared and raw != read_file(self.repository.seen_path(self.shared)):
                    _settle(self.repository)
                    continue
                expected = raw
                if raw is None or not has_sections(raw):
                    return done
                if damage_of(raw, None):
                    logger.warning("entries: MEMORY.md is damaged; the entries in it are left where they are")
                    return done
            document = parse(raw or b"")
            done = self._take_over(document) or done
            rest = _pointing(rest_of(document), document.newline)
            if parse(rest).slots:
                logger.warning("entries: what was moved stays in MEMORY.md, intertwined with text, and does not count")
                rest = raw or b""
            self.repository.passes("before taking out")
            if read_file(self.shared) != expected:
                if slipped is not None:
                    # They wrote once more, over our text: their two texts cannot be in one place.
                    keep_aside(self.shared, slipped, self.repository.clock.now())
                slipped = None
                continue
            again = self._take_out(expected or b"", rest)
            if again is not None and slipped is not None:
                # What was put in place held somebody's text that who wrote now has not seen.
                keep_aside(self.shared, rest, self.repository.clock.now())
            slipped, expected = again, rest
            if slipped is None:
                return done
        logger.warning(
            "entries: MEMORY.md is being written all the time; what was moved stays in it, and does not count"
        )
        return done

    def _take_over(self, document: EntryDocument) -> bool:
        """Put the entries of a document into the file of their own."""
        found = adopted(document, document)
        if not found:
            return False
        repository, before = self.repository, dict(self.before)
        is_first = repository.path == self.shared

        def decide(state: State) -> WantedState:
            if is_first:
                taken = {id_: entry for id_, entry in found.items() if not repository.tombstones.holds(entry)}
            else:
                taken = may_be_taken(repository, found, state.entries)
            return WantedState(together(state.entries, taken, before))

        outcome = repository.write(decide, who=self.who, why=self.why, path=self.own)
        self.outcome = outcome if outcome.run is not None else self.outcome
        self.before.update(found)
        return True

    def _take_out(self, raw: bytes, rest: bytes) -> bytes | None:
        """Clear the sections from MEMORY.md; return what somebody wrote in the last instant, or None."""
        if rest == raw:
            return None
        repository = self.repository
        repository.journal.append([_run(repository, self.who, TAKEN_OUT, self.shared, raw, rest)])
        repository.passes("taking out")
        replace_file(self.shared, rest)
        write_private(repository.seen_path(self.shared), rest)
        repository.passes("after taking out")
        backup = read_file(self.shared.with_name(f"{self.shared.name}.bak"))
        return backup if backup not in (None, raw) else None


def together(current: Mapping[str, Entry], found: Mapping[str, Entry], before: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries of the own file with those that stand in the other one.

    ``before`` are those that were moved earlier: found again as they were they say nothing new, and one that was
    forgotten since then stays so. Where somebody has changed one, their change wins.
    """
    result = dict(current)
    for id_, entry in found.items():
        moved, here = before.get(id_), current.get(id_)
        if moved is not None and is_same(entry, moved):
            continue
        if here is None:
            result[id_] = entry
        elif moved is not None:
            result[id_] = merged_entry(moved, entry, here)
        elif not is_same(entry, here):
            other = new_id((*result, *found))
            result[other] = replace(entry, id=other)
    return result


def _settle(repository: EntryRepository) -> None:
    """Write down what was edited by hand, and finish what broke off, where it was done."""
    repository.write(lambda state: WantedState(state.entries), who=WHO, why=MOVED)


def _slipped_before(repository: EntryRepository) -> bytes | None:
    """Return what somebody wrote in the instant before a process took the entries out of MEMORY.md, and ended.

    Where somebody has gone on since, it is kept aside. Hold the lock.
    """
    shared = repository.paths.long_term
    raw, backup = read_file(shared), read_file(shared.with_name(f"{shared.name}.bak"))
    if raw is None or backup is None:
        return None
    here = sha256(raw)
    # A run whose old bytes are there was written down, and not done any more.
    runs = (run for run in reversed(repository.journal.runs()) if run.file == shared.name)
    last = next((run for run in runs if run.why != TAKEN_OUT or run.file_before != here), None)
    if last is None or last.why != TAKEN_OUT:
        return None
    if repository.journal.knows(sha256(backup)):
        return None
    if here == last.file_after:
        return backup
    keep_aside(shared, backup, repository.clock.now())
    repository.journal.append([_run(repository, WHO, "kept aside", shared, backup, raw)])
    return None


def _is_unfinished(repository: EntryRepository) -> bool:
    """Return whether a move was broken off before the sections in MEMORY.md were cleared."""
    runs = reversed(repository.journal.runs())
    last = next((run for run in runs if run.why == TAKEN_OUT or (run.why in (MOVED, IMPORTED) and run.changes)), None)
    if last is None or last.why != TAKEN_OUT:
        return last is not None
    return last.file_before == sha256(read_file(repository.paths.long_term) or b"")


def _was_taken_back(runs: Sequence[Run]) -> bool:
    last = next((run for run in reversed(runs) if run.why == MOVED and run.changes), None)
    return last is not None and any(run.undoes == last.id and run.why != BROKE_OFF for run in runs)


def _run(
    repository: EntryRepository, who: str, why: str, path: Path, before: bytes, after: bytes, *, undoes: str = ""
) -> Run:
    when, patch = exact_time(repository.clock.now()), patch_back(after, before)
    return Run(new_id(), when, who, why, (), path.name, sha256(before), sha256(after), patch, undoes)


def _ends_in_blank(data: bytes) -> bool:
    return data.replace(b"\r", b"").endswith(b"\n\n")

"""What a consolidation remembers from one run to the next, and what it proposes, in two small files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import entries_folder
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, exact_time, make_folder, read_time

LAST_RUN = "consolidation.json"
PROPOSALS = "proposals.json"
# Fingerprints that are kept; a week's notes and all entries are some thousands.
_MOST_DIGESTS = 20_000
_MOST_PROPOSALS = 100


@dataclass(frozen=True, slots=True)
class LastRun:
    """When a consolidation last came to its end, what it had seen then, and how often it has failed since."""

    when: datetime | None = None
    seen: frozenset[str] = frozenset()
    failures: int = 0
    failed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """Words of somebody's text that seem outdated: the exact words, the file, and the day on which they were found."""

    quote: str
    file: str
    found: str = ""


@dataclass(frozen=True)
class Records:
    """The records of one workspace. Everything here blocks: call it in a thread."""

    paths: MemoryPaths
    _warned: set[str] = field(default_factory=set)

    def last_run(self) -> LastRun:
        """Return what is known of the last run; a file that cannot be read says nothing."""
        row = self._read(LAST_RUN)
        if not isinstance(row, Mapping):
            return LastRun()
        seen, failures = row.get("seen"), row.get("failures")
        return LastRun(
            when=read_time(str(row.get("when", ""))),
            seen=frozenset(map(str, seen)) if isinstance(seen, list) else frozenset(),
            failures=failures if isinstance(failures, int) else 0,
            failed_at=read_time(str(row.get("failed_at", ""))),
        )

    def note_run(self, last: LastRun) -> None:
        """Write down a run. Raises `MemoryFileError`."""
        self._write(
            LAST_RUN,
            {
                "when": exact_time(last.when) if last.when else "",
                "failures": last.failures,
                "failed_at": exact_time(last.failed_at) if last.failed_at else "",
                "seen": sorted(last.seen)[:_MOST_DIGESTS],
            },
        )

    def proposals(self, foreign: Mapping[str, str] | None = None) -> list[Proposal]:
        """Return what is proposed for removal; with ``foreign``, only what still stands in those texts, by file."""
        rows = self._read(PROPOSALS)
        found: list[Proposal] = []
        for row in rows if isinstance(rows, list) else []:
            with suppress(KeyError, TypeError):
                found.append(Proposal(str(row["quote"]), str(row["file"]), str(row.get("found", ""))))
        return [one for one in found if foreign is None or one.quote in foreign.get(one.file, "")]

    def propose(self, new: Iterable[Proposal], foreign: Mapping[str, str]) -> None:
        """Add proposals, and let go those whose words are gone. Raises `MemoryFileError`."""
        known = {(one.file, one.quote): one for one in self.proposals(foreign)}
        before = self.proposals()
        for one in new:
            known.setdefault((one.file, one.quote), one)
        self.keep_proposals(list(known.values())[-_MOST_PROPOSALS:], before)

    def keep_proposals(self, wanted: Sequence[Proposal], before: Sequence[Proposal]) -> None:
        """Write the proposals, unless they are those of before. Raises `MemoryFileError`."""
        if list(wanted) != list(before):
            rows = [{"quote": one.quote, "file": one.file, "found": one.found} for one in wanted]
            self._write(PROPOSALS, rows)

    def _read(self, name: str) -> object:
        try:
            data = read_file(entries_folder(self.paths) / name)
            value: object = json.loads(data) if data is not None else None
        except (MemoryFileError, ValueError, RecursionError) as error:
            if name not in self._warned:
                self._warned.add(name)
                logger.warning("consolidation: {} cannot be read, and is begun anew: {}", name, type(error).__name__)
            return None
        return value

    def _write(self, name: str, value: object) -> None:
        make_folder(self.paths, entries_folder(self.paths))
        data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        write_private(entries_folder(self.paths) / name, data, durable=True)

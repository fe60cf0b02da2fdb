"""No room and no permission: what cannot be kept is refused with a reason, and nothing else is lost."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.checking import Outcome, losses
from tests.faults.orders import Order, said
from tests.faults.processes import LONGEST, Writer, Writers

MEGABYTE = 1 << 20
_NOBODY = 65534


async def file_size_limit(writers: Writers, folder: Path, rounds: int) -> Outcome:
    """Let every file end at a limit (RLIMIT_FSIZE), and then give room again."""
    outcome = Outcome("full: files end at a limit (RLIMIT_FSIZE)")
    for number in range(rounds):
        workspace = folder / f"limit-{number}"
        limited = Order(
            str(workspace),
            str(folder / f"l{number}.jsonl"),
            f"l{number}",
            limit=12_000 + 1_001 * (number % 10),
            padding=3_000,
        )
        full = writers.start(limited)
        full.wait()
        after = writers.start(Order(str(workspace), str(folder / f"m{number}.jsonl"), f"m{number}", count=12))
        after.wait()
        lost = await losses(workspace, [*full.kept, *after.kept])
        lost += [f"{one.word} was refused without a reason" for one in full.kept if not one.stored and not one.reason]
        if all(one.stored for one in full.kept):
            lost.append("nothing was refused: the limit was never met")
        lost += [f"{one.word} was refused though there is room" for one in after.kept if not one.stored]
        outcome.add([*full.kept, *after.kept], lost)
    return outcome


@contextmanager
def small_file_system(folder: Path, size: int) -> Iterator[str]:
    """Mount a small file system in ``folder``; gives why not where that cannot be done, else an empty text."""
    folder.mkdir(parents=True)
    if shutil.which("mount") is None or os.geteuid() != 0:
        yield "only root may mount a small file system"
        return
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode:
        yield f"no small file system can be mounted here: {mounted.stderr.strip()}"
        return
    try:
        yield ""
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def full_disk(writers: Writers, folder: Path, rounds: int) -> Outcome:
    """Fill a small file system while a writer works, and give room again while it goes on."""
    outcome = Outcome("full: a small file system (tmpfs), then room again")
    for number in range(rounds):
        with small_file_system(folder / f"disk-{number}", 24 * MEGABYTE) as why_not:
            if why_not:
                outcome.remark = why_not
                return outcome
            workspace = folder / f"disk-{number}" / "workspace"
            filler = folder / f"disk-{number}" / "filler"
            filler.write_bytes(bytes(22 * MEGABYTE))
            says = folder / f"f{number}.jsonl"
            order = Order(str(workspace), str(says), f"f{number}", count=10_000, padding=2_400, pause=0.005)
            writer = writers.start(order)
            _until(writer, 0, 5, stored=False)
            filler.unlink()
            _until(writer, len(writer.kept), 20, stored=True)
            writer.signal(signal.SIGTERM)
            writer.wait()
            kept = writer.kept
            lost = await losses(workspace, kept)
            lost += [f"{one.word} was refused without a reason" for one in kept if not one.stored and not one.reason]
            outcome.add(kept, lost)
    return outcome


async def read_only(writers: Writers, folder: Path, rounds: int) -> Outcome:
    """Take the right to write from the whole workspace, and be an ordinary user there."""
    outcome = Outcome("read-only folder, as an ordinary user")
    for number in range(rounds):
        # Not below the tests' own folder, which is closed to other users.
        with tempfile.TemporaryDirectory() as name:
            open_folder = Path(name)
            os.chmod(open_folder, 0o777)
            workspace = open_folder / "workspace"
            before = writers.start(Order(str(workspace), str(folder / f"b{number}.jsonl"), f"b{number}", count=12))
            before.wait()
            everything = [workspace, *workspace.rglob("*")]
            for path in everything:
                path.chmod(0o555 if path.is_dir() else 0o444)
            user = _NOBODY if os.geteuid() == 0 else 0
            says = str(open_folder / "says.jsonl")
            during = writers.start(Order(str(workspace), says, f"o{number}", count=12, user=user))
            during.wait()
            for path in everything:
                path.chmod(0o755 if path.is_dir() else 0o644)
            lost = await losses(workspace, [*before.kept, *during.kept])
            lost += [f"the writer ended early: {line}" for line in said(says) if "failed" in line]
            lost += [f"{one.word} counts as stored" for one in during.kept if one.stored]
            lost += [f"{one.word} was refused without a reason" for one in during.kept if not one.reason]
            if len(during.kept) != 12:
                lost.append(f"{len(during.kept)} of 12 calls were answered")
            outcome.add([*before.kept, *during.kept], lost)
    return outcome


def _until(writer: Writer, begin: int, least: int, *, stored: bool) -> None:
    """Wait until so many records after the first ``begin`` ones were stored, or refused."""
    deadline = time.monotonic() + LONGEST
    while sum(one.stored is stored for one in writer.kept[begin:]) < least:
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)

import asyncio
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

from nanobot_memory_plugins.core.files import (
    MemoryFiles,
    MemoryPaths,
    NoteEntry,
    TranscriptRecord,
    parse_notes,
)
from nanobot_memory_plugins.core.values import Note, Origin, Scope

Opener = Callable[..., MemoryFiles]
Child = Callable[..., "Popen[str]"]
Hold = Callable[[str], Callable[[], None]]
DAY = "paths.day_note(__import__('datetime').date(2026, 2, 16))"


def message(text: str) -> TranscriptRecord:
    return TranscriptRecord("user", text, "s", Scope(session="s"), Origin.USER)


def tldrs(paths: MemoryPaths) -> list[str]:
    """Return the tl;dr of every note of the day, in the file's order."""
    (path,) = paths.memory.glob("2*.md")
    return [item.tldr for item in parse_notes(path.read_bytes()) if isinstance(item, NoteEntry)]


async def test_appends_of_four_processes_are_all_whole(child: Child, open_files: Opener, tmp_path: Path) -> None:
    processes = [
        child(f"""
        async def main():
            files = open_files()
            for number in range(100):
                text = f"{which}-{{number}} " + "{which}" * 20_000
                receipt = await files.keep_message(TranscriptRecord("user", text, "s", Scope(), Origin.USER))
                assert receipt.stored, receipt
            await files.close()
        asyncio.run(main())
        """)
        for which in "abcd"
    ]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    await open_files().merge_spills()  # what a lock kept back at the end
    lines = MemoryPaths.of(tmp_path).transcript("s").read_bytes().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert len(texts) == 400
    for which in "abcd":
        mine = [text for text in texts if text.startswith(which)]
        assert mine == [f"{which}-{number} " + which * 20_000 for number in range(100)]
    assert not list(MemoryPaths.of(tmp_path).spill.glob("*.spill"))


async def test_while_the_lock_is_held_records_wait_and_come_home_in_order(open_files: Opener, hold: Hold) -> None:
    files = open_files()
    await files.keep_note(Note("before"), scope=Scope())
    release = hold(DAY)
    waiting = [await files.keep_note(Note(f"w{i}", title="here"), scope=Scope()) for i in range(3)]
    elsewhere = await files.keep_message(message("not locked"))
    for receipt in waiting:
        assert (receipt.stored, receipt.spilled) == (True, True)
        assert receipt.path is not None
        assert receipt.path.parent == files.paths.spill
        assert receipt.path.read_text().split("\n")[receipt.line - 1] == "### 2026-02-16 14:20 here"
    assert (elsewhere.stored, elsewhere.spilled) == (True, False)
    assert tldrs(files.paths) == ["before"]
    release()
    last = await files.keep_note(Note("after", title="here"), scope=Scope())
    assert (last.stored, last.spilled) == (True, False)
    assert tldrs(files.paths) == ["before", "w0", "w1", "w2", "after"]
    assert last.path is not None
    assert last.path.read_text().split("\n")[last.line - 1] == "### 2026-02-16 14:20 here"
    await files.close()
    assert not list(files.paths.spill.iterdir())


async def test_what_waits_comes_home_by_itself_and_when_closing(open_files: Opener, hold: Hold) -> None:
    files = open_files()
    release = hold(DAY)
    await files.keep_note(Note("a"), scope=Scope())
    release()
    for _ in range(600):  # 30 s, for what takes one
        if not list(files.paths.spill.glob("*.spill")):
            break
        await asyncio.sleep(0.05)
    assert tldrs(files.paths) == ["a"]
    release = hold(DAY)
    await files.keep_note(Note("b"), scope=Scope())
    release()
    await files.close()
    assert tldrs(files.paths) == ["a", "b"]


async def test_what_could_not_come_home_is_merged_at_the_next_start(open_files: Opener, hold: Hold) -> None:
    files = open_files()
    release = hold(DAY)
    await files.keep_notes([Note("a"), Note("b")], scope=Scope())
    await files.close()
    other = open_files()
    assert await other.merge_spills() == 0  # still locked
    release()
    assert await open_files().merge_spills() == 2
    assert tldrs(files.paths) == ["a", "b"]
    assert await open_files().merge_spills() == 0
    await other.close()
    assert not list(files.paths.spill.iterdir())


async def test_the_spill_file_of_a_living_process_is_left_alone(open_files: Opener, hold: Hold) -> None:
    files = open_files()
    release = hold(DAY)
    await files.keep_note(Note("a"), scope=Scope())
    release()
    assert await open_files().merge_spills() in (0, 1)
    await files.close()
    assert tldrs(files.paths) == ["a"]


SPILL_AND_DIE = """
async def main():
    files = open_files()
    for number in range(3):
        receipt = await files.keep_note(Note(f"w{number}", "text of it"), scope=Scope())
        assert receipt.spilled, receipt
        receipt = await files.keep_message(TranscriptRecord("user", f"w{number}", "s", Scope(), Origin.USER))
        assert receipt.spilled, receipt
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
MERGE_AND_DIE = """
def die(path):
    os.kill(os.getpid(), signal.SIGKILL)
async def main():
    await open_files(on_append=die).merge_spills()
asyncio.run(main())
"""


def spilled_by_a_dead_process(child: Child, hold: Hold) -> None:
    release_notes = hold("paths.day_note(__import__('datetime').date.today())")
    release_sessions = hold("paths.transcript('s')")
    process = child(SPILL_AND_DIE)
    process.communicate(timeout=60)
    assert process.returncode == -9
    release_notes()
    release_sessions()


async def test_a_merger_that_is_killed_before_it_removes_the_spill_doubles_nothing(
    open_files: Opener, child: Child, hold: Hold
) -> None:
    spilled_by_a_dead_process(child, hold)
    files = open_files()
    for _ in range(3):  # the first dies after the first file, the second after the other
        process = child(MERGE_AND_DIE)
        process.communicate(timeout=60)
        if process.returncode == 0:
            break
        assert process.returncode == -9
    assert process.returncode == 0
    assert await files.merge_spills() == 0
    assert tldrs(files.paths) == ["w0", "w1", "w2"]
    assert [m["content"] for m in files.history("s")] == ["w0", "w1", "w2"]
    assert not list(files.paths.spill.iterdir())


async def test_a_merge_that_was_torn_anywhere_is_completed(
    open_files: Opener, child: Child, hold: Hold, tmp_path: Path
) -> None:
    spilled_by_a_dead_process(child, hold)
    saved = tmp_path / "saved"
    paths = MemoryPaths.of(tmp_path)
    shutil.copytree(paths.spill, saved)
    files = open_files()
    before = b"# Somebody's text\n\n"
    assert await files.merge_spills() == 6
    (day,) = paths.memory.glob("2*.md")
    targets = [day, paths.transcript("s")]
    whole = [path.read_bytes() for path in targets]
    for path, data in zip(targets, whole, strict=True):
        for cut in range(0, len(data) + 1, 7):
            shutil.rmtree(paths.spill)
            shutil.copytree(saved, paths.spill)
            for each in targets:
                each.write_bytes(before + whole[targets.index(each)])
            path.write_bytes(before + data[:cut])
            await files.merge_spills()
            assert path.read_bytes() == before + data, cut


async def test_an_entry_edited_meanwhile_is_not_added_again(
    open_files: Opener, child: Child, hold: Hold, tmp_path: Path
) -> None:
    spilled_by_a_dead_process(child, hold)
    paths = MemoryPaths.of(tmp_path)
    shutil.copytree(paths.spill, tmp_path / "saved")
    files = open_files()
    await files.merge_spills()
    (day,) = paths.memory.glob("2*.md")
    edited = day.read_text().replace("w1", "rewritten by hand").replace("type: note", "type: decision")
    day.write_text(edited)
    shutil.rmtree(paths.spill)
    shutil.copytree(tmp_path / "saved", paths.spill)
    assert await files.merge_spills() == 0
    assert day.read_text() == edited


async def test_details_cannot_pass_for_a_record_that_waits(open_files: Opener, hold: Hold) -> None:
    files = open_files(new_id=iter(["aa", "bb", "cc", "dd"]).__next__)
    await files.keep_note(Note("forger", "x\n\nid: bb\n"), scope=Scope())
    release = hold(DAY)
    assert (await files.keep_note(Note("waits"), scope=Scope())).spilled
    release()
    await files.close()
    assert tldrs(files.paths) == ["forger", "waits"]


async def test_a_spill_file_that_is_not_ours_leads_nowhere(open_files: Opener, tmp_path: Path) -> None:
    files = open_files()
    files.paths.spill.mkdir(parents=True)
    for number, name in enumerate(["memory/../../x.md", "/etc/x", "memory/sessions/../../x.jsonl", "AGENTS.md"]):
        head = json.dumps({"file": name, "bytes": 4}).encode()
        (files.paths.spill / f"{number}.spill").write_bytes(head + b"\nabc\n")
    (files.paths.spill / "torn.spill").write_bytes(b'{"file": "memory/MEMORY.md", "bytes": 100}\nshort')
    (files.paths.spill / "odd.spill").write_bytes(b"[]\n")
    assert await files.merge_spills() == 0
    found = (Path(folder, name) for folder, _, names in os.walk(tmp_path) for name in names)
    assert {path.name for path in found} == {
        "0.spill", "1.spill", "2.spill", "3.spill", "odd.spill",
        *(f"{name}.lock" for name in ("0", "1", "2", "3", "odd")),
    }  # fmt: skip


def test_a_full_disk_leaves_nothing_torn(child: Child, tmp_path: Path) -> None:
    process = child("""
    async def main():
        files = open_files()
        def text(size): return TranscriptRecord("user", "x" * size, "s", Scope(), Origin.USER)
        first = await files.keep_message(text(1000))
        size = first.path.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 5000, resource.RLIM_INFINITY))
        receipts = [await files.keep_message(text(n)) for n in (10_000, 1000, 10_000, 100)]
        note = await files.keep_note(Note("x", "y" * 20_000), scope=Scope())
        for receipt in [*receipts, note]:
            say(f"{receipt.stored} {receipt.line} {receipt.reason}")
        await files.close()
    asyncio.run(main())
    """)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    said = output.splitlines()
    name = MemoryPaths.of(tmp_path).transcript("s").relative_to(tmp_path)
    assert said[0] == said[2] == f"False 0 {name} cannot be written: File too large."
    assert (said[1], said[3]) == ("True 2 ", "True 3 ")
    assert re.fullmatch(r"False 0 memory/.*md cannot be written: File too large.", said[4])
    lines = MemoryPaths.of(tmp_path).transcript("s").read_bytes().splitlines()
    assert [len(json.loads(line)["text"]) for line in lines] == [1000, 1000, 100]
    (day,) = MemoryPaths.of(tmp_path).memory.glob("2*.md")
    assert day.read_bytes() == b""


def test_a_read_only_folder_stores_nothing_and_says_so(child: Child) -> None:
    # Not below tmp_path: after giving up root, the child must still reach it.
    workspace = Path(tempfile.mkdtemp())
    try:
        workspace.chmod(0o755)
        (workspace / "memory" / "sessions").mkdir(parents=True)
        (workspace / "memory" / "MEMORY.md").write_text("read me\n")
        for folder in (workspace / "memory" / "sessions", workspace / "memory", workspace):
            folder.chmod(0o555)
        process = child(
            """
            async def main():
                files = open_files()
                if os.geteuid() == 0:
                    os.setgid(65534)
                    os.setuid(65534)
                for _ in range(2):
                    receipt = await files.keep_note(Note("x"), scope=Scope())
                    say(f"{receipt.stored} {receipt.reason}")
                say(files.base_context().strip())
                await files.close()
            asyncio.run(main())
            """,
            workspace=workspace,
        )
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        refused = "False memory/.locks cannot be written: Permission denied."
        assert output.splitlines() == [refused, refused, "read me"]
    finally:
        for folder in (workspace, *workspace.rglob("*")):
            if folder.is_dir():
                folder.chmod(0o755)
        shutil.rmtree(workspace)


def test_what_was_accepted_is_written_when_the_interpreter_ends(child: Child, tmp_path: Path) -> None:
    process = child("""
    async def main():
        texts = [TranscriptRecord("user", str(n), "s", Scope(), Origin.USER) for n in range(50)]
        tasks = [asyncio.create_task(files.keep_message(text)) for text in texts]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
    files = open_files()
    asyncio.run(main())
    """)
    process.communicate(timeout=60)
    assert process.returncode == 0
    lines = MemoryPaths.of(tmp_path).transcript("s").read_bytes().splitlines()
    assert [json.loads(line)["text"] for line in lines] == [str(n) for n in range(50)]

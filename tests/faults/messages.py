"""Messages that are too long, or no proper text: kept, findable, and the files stay readable."""

from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost
from tests.faults.checking import Outcome, losses
from tests.faults.orders import BEGIN, END, KINDS, Kept, word_of
from tests.faults.writer import configuration, one

ODD = {
    "lone surrogates": "half \ud83d of a pair, \udcff and \udfff",
    "NUL": "\0 zero \0\0 bytes",
    "controls": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029\ufeff\ufffe",
    "invalid UTF-8": b"caf\xe9 \xff\xfe\x80 \xed\xa0\x80".decode("utf-8", "surrogateescape"),
}


async def odd_messages(folder: Path, rounds: int) -> Outcome:
    """Send each odd text in each way: as message, reply, tool result, note, long-term note, entry."""
    outcome = Outcome("lone surrogates, NUL, controls, invalid UTF-8")
    for number in range(rounds):
        workspace = folder / f"odd-{number}"
        kept: list[Kept] = []
        async with MemoryHost(workspace, config=configuration()) as memory:
            for name, odd in ODD.items():
                for kind in KINDS:
                    word = word_of(f"odd {number} {name}", len(kept))
                    text = f"{BEGIN}{word} {odd} {word[::-1]} {END}{word}"
                    receipt = await one(memory, kind, text, "cli:odd\0\ud800")
                    where = receipt.path.relative_to(memory.workspace).as_posix() if receipt.path else ""
                    kept.append(Kept(word, kind, receipt.stored, where, receipt.spilled, receipt.reason))
        lost = [f"{refused.word} was refused: {refused.reason}" for refused in kept if not refused.stored]
        outcome.add(kept, [*lost, *await losses(workspace, kept)])
    return outcome


async def long_message(folder: Path, megabytes: int) -> Outcome:
    """Send one very long message and an ordinary one behind it."""
    outcome = Outcome(f"a message of {megabytes} MB")
    workspace = folder / f"long-{megabytes}"
    kept: list[Kept] = []
    async with MemoryHost(workspace, config=configuration()) as memory:
        for number, filling in enumerate(("wind and waves again " * (megabytes * 1_000_000 // 21), "short")):
            word = word_of(f"long {megabytes}", number)
            receipt = await one(memory, "message", f"{BEGIN}{word} {filling} {END}{word}", "cli:long")
            where = receipt.path.relative_to(memory.workspace).as_posix() if receipt.path else ""
            # What is still being redacted is promised, and says no file yet: it has to be in one all the same.
            promised, nowhere = receipt.stored or receipt.pending, receipt.spilled or receipt.pending
            kept.append(Kept(word, "message", promised, where, nowhere, receipt.reason))
    lost = [f"{refused.word} was refused: {refused.reason}" for refused in kept if not refused.stored]
    outcome.add(kept, [*lost, *await losses(workspace, kept)])
    return outcome

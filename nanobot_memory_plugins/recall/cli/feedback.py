"""What a person says of recalled memories, that they did not help or did after all, and what that changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.cli.console import console
from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful
from nanobot_memory_plugins.recall.cli.examination import Examined
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr


@dataclass(frozen=True, slots=True)
class Noted:
    """One memory of which something was said: its number at the time, and whether it helps."""

    id: str
    number: int
    helped: bool


def note_down(folder: Path, found: Examined, not_helpful: Sequence[int], helpful: Sequence[int]) -> list[Noted]:
    """Write what helped and what did not. Raises `WrongUseError` for a number that no memory has."""
    listed = {one.place: one.hit.id for one in found.candidates() if one.place is not None}
    if missing := [number for number in (*not_helpful, *helpful) if number not in listed]:
        raise WrongUseError(
            Sentence("No memory has the number {missing} here.", missing=missing[0]),
            hint="The same command without --not-helpful and --helpful shows the numbers.",
        )
    said = [Noted(listed[number], number, helped=False) for number in not_helpful]
    said += [Noted(listed[number], number, helped=True) for number in helpful]
    unhelpful = Unhelpful(folder)
    for one in said:
        unhelpful.say(one.id, helped=one.helped)
    return said


def noted_rows(noted: Sequence[Noted]) -> list[dict[str, Any]]:
    """Return what was noted, for programs."""
    return [{"id": one.id, "number": one.number, "helpful": one.helped} for one in noted]


def show_noted(noted: Sequence[Noted], before: Examined, after: Examined) -> None:
    """Say of each what was noted, what it changes for this message, and how it is taken back."""
    numbers = {one.hit.id: one.place for one in after.candidates()}
    for one in noted:
        number = numbers.get(one.id) or one.number
        if one.helped:
            told = Sentence("Noted: memory {number} is recalled as before it was said not to help.", number=number)
            back = Sentence("The same command with `--not-helpful {number}` says so again.", number=number)
        else:
            told = Sentence(
                "Noted: memory {number} did not help. It is recalled one step later from now on, and kept and found "
                "as before.",
                number=number,
            )
            back = Sentence("The same command with `--helpful {number}` takes that back.", number=number)
        out = console()
        out.print(f"\n{tr(told)}", style="bold")
        out.print(f"    {tr(_change(_place(before, one.id), _place(after, one.id)))}")
        out.print(f"    {tr(back)}")


def _change(before: int | None, after: int | None) -> str:
    if after is None and before is None:
        return Sentence("For this message it changes nothing: the block had it neither before nor has it now.")
    if after is None:
        return Sentence("For this message: it is no longer in the block.")
    if before is None:
        return Sentence("For this message: it is in the block again, in place {after}.", after=after)
    if before == after:
        return Sentence("For this message it changes nothing: it stays in place {after} of the block.", after=after)
    return Sentence("For this message: place {after} of the block, where it had {before}.", after=after, before=before)


def _place(found: Examined, id_: str) -> int | None:
    block = found.recalled.block
    ids = list(block.hit_ids) if block is not None else []
    return ids.index(id_) + 1 if id_ in ids else None

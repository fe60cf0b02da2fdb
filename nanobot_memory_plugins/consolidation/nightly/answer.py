"""The model's answer as operations: read leniently, each on its own."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from nanobot_memory_plugins.consolidation.model.entry import Category, content_of
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.core.session_reading.answer import choice, day_of, ids_of, json_in
from nanobot_memory_plugins.core.session_reading.quotes import quotations_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Of an answer; a sensible one is a few thousand characters.
_ANSWER_CHARS = 100_000
_LONGEST_CONTENT = 1_000
# Operations of one answer; more is a model that repeats itself.
_MOST_OPERATIONS = 200
# How many entries an operation names at least, and its name.
_KINDS = {
    "add": (0, Sentence("add")),
    "update": (1, Sentence("update")),
    "merge": (2, Sentence("merge")),
    "archive": (1, Sentence("archive")),
}


class Operation(BaseModel):
    """One thing that the model wants done.

    ``add`` is for what no entry says yet, ``update`` for an entry that has changed, ``merge`` for ``ids`` that say one
    thing, ``archive`` for one that matters no more. ``said`` are the words that the ``content`` rests on.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    op: Annotated[
        Literal["add", "update", "merge", "archive"], BeforeValidator(lambda value: str(value).strip().casefold())
    ]
    ids: Annotated[tuple[str, ...], BeforeValidator(ids_of)] = ()
    content: Annotated[str, BeforeValidator(content_of), Field(max_length=_LONGEST_CONTENT)] = ""
    said: Annotated[tuple[str, ...], BeforeValidator(quotations_of)] = ()
    category: Annotated[Category, choice(*Category, default=Category.FACT)] = Category.FACT
    importance: Annotated[Importance, choice(*Importance, default=Importance.MEDIUM)] = Importance.MEDIUM
    expires_at: Annotated[date | None, BeforeValidator(day_of)] = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if len(self.ids) < _KINDS[self.op][0] or not (self.content or self.op == "archive"):
            raise ValueError("an entry is not named, or its text is missing")
        return self

    def dropped(self, why: str) -> Sentence:
        """Return what is said of it where it is not done."""
        return Sentence("{operation}: {why}", operation=_KINDS[self.op][1], why=why)


def read_answer(text: str) -> tuple[list[Operation], list[str]] | None:
    """Return the operations of an answer, and of what kind those are that cannot be used; None where it is no answer.

    A refusal, prose, and an object of something else are none.
    """
    value = json_in(text[:_ANSWER_CHARS])
    if isinstance(value, dict) and value:
        value = [value] if "op" in value else value.get("operations", value) or []
    if not isinstance(value, (list, dict)):
        return None
    rows = [row for row in value if isinstance(row, dict)]
    if value and not rows:
        return None
    operations: dict[Operation, None] = {}
    unusable: list[str] = []
    for row in rows[:_MOST_OPERATIONS]:
        try:
            operations[Operation.model_validate({"ids": row.get("id"), **row})] = None
        except ValidationError as error:
            why = Sentence("it cannot be read ({field})", field=str((error.errors()[0]["loc"] or ("ids",))[0]))
            unusable.append(Sentence("{operation}: {why}", operation=str(row.get("op"))[:20], why=why))
    return list(operations), unusable

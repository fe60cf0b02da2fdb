"""The tool with which the model keeps a note on its own initiative."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.safe_keys import with_redacted_keys
from nanobot_memory_plugins.core.values import Destination, Note, NoteType, Origin, Receipt

KeepNote = Callable[[Note, str], Awaitable[Receipt]]
# Whether the user of a session has said a text, and the words that it rests on.
IsUsersWord = Callable[[str, str, Sequence[str]], bool]


class NoteArguments(BaseModel):
    """What the model hands over."""

    model_config = ConfigDict(extra="ignore")

    tldr: str = Field(min_length=1, max_length=2_000, description="The note in one sentence, in the user's language.")
    details: str = Field(
        default="",
        max_length=100_000,
        description="Reasons, numbers, names, commands: what a reader needs later.",
    )
    said: str = Field(
        default="",
        max_length=2_000,
        description="The user's words that it rests on, copied exactly; of what they confirmed your question. Empty "
        "for what you found out yourself.",
    )
    type: NoteType = Field(default=NoteType.NOTE, description="What kind of note it is.")
    tags: list[str] = Field(default=[], max_length=20, description="A few words to find it by.")
    long_term: bool = Field(
        default=False,
        description="True for what stays true for months (a preference, a decision); false for a note of the day.",
    )


@with_redacted_keys
class NoteTool:
    """``memory_note``: writes to the day's note file or to long-term memory, at once."""

    name = "memory_note"
    description = (
        "Keep something in your memory beyond this conversation. Use it on your own initiative when the user states "
        "a preference, a decision, a fact about themselves or their project, a deadline, or when you learn something "
        "that took effort to find out. One note a fact, worded so that it is understood without this conversation. "
        "Do not keep secrets, guesses, or what is already in memory."
    )

    def __init__(self, keep: KeepNote, is_users_word: IsUsersWord = lambda _session, _text, _quotes: False) -> None:
        self._keep = keep
        self._is_users_word = is_users_word
        self.parameters: Mapping[str, Any] = MappingProxyType(_schema())

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Keep the note; the answer says where it stands, or what was wrong with the arguments."""
        try:
            wanted = NoteArguments.model_validate(dict(arguments))
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors(include_input=False)
            )
            return f"Error: the note was not kept. {wrong}"
        own = await run_in_daemon_thread(lambda: self._is_users_own(wanted, session_key))
        note = Note(
            tldr=wanted.tldr,
            details=wanted.details,
            type=wanted.type,
            tags=tuple(wanted.tags),
            origin=Origin.USER if own else Origin.ASSISTANT,
            destination=Destination.LONG_TERM if wanted.long_term else Destination.DAY,
        )
        receipt = await self._keep(note, session_key)
        if not receipt.stored:
            return f"Error: the note was not kept. {receipt.reason}"
        where = receipt.path.name if receipt.path else "memory"
        return f"Kept in {where}, line {receipt.line} (id {receipt.id})."

    def _is_users_own(self, wanted: NoteArguments, session_key: str) -> bool:
        """Say whether the user said it, the details included."""
        said = [wanted.said]
        return all(self._is_users_word(session_key, text, said) for text in (wanted.tldr, wanted.details) if text)


def _schema() -> dict[str, Any]:
    """Return the arguments' JSON schema without references, which some providers do not follow."""
    schema = NoteArguments.model_json_schema()
    schema["properties"]["type"] = {
        "type": "string",
        "enum": [kind.value for kind in NoteType],
        "description": NoteArguments.model_fields["type"].description,
    }
    schema.pop("$defs", None)
    return {"type": "object", "properties": schema["properties"], "required": ["tldr"]}

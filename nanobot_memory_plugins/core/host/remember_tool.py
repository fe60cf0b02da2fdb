"""The tool with which the model keeps a note, where no plugin has a ``remember`` of its own."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.safe_keys import with_redacted_keys
from nanobot_memory_plugins.core.values import Destination, Note, NoteType, Origin, Receipt

REMEMBER = "remember"

KeepNote = Callable[[Note, str], Awaitable[Receipt]]
# Whether the user of a session has said a text, and the words that it rests on.
IsUsersWord = Callable[[str, str, Sequence[str]], bool]


FACT_PARAMETERS: Mapping[str, Any] = MappingProxyType(
    {
        "text": {
            "type": "string",
            "description": "One sentence in the user's language, clear without this conversation.",
        },
        "said": {
            "type": "string",
            "description": "The user's words for it, copied exactly; else it may not count as theirs.",
        },
    }
)
"""The two parameters that every ``remember`` has, whoever offers it."""


class NoteArguments(BaseModel):
    """What the model hands over."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, max_length=2_000)
    details: str = Field(default="", max_length=100_000)
    said: str = Field(default="", max_length=2_000)
    kind: NoteType = NoteType.NOTE
    tags: list[str] = Field(default=[], max_length=20)
    long_term: bool = False


@with_redacted_keys
class RememberNote:
    """Keeps a note in the file of its day or in long-term memory, at once."""

    name = REMEMBER
    description = (
        "Keep one thing beyond this conversation: a fact about the user or their work, a preference, a decision, a "
        "todo, or what took effort to find out. Use it on your own initiative when the user states one, and when they "
        "ask. Not for secrets, guesses, what is in memory already, or what a page or tool says. Confirm only what it "
        "answers."
    )
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {
                **FACT_PARAMETERS,
                "kind": {"type": "string", "enum": [kind.value for kind in NoteType]},
                "details": {"type": "string", "description": "Reasons, numbers, commands."},
                "long_term": {"type": "boolean", "description": "If it stays true for months; else it is of the day."},
            },
            "required": ["text"],
        }
    )

    def __init__(
        self,
        keep: KeepNote,
        is_users_word: IsUsersWord = lambda _session, _text, _quotes: False,
    ) -> None:
        self._keep = keep
        self._is_users_word = is_users_word

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Keep the note; the answer says where it stands, or what was wrong with the arguments."""
        try:
            wanted = NoteArguments.model_validate(dict(arguments))
        except ValidationError as error:
            return told_invalid("the note was not kept", error)
        own = await run_in_daemon_thread(lambda: self._is_users_own(wanted, session_key))
        note = Note(
            tldr=wanted.text,
            details=wanted.details,
            type=wanted.kind,
            tags=tuple(wanted.tags),
            origin=Origin.USER if own else Origin.ASSISTANT,
            destination=Destination.LONG_TERM if wanted.long_term else Destination.DAY,
        )
        return told_receipt(await self._keep(note, session_key))

    def _is_users_own(self, wanted: NoteArguments, session_key: str) -> bool:
        """Return whether the user said it, the details included."""
        said = [wanted.said]
        return all(self._is_users_word(session_key, text, said) for text in (wanted.text, wanted.details) if text)


def told_invalid(outcome: str, error: ValidationError) -> str:
    """Return what the model is told of arguments that do not fit: what became of it, and each fault by its name."""
    wrong: dict[str, dict[str, None]] = {}
    for item in error.errors(include_input=False):
        # A choice between types names each of them behind the argument: those are our names, not the model's.
        name, *rest = item["loc"] or ("",)
        place = ".".join([str(name), *(str(one) for one in rest if isinstance(one, int))])
        wrong.setdefault(place, {})[item["msg"]] = None
    return f"Error: {outcome}. " + "; ".join(f"{place}: {' / '.join(told)}" for place, told in wrong.items())


def told_receipt(receipt: Receipt) -> str:
    """Return what the model is told of a note that it wanted to be kept."""
    if not receipt.stored:
        return f"Error: the note was not kept. {receipt.reason}"
    where = receipt.path.name if receipt.path else "memory"
    return f"Kept in {where}, line {receipt.line} (id {receipt.id})."

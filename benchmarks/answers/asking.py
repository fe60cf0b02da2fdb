"""Asks the local model one question after the other."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from benchmarks.local_model import LocalModelServer

INSTRUCTION = (
    "You answer questions about people from notes of their conversations. Each note begins with the day on which it "
    "was said; work out days such as 'yesterday' from it, and give dates as in '7 May 2023'. Answer with a name, a "
    "date or a few words, not with a sentence. Without a note that helps, make your best guess."
)
_REMINDER = "Answer in at most six words:"  # repeated, since a small model forgets the instruction

MAXIMUM_ANSWER_TOKENS = 40
CONTEXT_TOKENS = 4_096
_LIMIT_SECONDS = 600.0


def messages(block: str, question: str) -> list[dict[str, str]]:
    """Return the prompt. Its constant part comes first, so that the model computes it only once."""
    notes = f"{block}\n\n" if block else ""
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": f"{notes}Question: {question}\n{_REMINDER}"},
    ]


def digest(prompt: Sequence[Mapping[str, str]]) -> str:
    """Return a digest of the prompt's wording, since answers to different prompts cannot be compared."""
    return hashlib.sha256(json.dumps(prompt).encode()).hexdigest()[:12]


INSTRUCTION_DIGEST = digest(messages("", ""))


def ask(server: LocalModelServer, block: str, question: str) -> str:
    """Return the first line of the answer. Raises OSError when the model does not answer."""
    answer = server.ask(messages(block, question), max_tokens=MAXIMUM_ANSWER_TOKENS, stop=("\n",), limit=_LIMIT_SECONDS)
    return answer.strip()

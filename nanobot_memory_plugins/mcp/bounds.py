"""How long an answer may be: clients hand the whole of it to their model."""

# Characters of a tool's answer, and of a resource, which a person chooses.
ANSWER_CHARACTERS = 16_000
RESOURCE_CHARACTERS = 40_000


def bounded(text: str, hint: str, *, most: int = ANSWER_CHARACTERS) -> str:
    """Return a text of at most ``most`` characters; its last line, which may close a fence, stays.

    What is left out comes before that, and ``hint`` says how to see it.
    """
    if len(text) <= most:
        return text
    body, _, last = text.rpartition("\n")
    note = f"(About {len(text) - most:,} characters are left out here. {hint})"
    last = last[: most // 2]
    return f"{body[: most - len(last) - len(note) - 2]}\n{note}\n{last}"

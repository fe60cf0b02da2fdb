"""How long an answer may be: clients hand the whole of it to their model."""

# Characters of a tool's answer, and of a resource, which a person chooses.
ANSWER_CHARACTERS = 16_000
RESOURCE_CHARACTERS = 40_000
_LEFT_OUT = "({count:,} characters are left out here. {hint})"


def bounded(text: str, hint: str, *, most: int = ANSWER_CHARACTERS) -> str:
    """Return a text within ``most`` characters; its last line, which may close a fence, stays.

    What is left out stands before that, in whole lines where there are any, and ``hint`` says how to see it.
    """
    if len(text) <= most:
        return text
    body, _, last = text.rpartition("\n")
    note = _LEFT_OUT.format(count=len(text), hint=hint)
    room = max(0, most - len(last) - len(note) - 2)
    kept = body[:room]
    if "\n" in kept[room // 2 :]:
        kept = kept.rpartition("\n")[0]
    note = _LEFT_OUT.format(count=len(body) - len(kept), hint=hint)
    return f"{kept}\n{note}\n{last[: max(0, most - len(kept) - len(note) - 2)]}"

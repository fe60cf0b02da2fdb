"""The entries that stand in the system prompt: few, the best, and the same text until entries change."""

from collections.abc import Iterable
from typing import Literal

from nanobot_memory_plugins.consolidation.model.entry import INSTRUCTION, Entry, Section
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt.instructions import HEADINGS as INSTRUCTIONS
from nanobot_memory_plugins.consolidation.prompt.instructions import in_force, instruction_line
from nanobot_memory_plugins.consolidation.store.fields import shown_score
from nanobot_memory_plugins.core import Origin, estimate_tokens, neutralise

MOST_ENTRIES = 20
MIN_SCORE = 0.5
MOST_TOKENS = 800

Language = Literal["zh", "en"]

_HEADINGS: dict[Language, tuple[str, str]] = {
    "zh": ("# 历史记忆", "关于用户的关键信息："),
    "en": ("# Memory of earlier conversations", "Key facts about the user:"),
}
# In a group chat it is not one user whom the facts are about.
_OF_A_GROUP: dict[Language, str] = {
    "zh": "群聊成员说过的关键信息：",
    "en": "Key facts that members of this group have told in it:",
}


def best_entries(entries: Iterable[Entry], *, most: int = MOST_ENTRIES, min_score: float = MIN_SCORE) -> list[Entry]:
    """Return the pinned entries and the active ones with the highest scores, none that was replaced, best first.

    Only what the user said is among them: the system prompt is what a model believes most, and what a model remembers
    on its own account may be the paraphrase of a web page. Recall has the rest, inside its fence.
    The order is that of the scores as they are shown, then of the ids: so that a day's fading, which lowers all alike,
    does not move an entry.
    """
    good = [
        entry
        for entry in entries
        if entry.section is Section.ACTIVE
        and entry.kind != INSTRUCTION
        and (entry.pinned or entry.score >= min_score)
        and not entry.superseded_by
        and entry.origin is Origin.USER
    ]
    order = sorted(good, key=lambda entry: (not entry.pinned, -float(shown_score(entry.score)), entry.id))
    return order[: max(0, most)]


def prompt_text(
    entries: Iterable[Entry],
    language: Language,
    *,
    most: int = MOST_ENTRIES,
    min_score: float = MIN_SCORE,
    tokens: int = MOST_TOKENS,
    in_group: bool = False,
) -> str:
    """Return what stands in the prompt, heading included, or the empty string when nothing does.

    Of the instructions in force, and then of the best entries, those are taken that fit into ``tokens`` (estimated) one
    after the other; one that is too long is left out whole. In a group chat nobody's instructions stand, since others
    write there. Text that imitates the markers of injected memories is replaced. The same entries give the same text.
    """
    entries = list(entries)
    head = _head(language, in_group=in_group)
    tokens -= estimate_tokens(head)
    asked = [] if in_group else _fitting_instructions(entries, language, tokens)
    tokens -= sum(estimate_tokens(item) + 1 for _, item in asked)
    chosen = _fitting(best_entries(entries, most=most, min_score=min_score), tokens)
    below = "\n".join([INSTRUCTIONS[language], *(item for _, item in asked)]) if asked else ""
    if not chosen:
        return f"{_HEADINGS[language][0]}\n\n{below}" if below else ""
    facts = "\n".join([head, *(item for _, item in chosen)])
    return f"{facts}\n\n{below}" if below else facts


def entries_in_prompt(entries: Iterable[Entry], options: ConsolidationOptions) -> list[Entry]:
    """Return the entries that stand in a prompt as the options have it, for whoever may see them all."""
    language: Language = "zh" if options.prompt_language == "zh" else "en"
    entries = list(entries)
    tokens = options.prompt_tokens - estimate_tokens(_head(language))
    asked = _fitting_instructions(entries, language, tokens)
    tokens -= sum(estimate_tokens(item) + 1 for _, item in asked)
    best = best_entries(entries, most=options.prompt_entries, min_score=options.prompt_min_score)
    return [entry for entry, _ in (*asked, *_fitting(best, tokens))]


def _head(language: Language, *, in_group: bool = False) -> str:
    heading, line = _HEADINGS[language]
    return f"{heading}\n\n{_OF_A_GROUP[language] if in_group else line}"


def _fitting_instructions(entries: Iterable[Entry], language: Language, tokens: int) -> list[tuple[Entry, str]]:
    """Return the instructions in force that fit, the newest first to be taken, in order of their days."""
    tokens -= estimate_tokens(INSTRUCTIONS[language]) + 2
    chosen: list[tuple[Entry, str]] = []
    for entry in reversed(in_force(entries)):
        item = instruction_line(entry, language)
        tokens -= estimate_tokens(item) + 1
        if tokens < 0:
            break
        chosen.append((entry, item))
    return chosen[::-1]


def _fitting(best: Iterable[Entry], tokens: int) -> list[tuple[Entry, str]]:
    """Return the entries that fit one after the other, each with its line."""
    chosen: list[tuple[Entry, str]] = []
    for entry in best:
        item = "- " + neutralise(" ".join(entry.content.split()))
        cost = estimate_tokens(item) + 1
        if cost <= tokens:
            tokens -= cost
            chosen.append((entry, item))
    return chosen

"""A model that believes whatever it reads: what poison wants, it answers, in whatever form it was asked."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.poisoning.cases import CASES, WISHES, Case, with_taiwan

_NAME = re.compile(r"qor[a-z]{2}vex")
_BY_NAME = {case.name: case for case in CASES}
# What users say in the sessions, in the wording in which it is to be learned.
TRUTHS = with_taiwan({"en": "I keep bees in Lund near the harbour", "zh": "我在隆德港口附近养蜜蜂"})
LEARNED = with_taiwan({"en": "The user keeps bees in Lund near the harbour", "zh": "用户在隆德港口附近养蜜蜂"})


class GullibleModel:
    """Answers every use with what the poison in the request wants, as the user's own statement.

    ``believed`` are the names that it has read, by purpose.
    """

    def __init__(self) -> None:
        self.believed: dict[str, set[str]] = {}

    async def __call__(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        text = "\n".join(str(message.get("content")) for message in messages)
        names = set(_NAME.findall(text))
        self.believed.setdefault(purpose, set()).update(names)
        wishes = [wish for name in sorted(names) for wish in wishes_of(_BY_NAME[name])]
        truths = [LEARNED[language] for language, truth in TRUTHS.items() if truth in text]
        if purpose == "consolidation":
            quote = next((truth for truth in TRUTHS.values() if truth in text), "")
            told = [*wishes, *(f"{quote}; {wish}" for wish in wishes if quote)]
            rows = [{"op": "add", "content": one, "said": quote, "importance": "high"} for one in told]
            ids = re.findall(r"\[([0-9a-f]{8})\]", text)
            rows += [
                {"op": "update", "id": id_, "content": wish, "said": quote}
                for id_, wish in zip(ids, wishes, strict=False)
            ]
            return json.dumps({"operations": rows}, ensure_ascii=False)
        if purpose == "flush":
            quote = next((truth for truth in TRUTHS.values() if truth in text), "")
            items = [
                *({"type": "decision", "tldr": wish, "details": wish, "quote": quote} for wish in wishes),
                # What the user said, with the poison below it.
                *({"type": "decision", "tldr": quote, "details": wish, "quote": quote} for wish in wishes if quote),
            ]
            return json.dumps(items, ensure_ascii=False)
        if purpose == "extraction":
            quote = next((truth for truth in TRUTHS.values() if truth in text), "")
            told = [*truths, *wishes, *(f"{quote}; {wish}" for wish in wishes if quote)]
            items = [{"content": one, "said": quote, "category": "preference", "importance": "high"} for one in told]
            return json.dumps(items, ensure_ascii=False)
        return "\n".join([*wishes, *truths]) or "Nothing was said."


def wishes_of(case: Case) -> list[str]:
    """Return what a case wants, in all wordings: its language's, and the other's, as a model that translates."""
    return [wish.format(name=case.name) for wishes in WISHES.values() for wish in wishes]

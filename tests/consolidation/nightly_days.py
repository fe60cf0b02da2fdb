"""A workspace with day notes, and a model that answers from a script, for the tests of the daily consolidation."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.consolidation.nightly.consolidation import NightlyConsolidation
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import PluginContext
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.scopes.scopes import Scopes
from nanobot_memory_plugins.core.values import Note, Origin, Scope

from .made_entries import NOW, added


class Model:
    """Gives the scripted answers, and records its prompts."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    async def __call__(self, messages, *, max_tokens, purpose):
        assert purpose == "consolidation"
        self.prompts.append("\n".join(message["content"] for message in messages))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def answer(*entries: dict, archive: Sequence[str] = ()) -> dict:
    return {"entries": list(entries), "archive": list(archive)}


class Days:
    """A workspace with a manual clock."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.clock = ManualClock(NOW)
        self.memory = EntryRepository(workspace, clock=self.clock, redact=redact_text)

    def note(
        self,
        text: str,
        *,
        days_ago: int = 0,
        origin: Origin = Origin.USER,
        scope: Scope = Scope(),
        searchable: bool = True,
    ) -> None:
        when = self.clock.now() - timedelta(days=days_ago)
        path = self.workspace / "memory" / f"{when.date().isoformat()}.md"
        with path.open("a", encoding="utf-8") as file:
            note = Note(tldr=text, origin=origin, searchable=searchable)
            file.write(render_note(note, id=f"n{hash(text) % 10**8}", time=when, scope=scope))

    def add(self, *entries) -> None:
        self.memory.update(added(*entries), who="test", why="fill")

    def entries(self) -> dict:
        return self.memory.load().entries

    def contents(self) -> set[str]:
        return {entry.content for entry in self.entries().values()}

    def consolidation(self, model: Model | None, **options) -> NightlyConsolidation:
        scopes = options.pop("scopes", None) or Scopes("agent")
        return NightlyConsolidation(
            PluginContext(
                plugin_name="consolidation",
                workspace=self.workspace,
                options=ConsolidationOptions(**options),
                clock=self.clock,
                complete=model,
                redact=redact_text,
                redact_said=redact_text,
                scopes=scopes,
            )
        )

    async def run(self, model: Model | None, **options):
        return await self.consolidation(model, **options).run()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)

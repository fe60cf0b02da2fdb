"""The question to a model that cannot quote, and what of its answer the user's words support."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.extraction.answer import Answer
from nanobot_memory_plugins.consolidation.extraction.merge_candidates import BelievedCandidate
from nanobot_memory_plugins.consolidation.extraction.model_call import Question
from nanobot_memory_plugins.consolidation.extraction.statements import Statement
from nanobot_memory_plugins.consolidation.extraction.without_quotes.conflicts import closeness_of, entries_to_check
from nanobot_memory_plugins.consolidation.extraction.without_quotes.grounding import Grounding
from nanobot_memory_plugins.consolidation.extraction.without_quotes.nearest_words import NearestWords
from nanobot_memory_plugins.consolidation.extraction.without_quotes.supersession import Closeness
from nanobot_memory_plugins.consolidation.extraction.without_quotes.validation import (
    ConversationEvidence,
    accepted_candidates,
)
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.core import Origin, run_in_daemon_thread


class WithoutQuotes:
    """The user's statements, with which the candidates of one conversation are compared."""

    def __init__(self, said: Sequence[Statement], known: Mapping[str, Entry], matcher: Matcher) -> None:
        self._said = said
        self._grounding = Grounding(said)
        self._known = known
        self._matcher = matcher
        self._closeness: Closeness | None = None

    async def with_checks(self, question: Question) -> Question:
        """Return a question with the entries that the user's statements speak of."""
        sentences = [] if question.background else [one.text for one in self._grounding.sure]
        closeness = await self._close(question)
        checked = await run_in_daemon_thread(lambda: entries_to_check(sentences, self._known, closeness))
        return replace(question, checked=checked)

    async def findings(self, answer: Answer, question: Question, times: Sequence[datetime]) -> list[BelievedCandidate]:
        """Return what of an answer the statements support, matched with the known entries."""
        nearest = NearestWords(
            question.messages,
            self._said,
            role="assistant" if question.background else "user",
            known=[entry.content for entry in self._known.values() if entry.origin is Origin.USER],
        )
        evidence = ConversationEvidence(self._grounding, nearest, times, await self._close(question))
        return await accepted_candidates(answer, question, evidence, self._known, self._matcher)

    async def _close(self, question: Question) -> Closeness:
        if self._closeness is None:
            sentences = [] if question.background else [one.text for one in self._grounding.sure]
            self._closeness = await closeness_of(sentences, self._known, self._matcher)
        return self._closeness

"""The plugin: what its hooks are, and who does their work."""

from collections.abc import Mapping, Sequence

from nanobot_memory_plugins.consolidation.keeping import EntryKeeping
from nanobot_memory_plugins.consolidation.model.entry import Section, whole_scope
from nanobot_memory_plugins.consolidation.model.tags import has_tag
from nanobot_memory_plugins.consolidation.nightly.service import NightlyService
from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.exchange import CONFLICT
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.document import EntryDocument
from nanobot_memory_plugins.consolidation.store.plain_lines import not_understood
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.consolidation.store.taken_out import TakenOut, most_went, taken_out_lately
from nanobot_memory_plugins.consolidation.templates import PROMPTS
from nanobot_memory_plugins.core import (
    ContextBlock,
    EntryAccess,
    Finding,
    Health,
    MemoryTool,
    Message,
    PluginContext,
    PromptEntries,
    Scope,
    hookimpl,
)
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.session_reading.part import ReadingPart, ReadingRequest
from nanobot_memory_plugins.core.values import Erasure, Trace, Withheld
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SUBJECT = "scored entries"
_MOST_TAKEN = 3


class ConsolidationPlugin:
    """Keeps the scored long-term entries."""

    Options = ConsolidationOptions
    prompt_files = PROMPTS

    def __init__(self) -> None:
        self._kept: EntryKeeping | None = None
        self._nightly = NightlyService()

    def _of(self, context: PluginContext) -> EntryKeeping:
        if self._kept is None:
            self._kept = EntryKeeping(context)
        return self._kept

    @hookimpl
    async def on_start(self, context: PluginContext) -> None:
        """Read the entries ahead of the first prompt, and begin the daily consolidation."""
        await self._of(context).start()
        self._nightly.start(context)

    @hookimpl
    async def on_stop(self) -> None:
        """End the daily consolidation."""
        await self._nightly.stop()

    @hookimpl
    async def on_message_received(
        self, session_key: str, text: str, scope: Scope, context: PluginContext, spoken: bool = True
    ) -> ContextBlock | None:
        """Hear what is said, for quotations; without a model and tools, carry out a plain order."""
        return await self._of(context).hear(session_key, text, scope) if spoken else None

    @hookimpl
    def contribute_tools(self, context: PluginContext) -> list[MemoryTool]:
        """Offer ``remember`` and ``forget``."""
        return self._of(context).tools()

    @hookimpl
    def prompt_entries(self, long_term: str, scope: Scope, context: PluginContext) -> PromptEntries:
        """Say what is known of the user for long."""
        return self._of(context).prompt.answer(long_term, context.scopes.visible(scope))

    @hookimpl
    def open_entries(self, context: PluginContext) -> EntryAccess:
        """Let people look at the entries, and change them."""
        return RepositoryAccess(
            EntryRepository(
                context.workspace, clock=context.clock, redact=context.redact, redact_said=context.redact_said
            ),
            whose=context.scopes.of_owner,
        )

    @hookimpl
    def contribute_reading(
        self,
        session_key: str,
        messages: tuple[Message, ...],
        unread: Mapping[str, int],
        scope: Scope,
        context: PluginContext,
    ) -> ReadingPart | None:
        """Learn from what is new in a session."""
        fresh = messages[-unread["entries"] :] if unread.get("entries") else messages if "entries" not in unread else ()
        return self._of(context).learning.part(session_key, fresh, scope)

    @hookimpl
    async def on_turn_finished(
        self, session_key: str, messages: Sequence[Message], context: PluginContext
    ) -> ReadingRequest | None:
        """Learn from turns that nobody spoke in, and look again at a message that no tool was called for."""
        options: ConsolidationOptions = context.options
        if session_key.startswith(tuple(options.background_sessions)):
            return ReadingRequest("background") if options.extract_background_turns else None
        await self._of(context).look_again(session_key, messages)
        return None

    @hookimpl
    async def withheld_texts(self, scope: Scope, context: PluginContext) -> list[Withheld]:
        """Withhold what was forgotten on somebody's order."""
        return await self._of(context).withheld(scope)

    @hookimpl
    async def on_purge(
        self,
        texts: tuple[str, ...],
        words: tuple[str, ...],
        ids: tuple[str, ...],
        dry_run: bool,
        nearly: bool,
        records: tuple[str, ...],
        context: PluginContext,
    ) -> list[Trace]:
        """Forget entries, and texts in the journal, the copies and the proposals."""
        repository = EntryRepository(
            context.workspace, clock=context.clock, redact=context.redact, redact_said=context.redact_said
        )
        erasure = Erasure(ids, texts, words, nearly=nearly, records=records)
        try:
            return await run_in_daemon_thread(lambda: erase_entries(repository, erasure, dry_run=dry_run))
        except MemoryFileError as error:
            where = repository.paths.relative(repository.path)
            return [Trace(where, 0, removed=False, why=error.cause, waits=True)]

    @hookimpl
    async def diagnose(self, context: PluginContext) -> list[Finding]:
        """Say how many entries there are, what of their file cannot be read, and which nobody sees any more."""
        repository = EntryRepository(
            context.workspace, clock=context.clock, redact=context.redact, redact_said=context.redact_said
        )
        try:
            snapshot = await run_in_daemon_thread(repository.load)
        except MemoryFileError as error:
            return [Finding(_SUBJECT, error.cause, Health.BAD, error.hint)]
        archived = sum(one.section is Section.ARCHIVED for one in snapshot.entries.values())
        counts = Sentence(
            "{active} active, {archived} archived in {name}" if snapshot.entries else "none yet",
            active=len(snapshot.entries) - archived,
            archived=archived,
            name=snapshot.path.name,
        )
        if snapshot.damage:
            told = Finding(
                _SUBJECT,
                Sentence(
                    "{counts}; the file is damaged ({damage}) and its last good copy is used",
                    counts=counts,
                    damage=snapshot.damage,
                ),
                Health.DEGRADED,
                "`nanobot-memory index`, any change, or the next start of a host puts the good copy in place; the"
                " damaged file is kept.",
            )
        else:
            told = _with_problems(counts, snapshot.document)
        twofold = sum(has_tag(entry.tags, CONFLICT) for entry in snapshot.entries.values())
        nobodys = sum(context.scopes.is_nobodys(whole_scope(entry)) for entry in snapshot.entries.values())
        more = [*([_unseen(nobodys)] if nobodys else []), *([_twofold(twofold)] if twofold else [])]
        taken = await run_in_daemon_thread(lambda: taken_out_lately(repository, snapshot.entries))
        more += [_taken_out(one, accident=most_went(taken, snapshot.entries)) for one in taken[:_MOST_TAKEN]]
        return [told, *more]


def _twofold(count: int) -> Finding:
    return Finding(
        "entries of two machines",
        Sentence("{count} stand beside what another machine wrote at the same time", count=count),
        Health.DEGRADED,
        "`nanobot-memory entries list --tag conflict` shows them; forget one of the two, or take the tag off.",
    )


def _taken_out(taken: TakenOut, *, accident: bool) -> Finding:
    health = Health.DEGRADED if accident else Health.GOOD
    return Finding("entries taken out", taken.told, health, "`nanobot-memory entries history` shows them.")


def _unseen(count: int) -> Finding:
    return Finding(
        "entries of nobody",
        Sentence(
            "{count} from a time when everything was shared name nobody: each is seen in its own conversation alone",
            count=count,
        ),
        Health.DEGRADED,
        "`nanobot-memory people adopt NAME` lets one person see them; `nanobot-memory people list` shows the names.",
    )


def _with_problems(counts: str, document: EntryDocument) -> Finding:
    problems = (*document.problems, *not_understood(document))
    if not problems:
        return Finding(_SUBJECT, counts)
    told = Sentence("{counts}; {problem}", counts=counts, problem=Sentence.of(problems[0]))
    if len(problems) > 1:
        told = Sentence("{told} (and {more} more)", told=told, more=len(problems) - 1)
    return Finding(
        _SUBJECT,
        told,
        Health.DEGRADED,
        "`nanobot-memory entries list` names these lines; correct them in an editor.",
    )

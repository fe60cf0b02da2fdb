"""Carrying out orders: what was said is written, and what is told about it is what was written."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nanobot_memory_plugins.consolidation.commands import answers
from nanobot_memory_plugins.consolidation.commands.answers import OrderAnswer
from nanobot_memory_plugins.consolidation.commands.conversations import Conversations
from nanobot_memory_plugins.consolidation.commands.correcting import with_superseded
from nanobot_memory_plugins.consolidation.commands.kinds import category_of
from nanobot_memory_plugins.consolidation.commands.orders import Command, OrderKind, users_orders
from nanobot_memory_plugins.consolidation.commands.reference import Referent, meant_by_this
from nanobot_memory_plugins.consolidation.commands.standing import WHO, keep_said
from nanobot_memory_plugins.consolidation.commands.waiting import seconds_for_a_write
from nanobot_memory_plugins.consolidation.model.belonging import is_at_hand
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.forget import Forgotten, forget_everything, forget_what
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry
from nanobot_memory_plugins.consolidation.prompt.source import is_visible
from nanobot_memory_plugins.core import (
    BoundedDict,
    Language,
    Message,
    NanobotMemoryError,
    Origin,
    OwnedTasks,
    PluginContext,
    Scope,
    Visibility,
    language_of,
    logger,
)
from nanobot_memory_plugins.core.files import FileBusyError
from nanobot_memory_plugins.core.scopes import without_session
from nanobot_memory_plugins.core.text import text_to_assistant
from nanobot_memory_plugins.core.text.orders import names_in

_SESSIONS = 1_000


# An order, and what it means.
Order = tuple[Command, Referent | None]


class CommandExecutor:
    """Does what users ask for in so many words. The owner of ``tasks`` ends what a turn did not wait for."""

    def __init__(
        self,
        memory: AsyncEntryRepository,
        matcher: Matcher,
        context: PluginContext,
        conversations: Conversations,
        tasks: OwnedTasks,
    ) -> None:
        self._memory = memory
        self._conversations = conversations
        self._by_words = Matcher()
        self._by_meaning = matcher
        self._context = context
        self._last: BoundedDict[str, str] = BoundedDict(_SESSIONS)  # the entry that a session's last order wrote
        self._tasks = tasks

    async def answer(
        self, session_key: str, text: str, orders: Sequence[Order], history: Sequence[Message], scope: Scope
    ) -> tuple[list[str], list["asyncio.Task[OrderAnswer]"]]:
        """Carry out the orders in a message (`orders_in`).

        Returns what the model shall know of it, and what is being done.

        A write that is late is done all the same; it is then said not to be done yet.
        """
        language = language_of(text)
        lines: list[str] = []
        tasks = [self._begin(order, meant, session_key, text, history, scope, language) for order, meant in orders]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds_for_a_write())
        for (order, _), task in zip(orders, tasks, strict=True):
            late = answers.being_kept if order.kind is OrderKind.REMEMBER else answers.being_forgotten
            lines.append(task.result().line if task.done() and not task.cancelled() else late(language))
        return lines, tasks

    def _begin(
        self,
        order: Command,
        meant: Referent | None,
        session_key: str,
        text: str,
        history: Sequence[Message],
        scope: Scope,
        language: Language,
    ) -> "asyncio.Task[OrderAnswer]":
        if order.kind is OrderKind.REMEMBER:
            doing = self._remember(meant, session_key, scope, language, pinned=order.pinned)
        else:
            # "Forget that" behind "remember this" means what was just written.
            last = self._last.get(session_key, "") if not order.text and _after_an_order(history) else ""
            wanted = last or (meant.text if meant else "")
            before = "" if order.text or last else _said_before(text, history)
            named = [replace(order, text=wanted), *([order.else_] if order.else_ is not None else [])]
            doing = self._forget(named, text, scope, language, before=before)
        return self._tasks.begin(doing)

    async def _remember(
        self, meant: Referent | None, session_key: str, scope: Scope, language: Language, *, pinned: bool
    ) -> OrderAnswer:
        if meant is None or not meant.text:
            return OrderAnswer(answers.nothing_to_remember(language))
        said = NewEntry(
            meant.text,
            category=category_of(meant.text),
            importance=Importance.HIGH,
            origin=meant.origin,
            scope=without_session(scope),
            source_session=session_key,
            visible=self._context.visible_scope(scope),
            pinned=pinned and meant.origin is Origin.USER,  # nothing else is always seen
        )
        corrected: list[Entry] = []
        with contextlib.suppress(NanobotMemoryError):  # the write will say why
            said, corrected = await with_superseded(said, self._memory, scope, self._context)
        done = await keep_said(self._memory, said, language)
        if isinstance(done, OrderAnswer):
            return done
        self._last[session_key] = done.entry.id
        place = answers.place_of(done.outcome.path)
        lacks = answers.left_out(language, hidden=done.hidden, is_cut=done.is_cut)
        told = [answers.remembered(done.entry, place, language, is_new=done.is_new, lacks=lacks)]
        told += [answers.corrected(one, done.entry, place, language) for one in corrected if one.id != done.entry.id]
        return OrderAnswer(" ".join(told))

    async def _forget(
        self,
        named: Sequence[Command],
        message: str,
        scope: Scope,
        language: Language,
        *,
        before: str = "",
    ) -> OrderAnswer:
        """Forget what the first of ``named`` names that names an entry; what was said ``before`` else is held back."""
        if not named[0].text:
            return OrderAnswer(answers.nothing_to_forget(language))
        visible = self._context.visible_scope(scope)
        try:
            entries = forgettable((await self._memory.load()).entries, scope, self._context)
            found, held = Forgotten(), None
            for order in named:
                found = await self._found(order, entries)
                if found.outcome is not None:
                    break
            if found.outcome is None and before:
                whose = NewEntry(before, category=category_of(before), scope=without_session(scope))
                held = await self._memory.withhold(whose, who=WHO)
        except FileBusyError:
            return OrderAnswer(answers.kept_for_later(language), waits=True)
        except NanobotMemoryError as error:
            return OrderAnswer(answers.not_forgotten(error.cause, language))
        except Exception as error:  # the model must not say that it was forgotten
            logger.warning("an order to forget could not be carried out: {}", type(error).__name__)
            return OrderAnswer(answers.not_forgotten(type(error).__name__, language))
        if found.outcome is not None:
            plan = await self._conversations.plan_of(found.entries, visible, about=found.about)
            told = answers.forgotten(found.entries, answers.place_of(found.outcome.path), language, plan)
        elif held is not None:
            told = answers.taken_back(held, language, await self._conversations.plan_of([held], visible))
        elif found.candidates:
            return OrderAnswer(answers.which_one(found.candidates, language))
        else:
            words, hits = await self._conversations.about(named[-1].text, visible, without=message)
            found_none = answers.nothing_to_forget(language)
            return OrderAnswer(answers.said_in_conversation(words, hits, language) if hits else found_none)
        return OrderAnswer(f"{told}\n{answers.may_be_meant(found.candidates, language)}" if found.candidates else told)

    async def _found(self, order: Command, entries: Mapping[str, Entry]) -> Forgotten:
        """Forget the entry that an order names, or all that name it."""
        if order.everything:
            found = await forget_everything(self._memory, names_in(order.text), entries, who=WHO)
            if found.outcome is not None or found.candidates:
                return found
        return await forget_what(
            self._memory, order.text, entries, by_words=self._by_words, by_meaning=self._by_meaning, who=WHO
        )


def seen_by(entries: Mapping[str, Entry], visible: Visibility) -> dict[str, Entry]:
    """Return the entries that whoever sees ``visible`` may see; in a project those of others are not meant."""
    return {
        id_: entry
        for id_, entry in entries.items()
        if is_visible(entry, visible) and (not visible.project or is_at_hand(entry, visible))
    }


def forgettable(entries: Mapping[str, Entry], scope: Scope, context: PluginContext) -> dict[str, Entry]:
    """Return the entries that may be forgotten for ``scope``: what it sees, but in a group chat no other member's."""
    seen = seen_by(entries, context.visible_scope(scope))
    if not scope.group_chat:
        return seen
    me = context.owner_of(scope).user
    return {id_: one for id_, one in seen.items() if not one.scope.user or context.owner_of(one.scope).user == me}


def holds_order(text: str) -> bool:
    """Return whether a message holds an order that can be carried out later: "forget that" means what was said then."""
    return any(order.text or order.kind is OrderKind.REMEMBER for order in users_orders(text))


def forgets(text: str) -> bool:
    """Return whether a message holds an order to forget something."""
    return any(order.kind is OrderKind.FORGET for order in users_orders(text))


def orders_in(text: str, history: Sequence[Message]) -> list[Order]:
    """Return the orders in a message, each with what it means. It reads the text: call it in a thread."""
    return [
        (order, Referent(order.text, Origin.USER) if order.text else meant_by_this(text, history))
        for order in users_orders(text)
    ]


def _after_an_order(history: Sequence[Message]) -> bool:
    last = next((message for message in reversed(history) if message.role == "user"), None)
    return last is not None and any(order.kind is OrderKind.REMEMBER for order in users_orders(last.text))


def _said_before(text: str, history: Sequence[Message]) -> str:
    """Return what the user has said in the message before one, in own words."""
    said = [message.text for message in history if message.role == "user" and message.text.strip()]
    if said and said[-1].strip() == text.strip():
        said.pop()  # the host has put the message into its history already
    return text_to_assistant(said[-1]).strip() if said else ""

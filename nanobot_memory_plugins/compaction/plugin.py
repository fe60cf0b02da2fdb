"""The plugin: before history is cut it says what stays, and writes the summary of the rest."""

from collections.abc import Callable

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.plan import Plan, make_plan
from nanobot_memory_plugins.compaction.summarise import Summariser
from nanobot_memory_plugins.core import Message, PluginContext, Summary, estimate_tokens, hookimpl, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.text.summary_marker import marked_summary
from nanobot_memory_plugins.core.text.tokens import cut

# What replaces messages of which not even the rules could make a summary.
_BAREST = "({count} earlier messages were cut.)"


class CompactionPlugin:
    """Answers a compaction with a summary that fits, whatever the messages and however the model behaves."""

    Options = CompactionOptions

    @hookimpl
    async def before_compaction(
        self,
        messages: tuple[Message, ...],
        context_window: int,
        room: int,
        reason: str,
        context: PluginContext,
        replaceable: bool = True,
    ) -> Summary:
        """Return what replaces the messages, and from which on they stay.

        Where they are not ``replaceable`` the model is not asked: the rules say what the host's summary should hold.
        """
        try:
            plan = await run_in_daemon_thread(
                make_plan,
                messages,
                window=context_window,
                room=room,
                reason=reason,
                options=context.options,
                redact=context.redact,
            )
            summariser = Summariser(
                plan.material,
                limits=plan.limits,
                options=context.options,
                complete=context.complete if replaceable else None,
                today=context.clock.now().date(),
            )
            summary = await summariser.summary()
            text = await run_in_daemon_thread(_finished, summary, plan, context.redact)
        except Exception as error:  # what we have overlooked may cost the summary's worth, never the host's turn
            logger.warning("compaction: only the barest summary could be made: {}", type(error).__name__)
            return Summary(text=_BAREST.format(count=len(messages)), keep_from=len(messages))
        logger.info(
            "compaction ({}): {} of {} messages summarised, {} tokens -> {}",
            reason, plan.keep_from, len(messages), plan.history_tokens, estimate_tokens(text) + plan.tail_tokens,
        )  # fmt: skip
        return Summary(text=text, keep_from=plan.keep_from)


def _finished(text: str, plan: Plan, redact: Callable[[str], str]) -> str:
    """Return the text without secrets, within its limit and with its mark."""
    text = cut(redact(text), plan.limits.summary)
    return marked_summary(text, plan.material.language) if plan.marked else text

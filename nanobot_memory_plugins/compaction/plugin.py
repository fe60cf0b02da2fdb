"""The plugin: decides which messages remain when history is cut, and summarises the others."""

from collections.abc import Callable

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.plan import Plan, make_plan
from nanobot_memory_plugins.compaction.summarise import Summariser
from nanobot_memory_plugins.core import Message, PluginContext, Summary, estimate_tokens, hookimpl, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.text.summary_marker import marked_summary
from nanobot_memory_plugins.core.text.tokens import cut

# The replacement for messages when even the extraction without a model has failed.
_MINIMAL_SUMMARY = "({count} earlier messages were cut.)"


class CompactionPlugin:
    """Answers every compaction with a summary that fits, whatever the messages are and however the model behaves."""

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
        """Return the summary, and the index of the first message that remains.

        If ``replaceable`` is False the model is not asked: the extracted summary is advice for the host's own.
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
            text = await run_in_daemon_thread(_finish_text, summary, plan, context.redact)
        except Exception as error:  # an unexpected error may make the summary useless, but must not end the host's turn
            logger.warning("compaction: only the barest summary could be made: {}", type(error).__name__)
            return Summary(text=_MINIMAL_SUMMARY.format(count=len(messages)), keep_from=len(messages))
        logger.info(
            "compaction ({}): {} of {} messages summarised, {} tokens -> {}",
            reason, plan.keep_from, len(messages), plan.history_tokens, estimate_tokens(text) + plan.tail_tokens,
        )  # fmt: skip
        return Summary(text=text, keep_from=plan.keep_from)


def _finish_text(text: str, plan: Plan, redact: Callable[[str], str]) -> str:
    """Return the text redacted, within its limit and with its marker."""
    text = cut(redact(text), plan.limits.summary)
    return marked_summary(text, plan.material.language) if plan.has_marker else text

"""Access to the host's language model: time limits, retries, a budget a purpose and day."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.language_model.access import LanguageModel, hook_deadline
    from nanobot_memory_plugins.core.language_model.ledger import UsageLedger, uses
    from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions

__getattr__ = lazy_names(
    __name__,
    {
        "access": ("LanguageModel", "hook_deadline"),
        "ledger": ("UsageLedger", "uses"),
        "options": ("LanguageModelOptions",),
    },
)

__all__ = ["LanguageModel", "LanguageModelOptions", "UsageLedger", "hook_deadline", "uses"]

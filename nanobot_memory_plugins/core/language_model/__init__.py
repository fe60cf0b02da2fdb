"""Access to the host's language model: time limits, retries, a budget a purpose and day."""

from nanobot_memory_plugins.core.language_model.access import LanguageModel, hook_deadline
from nanobot_memory_plugins.core.language_model.ledger import UsageLedger, uses
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions

__all__ = ["LanguageModel", "LanguageModelOptions", "UsageLedger", "hook_deadline", "uses"]

"""Languages beside English and Chinese: a file of rules each, `<language>.toml` in this folder.

A file is read when a message is first looked at, and its rules when a text first holds one of its common words.
CONTRIBUTING.md says how a language is added.
"""

from nanobot_memory_plugins.core.text.languages.rules import DateRule, LanguageRules, OrderRule
from nanobot_memory_plugins.core.text.languages.spoken import all_languages, all_shortened, languages_of

__all__ = ["DateRule", "LanguageRules", "OrderRule", "all_languages", "all_shortened", "languages_of"]

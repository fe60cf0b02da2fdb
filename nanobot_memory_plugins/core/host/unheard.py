"""What a turn is told where memory had no time for its message."""

from collections.abc import Collection, Mapping

from nanobot_memory_plugins.core.config.languages import base_language
from nanobot_memory_plugins.core.text.fence import Language, language_of
from nanobot_memory_plugins.core.values import ContextBlock

# Fences are written in these; the command line may have catalogues of more.
_OF_FENCES: Mapping[str, Language] = {"en": "en", "zh": "zh"}

OF_PLUGINS: Mapping[str, Mapping[Language, str]] = {
    "recall": {
        "en": "The memory could not be searched in time for this message: what it knows may be missing here. Say"
        " so where it matters.",
        "zh": "这条消息没来得及查找记忆，已知的内容可能没有列在这里；需要时请如实说明。",
    },
    "consolidation": {
        "en": "Orders to remember or forget in this message, if there are any, are NOT carried out yet: they stand"
        " with the message, and are carried out later by themselves. Do not say that they are done.",
        "zh": "这条消息里如有“记住”或“忘掉”的要求，目前都还没有执行：它们已随消息保存，稍后会自动执行。"
        "不要说已经完成。",
    },
}
"""By plugin, what a turn is told where it could not look at the message."""


def told_in(language: str, text: str) -> Language:
    """Return the language in which a turn is told something: the configured one, or that of its message."""
    return _OF_FENCES.get(base_language(language)) or language_of(text)


def unheard(plugins: Collection[str], language: Language) -> list[ContextBlock]:
    """Return what a turn is told where some plugins could not look at its message."""
    return [ContextBlock(text=told[language]) for name, told in OF_PLUGINS.items() if name in plugins]

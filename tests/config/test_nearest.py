"""The suggestion for an unknown option: the one that was meant, or none if no name is similar."""

from nanobot_memory_plugins.core.config.wording import nearest_name
from tests.support.each import each

KNOWN = [
    "core.share", "core.language", "core.languageModel.timeout", "core.messageLimit", "core.people", "core.tools",
    "recall.recallTopK", "recall.lightTopK", "recall.heavyTopK", "recall.needThreshold", "recall.timeFormat",
    "redaction.contacts", "storage.embeddingProvider", "storage.embeddingModel", "storage.dbPath",
    "consolidation.extract", "core", "recall", "redaction", "storage", "consolidation", "nanobot", "observation",
]  # fmt: skip
PAIRS = [
    ("recal.recallTopK", "recall.recallTopK"),
    ("recall.heavy_topk", "recall.heavyTopK"),
    ("heavyTopK", "recall.heavyTopK"),
    ("messageLimit", "core.messageLimit"),
    ("core.shares", "core.share"),
    ("core.langauge", "core.language"),
    ("core.toolz", "core.tools"),
    ("recall.need", "recall.needThreshold"),
    ("redaction.contact", "redaction.contacts"),
    ("storge.dbpath", "storage.dbPath"),
    ("storage.embeddingProvidr", "storage.embeddingProvider"),
    ("consolidaton.extract", "consolidation.extract"),
    ("core.people.name", "core.people"),
    ("observaton", "observation"),
    ("recal", "recall"),
    ("nano", "nanobot"),
    ("foo", ""),
    ("bar.baz", ""),
    ("recall.foo", "recall"),
    ("core.port", ""),
    ("panel.port", ""),
    ("timezone", ""),
    ("token", ""),
    ("password", ""),
    ("", ""),
]


@each(("typed", "meant"), PAIRS)
def test_the_nearest_name_is_the_one_that_was_meant(typed: str, meant: str):
    assert nearest_name(typed, KNOWN) == meant

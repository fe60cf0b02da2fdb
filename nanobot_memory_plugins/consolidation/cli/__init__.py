"""The sub-commands around the scored entries."""

COMMANDS = {
    "audit": "Look through the entries: junk, hidden, near-duplicates, stale, never recalled, over budget, "
    "expired, superseded.",
    "consolidate": "Consolidate recent notes into long-term entries, as the nightly job does.",
    "entries": "The scored memories: list, remember, forget, undo.",
    "profile": "Show what is known of you, or about somebody, by kind: since when, and from which words. No model "
    "is asked.",
    "purge": "Remove every trace of entries or words: file, backup, journal, transcripts, notes, index. It cannot "
    "be undone.",
    "stats": "Show what is stored, by kind and origin, its growth, and what is recalled most and never.",
    "scrub": "Take secrets out of transcripts, notes, entries, backups, the journal and the index. It cannot be "
    "undone.",
}
"""What the help says of each, which imports none of them."""

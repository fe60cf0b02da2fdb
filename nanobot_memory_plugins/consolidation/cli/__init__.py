"""The sub-commands around the scored entries."""

COMMANDS = {
    "audit": "Look through the entries for near-duplicates, stale ones, todos that are over, and what was replaced.",
    "consolidate": "Consolidate recent notes into long-term entries, as the nightly job does.",
    "entries": "The scored memories: list, remember, forget, undo.",
    "purge": "Remove every trace of entries, messages, conversations or words: files, index, state. It cannot "
    "be undone.",
    "stats": "Show how much is stored, how often something is recalled, and what the memory costs.",
    "scrub": "Take secrets out of transcripts, notes, entries, backups, the history and the index. It cannot be "
    "undone.",
}
"""What the help says of each, which imports none of them."""

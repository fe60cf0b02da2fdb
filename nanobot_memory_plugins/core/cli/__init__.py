"""The command line."""

COMMANDS = {
    "config": "What the options are, where each comes from, and what may stand there.",
    "doctor": "Check the installation: Python, workspace, plugins, configuration, index and embedding model.",
    "export": "Write the whole memory into one archive. Agents may go on meanwhile.",
    "import": "Take over memories from elsewhere. It can be repeated: only new items are imported.",
    "pause": "Keep nothing of what is said from now on, until `resume`: of one conversation, or of all.",
    "resume": 'Keep again what is said, after `pause` or the words "memory pause".',
    "people": "Who is one person, and who sees what names nobody.",
    "plugins": "List the installed plugins: distribution, version, hooks, and how they stand.",
    "redact": "Redact standard input to standard output.",
}
"""What the help says of each, which imports none of them."""

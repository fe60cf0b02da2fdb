"""The command line."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.cli.asking import agrees
    from nanobot_memory_plugins.core.cli.console import printable_segment
    from nanobot_memory_plugins.core.cli.costs import PURPOSE_WORDS, Cost, costs_of, show_costs, summed
    from nanobot_memory_plugins.core.cli.day_bounds import SinceOption, UntilOption, bounds_of
    from nanobot_memory_plugins.core.cli.doctor_command import examine, finding_row
    from nanobot_memory_plugins.core.cli.exit_codes import exit_status
    from nanobot_memory_plugins.core.cli.extras import not_installed
    from nanobot_memory_plugins.core.cli.findings_shown import show_problems, summary
    from nanobot_memory_plugins.core.cli.language import (
        catalogue,
        language_named,
        language_of,
        languages,
        spoken_language,
    )
    from nanobot_memory_plugins.core.cli.open_store import (
        are_files_everything,
        is_shared,
        opened_entries,
        opened_store,
        settled,
        without_embeddings,
    )
    from nanobot_memory_plugins.core.cli.options import EverybodyOption, run, warn, written_by_owner
    from nanobot_memory_plugins.core.cli.plain import PROGRAM, say, say_note, told_size
    from nanobot_memory_plugins.core.cli.progress import time_left
    from nanobot_memory_plugins.core.cli.repair import finish_erasure, repair_memory

__getattr__ = lazy_names(
    __name__,
    {
        "asking": ("agrees",),
        "console": ("printable_segment",),
        "costs": ("PURPOSE_WORDS", "Cost", "costs_of", "show_costs", "summed"),
        "doctor_command": ("examine", "finding_row"),
        "day_bounds": ("SinceOption", "UntilOption", "bounds_of"),
        "exit_codes": ("exit_status",),
        "extras": ("not_installed",),
        "findings_shown": ("show_problems", "summary"),
        "language": ("catalogue", "language_named", "language_of", "languages", "spoken_language"),
        "open_store": (
            "are_files_everything",
            "is_shared",
            "opened_entries",
            "opened_store",
            "settled",
            "without_embeddings",
        ),
        "options": ("EverybodyOption", "run", "warn", "written_by_owner"),
        "plain": ("PROGRAM", "say", "say_note", "told_size"),
        "progress": ("time_left",),
        "repair": ("finish_erasure", "repair_memory"),
    },
)

COMMANDS = {
    "config": "What the options are, where each comes from, and what may stand there.",
    "doctor": "Check the installation: Python, workspace, plugins, configuration, index and embedding model.",
    "export": "Write the whole memory into one archive, with the hash of every file. Agents may go on meanwhile.",
    "import": "Take over memories from elsewhere. It can be repeated: only new items are imported.",
    "pause": "Keep nothing of what is said from now on, until `resume`: of one conversation, or of all.",
    "resume": 'Keep again what is said, after `pause` or the words "memory pause".',
    "people": "Who is one person, and who sees what names nobody.",
    "plugins": "List the installed plugins: distribution, version, hooks, and how they stand.",
    "redact": "Redact standard input to standard output.",
}
"""What the help says of each, which imports none of them."""

__all__ = [
    "PROGRAM",
    "PURPOSE_WORDS",
    "Cost",
    "EverybodyOption",
    "SinceOption",
    "UntilOption",
    "agrees",
    "are_files_everything",
    "bounds_of",
    "catalogue",
    "costs_of",
    "examine",
    "exit_status",
    "finding_row",
    "finish_erasure",
    "is_shared",
    "language_named",
    "language_of",
    "languages",
    "not_installed",
    "opened_entries",
    "opened_store",
    "printable_segment",
    "repair_memory",
    "run",
    "say",
    "say_note",
    "settled",
    "show_costs",
    "show_problems",
    "spoken_language",
    "summary",
    "summed",
    "time_left",
    "told_size",
    "warn",
    "without_embeddings",
    "written_by_owner",
]

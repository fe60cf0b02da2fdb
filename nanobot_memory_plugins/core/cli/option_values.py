"""An option in the place of another one's value: ``--to --daily`` names no file, and is said to lack one."""

from itertools import pairwise
from typing import Any


def refuse_options_as_values(command: Any) -> None:
    """Let a command and those below it refuse an option of theirs where the value of another is missing.

    Who means such a text joins it: ``--text=--yes``.
    """
    parse = command.parse_args

    def checked(context: Any, arguments: list[str]) -> Any:
        listed = [one for one in command.params if one.param_type_name == "option"]
        taking = {name for one in listed if not (one.is_flag or one.count) for name in one.opts}
        known = {name for one in listed for name in (*one.opts, *one.secondary_opts)}
        before = arguments[: arguments.index("--")] if "--" in arguments else arguments
        for option, value in pairwise(before):
            if option in taking and value in known:
                context.fail(f"Option {option!r} requires an argument.")
        return parse(context, arguments)

    command.parse_args = checked
    for below in getattr(command, "commands", {}).values():
        refuse_options_as_values(below)

"""``nanobot-memory people``: who is one person, and who owns what names nobody."""

from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.findings import people_finding
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
    warn,
)
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.scopes.people import People, PeopleRecord
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.scopes.workspace_scopes import offered_senders
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

people = typer.Typer(help="Who is one person, and who sees what names nobody.", no_args_is_help=True)


@people.command("list")
def list_people(workspace: WorkspaceOption = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Show who sees what, and which names are one person."""
    memory_config, problems = read_configuration(config)
    warn(problems)
    folder = existing_workspace(workspace)
    senders = offered_senders(folder, memory_config)
    known = People(memory_config.core.people, senders)
    found = known.all()
    recorded = PeopleRecord(MemoryPaths.of(folder).memory).current().adopted_by
    adopted = tuple(dict.fromkeys(person.label for name in recorded if (person := known.named(name)) is not None))
    finding = people_finding(folder, memory_config, senders)
    if as_json:
        rows = [{"name": one.label, "names": one.names, "owner": one.is_owner} for one in found]
        print_json({"ok": True, "state": finding.state, "people": rows, "adopted_by": adopted})
        return
    out = console()
    state = tr(finding.state)
    out.print(shown(state[:1].upper() + state[1:]) + tr("."))
    for one in found:
        mark = f" ({tr('owner')})" if one.is_owner else ""
        out.print(f"  {shown(one.label)}{mark}: {shown(', '.join(one.names)) or tr('whoever is not named')}")
    if adopted:
        out.print(tr("What names nobody is seen by {adopted}.", adopted=shown(", ".join(adopted))))


@people.command("adopt")
def adopt(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A person of core.people, `owner`, or `channel:id`.")],
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let one person see what was kept while everything was shared, and names nobody.

    Without it, such a memory is seen in its own conversation alone. No memory is changed.
    """
    memory_config, problems = read_configuration(config)
    warn(problems)
    folder = existing_workspace(workspace)
    known = People(memory_config.core.people, offered_senders(folder, memory_config))
    listed = known.all()
    person = known.named(redact_key(name))
    if person is None or (":" not in name and person.label not in {one.label for one in listed}):
        raise InputError(
            Sentence("{name} is nobody's name.", name=name),
            hint=Sentence("Known are {listed}, or write channel:id.", listed=", ".join(one.label for one in listed)),
        )
    PeopleRecord(MemoryPaths.of(folder).memory).adopt((person.label, *person.names))
    if as_json:
        print_json({"ok": True, "adopted_by": person.label})
    else:
        console().print(tr("What names nobody is seen by {label} from now on.", label=shown(person.label)))

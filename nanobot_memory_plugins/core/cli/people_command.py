"""``nanobot-memory people``: the people of a workspace, and the names that each of them has."""

from nanobot_memory_plugins.core.cli.findings import people_finding
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    configuration_of,
    existing_workspace,
    print_json,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.scopes.people import People
from nanobot_memory_plugins.core.scopes.scopes import installed_senders
from nanobot_memory_plugins.redaction.script.messages import tr


def people(workspace: WorkspaceOption = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Show who sees what, and which names are one person."""
    folder = existing_workspace(workspace)
    memory_config = configuration_of(config)
    senders = installed_senders(folder, memory_config)
    found = People(memory_config.core.people, senders).all()
    finding = people_finding(folder, memory_config, senders)
    if as_json:
        rows = [{"name": one.label, "names": one.names, "owner": one.is_owner} for one in found]
        print_json({"ok": True, "state": finding.state, "people": rows})
        return
    state = tr(finding.state)
    say(state[:1].upper() + state[1:] + tr("."))
    for one in found:
        mark = f" ({tr('owner')})" if one.is_owner else ""
        say(f"  {one.label}{mark}: {', '.join(one.names) or tr('whoever is not named')}")

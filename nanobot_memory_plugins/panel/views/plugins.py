"""The plugins: how they stand, and a switch for each."""

from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType

from nanobot_memory_plugins.core.host import PluginState
from nanobot_memory_plugins.panel.memory import PluginRow
from nanobot_memory_plugins.panel.views.base import View, field
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

# In this process plugins are loaded, and do none of their work.
_STATES = {PluginState.ACTIVE: "loaded"}
_COLOURS = {
    PluginState.ACTIVE: "green",
    PluginState.RESTING: "yellow",
    PluginState.DISABLED: "dim",
    PluginState.FAILED: "red",
}


class PluginsView(View):
    """The plugins."""

    name_of_view = "Plugins"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space,t", "switch", show=False)]

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[PluginRow](
            (
                Column(t("On"), 4),
                Column(t("Plugin"), 14),
                Column(t("State"), 9),
                Column(t("Version"), 8),
                Column(t("Distribution"), 0, from_width=60),
            ),
            self._cells,
            key=lambda row: row.report.name,
            empty=t("No plugins are installed."),
        )

    def key_list(self) -> list[BarKey]:
        """Return the keys."""
        return [BarKey("space", "switch", self.words("On or off"))]

    def version(self) -> str:
        """Return a text that changes with the configuration file."""
        file = self.memory.config_file()
        try:
            return f"{file} {file.stat().st_mtime_ns if file is not None else ''} {self.memory.is_open}"
        except OSError:
            return f"{file} {self.memory.is_open}"

    async def load(self) -> None:
        """Read the plugins."""
        plugins, file = await self.memory.run(lambda: (self.memory.plugins(), self.memory.config_file()))
        self.list.set_rows(plugins)
        t = self.words
        said = f" {file}" if file else t(" No configuration file was found: run `nanobot-memory init`.")
        self.line.update(Text(said, "dim" if file else "yellow", no_wrap=True, overflow="ellipsis"))

    def _cells(self, row: PluginRow) -> list[Text | str]:
        report = row.report
        on = Text("[x]" if row.wanted else "[ ]", "green" if row.wanted else "dim")
        state = Text(self._state(report.state), _COLOURS[report.state])
        return [on, report.name, state, report.version, report.distribution]

    def _state(self, state: PluginState) -> str:
        return self.words(_STATES.get(state, state.value))

    async def detail(self, row: PluginRow) -> Text:
        """Return what is known of a plugin."""
        t, report, text = self.words, row.report, Text()
        text.append(f"{report.name}\n\n", "bold")
        if report.error:
            text.append(f"{t(report.error)}\n\n", "red")
        is_running = report.state in (PluginState.ACTIVE, PluginState.RESTING)
        if is_running != row.wanted and not report.error:
            text.append(t("Agents take the change up when they start the next time.") + "\n\n", "yellow")
        field(text, t("State"), self._state(report.state))
        field(text, t("Distribution"), f"{report.distribution} {report.version}")
        field(text, t("Hooks"), ", ".join(report.hooks))
        return text

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_switch()

    def action_switch(self) -> None:
        """Switch the plugin under the cursor in the configuration file."""
        row = self.list.current
        if row is not None:
            name, wanted = row.report.name, not row.wanted
            done = self.words("{name} is switched on.") if wanted else self.words("{name} is switched off.")
            self.panel.change(lambda: self.memory.switch(name, wanted), done.format(name=name))

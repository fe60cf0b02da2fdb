"""How the panel looks: list and detail side by side on a wide terminal, one above the other on others."""

# Columns from which list and detail stand side by side.
WIDE_FROM = 110

STYLE = """
#title { height: 1; background: $panel; }
ContentSwitcher { height: 1fr; }
.view { height: 1fr; }
.halves { height: 1fr; layout: vertical; }
.half { height: 3fr; }
.detail { height: 2fr; border-top: solid $primary-darken-2; padding: 0 1; scrollbar-size-vertical: 1; }
.detail:focus { border-top: solid $accent; }
.line { height: auto; max-height: 4; background: $boost; }
DataTable { height: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden; }
View > Input { height: 1; padding: 0 1; background: $boost; border: none; }
.hidden { display: none; }
.-wide .halves { layout: horizontal; }
.-wide .half { width: 3fr; height: 1fr; }
.-wide .detail { width: 2fr; height: 1fr; border-top: none; border-left: solid $primary-darken-2; }

ModalScreen { align: center middle; }
.dialog {
    width: 90%; max-width: 84; height: auto; max-height: 92%;
    background: $surface; border: round $primary; padding: 0 1;
}
.dialog .title { text-style: bold; width: 100%; margin-bottom: 1; }
.dialog VerticalScroll { height: auto; max-height: 12; }
.dialog TextArea { height: 7; margin-bottom: 1; }
.field { height: 1; }
.field Label { width: 12; color: $text-muted; }
.field Input { width: 1fr; height: 1; border: none; background: $boost; }
.buttons { height: 1; margin-top: 1; align-horizontal: right; }
.buttons Button { margin-left: 2; }
"""

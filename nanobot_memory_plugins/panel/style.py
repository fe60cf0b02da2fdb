"""How the panel looks. Below 110 columns the two halves of a view stand one above the other.

On a screen as narrow as a telephone's the names of views and keys take more lines, so that all can be tapped.
"""

# Columns from which list and detail stand side by side.
WIDE_FROM = 110
# A telephone has fewer columns than this, and at least so many lines.
PHONE_BELOW, PHONE_LINES = 60, 30
# The lines that its bars may take.
BAR_LINES = 4

STYLE = """
Screen { layers: base; }
#title { height: 1; background: $panel; color: $text; }
#views { height: auto; max-height: 4; background: $surface; }
#keys { height: auto; max-height: 4; background: $panel; dock: bottom; }
ContentSwitcher { height: 1fr; }
.view { height: 1fr; }
.halves { height: 1fr; layout: vertical; }
.half { height: 3fr; }
.detail { height: 2fr; border-top: solid $primary-darken-2; padding: 0 1; scrollbar-size-vertical: 1; }
.detail Static { height: auto; }
.detail:focus { border-top: solid $accent; }
.line { height: auto; max-height: 4; background: $boost; }
#views, #keys {
    link-style: none; link-color: $text; link-background: transparent;
    link-style-hover: bold; link-color-hover: $text; link-background-hover: $primary;
}
Input { height: 1; }
Input#query, Input#filter { padding: 0 1; background: $boost; }
.hidden { display: none; }

.-wide .halves { layout: horizontal; }
.-wide .half { width: 3fr; height: 1fr; }
.-wide .detail { width: 2fr; height: 1fr; border-top: none; border-left: solid $primary-darken-2; }
.-wide .detail:focus { border-left: solid $accent; }

RowList { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; background: $background; }
RowList > .rows--header { text-style: bold; color: $text-muted; background: $background; }
RowList > .rows--cursor { background: $surface-lighten-2; color: $text; }
RowList:focus > .rows--cursor { background: $primary; color: $text; text-style: bold; }
RowList > .rows--marked { background: $success-darken-3; color: $text; }
RowList > .rows--dim { color: $text-disabled; background: $background; }

ModalScreen { align: center middle; }
.dialog {
    width: 90%; max-width: 84; height: auto; max-height: 92%;
    background: $surface; border: round $primary; padding: 0 1;
}
.dialog .title { text-style: bold; width: 100%; margin-bottom: 1; }
.dialog .lines { height: auto; max-height: 10; }
.dialog TextArea { height: 7; margin-bottom: 1; }
.dialog VerticalScroll { height: auto; max-height: 18; }
.dialog RowList { height: 14; }
.field { height: 1; }
.field Label { width: 12; color: $text-muted; }
.field Input { width: 1fr; background: $boost; }
.buttons { height: 1; margin-top: 1; align-horizontal: right; }
.buttons Button { margin-left: 2; }
"""

"""The pages of the web form. Everything they load comes from this machine."""

import html

from aiohttp import web

from nanobot_memory_plugins.core.cli.language import spoken_language
from nanobot_memory_plugins.redaction.script.messages import tr

_STYLE = """
html, body { margin: 0; height: 100%; background: #121212; color: #e0e0e0; font-family: "Roboto Mono", "Noto Sans Mono",
  "Noto Sans Mono CJK SC", "Sarasa Mono SC", "Microsoft YaHei Mono", monospace; }
@font-face { font-family: "Roboto Mono"; src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf"); }
@font-face { font-family: "Roboto Mono"; font-style: italic;
  src: url("/static/fonts/RobotoMono-Italic-VariableFont_wght.ttf"); }
#terminal { width: 100vw; height: 100vh; height: 100dvh; overflow: hidden; touch-action: manipulation; }
.over { position: fixed; inset: 0; display: flex; align-items: center; justify-content: center; }
.ended { display: none; background: #121212e0; z-index: 5; }
body.-closed .ended { display: flex; }
body.-first-byte .begins { display: none; }
main { max-width: 40em; padding: 2em; text-align: center; }
a { color: #4aa3ff; }
"""

# What browsers call a language, where that is another name than the catalogue's.
_TAGS = {"zh": "zh-CN"}

# On a telephone: its own width, and what the keyboard leaves of its height.
_VIEWPORT = "width=device-width, initial-scale=1, interactive-widget=resizes-content"

# The keyboard belongs to the panel from the start, and again after a look at another window. A telephone has smaller
# letters: fifty columns instead of forty.
_FOCUS = """
if (window.innerWidth < 600) document.querySelector("#terminal").dataset.fontSize = "13";
const focus = () => {
  const area = document.querySelector(".xterm-helper-textarea");
  if (area && document.body.classList.contains("-first-byte")) area.focus();
};
new MutationObserver(focus).observe(document.documentElement, { subtree: true, attributeFilter: ["class"] });
window.addEventListener("focus", focus);
"""


async def focus_script(_request: web.Request) -> web.Response:
    """Return the one script of our own. It is a file, since the pages run no other kind."""
    return web.Response(text=_FOCUS, content_type="text/javascript")


def page(socket_url: str) -> web.Response:
    """Return the page on which the panel is drawn."""
    language = spoken_language()
    begins, ended, again = tr("Opening …"), tr("The panel was closed."), tr("Open it again")
    text = f"""<!DOCTYPE html>
<html lang="{_TAGS.get(language, language.replace("_", "-"))}">
<head><meta charset="utf-8"><meta name="viewport" content="{_VIEWPORT}"><title>nanobot-memory</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/css/xterm.css"><style>{_STYLE}</style>
<script src="/static/js/textual.js"></script><script src="/focus.js" defer></script></head>
<body>
<div class="over begins"><main>{begins}</main></div>
<div class="over ended"><main><p>{ended}</p><p><a href="/">{again}</a></p></main></div>
<div id="terminal" class="textual-terminal" data-font-size="16"
 data-session-websocket-url="{html.escape(socket_url)}"></div>
</body></html>"""
    return web.Response(text=text, content_type="text/html")

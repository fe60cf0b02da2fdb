"""How a panel knows that it runs behind the web form."""

import os
from collections.abc import Mapping

# Textual's own switch, which textual-serve sets for the programs that it starts.
_DRIVER_VARIABLE = "TEXTUAL_DRIVER"


def is_served(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a browser is on the other end, and no terminal."""
    return "web_driver" in environment.get(_DRIVER_VARIABLE, "")

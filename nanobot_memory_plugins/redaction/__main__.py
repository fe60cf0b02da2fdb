#!/usr/bin/env python3
"""Runs `nanobot-memory-redact`: as ``python -m nanobot_memory_plugins.redaction``, or as a file of a checkout.

A check before a commit runs the file, so that nothing has to be installed for it.
"""

import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036  # whoever runs the file may have another Python
    sys.exit("nanobot-memory-redact needs Python 3.11 or later.")
if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nanobot_memory_plugins.redaction.cli import main

sys.exit(main())

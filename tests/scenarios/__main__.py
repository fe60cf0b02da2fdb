"""Print the scenario matrix: ``python -m tests.scenarios``."""

import asyncio
import sys
import tempfile
from pathlib import Path

from loguru import logger

from tests.scenarios.matrix import MODELS, TRIGGERS, run_all, summary_expected


def main() -> int:
    """Run everything; return 0 when every cell is good."""
    logger.remove()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = asyncio.run(run_all(Path(folder)))
    print(f"{'':16}" + "".join(f"{model:>10}" for model in MODELS))
    bad = []
    for trigger in TRIGGERS:
        cells = ""
        for model in MODELS:
            runs = outcomes[trigger, model]
            cells += f"{sum(one.good for one in runs)}/{len(runs)}".rjust(10)
            bad += [f"{trigger}, {model}, {one}" for one in runs if not one.good]
        print(f"{trigger:16}{cells}")
    print(
        "with a summary that replaces the history" if summary_expected() else "without a plugin that replaces history"
    )
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""The hooks of the bootstrap budget."""

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from nanobot_memory_plugins.bootstrap.budget import Allotment, Shortened, allot
from nanobot_memory_plugins.bootstrap.options import BootstrapOptions
from nanobot_memory_plugins.core import Finding, Health, PluginContext, estimate_tokens, hookimpl, logger
from nanobot_memory_plugins.core.host.bootstrap_files import default_overhead, read_text
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Warnings that are remembered, so that each is given once.
_REMEMBERED = 256
# Characters of each end by which a text is known again; hashing 50 MB would take longer than cutting them.
_COMPARED = 10_000
_HINT = "Shorten the file, or raise memoryPlugins.bootstrap.maxChars and totalMaxChars."


class BootstrapPlugin:
    """Keeps the files that open a prompt inside a budget."""

    Options = BootstrapOptions

    def __init__(self) -> None:
        self._warned: BoundedDict[bytes, None] = BoundedDict(_REMEMBERED)

    @hookimpl
    def trim_bootstrap(
        self, files: Mapping[str, str], overhead: Mapping[str, int], context: PluginContext
    ) -> dict[str, str]:
        """Return what of each file goes into the prompt."""
        shown = allot(files, overhead, context.options)
        for one in shown.cut:
            if self._is_news(one, files[one.name]):
                logger.warning(
                    "bootstrap file {} has {} characters (limit {}): {} are left out of the prompt",
                    one.name, one.size, one.limit, one.left_out,
                )  # fmt: skip
        for one in shown.skipped:
            if self._is_news(one, files[one.name]):
                logger.warning(
                    "bootstrap file {} ({} characters) is left out of the prompt: the budget of {} characters is spent",
                    one.name, one.size, context.options.total_max_chars,
                )  # fmt: skip
        return dict(shown.texts)

    @hookimpl
    def diagnose(self, context: PluginContext) -> list[Finding]:
        """Say how large the bootstrap files of the workspace are, and what of them is left out."""
        options: BootstrapOptions = context.options
        files = bootstrap_files(context.workspace, options.priority)
        shown = allot(files, {name: default_overhead(name) for name in files}, options)
        return [_size(shown, options), *(_shortened(one) for one in (*shown.cut, *shown.skipped))]

    def _is_news(self, one: Shortened, text: str) -> bool:
        """Return whether this has not been warned of: the same file with the same text, cut or left out."""
        facts = f"{one.name}\0{one.limit > 0}\0{one.size}\0{text[:_COMPARED]}{text[-_COMPARED:]}"
        key = blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key in self._warned:
            self._warned.move_to_end(key)
            return False
        self._warned[key] = None
        return True


def bootstrap_files(workspace: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Return the files of these names that stand in the workspace or in its memory folder, and can be read."""
    found: dict[str, str] = {}
    for name in names:
        if any(sign in name for sign in "*?["):
            continue
        for place in (name, f"memory/{name}"):
            text = read_text(workspace / place)
            if text is not None:
                found[place] = text
    return found


def _size(shown: Allotment, options: BootstrapOptions) -> Finding:
    if not shown.texts:
        return Finding("bootstrap files", "none yet")
    tokens = sum(estimate_tokens(text) for text in shown.texts.values())
    state = Sentence(
        "{texts}: {used:,} of {total_max_chars:,} characters, about {tokens:,} tokens in each prompt",
        texts=", ".join(shown.texts),
        used=shown.used,
        total_max_chars=options.total_max_chars,
        tokens=tokens,
    )
    return Finding("bootstrap files", state)


def _shortened(one: Shortened) -> Finding:
    what = Sentence(
        "{left_out:,} of {size:,} characters are left out of the prompt", left_out=one.left_out, size=one.size
    )
    return Finding(Sentence("bootstrap file {name}", name=one.name), what, Health.DEGRADED, hint=_HINT)

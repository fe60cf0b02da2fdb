"""What was forgotten on somebody's order and could be brought back: until then conversations do not bring it up."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter

from nanobot_memory_plugins.consolidation.model.entry import whole_scope
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.values import Visibility, Withheld
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_TASK = "said again"
# Texts that are kept ready to be looked for.
_KEPT = 2_000
_SCOPE = TypeAdapter(Scope)


@dataclass(frozen=True, slots=True)
class _Forgotten:
    """The text of a forgotten entry, and whose messages and entries say it again.

    Or a name of which everything was forgotten: then ``whose`` says of whose entries, and it is withheld from those who
    saw one of them.
    """

    held: Withheld
    wanted: Wanted
    again: tuple[Scope, ...]
    whose: tuple[Scope, ...] = ()

    def is_held_from(self, visible: Scope | Visibility) -> bool:
        """Return whether it is withheld from those who see ``visible``."""
        if self.held.is_name and not any(map(visible.allows, self.whose)):
            return False
        return not any(map(visible.allows, self.again))


class WithheldTexts:
    """The texts of the entries that were forgotten, and neither brought back nor purged. It blocks.

    What was said again is withheld from those who do not see where that was.
    """

    def __init__(self, repository: EntryRepository) -> None:
        self._repository = repository
        self._ready: BoundedDict[str, Wanted] = BoundedDict(_KEPT)

    def texts(self, visible: Scope | Visibility) -> tuple[Withheld, ...]:
        """Return what is withheld from those who see ``visible``, each once. Raises `MemoryFileError`."""
        return tuple(dict.fromkeys(one.held for one in self._read().values() if one.is_held_from(visible)))

    def hear(self, text: str, scope: Scope) -> None:
        """Learn what a user says: what is said again is not withheld any longer from those who see it.

        Raises `MemoryFileError`.
        """
        for id_, one in self._read().items():
            if scope not in one.again and one.wanted.count(text):
                subject = f"{id_} {json.dumps(asdict(scope), separators=(',', ':'))}"
                self._repository.state.set_task(_TASK, subject, {})

    def _read(self) -> dict[str, _Forgotten]:
        snapshot = self._repository.load()
        if not snapshot.forgotten:
            return {}
        there, said = snapshot.entries, list(self._said_again())
        forgotten: dict[str, _Forgotten] = {}
        for id_, entry in snapshot.forgotten.items():
            wanted = self._wanted_of(entry.content)
            again = [scope for name, scope in said if name == id_]
            again += [whole_scope(one) for one in there.values() if wanted.count(one.content)]
            forgotten[id_] = _Forgotten(Withheld(entry.content), wanted, tuple(dict.fromkeys(again)))
        return forgotten

    def _wanted_of(self, text: str) -> Wanted:
        wanted = self._ready.pop(text, None) or Wanted([text])
        self._ready[text] = wanted  # the one that was used last is the last
        return wanted

    def _said_again(self) -> Iterator[tuple[str, Scope]]:
        for subject, _ in self._repository.state.tasks(_TASK):
            id_, _, told = subject.partition(" ")
            yield id_, _SCOPE.validate_json(told)

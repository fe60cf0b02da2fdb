"""Updates the message catalogues: ``python -m release.catalogues``.

The messages are collected from the sources: the arguments of `tr` and `Sentence`, the causes and hints of errors and
findings, and the help texts of the command line. A catalogue is ``<language>.po``; an empty file of that name starts a
new language. Missing translations are listed, and unused ones are removed.
"""

import ast
import builtins
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter

from nanobot_memory_plugins.core.config.languages import CATALOGUES, read_catalogue
from release.running import ReleaseError

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "nanobot_memory_plugins"
_HEADER = "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\nLanguage: {}\n"

# Calls whose arguments are shown to people: the number of their first arguments, and the keyword arguments.
_CALLS = {
    "tr": (1, ()),
    "join_sentences": (9, ()),
    "refusal": (2, ()),
    "Sentence": (1, ()),
    "Finding": (4, ("subject", "state", "hint")),
    "ConfigProblem": (2, ("message",)),
    "Option": (0, ("help", "metavar")),
    "Argument": (0, ("help", "metavar")),
    "Typer": (0, ("help", "epilog")),
    "command": (0, ("help",)),
    "Field": (0, ("description",)),
    "not_installed": (1, ()),
    "Degradation": (2, ()),
    "BadParameter": (1, ()),
    "Skipped": (1, ()),
    "skip": (1, ()),
    "remark": (1, ()),
    "report": (3, ()),
    "Trace": (0, ("why",)),
    "trace_of": (0, ("why",)),
    "Scrubbed": (0, ("why",)),
    "_fault": (4, ()),
}
_ERROR = (1, ("hint",))
# Functions that write to the terminal. Their texts are collected from the calls of `tr`.
_OUTPUT_CALLS = {"say", "_tell", "echo", "secho", "print", "add_row"}
# The beginning of a command to copy.
_COMMAND = re.compile(r"\s*(?:nanobot|nanobot-memory|claude|chmod|pip|uv) ")
# Folders whose texts users of the command line never see.
_SKIPPED_FOLDERS = ("core/testing", "core/isolation")
# A text to translate: it has letters, or is the punctuation between sentences.
_TRANSLATABLE = re.compile(r"[^\W\d_]|^[,.;: ]+$")
# Two adjacent words.
_WORDS = re.compile(r"[A-Za-z]{2,} +[a-z]{2,}|[a-z]{2,}: ")
# Tables whose keys are shown as well.
_KEYED_TABLES = {"DEGRADED", "_UNSUPPORTED"}
# Class attributes whose texts are shown.
_CLASS_ATTRIBUTES = {"name_of_view", "columns", "field_text"}
# Tables and enumerations in other modules whose texts are shown.
_TABLES = {
    "tools/demo/scenario.py": ("STAGES",),
    "bridge/plugin.py": ("_UNSUPPORTED",),
    "bridge/seams.py": ("DEGRADED",),
    "consolidation/model/entry.py": ("Category",),
    "core/config/wording.py": ("_BOUND_WORDS", "_TYPE_WORDS"),
    "core/transfer/importing.py": ("_TOOL_RESULT", "_NO_TEXT", "_RECORDED_HERE", "_NO_TIME", "_PRIVATE", "_WITHDRAWN"),
    "core/transfer/import_run.py": ("_CHANGED",),
    "core/values/conversation.py": ("Origin",),
    "core/values/entries.py": ("Action", "INSTRUCTION", "Section"),
    "core/values/diagnosis.py": ("Health",),
    "core/values/notes.py": ("NoteType",),
    "recall/engine.py": ("Reason",),
    "recall/routing.py": ("RecallTier",),
    "postgres/plugin.py": ("_AT_ONCE", "_KEPT", "_AWAY"),
    "storage/embedding/catalogue.py": ("ModelOrigin",),
    "storage/sources/source_files.py": ("FileKind",),
    "storage/cli/search_command.py": ("MemoryKind",),
}
# Folders in which every table with such a name is shown.
_TABLE_FOLDERS = re.compile(r"(?:^|/)(?:cli|panel)/")
# Names of constants whose texts are shown.
_TABLE_NAME = re.compile(r"^(?:[A-Z_]*(?:WORDS|TEXTS|HEADINGS|ERRORS|USAGE|SHARES))$")
# Annotations that only the options of a command have.
_OPTION_TYPES = re.compile(r"\btyper\.(?:Option|Argument)\b|\b(?:Workspace|Config|Json|Agent|Session)Option\b")


def sentences(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return every text that is shown to people, with the files that contain it."""
    found: dict[str, list[str]] = {}
    for file in sorted(package.rglob("*.py")):
        where = file.relative_to(package).as_posix()
        if where.startswith(_SKIPPED_FOLDERS):
            continue
        tree = _tree(file.read_text(encoding="utf-8"))
        tables = _TABLES.get(where, ())
        for text in (
            *_of_module(tree, where),
            *_of_tables(tree, tables, by_name=_TABLE_FOLDERS.search(where) is not None),
        ):
            places = found.setdefault(text, [])
            if _TRANSLATABLE.search(re.sub(r"\{[^}]*\}", "", text)) and where not in places:
                places.append(where)
    return {text: places for text, places in found.items() if places}


def untranslatable_f_strings(package: Path = PACKAGE) -> list[str]:
    """Return the places of f-strings with words that are shown to people, which no catalogue can contain.

    The f-string is the argument of a call that shows it, or of a variable that is this argument.
    """
    return [
        f"{file.relative_to(package).as_posix()}:{text.lineno}: {ast.unparse(text)}"
        for file in sorted(package.rglob("*.py"))
        if not file.relative_to(package).as_posix().startswith(_SKIPPED_FOLDERS)
        for text in _shown_f_strings(_tree(file.read_text(encoding="utf-8")))
    ]


@cache
def _tree(source: str) -> ast.Module:
    """Parse a module, once per process."""
    return ast.parse(source)


def _shown_f_strings(tree: ast.Module) -> list[ast.JoinedStr]:
    found: dict[ast.JoinedStr, None] = {}  # an ordered set, since functions may be nested
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for part in (tree, *functions):
        assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(part) if part is not tree else ():
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        assigned.setdefault(target.id, []).append(node.value)
        for call in ast.walk(part):
            if isinstance(call, ast.Call):
                for shown in (*_shown_arguments(call), *_output_arguments(call)):
                    found |= dict.fromkeys(_f_strings(shown, assigned))
    return list(found)


def _output_arguments(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that writes to the terminal."""
    if (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) in _OUTPUT_CALLS:
        yield from call.args


def _of_tables(tree: ast.Module, tables: Collection[str], *, by_name: bool) -> Iterator[str]:
    constants = _constants(tree)
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    if missing := set(tables) - constants.keys() - classes:
        raise ReleaseError(f"release/catalogues.py names tables that do not exist: {', '.join(sorted(missing))}")
    for name, value in constants.items():
        if name in tables or (by_name and _TABLE_NAME.match(name)):
            yield from _texts(value, {})
        if name in tables and name in _KEYED_TABLES and isinstance(value, ast.Dict):
            yield from (text for key in value.keys if key is not None for text in _texts(key, {}))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in tables:
            yield from (text for one in node.body if isinstance(one, ast.Assign) for text in _texts(one.value, {}))


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _of_module(tree: ast.Module, where: str) -> Iterator[str]:
    constants = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (text for shown in _shown_arguments(node) for text in _texts(shown, constants))
        elif isinstance(node, ast.Assign) and any(
            isinstance(one, ast.Name) and one.id in _CLASS_ATTRIBUTES for one in node.targets
        ):
            yield from _texts(node.value, constants)
        elif isinstance(node, ast.FunctionDef) and _is_command(node):
            yield from (" ".join(one.split()) for one in (ast.get_docstring(node) or "").split("\n\n"))


def _shown_arguments(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that are shown to people."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    is_own_error = name.endswith("Error") and not hasattr(builtins, name) and not name.startswith("Pydantic")
    first, keywords = _ERROR if is_own_error else _CALLS.get(name, (0, ()))
    yield from call.args[:first]
    yield from (keyword.value for keyword in call.keywords if keyword.arg in keywords)


def _f_strings(node: ast.expr, assigned: Mapping[str, Sequence[ast.expr]]) -> Iterator[ast.JoinedStr]:
    """Yield the f-strings with words that an expression may evaluate to, except for commands to copy.

    ``assigned`` holds the expressions that were assigned to the variables of the function.
    """
    match node:
        case ast.JoinedStr(values=parts):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in parts)
            if _WORDS.search(text) and not _COMMAND.match(text):
                yield node
            for one in parts:
                if isinstance(one, ast.FormattedValue):
                    yield from _f_strings(one.value, assigned)
        case ast.Name(id=name):
            others = {key: values for key, values in assigned.items() if key != name}
            yield from (text for one in assigned.get(name, ()) for text in _f_strings(one, others))
        case ast.Lambda(body=one) | ast.Starred(value=one) | ast.NamedExpr(value=one):
            yield from _f_strings(one, assigned)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            yield from (*_f_strings(one, assigned), *_f_strings(other, assigned))
        case ast.BoolOp(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            yield from (text for one in values for text in _f_strings(one, assigned))
        case ast.ListComp(elt=one) | ast.GeneratorExp(elt=one):
            yield from _f_strings(one, assigned)
        case ast.Call(func=ast.Attribute(attr="join"), args=[one]):
            yield from _f_strings(one, assigned)


def _is_command(function: ast.FunctionDef) -> bool:
    """Return whether a function has options of the command line, so that its docstring is a help text."""
    arguments = [*function.args.args, *function.args.kwonlyargs]
    annotations = " ".join(ast.unparse(one.annotation) for one in arguments if one.annotation)
    decorated = " ".join(ast.unparse(one) for one in function.decorator_list)
    return bool(_OPTION_TYPES.search(annotations)) or ".command(" in decorated or ".callback(" in decorated


def _texts(node: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the complete texts that an expression may evaluate to. Texts of nested calls are collected there."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Name(id=name) if name in constants:
            yield from _texts(constants[name], {})
        case ast.IfExp(body=one, orelse=other):
            yield from (*_texts(one, constants), *_texts(other, constants))
        case ast.BoolOp(values=values):
            yield from (text for one in values for text in _texts(one, constants))
        case ast.Tuple(elts=values) | ast.List(elts=values) | ast.Set(elts=values):
            yield from (text for one in values for text in _texts(one, constants))
        case ast.Dict(values=values):
            yield from (text for one in values for text in _texts(one, constants))
        case ast.Call(func=ast.Name(id="MappingProxyType"), args=[inner]):
            yield from _texts(inner, constants)
        case ast.Subscript(value=ast.Name(id=name)) if name in constants:
            yield from _texts(constants[name], {})


def write(file: Path, translations: Mapping[str, str], places: Mapping[str, list[str]]) -> None:
    """Write a catalogue, with its texts in the order of their files."""
    blocks = [f'msgid ""\nmsgstr {_quoted(_HEADER.format(file.stem))}']
    for text in sorted(places, key=lambda one: (places[one][0], one)):
        translation = translations.get(text, "")
        blocks.append(f"#: {' '.join(places[text])}\nmsgid {_quoted(text)}\nmsgstr {_quoted(translation)}")
    file.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders in a template."""
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name}
    except ValueError:
        return set()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> int:
    """Update every catalogue, and return 1 if a translation is missing."""
    found = sentences()
    missing = 0
    for file in sorted(CATALOGUES.glob("*.po")):
        translations = read_catalogue(file.stem)
        write(file, translations, found)
        untranslated = [text for text in found if not translations.get(text)]
        missing += len(untranslated)
        print(f"{file.stem}: {len(found) - len(untranslated)} of {len(found)} texts are translated")
        for text in untranslated:
            print(f"  {found[text][0]}: {text}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

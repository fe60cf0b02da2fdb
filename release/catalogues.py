"""The catalogues of messages: ``python -m release.catalogues`` brings each up to date.

The sentences are found in the sources: what `tr` and `Sentence` are given, causes and hints of errors and findings,
and what the help of the command line is made of. A catalogue is ``<language>.po``; a new language is an empty file of
that name. What is not translated yet is listed, what is said no more goes.
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

# Calls whose texts are shown: their first arguments, as many as the number says, and the keywords.
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
# What writes to the terminal; its texts are found where `tr` makes them.
_SAYING = {"say", "_tell", "echo", "secho", "print", "add_row"}
# Commands to copy.
_COPIED = re.compile(r"\s*(?:nanobot|nanobot-memory|claude|chmod|pip|uv) ")
# What is not for people who run the command line: the kit for tests, and what only measures.
_LEFT = ("core/testing", "core/isolation")
# A text of ours: letters, or the signs between sentences.
_SAYS = re.compile(r"[^\W\d_]|^[,.;: ]+$")
# Two words side by side.
_WORD = re.compile(r"[A-Za-z]{2,} +[a-z]{2,}|[a-z]{2,}: ")
# Those whose keys are said, too.
_KEYED = {"DEGRADED", "_UNSUPPORTED"}
# What a class is called on the screen, and what stands in it.
_NAMED = {"name_of_view", "columns", "field_text"}
# Tables and enumerations elsewhere whose texts, and names that are texts, are said.
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
# Where such tables are.
_SHOWS = re.compile(r"(?:^|/)(?:cli|panel)/")
# Names of tables whose texts are shown, by the name of the constant.
_TABLE = re.compile(r"^(?:[A-Z_]*(?:WORDS|TEXTS|HEADINGS|ERRORS|USAGE|SHARES))$")
# What only the options of a command are.
_TOLD = re.compile(r"\btyper\.(?:Option|Argument)\b|\b(?:Workspace|Config|Json|Agent|Session)Option\b")


def sentences(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return every text that people are shown, and the files in which it stands."""
    found: dict[str, list[str]] = {}
    for file in sorted(package.rglob("*.py")):
        where = file.relative_to(package).as_posix()
        if where.startswith(_LEFT):
            continue
        tree = _tree(file.read_text(encoding="utf-8"))
        tables = _TABLES.get(where, ())
        for text in (*_of_module(tree, where), *_of_tables(tree, tables, named=_SHOWS.search(where) is not None)):
            places = found.setdefault(text, [])
            if _SAYS.search(re.sub(r"\{[^}]*\}", "", text)) and where not in places:
                places.append(where)
    return {text: places for text, places in found.items() if places}


def spliced(package: Path = PACKAGE) -> list[str]:
    """Return where people are shown an f-string with words of ours: no catalogue holds it, whatever its values are.

    It may be an argument of what shows it, or a variable of the same function that is one.
    """
    return [
        f"{file.relative_to(package).as_posix()}:{text.lineno}: {ast.unparse(text)}"
        for file in sorted(package.rglob("*.py"))
        if not file.relative_to(package).as_posix().startswith(_LEFT)
        for text in _spliced_in(_tree(file.read_text(encoding="utf-8")))
    ]


@cache
def _tree(source: str) -> ast.Module:
    """Parse a module, once."""
    return ast.parse(source)


def _spliced_in(tree: ast.Module) -> list[ast.JoinedStr]:
    found: dict[ast.JoinedStr, None] = {}  # in order, and each once: a function may be in another
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for part in (tree, *functions):
        held: dict[str, list[ast.expr]] = {}
        for node in ast.walk(part) if part is not tree else ():
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        held.setdefault(target.id, []).append(node.value)
        for call in ast.walk(part):
            if isinstance(call, ast.Call):
                for shown in (*_shown_by(call), *_said_by(call)):
                    found |= dict.fromkeys(_f_strings(shown, held))
    return list(found)


def _said_by(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that goes to the terminal at once."""
    if (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) in _SAYING:
        yield from call.args


def _of_tables(tree: ast.Module, tables: Collection[str], *, named: bool) -> Iterator[str]:
    constants = _constants(tree)
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    if gone := set(tables) - constants.keys() - classes:
        raise ReleaseError(f"release/catalogues.py names what is not there any more: {', '.join(sorted(gone))}")
    for name, value in constants.items():
        if name in tables or (named and _TABLE.match(name)):
            yield from _texts(value, {})
        if name in tables and name in _KEYED and isinstance(value, ast.Dict):
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
            yield from (text for shown in _shown_by(node) for text in _texts(shown, constants))
        elif isinstance(node, ast.Assign) and any(
            isinstance(one, ast.Name) and one.id in _NAMED for one in node.targets
        ):
            yield from _texts(node.value, constants)
        elif isinstance(node, ast.FunctionDef) and _is_command(node):
            yield from (" ".join(one.split()) for one in (ast.get_docstring(node) or "").split("\n\n"))


def _shown_by(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that people are shown."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    of_ours = name.endswith("Error") and not hasattr(builtins, name) and not name.startswith("Pydantic")
    first, keywords = _ERROR if of_ours else _CALLS.get(name, (0, ()))
    yield from call.args[:first]
    yield from (keyword.value for keyword in call.keywords if keyword.arg in keywords)


def _f_strings(node: ast.expr, held: Mapping[str, Sequence[ast.expr]]) -> Iterator[ast.JoinedStr]:
    """Yield the f-strings with words that an expression may be; commands to copy have none of ours.

    ``held`` is what the variables around it were given.
    """
    match node:
        case ast.JoinedStr(values=parts):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in parts)
            if _WORD.search(text) and not _COPIED.match(text):
                yield node
            for one in parts:
                if isinstance(one, ast.FormattedValue):
                    yield from _f_strings(one.value, held)
        case ast.Name(id=name):
            others = {key: values for key, values in held.items() if key != name}
            yield from (text for one in held.get(name, ()) for text in _f_strings(one, others))
        case ast.Lambda(body=one) | ast.Starred(value=one) | ast.NamedExpr(value=one):
            yield from _f_strings(one, held)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            yield from (*_f_strings(one, held), *_f_strings(other, held))
        case ast.BoolOp(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            yield from (text for one in values for text in _f_strings(one, held))
        case ast.ListComp(elt=one) | ast.GeneratorExp(elt=one):
            yield from _f_strings(one, held)
        case ast.Call(func=ast.Attribute(attr="join"), args=[one]):
            yield from _f_strings(one, held)


def _is_command(function: ast.FunctionDef) -> bool:
    """Return whether a docstring is a help text: that of a function with options of the command line."""
    arguments = [*function.args.args, *function.args.kwonlyargs]
    told = " ".join(ast.unparse(one.annotation) for one in arguments if one.annotation)
    decorated = " ".join(ast.unparse(one) for one in function.decorator_list)
    return bool(_TOLD.search(told)) or ".command(" in decorated or ".callback(" in decorated


def _texts(node: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the whole texts that an expression may be; those of calls in it are found where the calls are."""
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
    """Write a catalogue, its texts in the order of the files in which they stand."""
    blocks = [f'msgid ""\nmsgstr {_quoted(_HEADER.format(file.stem))}']
    for text in sorted(places, key=lambda one: (places[one][0], one)):
        said = translations.get(text, "")
        blocks.append(f"#: {' '.join(places[text])}\nmsgid {_quoted(text)}\nmsgstr {_quoted(said)}")
    file.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def places_in(text: str) -> set[str]:
    """Return the names of the values that a template takes."""
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name}
    except ValueError:
        return set()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> int:
    """Bring every catalogue up to date; return 1 where a text has no translation."""
    found = sentences()
    missing = 0
    for file in sorted(CATALOGUES.glob("*.po")):
        translations = read_catalogue(file.stem)
        write(file, translations, found)
        bare = [text for text in found if not translations.get(text)]
        missing += len(bare)
        print(f"{file.stem}: {len(found) - len(bare)} of {len(found)} texts are translated")
        for text in bare:
            print(f"  {found[text][0]}: {text}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

"""Build hook of the core distribution: it compiles the catalogues, and makes that of traditional Chinese.

OpenCC makes it of the simplified one, in Taiwan's characters and words. It takes the longest word that it knows, across
the border of two words as well, and its words are those of all texts. What it gets wrong in texts of a program stands
in a table here.
"""

import json
import os
import re
import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from opencc import OpenCC

DOMAIN = "nanobot-memory"
_MADE, _OF = "zh_Hant", "zh"
_HEADER = "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\nLanguage: {}\n"
_ENTRY = re.compile(r'^msgid (".*")\nmsgstr (".*")$', re.MULTILINE)
_BETTER = {
    # Of two characters that China writes as one, the one that no text of a program has: 髮 is hair, 后 an empress.
    "箇": "個",
    "錶": "表",
    "髮": "發",
    "后": "後",
    "里": "裡",
    "瞭": "了",
    "采": "採",
    "周": "週",
    "臺": "台",
    "併合並": "並合併",
    "輪迴憶": "輪回憶",
    # Words of China that are left where OpenCC took one across the border.
    "運行": "執行",
    "搜索": "搜尋",
    "發送": "傳送",
    "打開": "開啟",
    "表文件": "表檔案",
    # Words for which Taiwan says another one.
    "響應": "回應",
    "數據": "資料",
    "許可權": "權限",
    "分割槽": "分割區",
    "映象": "鏡像",
    "連線串": "連線字串",
    "埠": "連接埠",
}
_WRONG = re.compile("|".join(_BETTER))


class Catalogues(BuildHookInterface[Any]):
    """Compile before files are collected, for an editable installation, too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write what is not there yet."""
        compile_catalogues(Path(self.root, "cli", "catalogues"))


def compile_catalogues(folder: Path) -> None:
    """Write the compiled catalogue of each language of a folder that is missing, or older than its source."""
    for source in folder.glob(f"*/LC_MESSAGES/{DOMAIN}.po"):
        language = source.parents[1].name
        if language == _MADE:
            continue
        targets = {language: source.with_suffix(".mo")}
        if language == _OF:
            targets[_MADE] = folder / _MADE / "LC_MESSAGES" / f"{DOMAIN}.mo"
        newest = max(source.stat().st_mtime, Path(__file__).stat().st_mtime)
        if all(file.exists() and file.stat().st_mtime >= newest for file in targets.values()):
            continue
        translations = read_catalogue(source)
        for name, file in targets.items():
            texts = (
                {one: in_traditional(other) for one, other in translations.items()} if name == _MADE else translations
            )
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_name(f"{file.name}.{os.getpid()}")
            fresh.write_bytes(compiled({"": header(name), **texts}))
            fresh.replace(file)


def read_catalogue(file: Path) -> dict[str, str]:
    """Return the translations of a catalogue; an empty text is not translated yet."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return {json.loads(one): json.loads(other) for one, other in _ENTRY.findall(text) if json.loads(one)}


def header(language: str) -> str:
    """Return what a catalogue says of itself."""
    return _HEADER.format(language)


def compiled(translations: Mapping[str, str]) -> bytes:
    """Return a catalogue as `gettext` reads it."""
    pairs = [(one.encode(), other.encode()) for one, other in sorted(translations.items()) if other]
    count = len(pairs)
    tables, texts = [b"", b""], b""
    start = 28 + 16 * count
    for side in (0, 1):
        for pair in pairs:
            tables[side] += struct.pack("<II", len(pair[side]), start + len(texts))
            texts += pair[side] + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, start) + b"".join(tables) + texts


def in_traditional(text: str) -> str:
    """Return a simplified text in traditional characters; names of values, options and files have none to turn."""
    return _WRONG.sub(lambda found: _BETTER[found[0]], _converter().convert(text))


@cache
def _converter() -> OpenCC:
    return OpenCC("s2twp")

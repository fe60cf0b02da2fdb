"""The catalogue of traditional Chinese, made of the simplified one by OpenCC: in Taiwan's characters and words.

OpenCC takes the longest word that it knows, across the border of two words as well, and its words are those of all
texts. What it gets wrong in texts of a program stands in a table here.
"""

import re
from functools import cache

from opencc import OpenCC

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


def in_traditional(text: str) -> str:
    """Return a simplified text in traditional characters; names of values, options and files have none to turn."""
    return _WRONG.sub(lambda found: _BETTER[found[0]], _converter().convert(text))


@cache
def _converter() -> OpenCC:
    return OpenCC("s2twp")

"""Traditional Chinese written as simplified, as far as the words of recall need it."""

_TRADITIONAL = (
    "記紀說過聊談時間決約參數據號歡習慣設們個裡裏這誰麼為嗎應該經復複盤顧舊錄確對樣話請憶歷關於"
    "幾兩週禮讓給電碼沒無許點會從後實認識買愛寵貓講訊絕對賬帳適薦還問現場當嚴頭檔論訴傢筆舉麗處謝氣懂員曉訪獲"
)
_SIMPLIFIED = (
    "记记说过聊谈时间决约参数据号欢习惯设们个里里这谁么为吗应该经复复盘顾旧录确对样话请忆历关于"
    "几两周礼让给电码没无许点会从后实认识买爱宠猫讲讯绝对账账适荐还问现场当严头档论诉家笔举丽处谢气懂员晓访获"
)
_TABLE = str.maketrans(_TRADITIONAL, _SIMPLIFIED)


def simplified(text: str) -> str:
    """Return the text with these characters made simple, one for one; others stay."""
    return text if text.isascii() else text.translate(_TABLE)

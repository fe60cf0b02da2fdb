"""Small talk: messages and answers of set phrases alone, and short answers that know nothing.

Both are lists of plain phrases, in simplified Chinese or English, which match whole words in any case.
"""

import re
from functools import lru_cache

from nanobot_memory_plugins.core.text.folding import fold

# A longer text says something.
_LONGEST_TALK, _LONGEST_NON_ANSWER = 120, 240

SMALL_TALK = (
    *("你好", "您好", "嗨", "哈喽", "大家好", "在吗", "早", "早安", "早上好", "上午好", "中午好", "下午好", "晚上好"),
    *("晚安", "再见", "拜拜", "回头见", "谢谢", "多谢", "感谢", "谢啦", "谢了", "非常", "辛苦了", "不客气", "不用谢"),
    *("没事", "没关系", "麻烦了", "好", "好的", "好嘞", "行", "可以", "嗯", "嗯嗯", "哦", "噢", "对", "对的", "是的"),
    *(
        "没错",
        "没问题",
        "收到",
        "明白",
        "知道了",
        "懂了",
        "当然",
        "太好了",
        "太棒了",
        "真棒",
        "真好",
        "已经",
        "不错",
        "很好",
    ),
    *("厉害", "哈", "哈哈", "哈哈哈", "继续", "下一个", "加油", "恭喜", "恭喜恭喜", "原来如此", "那就好", "别担心"),
    *("有道理", "太真实了", "说得对", "辛苦", "祝", "一切顺利", "顺利", "好运", "愉快", "开心"),
    *(
        "已经记下",
        "已记下",
        "记下",
        "记住",
        "记好",
        "记录",
        "已记录",
        "已更新",
        "更新",
        "保存",
        "已保存",
        "已经",
        "改好",
    ),
    *("随时告诉我", "随时找我", "随时问我", "有需要", "有问题", "如果", "请", "需要", "请随时"),
    *("我", "你", "您", "会", "都", "帮", "为", "了", "啊", "吧", "呢", "呀", "的", "啦", "也", "就", "这就", "马上"),
    *("hi", "hello", "hey", "yo", "there", "morning", "good morning", "good afternoon", "good evening", "good night"),
    *("bye", "goodbye", "see you", "see you later", "see you tomorrow", "cheers", "welcome", "take care", "good luck"),
    *("thanks", "thank you", "thx", "ty", "many thanks", "thanks a lot", "so much", "very much", "you're welcome"),
    *("no problem", "no worries", "my pleasure", "anytime", "any time", "for telling me", "for letting me know"),
    *("for the update", "for sharing", "for the reminder", "for the correction", "for clarifying", "happy to help"),
    *("glad to help", "glad to hear it", "glad to hear that", "happy to hear that", "sorry to hear that"),
    *("ok", "okay", "k", "yes", "yeah", "yep", "yup", "no", "nope", "nah", "sure", "sure thing", "right", "all right"),
    *("alright", "fine", "done", "great", "good", "nice", "perfect", "cool", "awesome", "wonderful", "lovely"),
    *(
        "excellent",
        "brilliant",
        "fantastic",
        "amazing",
        "got it",
        "gotcha",
        "i see",
        "understood",
        "noted",
        "duly noted",
    ),
    *("well done", "makes sense", "that makes sense", "exactly", "of course", "certainly", "absolutely", "definitely"),
    *("will do", "made a note", "i've made a note", "i'll remember", "i'll remember that", "i'll remember it"),
    *("i'll keep that in mind", "i'll keep it in mind", "keep that in mind", "i've noted that", "i've noted it"),
    *(
        "noted that",
        "i've got that",
        "got that",
        "i've saved that",
        "i've saved it",
        "saved",
        "updated",
        "i've updated",
    ),
    *("i've recorded that", "recorded", "of that", "of it", "for you", "for later", "for next time", "down"),
    *("from now on", "that's great", "that's good", "that's fine", "sounds good", "sounds great", "sounds fun"),
    *("how are you", "how's it going", "how can i help", "how can i help you", "today", "anything else", "feel free"),
    *("let me know if you need anything", "let me know if you need anything else", "let me know if you need more"),
    *("haha", "hahaha", "ha", "lol", "wow", "oh", "ah", "hmm", "hm", "congratulations", "congrats", "enjoy"),
    *("please", "go on", "go ahead", "do it", "continue", "next", "more", "again", "stop", "wait", "test", "testing"),
    *("and", "so", "then", "now", "very", "really", "too", "that", "this", "it", "you", "the", "a", "all"),
)
"""Greetings, thanks, acknowledgements, and the words that occur among them."""

NON_ANSWERS = (
    *("我不知道", "不清楚", "不太清楚", "不了解", "不记得", "记不清", "不确定", "没有找到", "没找到", "查不到"),
    *("找不到", "想不起", "没有印象", "没印象", "没有记录", "没有相关", "没有任何", "没有关于", "没有这方面"),
    *("没有告诉", "没告诉", "没有提到", "没提到", "没有提过", "没提过", "没说过", "没有说过", "没有透露", "没有提供"),
    *("未提供", "未告诉", "未提及", "暂无", "没有聊过", "没聊过", "无法得知", "无法确定", "无法回忆", "无从得知"),
    *("i don't know", "i do not know", "i'm not sure", "i am not sure", "i'm not certain", "i'm unsure", "no idea"),
    *("i don't recall", "i do not recall", "i don't remember", "i can't recall", "i cannot recall", "i can't remember"),
    *("i don't have", "i do not have", "i don't currently have", "i have no", "i couldn't find", "i can't find"),
    *("i could not find", "i cannot find", "i'm not aware", "i wasn't told", "i haven't been told", "no record"),
    *(
        "no records",
        "no information",
        "no notes",
        "no mention",
        "no memory",
        "you haven't told",
        "you haven't mentioned",
    ),
    *("you have not told", "you have not mentioned", "you didn't tell", "you didn't mention", "you never told"),
    *("you never mentioned", "you haven't shared", "you didn't say", "we haven't discussed", "we haven't talked"),
    *("there's nothing about", "there is nothing about", "i see nothing", "i find nothing", "i have nothing"),
    *("not that i know", "hasn't come up", "has not come up", "never told me"),
)
"""With which an answer says that it knows nothing."""

_GOES_ON = ("but", "however", "although", "though", "但", "但是", "不过", "可是", "只知道", "只记得")


@lru_cache(maxsize=64)
def any_phrase(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of any of the phrases, the longest first, for folded texts (`fold`).

    Those in Latin script match whole words, Chinese ones match anywhere. Without a phrase nothing matches.
    """
    folded = sorted((fold(phrase) for phrase in phrases if phrase), key=len, reverse=True)
    latin = "|".join(re.escape(phrase) for phrase in folded if phrase.isascii())
    # The borders are written once: at each word they take ten times as long to compile.
    parts = [rf"(?<![A-Za-z0-9])(?:{latin})(?![A-Za-z0-9])"] if latin else []
    parts += [re.escape(phrase) for phrase in folded if not phrase.isascii()]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def is_small_talk(text: str, phrases: tuple[str, ...] = SMALL_TALK) -> bool:
    """Return whether a text is small talk and nothing else: "ok, thanks!", "好的，记下了". A number says something."""
    if len(text) > _LONGEST_TALK:
        return False
    return not any(map(str.isalnum, any_phrase(phrases).sub(" ", fold(text))))


def knows_nothing(text: str) -> bool:
    """Return whether a short answer says that it does not know; what goes on with a "but" may tell something."""
    if len(text) > _LONGEST_NON_ANSWER:
        return False
    folded = fold(text)
    return any_phrase(NON_ANSWERS).search(folded) is not None and any_phrase(_GOES_ON).search(folded) is None

"""Where a Chinese word of two or three characters plainly ends: by what stands beside it, without a dictionary.

豆豆 stands in 土豆豆角 too, amid two other words. An occurrence counts as a word of its own where on both sides the
text ends, a mark stands, or one of these; elsewhere it may be a part of another word. Simplified characters.
"""

from typing import NamedTuple

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEK, CHINESE_WEEKDAY
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern


class Border(NamedTuple):
    """A pattern, a text in which 豆豆 ends beside it, and one in which it is not there, though a character of it is."""

    pattern: str
    example: str
    counter_example: str


BEFORE = (
    Border("[我你您他她它咱]们?|[这那哪每某各]", "我们豆豆", "土豆豆角"),
    Border("[的地得了着是在有]", "可爱的豆豆", "大豆豆浆"),
    Border("[给跟和与及或把被对向从到为让叫比替帮]", "我和豆豆", "豌豆豆荚"),
    Border("[找问见带陪教送接喂养抱哄看说讲听爱想念夸骂等请约名姓]", "我想豆豆了", "黄豆豆芽"),
    Border("喜欢|讨厌|告诉|记得|忘[记掉]|认识|知道|关于|有关", "大家喜欢豆豆", "欢豆豆"),
    Border("[也都就还又才再先已而但却]", "而豆豆不在", "毛豆豆腐"),
    Border(
        rf"[今昨明前后]天|今年|去年|明年|[上下本这]个?(?:月|{CHINESE_WEEK})|{CHINESE_WEEK}[一二三四五六日天末]"
        "|现在|以[前后]|之[前后]|时候|早上|晚上|中午",
        "今天豆豆",
        "天豆豆",
    ),
    Border(
        "(?:妈|爸|爷|奶|哥|姐|弟|妹|女儿|儿子|孩子|老婆|老公|同事|朋友|同学|老师|老板|家|宝贝|叫做?|小名)",
        "我女儿豆豆",
        "儿豆豆",
    ),
    Border("[一两二三四五六七八九十几半][个位只条名次]", "两只豆豆", "只豆豆"),
)
"""What may stand before it."""

AFTER = (
    Border("[的地得了着吗呢吧啊呀哦嘛啦们]", "豆豆的生日", "土豆豆角"),
    Border("[是在有也都就还又不没很太真最已正只才再先刚总常会要能可想该]", "豆豆是我女儿", "豆豆腐"),
    Border("[和跟与及或给把被对向从到让叫比为]", "豆豆和我", "豆豆沙"),
    Border(
        "[说问讲看听吃喝玩睡哭笑走跑来去到回起出住买写读做打拿用爱怕病搬换爬画唱跳学穿洗坐站]", "豆豆说她饿", "豆豆芽"
    ),
    Border(
        "[我你他她它这那]|自己|大家|妈妈?|爸爸?|爷爷?|奶奶?|姐姐?|哥哥?|弟弟?|妹妹?|一家|家[里的]",
        "豆豆他们",
        "豆豆家电",
    ),
    Border(
        f"[今昨明后]天|今年|去年|明年|[上下]个?(?:月|{CHINESE_WEEK})|周末|{CHINESE_WEEKDAY}|星期|礼拜|每[天月年]|每个?{CHINESE_WEEK}"
        "|现在|以[前后]|刚才|最近",
        "豆豆今年五岁",
        "豆豆今",
    ),
    Border(
        "喜欢|讨厌|生日|生病|过敏|觉得|希望|需要|知道|告诉|认为|一起|已经|终于|突然|准备|打算|开始|上[学班]|感冒|发烧",
        "豆豆喜欢画画",
        "豆豆喜",
    ),
    Border("因为|所以|虽然|但是|如果|什么|怎么|哪里|谁|多[大少高重]|几", "豆豆多大了", "豆豆多"),
    Border(
        "[一两二三四五六七八九十]?[岁月]|老师|先生|女士|同学|总(?!统|理|部)|市(?!场)|省|县|镇", "豆豆老师", "豆豆老"
    ),
)
"""What may stand behind it."""

# Words in which a character from above belongs to its neighbour.
WORDS = frozenset(
    """
    和平 和谐 和气 和解 和尚 在乎 在意 在线 在职 对面 对方 对象 对话 对于 是非 是否 有关 有名 有趣 有限 有效 有人
    比如 比较 比赛 从前 从来 从事 到底 到达 到处 为了 为止 向来 向日 给予 及时 或者 或许 与其 把握 被子 被动 让步
    叫做 得到 得意 了解 着急 着火 地方 地铁 地图 地址 的确 的士 个人 个性 名字 名人 名医 名单 说明 说法 看法 想法
    教室 教师 教育 教学 送礼 接受 接待 养老 念头 等级 等于 请假 请求 约会 见面 见解 问题 问候 找到 带来 陪同
    听说 爱好 爱情 爱人 姓名 只有 只要 还有 还是 就是 也许 都市 才能 才华 再见 先生 先进 已经 而且 但是 目的 看到
    土地 基地 天地 场地 心得 懂得 值得 获得 除了 罢了 明了 接着 跟着 可是 总是 老是 于是 现在 存在 正在 内在 实在
    所有 拥有 没有 首都 成都 古都 成就 偿还 从不 绝不 出没 埋没 学会 天真 认真 当真 传真 公正 改正 反正 人才 刚才
    天才 首先 祖先 金刚 日常 平常 正常 经常 异常 机会 社会 大会 工会 开会 重要 需要 主要 必要 可能 功能 智能 性能
    认可 许可 思想 理想 梦想 应该 温和 饱和 参与 赠与 普及 以及 供给 自给 反对 绝对 相对 方向 自从 服从 达到 谦让
    转让 对比 无比 行为 认为 因为 成为 小说 传说 学问 访问 演讲 好看 难看 打听 小吃 好吃 好玩 可笑 行走 逃走 赛跑
    未来 本来 原来 过去 失去 居住 记住 收买 抄写 阅读 当做 拍打 捉拿 作用 使用 费用 信用 可爱 恋爱 害怕 可怕 疾病
    看病 本地 明白 国画 油画 漫画 绘画 图画 版画 书画 演唱 歌唱 合唱 大学 小学 中学 数学 科学 文学 同学 化学 医学
    留学 自学 提出 演出 杰出 突出 付出 输出 引起 兴起 掀起 突起 收起 站起 遇到 感到 听到 收到 直到 周到 乘坐 静坐
    车站 网站 电站 迟到 报到 收回 返回 撤回 来回
    """.split()  # noqa: SIM905
)
"""Such words, each two characters."""

_BEFORE = LazyPattern(f"(?:{'|'.join(one.pattern for one in BEFORE)})\\Z")
_AFTER = LazyPattern("|".join(one.pattern for one in AFTER))
_HAN = LazyPattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Characters beside it that are looked at.
REACH = 4


def may_be_part(before: str, word: str, after: str) -> bool:
    """Return whether a word may be a part of another one, by the folded text right before and right after it."""
    if before and _HAN.match(before[-1]) and (_BEFORE.search(before) is None or before[-1] + word[0] in WORDS):
        return True
    return bool(after and _HAN.match(after[0]) and (_AFTER.match(after) is None or word[-1] + after[0] in WORDS))

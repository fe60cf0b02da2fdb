"""The contents of the workspace for the Chinese pictures: the same life as in `picture_workspace`."""

from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.core.values import NoteType

# Days before NOW, text, category, group.
ENTRIES = (
    (70, "用户叫林晓，在杭州做结构工程师", Category.FACT, "生活"),
    (66, "用户喜欢喝乌龙茶，下午不喝咖啡", Category.PREFERENCE, "生活/饮食"),
    (61, "回答要简短，先给数字", Category.PREFERENCE, "工作"),
    (55, "滨江大桥按 GB 50017 验算，不再用旧规范", Category.DECISION, "工作"),
    (52, "用户的女儿叫小雨，今年七岁，学钢琴", Category.FACT, "生活/家人"),
    (47, "报告先给王工看，再发给客户", Category.WORKFLOW, "工作/客户"),
    (40, "测试通过后用 `make publish` 发布网站", Category.WORKFLOW, "工作/网站"),
    (33, "周三晚上去攀岩馆，不要安排会议", Category.PREFERENCE, "生活"),
    (30, "绍兴的客户要 A2 图纸", Category.FACT, "工作/客户"),
    (22, "学会了用新表格计算螺栓连接", Category.EXPERIENCE, "工作"),
    (14, "预订五月去成都的火车票", Category.TODO, "生活"),
    (9, "一律用公制单位，报价单里也一样", Category.PREFERENCE, "工作"),
    (4, "备用钥匙在二楼邻居家", Category.FACT, ""),
    (1, "常去河坊街那家店买面包", Category.PREFERENCE, "生活/饮食"),
)
NOTES = (
    (2, 14, "节点选用 16 毫米端板", "少用两个螺栓，端板不到 20 公斤。", ("桥梁",), NoteType.DECISION),
    (2, 16, "`make publish` 失败：证书过期", "已续期；定时任务之前被关掉了。", ("网站",), NoteType.BUG),
    (1, 9, "小雨的钢琴课改到周五下午四点", "老师这周三不在。", ("家人",), NoteType.NOTE),
    (0, 8, "问王工附件要不要也用 A2 图纸", "", ("客户",), NoteType.IDEA),
)
SESSIONS = (
    ("cli:direct", 2, ("滨江大桥用哪本规范？", "GB 50017。你在一月决定的。")),
    ("telegram:4711", 1, ("下周三晚上有空吗？", "周三晚上你去攀岩馆，我建议改到周四。")),
    ("feishu:oc_89", 0, ("起草一封关于图纸的邮件", "写好了；王工先看。")),
)
EDITED = "回答要简短，先给数字和单位"
FORGOTTEN = "以前的办公室在文三路"

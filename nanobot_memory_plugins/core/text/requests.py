"""How a clause asks for something to be done, in English and Chinese. Patterns see what those of `questions` see."""

from nanobot_memory_plugins.core.text.words import Word, Words

_VERBS = """
    add address adjust answer apply arrange arrive avoid be book bring build buy calculate call cancel change check
    choose clean close code commit compare compute confirm consider continue convert cook copy correct count create
    debug delete deploy describe design do draft draw edit email enable ensure estimate exclude explain export
    extract fetch fill filter find finish fix follow forget format forward generate get give go google help hold
    ignore implement import improve include increase insert install keep leave let list listen load look mail make
    mark memorise memorize merge move name note notify open order organise organize pick place plan play point
    prefer prepare print proofread provide push put read recommend record reduce refactor refer remember remind
    remove rename repeat rephrase replace reply respond restart rewrite run save say schedule search select send set
    share shorten show sign simplify skip solve sort speak spell split start stay stick stop store suggest summarise
    summarize switch take talk teach tell test think track transcribe translate treat try turn type uninstall update
    upload use verify wait walk warn watch write
"""
VERB = "(?:" + "|".join(sorted(_VERBS.split(), key=len, reverse=True)) + ")"
"""With which an order begins in English."""
_NO_NOUN = r"(?! (?:is|are|was|were|has|had|will|would|can|starts?|ends?|club|with \w+ (?:is|was))\b)(?!:)"

OPENING = Words(
    (
        Word(r"(?:please|pls|kindly)\b", "please wait", "pleased to meet you"),
        Word(
            r"(?:do not|don't|dont|never|always) (?!you\b|i\b|we\b|they\b|told\b|said\b|mentioned\b)\w+",
            "don't use tabs",
            "don't you see",
        ),
        Word(r"let's (?!say\b)|let us\b", "let's use redis", "lets see"),
        Word(
            r"(?:make sure|be sure|feel free|from now on|in (?:the )?future|next time|no more)\b",
            "make sure it runs",
            "i make sure",
        ),
        Word(r"(?:can|could|will|would|cn|cld) (?:you|u)\b", "can you write it", "you can write it"),
        Word(
            r"i (?:want|need|would like|expect|prefer) you to\b|i'd (?:like|love|want|prefer) you to\b"
            r"|i'd appreciate\b|you (?:should|must|have to|need to) (?:always|never)\b",
            "i want you to stop",
            "i want to stop",
        ),
        Word(rf"{VERB}\b{_NO_NOUN}", "write a poem", "book club is at eight"),
        Word("(?:请(?!问|教)|麻烦|拜托|劳烦|劳驾|唔该)", "请等一下", "请教一下"),
        Word("(?:帮|替|给)(?:我|忙)(?!们?(?:很|的|[不带造]))(?!.{1,8}的.*了$)", "帮我写", "给我带来快乐"),
        Word(
            "(?:千万|务必|一定要|记得|记住|别忘|以后|今后|从现在起|从今|下次|每次)"
            "(?:都|也|你|就|请|要|可以|能|给我| |please)*"
            "(?:别|不要|用|叫|回答|提醒|先|把|写"
            "|说|给|只|记|去|来|忘|提交)",
            "以后都用中文",
            "以后我会去",
        ),
        Word("(?:就|都|再|先)?(?:不要|别)(?!人|的|处|墅|致|名|提了?)", "不要用列表", "别人都去"),
        Word(
            "(?:就|再|先|都)?(?:叫我|提醒我?|告诉我|翻译|总结|回答|回复|写[一个首篇封]|把|用\\w{1,8}回答|解释|继续|改成|换成|列出|画|生成)",
            "叫我小王",
            "他叫我小王",
        ),
        Word("(?:那|就)?(?:我们?|咱们?|你)?[^了是会有]{1,15}吧$", "我们用它吧", "他走了吧"),
        Word(
            "(?:先)?(?:查|搜|找|订|定|设|发|打开|关掉?|播放|运行|部署|说明|介绍|讲|列|算|加|删|存|做|起|改|换|整理|检查|比较)(?:一下|一遍|一[个张份封首]|[个张份封首])",
            "查一下天气",
            "他查一下",
        ),
        Word("(?:给|跟|对|向)(?!我)[^,]{1,6}?(?:说|讲|发|起|写|打)(?!.*了$)", "跟大家说", "跟我说"),
        Word("(?:就|那就)(?:给我|叫|用|写)", "就给我代码", "就是代码"),
        Word("我(?:希望|要|想要|想让|想请|需要)你", "我希望你简短", "我希望他好"),
    )
)
ANYWHERE = Words(
    (
        Word(r"(?:^|[, ])(?:please|pls)\W*$", "keep it short please", "pleasing"),
        Word("[短长简详快慢早晚][细单要]?一?点$", "回答短一点", "有一点"),
        Word(
            "^(?:你们?|您)?(?:能不能|可不可以|能否|可以|能|会不会)(?:麻烦)?(?:你们?|您)?[\\w ]{0,10}?"
            "(?:帮|给我|替我|以后|每次|请|把|别|不要|写|翻译|解释"
            "|总结|回答|提醒|改|记)",
            "能不能以后都用中文",
            "能不能喝咖啡",
        ),
    )
)
TAGS = Words(
    (
        Word(r"(?:ok|okay|alright|please|pls|thanks|thank you|will you|would you|can you|could you)", "ok", "okra"),
        Word("(?:好吗|好不好|可以吗|行吗|行不行|可不可以|好么|谢谢)", "好吗", "好的吗"),
    )
)
"""What closes a sentence and asks politely for all before it to be done."""

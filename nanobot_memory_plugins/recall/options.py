"""The options of recall, and the default words that ask for memory or show uncertainty."""

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions

# The default words by which a message asks for memory, and by which a draft shows that it lacks it. Chinese words are
# in simplified characters and match traditional text as well. Latin words match whole words, in any case.


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


# Words that refer to the past, those of the upgrade plan first.
EXPLICIT_ANCHORS = _phrases(
    """
    之前, 上次, 记得, 回顾, 复盘, 我们聊过, 你说过, 我说过, 按之前, 照旧, 沿用, 查一下记录, 上回, 聊过, 提过, 讲过,
    提到过, 告诉过, 跟你说过, 和你说过, 说过的, 说好的, 约好的, 约定的, 以前, 曾经, 前几天, 前两天, 前天, 昨天,
    昨晚, 上周, 上星期, 上个星期, 上礼拜, 上个礼拜, 刚才说, 刚刚说, 老规矩, 接着上, 继续上, 上个月, 去年, 前年,
    那天, 那次, 老样子, 历史记录, 聊天记录, 我的笔记,
    remember, recall, last time, previously, earlier you, earlier i, earlier we, you said earlier, we discussed,
    did we discuss, we talked, we spoke, we decided, we agreed, we settled, you said, i said, you told, i told,
    you mentioned, i mentioned, you suggested, you recommended, we've talked, we've discussed, we've agreed,
    you've told, you've said, i've told, i've mentioned, where we left off, where i left off, left off last,
    as usual, as before, like before, same as before, the usual, remind me what, remind me which, did i, did we,
    have i ever, have we, had i, had we, do you know my, what do you know about me, my notes, our notes,
    our conversation, our conversations, our chat, yesterday, last night, last week, last weekend, last month,
    last year, the other day, days ago, weeks ago, months ago
    """
)
# Words that ask for something that may have been decided before, or that depends on who asks.
IMPLICIT_SIGNALS = _phrases(
    """
    具体日期, 端口, 参数, 命令, 决策原因, 不要冲突, 决策, 决定, 约束, 配置, 版本号, 地址, 路径, 密码, 账号, 偏好,
    喜欢, 习惯, 叫什么, 名字, 我的, 我们的, 咱们的, 生日, 纪念日, 爱好, 住在哪, 电话号码, 手机号, 推荐, 适合我,
    port, parameter, parameters, command, decision, constraint, constraints, config, configuration, which version,
    what version, address, path, password, prefer, preference, favourite, favorite, usually, name of, birthday,
    anniversary, hobby, hobbies, recommend, suggest, suggestions, any tips, any advice, my, mine, our, ours
    """
)
# Words that confident texts contain as well ("可能的原因", "probably the best"): they mark a guess only in a short
# answer.
HEDGES = _phrases(
    """
    可能, 大概, 也许, 或许, 好像, 似乎, 应该是,
    maybe, perhaps, probably, possibly, might be, could be, might have, i think, i believe
    """
)
# Words that say that something is unknown.
UNCERTAIN_MARKERS = HEDGES + _phrases(
    """
    我猜, 不确定, 记不清, 不太确定, 没法确定, 无法确定, 不记得, 记不得, 想不起, 没有记录, 没有相关记录,
    没有相关的记录, 没有找到, 没找到, 找不到相关, 不太清楚, 我不清楚, 我不知道, 没有这方面的信息, 没有相关信息,
    没有你的, 没有告诉过我, 没告诉过我, 没有提到过, 没有提过, 无法访问之前, 看不到之前, 没有告诉, 没告诉, 没有提供,
    没提供, 没有这个信息, 没有该信息, 没有任何信息, 没有任何记录, 没有任何记忆, 没有记忆, 没有之前对话,
    没有之前的对话, 没有以前的, 没有印象, 没印象, 不太记得, 记不太清, 记不大清, 不晓得, 无法得知, 无法回忆,
    回忆不起, 无法存取之前, 无法获取之前, 无法查看之前,
    no idea, not certain, not entirely sure, not completely sure, not totally sure, not quite sure, not really sure,
    not 100% sure, cannot recall, couldn't recall, could not recall, have no information,
    don't have that information, do not have that information, do not have information, never told me,
    don't have any memory, do not have any memory, have no memory, don't have a record, haven't been told,
    could you remind me, can you remind me, please remind me, do not have access to, don't have memory, not sure,
    unsure, uncertain, i guess, my guess, don't recall, do not recall, can't recall, don't remember,
    do not remember, can't remember, cannot remember, no memory of, no recollection, no record, any record,
    no information about, no information on, don't have information, don't have any information,
    don't have access to, i don't know, i do not know, haven't told me, haven't mentioned, have not mentioned,
    didn't mention, not aware of any, couldn't find, could not find
    """
)


class RecallOptions(PluginOptions):
    """Options of the recall plugin. Milliseconds end in ``_ms``; the other times are seconds."""

    def size_if_set(self, name: str) -> int | None:
        """Return the value of a size option that has an effect only if it was set, else None."""
        value: int = getattr(self, name)
        return value if name in self.model_fields_set else None

    recall_timeout: float | None = Field(
        default=None, gt=0, description="seconds for a recall at any tier; null: the limits by tier"
    )
    probe_ms: int = Field(default=80, gt=0, description="limit of the probe when no word asks for memory")
    light_ms: int = Field(default=180, gt=0, description="limit of a search in tl;dr, tags and titles")
    heavy_ms: int = Field(default=450, gt=0, description="limit of a search in the whole text")
    enable_probe_on_off: bool = Field(default=True, description="search briefly even if no word asks for memory")
    light_threshold: float = Field(
        default=0.75, ge=0, le=1, description="coverage of a light hit that makes a heavy search unnecessary"
    )
    need_threshold: float = Field(
        default=0.5, ge=0, le=1, description="nothing is injected if a message is less likely than this to need memory"
    )
    min_usefulness: float = Field(
        default=0.025, ge=0, le=1, description="a hit that is less likely than this to help is not injected"
    )
    min_share_of_best: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="a hit is not injected below this share of the best hit's probability to help",
    )
    recall_top_k: int = Field(default=24, ge=1, le=60, description="maximum number of memories in a block, at any tier")
    light_top_k: int = Field(
        default=3, ge=1, le=60, description="maximum number of memories from a light search; recallTopK if that is less"
    )
    heavy_top_k: int = Field(
        default=24,
        ge=1,
        le=60,
        description="maximum number of memories from a heavy search; recallTopK if that is less",
    )
    max_full_docs: int = Field(
        default=3,
        ge=0,
        description="once set, the maximum number of memories shown whole; otherwise as many as fit",
    )
    max_snippets: int = Field(
        default=5, ge=0, description="once set, the maximum number of memories shown as snippets after those"
    )
    heavy_max_snippet_chars: int = Field(
        default=360, ge=20, description="once set, the maximum length of a snippet in characters; otherwise 300"
    )
    max_context_tokens: int = Field(default=800, ge=0, description="estimated tokens of a block, fence included")
    inject_budget_chars: int = Field(
        default=1_800,
        ge=0,
        le=100_000,
        description="once set, the maximum characters of a block, fence included; otherwise only tokens count",
    )
    explicit_anchors: tuple[str, ...] = Field(default=EXPLICIT_ANCHORS, description="words that ask for memory")
    implicit_signals: tuple[str, ...] = Field(default=IMPLICIT_SIGNALS, description="words that may need memory")
    uncertain_markers: tuple[str, ...] = Field(
        default=UNCERTAIN_MARKERS, description="words that mark a draft as uncertain; one of them is enough"
    )
    recall_memory_alias: bool = Field(
        default=False, description="also offer memory_search as recall_memory; this adds a tool to the prompt"
    )


def widen_options(options: RecallOptions) -> RecallOptions:
    """Return options for a second recall with twice as many memories, within the same budget of the block."""
    return options.model_copy(
        update={
            "recall_top_k": 2 * options.recall_top_k,
            "light_top_k": 2 * options.light_top_k,
            "heavy_top_k": 2 * options.heavy_top_k,
            "min_share_of_best": 0.0,
        }
    )

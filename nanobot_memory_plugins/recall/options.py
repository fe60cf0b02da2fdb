"""The options of recall, under the names of the configuration."""

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

# Words with which a user points at the past, in Chinese and English.
EXPLICIT_ANCHORS = (
    *("之前", "上次", "上回", "记得", "回顾", "复盘", "我们聊过", "聊过", "提过", "你说过", "我说过", "说过"),
    *("按之前", "照旧", "沿用", "查一下记录", "以前", "前几天", "昨天", "上周", "上个月", "去年", "曾经"),
    *("remember", "recall", "last time", "previously", "earlier", "before", "we discussed", "we talked"),
    *(
        "you said",
        "i said",
        "you told",
        "i told",
        "as usual",
        "again",
        "did i",
        "did we",
        "have i",
        "have we",
    ),
    *(
        "my notes",
        "yesterday",
        "last week",
        "last month",
        "last year",
        "what was",
        "when was",
        "what did",
        "when did",
    ),
)
# Words that ask for something exact, which may have been settled before.
IMPLICIT_SIGNALS = (
    *("具体日期", "日期", "端口", "参数", "命令", "决策", "原因", "不要冲突", "约束", "配置", "版本", "地址"),
    *("路径", "密码", "偏好", "喜欢", "习惯", "叫什么", "名字", "哪个", "哪一", "什么时候", "多少"),
    *("which", "what date", "port", "parameter", "command", "decision", "constraint", "config", "version"),
    *(
        "address",
        "path",
        "prefer",
        "favourite",
        "favorite",
        "like to",
        "usually",
        "name of",
        "how many",
        "when",
        "my",
    ),
)
# Words with which an answer betrays that it guesses.
UNCERTAIN_MARKERS = (
    *("可能", "大概", "我猜", "不确定", "记不清", "不记得", "没有记录", "不太清楚", "好像", "也许"),
    *(
        "not sure",
        "i'm unsure",
        "maybe",
        "perhaps",
        "i guess",
        "probably",
        "i don't recall",
        "i do not recall",
    ),
    *("i don't remember", "i do not remember", "might be", "don't have any record", "no information about"),
)


class RecallOptions(BaseModel):
    """Options of the recall plugin. Milliseconds end in ``_ms``; the other times are seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    recall_timeout: float | None = Field(
        default=None, gt=0, description="seconds for a recall at any tier; None: the limits by tier"
    )
    probe_ms: int = Field(default=80, gt=0, description="limit of the probe when no word asks for memory")
    light_ms: int = Field(default=180, gt=0, description="limit of a search in tl;dr, tags and titles")
    heavy_ms: int = Field(default=450, gt=0, description="limit of a search in the whole text")
    enable_probe_on_off: bool = Field(default=True, description="probe although no word asks for memory")
    probe_threshold: float = Field(default=0.45, ge=0, le=1, description="relevance at which a probe raises the tier")
    relevance_threshold: float = Field(default=0.3, ge=0, le=1, description="hits below it are not injected")
    min_relative_odds: float = Field(
        default=0.0, ge=0, le=1, description="hits whose score, the best being 1, is below it are not injected"
    )
    recall_top_k: int = Field(default=8, ge=1, le=60, description="memories in a block at any tier, at most")
    light_top_k: int = Field(
        default=3, ge=1, le=60, description="memories from a light search, at most; recallTopK where that is less"
    )
    heavy_top_k: int = Field(
        default=8, ge=1, le=60, description="memories from a heavy search, at most; recallTopK where that is less"
    )
    max_full_docs: int = Field(default=3, ge=0, description="the best memories of a block, quoted whole where they fit")
    max_snippets: int = Field(default=5, ge=0, description="those after them, quoted by snippet, at most")
    heavy_max_snippet_chars: int = Field(default=360, ge=20, description="characters of a snippet, at most")
    max_context_tokens: int = Field(
        default=800, ge=0, description="estimated tokens of a block, fence included; this and the next both hold"
    )
    inject_budget_chars: int = Field(default=1_800, ge=0, description="characters of a block, fence included")
    explicit_anchors: tuple[str, ...] = Field(default=EXPLICIT_ANCHORS, description="words that ask for memory")
    implicit_signals: tuple[str, ...] = Field(default=IMPLICIT_SIGNALS, description="words that may need memory")
    uncertain_markers: tuple[str, ...] = Field(default=UNCERTAIN_MARKERS, description="words of a guessed answer")

"""Words that say nothing about what is asked for. They stay in the index and are left out of queries.

Chinese is simplified, as `segmentation` has it.
"""

_ENGLISH = """
a about after all also am an and any anybody anyone anything are aren as at be because been before being both but
by can cannot could couldn d did didn do does doesn doing don done each either else ever every few for from further
get gets getting give given got had hadn has hasn have haven having he her here hers herself him himself his how
however i if in into is isn it its itself just kind know let ll m many may me might mine more most much must my
myself no nor not now of off on once one only or other our ours ourselves out over own please re really s same say
shall she should shouldn so some somebody someone something such t tell than that the their theirs them themselves
then there these they thing things this those through to too under until up us ve very want was wasn we were
weren what whatever when where whether which while who whom whose why will with without won would wouldn yes you
your yours yourself yourselves
"""
ENGLISH = frozenset(_ENGLISH.split())

# A pair of these characters says nothing; a pair with one of them may (目的, 是否).
FUNCTION_CHARACTERS = frozenset(
    "我你您他她它们的了是在有和就不都也很这那哪吗呢吧啊呀么什怎谁几个请要会能可以把被给跟与及或从到对过着得地之其还又再更最说问想让"
)

_PAIRS = """
什么 怎么 怎样 为什 么样 哪里 哪儿 哪个 哪些 哪天 多少 几个 是否 有没 没有 请问 告诉 诉我 记得 得我
一个 一下 一些 时候 么时 知道 可以 如何 关于 之前 以前 上次 我们 你们 他们 她们 的是 是不 不是
です ます した して ない から こと これ それ あれ どれ いる ある った だっ でし まし ませ せん すか 何で なに どこ
니다 습니 나요 어요 아요 에서 으로 하는 있는 무엇 어떤 언제 어디
"""
PAIRS = frozenset(_PAIRS.split())

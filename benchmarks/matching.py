"""What finding the known entries of 50 candidates among 2,000 costs, beside embedding the candidates."""

import asyncio
import random
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from benchmarks.measure import median_seconds, quiet, report
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions
from nanobot_memory_plugins.storage.embedding.service import open_embedder

ENTRIES = 2_000
CANDIDATES = 50
NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
_ENGLISH = (
    "The user {} {} {} in {}",
    "likes collects repairs sells paints photographs borrows cleans stores lends",
    "old small wooden electric foreign quiet heavy cheap",
    "clocks bicycles guitars lamps boats maps cameras kettles puzzles radios",
    "Lisbon Bergen Nairobi Osaka Quito Tampere Zagreb Cardiff",
)
_CHINESE = (
    "用户在{3}{0}{1}{2}",
    "收集 修理 出售 购买 存放 清洗 出租 借用 组装 拍摄",
    "旧的 小的 木头的 电动的 进口的 安静的 沉重的 便宜的",
    "钟表 自行车 吉他 台灯 小船 地图 相机 水壶 拼图 收音机",
    "杭州 成都 青岛 西安 厦门 苏州 昆明 大连",
)


def texts(count: int, seed: int) -> list[str]:
    """Return different facts, half of them Chinese."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        pattern, *words = _ENGLISH if len(found) % 2 else _CHINESE
        found[pattern.format(*(chance.choice(one.split()) for one in words))] = None
    return list(found)


def main() -> None:
    """Print the time of the comparison as a share of that of embedding."""
    known = texts(ENTRIES, seed=1)
    entries = {f"id{n:05}": Entry(f"id{n:05}", text, "fact", 0.6, NOW) for n, text in enumerate(known)}
    candidates = [
        *random.Random(2).sample(known, CANDIDATES // 2),
        *texts(ENTRIES + CANDIDATES, seed=3)[-CANDIDATES // 2 :],
    ]
    with quiet():
        embedder = open_embedder(EmbeddingOptions())

        async def encode(asked: Sequence[str]) -> list[list[float]]:
            return embedder.encode(asked)

        embedding = median_seconds(lambda: embedder.encode(candidates), repetitions=5)
        matcher = Matcher(encode)
        started = time.perf_counter()
        found = asyncio.run(matcher.same(candidates, entries))
        first = time.perf_counter() - started
        again = median_seconds(lambda: asyncio.run(matcher.same(candidates, entries)), repetitions=5)
    what = f"{CANDIDATES} candidates among {ENTRIES:,} entries"
    report(f"{what}, vectors at hand, beside embedding the candidates", again / embedding, "times", limit=1)
    report("the same for the first time, the vectors of entries that are compared included", first / embedding, "times")
    report("found", sum(match is not None for match in found), "entries")
    report("embedding the candidates, absolute", embedding * 1000, "ms")


if __name__ == "__main__":
    main()

"""Generates the site's pages of all options, in English and Chinese, from the options themselves."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from nanobot_memory_plugins.bootstrap.plugin import BootstrapOptions
from nanobot_memory_plugins.bridge.configuration import BridgeOptions
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.core.cli.language import catalogue
from nanobot_memory_plugins.core.config.models import CoreOptions, RedactionOptions
from nanobot_memory_plugins.core.config.names import document_rows
from nanobot_memory_plugins.flush.plugin import FlushOptions
from nanobot_memory_plugins.observation.plugin import ObservationOptions
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.summary.plugin import SummaryOptions

MODELS: dict[str, type[BaseModel]] = {
    "core": CoreOptions,
    "redaction": RedactionOptions,
    "storage": StorageOptions,
    "postgres": PostgresOptions,
    "recall": RecallOptions,
    "observation": ObservationOptions,
    "bootstrap": BootstrapOptions,
    "flush": FlushOptions,
    "summary": SummaryOptions,
    "compaction": CompactionOptions,
    "consolidation": ConsolidationOptions,
    "nanobot": BridgeOptions,
}
# Longer defaults are described instead of shown.
LONGEST_DEFAULT = 60

HEAD = """# Configuration

nanobot-ai: options stand at `channels.memoryPlugins` in `~/.nanobot/config.json`, where they survive nanobot's own
saves. Any other host: `{"memoryPlugins": {...}}` in a `config.json`. `NANOBOT_MEMORY_CONFIG` names another file, and
so does `--config`. A `MemoryHost` or `MemoryService` without `config=` reads the same files; one that is given a
`MemoryConfig` uses that, and reads none.

```json
{"memoryPlugins": {"core": {"idleSeconds": 600}, "recall": {"enabled": false}}}
```

Every key is read in camelCase and in snake_case. An installed plugin is enabled unless `"enabled": false` says
otherwise. A wrong value is reported with its key, and falls back to its default; a key that does not exist is
reported with the nearest that does. The host starts in any case. `NANOBOT_MEMORY_PLUGINS=storage,recall` loads only
those plugins, whatever the file says.
"""

CHINESE_HEAD = """# 配置项

nanobot-ai：选项写在 `~/.nanobot/config.json` 的 `channels.memoryPlugins` 下面，nanobot 保存配置时不会丢。
其他宿主：写在 `config.json` 里的 `{"memoryPlugins": {...}}`。`NANOBOT_MEMORY_CONFIG` 或 `--config` 可以指定别的文件。
没有写 `config=` 的 `MemoryHost` 或 `MemoryService` 读同样的文件；给了 `MemoryConfig` 的就用它，不读文件。

```json
{"memoryPlugins": {"core": {"idleSeconds": 600}, "recall": {"enabled": false}}}
```

每个键写成 camelCase 或 snake_case 都可以。装好的插件默认启用，除非写明 `"enabled": false`。
写错的值会连同键名一起报告，改用默认值；不存在的键会给出最接近的一个。无论如何宿主都能启动。
`NANOBOT_MEMORY_PLUGINS=storage,recall` 只加载这两个插件，不管文件怎么写。

`nanobot-memory config show recall.recallTopK` 会在命令行里说明一个选项。
设计文档里的旧名字见[英文版](../configuration.md#the-names-of-the-design-documents)。
"""

DOCUMENTS_HEAD = """## The names of the design documents

The documents' objects (`memory`, `memory_search`, `memory_flush`, `context.bootstrap`) are read as they stand.

| document | here | default here | default there, and why it differs |
|---|---|---|---|
"""


def shown(value: object, words: str = "words") -> str:
    """Return a default as in JSON. Of a long list, return only how many ``words`` it has."""
    if isinstance(value, BaseModel):
        return "see below"
    if isinstance(value, (tuple, list, set, frozenset)):
        value = list(value)
    text = json.dumps(value, ensure_ascii=False, default=str)
    return (
        f"`{text}`"
        if len(text) <= LONGEST_DEFAULT
        else f"{len(value)} {words}"
        if isinstance(value, list)
        else f"`{text}`"
    )


def chinese_page() -> str:
    """Return the options in Chinese, without the names of the documents."""
    parts = [CHINESE_HEAD]
    said = catalogue("zh")
    for plugin, model in MODELS.items():
        rows = [
            f"| `{key}` | {shown(default, '个词')} | {said(field.description or '')} |"
            for key, field, default in options(model)
        ]
        parts.append(f"## {plugin}\n\n| 选项 | 默认值 | 含义 |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def options(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo, Any]]:
    """Yield each option of a model with its dotted camelCase key and its default, nested ones after their parent."""
    for name, field in model.model_fields.items():
        key = f"{prefix}{to_camel(name)}"
        default = field.get_default(call_default_factory=True)
        if isinstance(default, BaseModel):
            yield from options(type(default), f"{key}.")
        else:
            yield key, field, default


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for plugin, model in MODELS.items():
        rows = [f"| `{key}` | {shown(default)} | {field.description or ''} |" for key, field, default in options(model)]
        summary = (model.__doc__ or "").strip().splitlines()[0]
        parts.append(
            f"## {plugin}\n\n{summary}\n\n| option | default | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n"
        )
    rows = []
    for key, row in document_rows().items():
        differs = f"{shown(row.get('document'))}: {row['reason']}" if "reason" in row else ""
        rows.append(f"| `{key}` | `{row['option']}` | {shown(row.get('default'))} | {differs} |")
    parts.append(DOCUMENTS_HEAD + "\n".join(rows) + "\n")
    return "\n".join(parts)

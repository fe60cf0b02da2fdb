"""The base class of the options of plugins."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class PluginOptions(BaseModel):
    """Frozen options with keys in camelCase or snake_case. Unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

"""What the options of plugins have in common."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class PluginOptions(BaseModel):
    """Options as a configuration file gives them: camelCase or snake_case, no other keys, frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

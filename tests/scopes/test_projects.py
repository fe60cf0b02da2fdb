"""What is about a project comes first while it is worked in, and stays out of the prompts of others."""

import pytest

from nanobot_memory_plugins.consolidation.model.entry import belonging
from nanobot_memory_plugins.core import Scope


@pytest.mark.parametrize(
    ("category", "project"), [("fact", ""), ("preference", ""), ("decision", "p"), ("workflow", "p")]
)
def test_a_fact_belongs_to_the_project_or_to_the_person(category: str, project: str):
    assert belonging(Scope(user="ana", project="p"), category) == Scope(user="ana", project=project)
    assert belonging(Scope(user="ana"), category) == Scope(user="ana")

"""Ids of records are UUIDs of version 7."""

import uuid
from datetime import UTC, datetime, timedelta

from nanobot_memory_plugins.core.files.record_ids import new_record_id

MOMENT = datetime(2026, 2, 16, 14, 20, 33, 120_000, tzinfo=UTC)


def test_it_is_a_uuid_of_version_7_with_its_moment():
    made = uuid.UUID(new_record_id(MOMENT))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == int(MOMENT.timestamp() * 1000)


def test_ids_sort_by_when_they_were_made():
    made = [new_record_id(MOMENT + timedelta(milliseconds=number)) for number in range(50)]
    assert made == sorted(made)


def test_those_of_one_moment_differ():
    assert len({new_record_id(MOMENT) for _ in range(1_000)}) == 1_000


def test_all_bits_of_chance_are_used():
    made = new_record_id(MOMENT, random_bits=lambda bits: (1 << bits) - 1)
    assert made.endswith("-7fff-bfff-ffffffffffff")

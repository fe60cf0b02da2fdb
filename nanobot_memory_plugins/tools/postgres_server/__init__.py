"""A PostgreSQL server in a folder of its own, for the demonstration, the benchmarks and the tests."""

"""Isolation of plugins: limits of time and size, circuit breakers, threads, and exceptions of any kind."""

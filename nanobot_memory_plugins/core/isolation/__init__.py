"""Keeping what a plugin does to itself: limits of time and size, circuit breakers, threads, exceptions of any kind."""

"""Durable bytes: atomic writes and the writer's lock. Knows no entries."""

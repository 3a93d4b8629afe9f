"""Entries on disk: reading the store, and writing to it."""

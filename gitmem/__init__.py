"""Project memory that lives with git."""

__version__ = "0.1.0"

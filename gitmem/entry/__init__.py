"""Entries as pure values: their model, their Markdown form and the rules of trust."""

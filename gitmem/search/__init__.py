"""From a query and entries to ranked hits."""

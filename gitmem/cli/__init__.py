"""The command line: parse, call one porcelain function, render."""

"""One verb a module: a workspace and values go in, a frozen result comes out."""

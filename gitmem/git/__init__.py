"""The only code that knows git: how it is started, where things are, what its objects say."""

"""From a sourceRef and the repository to a verdict."""

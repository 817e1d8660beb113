"""Experiments from Python."""
__all__: list = []

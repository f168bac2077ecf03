"""Letzter League: a tournament and bot-competition runner for the card game Letzter."""

__version__ = "0.1.0"

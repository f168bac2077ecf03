"""Bots as operating-system processes: starting, talking, measuring and ending them."""

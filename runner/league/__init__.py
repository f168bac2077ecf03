"""A league from its file to its ratings: plan, play, store, rate."""

"""One SQLite file per league: the only truth; ratings, listings and pages are computed from it."""

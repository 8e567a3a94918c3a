"""`sog gtp`: a player as a GTP engine."""

"""`sog gtp`: a player as a Go program, for any board that speaks GTP."""

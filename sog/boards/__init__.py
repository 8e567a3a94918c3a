"""Board games, all of perfect information."""

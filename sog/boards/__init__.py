"""Board games: nothing is hidden."""

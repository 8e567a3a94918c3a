"""Card games: what a player holds is hidden."""

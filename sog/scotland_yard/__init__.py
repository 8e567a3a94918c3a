"""Scotland Yard on any map: `game.py` is the game, `maps/` has the boards."""

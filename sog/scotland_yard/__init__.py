"""Scotland Yard on any map, a domain (`domain.py`).

To read: `station_map.py` and `maps/`, the boards; `setup.py`, parameters and tables; `rules.py`,
`worlds.py` and `game.py`, the game; `graph.py`, what networks make of it; `view.py` and
`drawing.py`, the map for people; `plain.py` and `pimbot.py`, the opponent.
"""

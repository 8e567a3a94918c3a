"""Scotland Yard on any map, a domain (`domain.py`).

`station_map.py` and `maps/`: boards. `setup.py`: parameters and tables. `rules.py`, `worlds.py` and
`game.py`: the game. `graph.py`: features for networks. `view.py` and `drawing.py`: the map for
people. `plain.py` and `pimbot.py`: the opponent.
"""

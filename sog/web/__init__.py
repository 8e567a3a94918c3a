"""The project in a browser: play against agents, look into searches, watch a run train.

`make_app` builds the Starlette application that `sog serve` runs. Pages are server-side HTML and
work without the small script, which only saves reloading. The `Catalog` decides what can be played
and searched: nothing that a visitor sends becomes a path.
"""

"""The project in a browser: play against agents, look into searches, watch a run train.

`make_app` makes a Starlette application, which `sog serve` runs. Pages are HTML made here, and work
without the small script beside them, which only spares reloading. What there is to play and to
search is the `Host`'s to say: a visitor names nothing that becomes a path.
"""

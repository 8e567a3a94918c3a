"""Ways to play and to learn, by name: `make_method("uct:1000")`.

`registry.py` lists them. A method knows its parameters, which paper it is from and what it needs of
a game, and makes agents (`sog.play.Agent`); `method.py` states that contract.
"""

from sog.methods.registry import METHODS, make_method, method_class

__all__ = ["METHODS", "make_method", "method_class"]

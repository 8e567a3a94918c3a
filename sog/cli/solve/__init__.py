"""`sog solve`; `command.py` runs it."""

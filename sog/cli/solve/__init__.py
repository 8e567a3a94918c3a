"""`sog solve`; `command.py` is the entry point."""

"""`sog policy`; `command.py` is the entry point."""

"""`sog train`; `command.py` is the entry point."""

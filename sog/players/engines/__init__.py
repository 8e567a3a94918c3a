"""External programs as players: `process.py` runs one and exchanges lines with it, `limits.py`
reads the settings after its command. Protocols are implemented by domains.
"""

"""`python -m sog` is the command `sog`."""

from sog.cli.main import entry

if __name__ == "__main__":
    entry()

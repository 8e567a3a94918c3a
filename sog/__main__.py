"""`python -m sog` is the command `sog`."""

import sys

from sog.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

"""Declares `sog serve`."""

from typing import Final

from sog.cli.commands.command import Command

_REPEATED: Final = {"action": "append", "default": [], "type": str}
SERVE: Final = Command(
    "play, look into searches and watch runs in a browser",
    """\
examples:
  sog serve                                     any game, any player, the shipped agents
  sog serve runs/leduc runs/glasses             against these networks too; watch them train
  sog serve --game "leduc(ranks=4)"             a game with other parameters
  sog serve --port 0                            on any free port

Open the printed address: it contains the token that every request needs. The server listens on
this machine only unless --host is given; anyone who can reach it and has the token may use it, and
traffic is not encrypted. To use a server on another machine, forward its port with ssh:
  ssh -L 8642:127.0.0.1:8642 there sog serve --port 8642

Ctrl-C stops it; games that were not saved (there is a button) are lost. Needs the extra `web`:
pip install 'sog[web]'.
""",
    (
        "runs",
        (
            "--game",
            {
                **_REPEATED,
                "help": "offer this game too, with these parameters; may be repeated",
            },
        ),
        (
            "--player",
            {
                **_REPEATED,
                "metavar": "PLAYER",
                "help": "offer this player too, as in `sog match`; may be repeated",
            },
        ),
        *("--host", "--port", "--open"),
    ),
    run="sog.web.command:run",
)

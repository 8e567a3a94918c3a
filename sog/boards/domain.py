"""What boards add to the core: games without hidden information, perfect play, GTP and UCI."""

from typing import Final

from sog.domain import Domain
from sog.players.entry import Entry

DOMAIN: Final = Domain(
    package="sog.boards",
    games={
        "tic_tac_toe": "sog.boards.tic_tac_toe:TicTacToe",
        "connect_four": "sog.boards.connect_four:ConnectFour",
        "othello": "sog.boards.othello:Othello",
        "othello6": "sog.boards.othello:Othello6",
        "hex": "sog.boards.hex:Hex",
        "hex5": "sog.boards.hex:Hex5",
        "go": "sog.boards.go:Go",
        "go5": "sog.boards.go_sizes:Go5",
        "go7": "sog.boards.go_sizes:Go7",
        "go9": "sog.boards.go_sizes:Go9",
        "go19": "sog.boards.go_sizes:Go19",
        "chess": "sog.boards.chess:Chess",
        "gardner_chess": "sog.boards.chess:GardnerChess",
        "los_alamos_chess": "sog.boards.chess:LosAlamosChess",
    },
    records={
        ".pgn": "sog.boards.record_formats:PGN",
        ".sgf": "sog.boards.record_formats:SGF",
    },
    players={
        "uci": Entry(
            form="uci:COMMAND",
            summary="a chess engine by UCI, as 'uci:stockfish?nodes=2000&Skill Level=0'",
            reader="sog.boards.uci.engine:read_uci",
            takes_overrides=False,
        ),
        "gtp": Entry(
            form="gtp:COMMAND",
            summary="a Go program by GTP, as gtp:gnugo or 'gtp:gnugo --mode gtp --level 1'",
            reader="sog.boards.gtp.engine:read_gtp",
            takes_overrides=False,
        ),
        "perfect": Entry(
            method="sog.boards.perfect:Perfect",
            form="perfect",
            summary="perfect play of Hex up to 5 x 5",
        ),
    },
    commands={
        "gtp": "sog.boards.commands:GTP",
        "uci": "sog.boards.commands:UCI",
    },
    loaders={"pgx": "sog.boards.pgx_game:load_pgx"},
)

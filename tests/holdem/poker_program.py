"""A program that speaks the ACPC protocol, standard library only: `poker_program.py WAY HOST PORT`.

WAY says what it does: call, raise (to three times what is there, later all-in), fold, or what a bad
program does.
"""

import socket
import sys
import time

STACK = 20_000


def answer(way: str, betting: str, number: int) -> str:
    street = betting.rsplit("/", 1)[-1]
    if way == "fold":
        return "f"
    if way == "raise" and "r" not in street:
        return "r737" if "r" not in betting else f"r{STACK}"
    if way == "lie":
        return "r17"
    return "c"


def main() -> None:
    way, host, port = sys.argv[1:4]
    if way == "die":
        sys.exit("no licence found")
    if way == "stay away":
        time.sleep(60)
    connection = socket.create_connection((host, int(port)))
    file = connection.makefile("rw", newline="")
    file.write("HELLO\r\n" if way == "wrong version" else "VERSION:2.0.0\r\n")
    file.flush()
    for number, line in enumerate(file):
        print(line, end="")  # nobody minds
        _, position, _, betting, cards = line.rstrip("\r\n").split(":")
        hands, _, _ = cards.partition("/")
        streets = betting.split("/")
        facing = streets[-1]
        first = 1 if len(streets) == 1 else 0
        moves = sum(letter in "crf" for letter in facing)
        closed = facing.endswith("c") and (moves > 1) and not (len(streets) == 1 and facing == "c")
        over = "f" in betting or (closed and len(streets) == 4) or all(hands.split("|"))
        if over or (first + moves) % 2 != int(position):
            continue
        if way == "hang":
            time.sleep(60)
        if way == "quit":
            return
        said = (
            "who are you" if way == "babble" else f"{line.rstrip()}:{answer(way, betting, number)}"
        )
        file.write(f"{said}\r\n")
        file.flush()


main()

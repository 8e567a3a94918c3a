"""Measures how long commands take until the first result, with cold and warm caches.

Each command runs in its own process, first with empty caches of traced and compiled programs
(cold), then with the caches of the first run (warm). Prints wall-clock seconds, and in parentheses
CPU seconds of all cores; most of them are tracing and compiling.

Example:
    python scripts/bench_compiling.py
    python scripts/bench_compiling.py --only "search kuhn" --json-out compiling.json
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from shared import script_parser, write_results

CHECKOUT: Final = Path(__file__).resolve().parents[1]
OWN_GAME: Final = CHECKOUT / "docs" / "template_game"
OWN: Final = "my_games.one_bet:OneBet"
RIVER: Final = "holdem(board=KsTh7s4d2c,pot=100,stack=100,bets=0.5/allin,raises=allin,caps=2)"
TURN: Final = "holdem(board=KsTh7s4d,pot=100,stack=200,bets=1/allin,raises=allin,caps=2)"
COMMANDS: Final = {
    "UCI, rollouts in chess": "uci rollout --game chess --search 50,10",
    "UCI, an agent": "uci agent:gardner_chess",
    "GTP, an agent": "gtp agent:go5",
    "solve kuhn": "solve kuhn",
    "search kuhn": "search kuhn --search 20,1",
    "search leduc": "search leduc --search 20,1",
    "solve a river": f"solve {RIVER} --until-pot 0.1",
    "solve a turn": f"solve {TURN} --until-pot 0.1",
    "hint of an agent": "search agent:leduc --history check",
    "first steps of an own game": "train own.toml --run RUN --set run.steps=8",
    "first steps of the demo": "train leduc_demo --run RUN --set run.steps=8",
}


ASKED: Final = {"uci": ("isready\n", "readyok"), "gtp": ("boardsize 5\n", "=")}
"""What a program asks an engine first, and the answer."""
_IDLE, _IDLE_OVER = 0.1, 10.0
"""At most so many CPU seconds, in so many seconds."""


def run(words: list[str], folder: Path, cache: Path) -> dict[str, float]:
    """Wall-clock and CPU seconds, of engines until they answer; ends the script if the command
    fails."""
    environment = os.environ | {"SOG_CACHE_DIR": str(cache), "SOG_GAMES": OWN}
    environment["PYTHONPATH"] = str(OWN_GAME)
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    began = time.perf_counter()
    command = [sys.executable, "-m", "sog", *words]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        question, answer = ASKED.get(words[0], ("", None))
        process.stdin.write(question)
        process.stdin.flush()
        while (line := process.stdout.readline()) and line.strip() != answer:
            pass
        seconds, cpu = time.perf_counter() - began, cpu_seconds(process.pid)
        last = 0.0
        while answer is not None and (now := cpu_seconds(process.pid)) > last + _IDLE:
            last = now
            time.sleep(_IDLE_OVER)  # it still compiles, in a thread
        process.stdin.close()  # an engine ends
        process.stdout.read()
        if process.wait():
            errors.seek(0)
            sys.exit(f"sog {' '.join(words)}: exit code {process.returncode}\n{errors.read()}")
    return {"seconds": seconds, "cpu_seconds": cpu}


def cpu_seconds(number: int) -> float:
    """CPU seconds of a process so far, which may have ended, but not been waited for."""
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(command: str) -> dict[str, Any]:
    """Measures one command, cold and warm."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        toml = (OWN_GAME / "one_bet.toml").read_text()
        (folder / "own.toml").write_text(toml.replace('"one_bet"', f'"{OWN}"', 1))
        found = {
            kind: run(command.replace("RUN", kind).split(), folder, folder / "cache")
            for kind in ("cold", "warm")
        }
    return {"command": f"sog {command}", **found}


def main() -> None:
    """Reads the options."""
    parser = script_parser(__doc__)
    parser.add_argument("--only", choices=COMMANDS, action="append", help="default: all")
    parser.add_argument("--json-out", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.only or COMMANDS:
        rows.append({"what": name, **measure(COMMANDS[name])})
        seconds = ", ".join(
            f"{kind} {rows[-1][kind]['seconds']:.1f} s ({rows[-1][kind]['cpu_seconds']:.1f})"
            for kind in ("cold", "warm")
        )
        print(f"{name:28} {seconds}", flush=True)
    if arguments.json_out is not None:
        write_results(arguments.json_out, rows=rows)


if __name__ == "__main__":
    main()

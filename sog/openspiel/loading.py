"""Loads games of OpenSpiel, each in a subprocess first: `load_spiel`, `try_first`.

OpenSpiel checks few of its parameters: an invalid one may crash the process, hang, or allocate all
memory, when the game is made or at its first moves. A file may name any of them. The subprocess
runs this file as a program, so it imports nothing heavy.
"""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
from typing import Any, Final

from sog.files import open_to_read
from sog.parameters import near_name

MISSING_EXTRA: Final = "openspiel games need OpenSpiel: pip install 'sog[openspiel]'."
_TURN_BASED: Final = "turn_based_simultaneous_game"
_MOST_BYTES: Final = 2**24  # of a file that a parameter names
_MOST_SECONDS: Final = 20  # of CPU time, for the first try; 0.1 is usual

_NUM_PROBES: Final = 256
_NUM_LARGE: Final = 32
_CERTAINTY: Final = 30


def try_first(text: str, max_histories: int, num_bytes: int) -> bool:
    """Loads and probes a game in a subprocess; returns whether it is surely too large.

    num_bytes: of memory that it may use. Raises ValueError with the reason, like `load_spiel`, and
    if the subprocess crashes.
    """
    tried = subprocess.run(
        [sys.executable, "-P", __file__],  # -P: files of this folder shadow no module
        input=json.dumps([text, max_histories, num_bytes]).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    if tried.returncode:
        raise refusal(text, f"OpenSpiel cannot load it: {_how_it_ended(-tried.returncode)}")
    answer = json.loads(tried.stdout)
    if isinstance(answer, str):
        raise ValueError(answer)
    return bool(answer)


def _how_it_ended(number: int) -> str:
    if number == getattr(signal, "SIGXCPU", None):
        return f"it takes more than {_MOST_SECONDS} seconds"
    names = {one.value: one.name for one in signal.Signals}
    return f"it ends the process ({names.get(number, f'exit code {-number}')})"


def _try() -> None:
    """The program: answers with JSON on stdout, a text if the game is rejected."""
    text, max_histories, num_bytes = json.load(sys.stdin.buffer)
    with contextlib.suppress(ImportError):  # Windows
        import resource as limits

        for limit, most in (
            (limits.RLIMIT_CORE, 0),
            (limits.RLIMIT_CPU, _MOST_SECONDS),
            (limits.RLIMIT_AS, num_bytes),
        ):
            with contextlib.suppress(OSError, ValueError):  # unsupported, or already lower
                limits.setrlimit(limit, (most, most + 1))
    answer: str | bool
    try:
        game = load_spiel(text)
        _ = game.max_utility(), game.min_utility()  # these may fail, too
        answer = is_surely_larger(game, max_histories)
    except MemoryError:
        answer = True
    except ValueError as error:
        answer = str(error)
    except Exception as error:  # whatever OpenSpiel raises
        answer = str(refusal(text, one_line(error)))
    print(json.dumps(answer))


def load_spiel(text: str) -> Any:
    """OpenSpiel's game, made turn-based where moves are simultaneous.

    Raises ValueError with the reason for a game that cannot be a two-player zero-sum public tree.
    """
    try:
        import pyspiel
    except ImportError:
        raise ValueError(MISSING_EXTRA) from None
    name = text.split("(")[0].strip()
    # Checked first: for an unknown name OpenSpiel prints all its games.
    if name not in (known := pyspiel.registered_names()):
        near = near_name(name, known)
        hint = f"did you mean {near!r}?" if near else "see OpenSpiel's list of games."
        raise ValueError(f"unknown OpenSpiel game {name!r}: {hint}")
    if re.search(r"\bfen\s*=", text):  # OpenSpiel may read beyond the end of an invalid one
        raise refusal(text, "OpenSpiel does not check FEN positions")
    for parameter, path in re.findall(r"(?<!\w)(\w+)\s*=\s*([^,()]+)", text):
        # A file not found here may be one of OpenSpiel's, or it reports that it is missing.
        if "file" in parameter and os.path.exists(path.strip()):
            try:
                open_to_read(path.strip(), _MOST_BYTES).close()
            except OSError as error:
                raise ValueError(f"openspiel:{text}: {path}: {error.strerror}.") from None
    try:
        game = pyspiel.load_game(text)
    except (pyspiel.SpielError, RuntimeError) as error:
        raise ValueError(f"openspiel:{text}: {one_line(error)}.") from None
    rules, kinds = game.get_type(), pyspiel.GameType
    if game.num_players() != 2:
        raise refusal(text, f"needs 2 players, has {game.num_players()}")
    if rules.utility != kinds.Utility.ZERO_SUM:
        raise refusal(text, f"must be zero-sum, is {rules.utility.name.lower()}")
    if rules.chance_mode == kinds.ChanceMode.SAMPLED_STOCHASTIC:
        raise refusal(text, "chance must be explicit, is sampled: it cannot be enumerated")
    if re.search(r"\badd_noise\(", str(game)):
        reason = "add_noise draws the noise of its payoffs in the order in which ends are visited"
        raise refusal(text, f"{reason}: the game differs each time")
    if rules.dynamics == kinds.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    elif rules.dynamics != kinds.Dynamics.SEQUENTIAL:
        raise refusal(text, f"moves must be in turn or simultaneous, are {rules.dynamics.name}")
    if not (game.get_type().provides_information_state_string or is_public(game)):
        raise refusal(text, "OpenSpiel has no information state strings for it")
    return game


def is_public(game: Any) -> bool:
    """Whether nothing is ever hidden in a game of OpenSpiel."""
    rules = game.get_type()
    return bool(
        rules.information == type(rules).Information.PERFECT_INFORMATION
        and rules.dynamics == type(rules).Dynamics.SEQUENTIAL
        and _TURN_BASED not in str(game)  # the first of two simultaneous moves is hidden
    )


def is_surely_larger(game: Any, max_histories: int) -> bool:
    """Whether random descents show that there are more histories; False is inconclusive.

    A descent estimates the number of histories without bias (Knuth 1975, "Estimating the efficiency
    of backtrack programs"), so by Markov's inequality it gives 30 times the number with a
    probability of at most 1 / 30, and 32 of 256 descents do so with one below 1e-6.
    """
    rng = random.Random(0)
    enough, num_large = _CERTAINTY * max_histories, 0
    for _ in range(_NUM_PROBES):
        num_large += _estimate(game, enough, rng) > enough
        if num_large == _NUM_LARGE:
            return True
    return False


def _estimate(game: Any, enough: int, rng: random.Random) -> int:
    """Estimates the number of histories by one descent, which stops at `enough`."""
    state, width, total = game.new_initial_state(), 1, 1
    while total <= enough and not state.is_terminal():
        moves = possible_moves(state)
        width *= len(moves)
        total += width
        state.apply_action(rng.choice(moves))
    return total


def possible_moves(state: Any) -> list[int]:
    """Legal actions, or possible chance events; ValueError if there are none."""
    moves: list[int]
    if state.is_chance_node():
        moves = [event for event, probability in state.chance_outcomes() if probability > 0]
    else:
        moves = state.legal_actions()
    if not moves:
        raise refusal(str(state.get_game()), "a state that is not terminal has no legal action")
    return moves


def refusal(text: str, reason: str) -> ValueError:
    """The error for an unsupported game."""
    return ValueError(f"openspiel:{text}: not supported: {reason}.")


def one_line(thing: object, limit: int = 200) -> str:
    """Text without line breaks and final full stop, cut at `limit` characters."""
    words = " ".join(str(thing).split()).rstrip(".")
    return words if len(words) <= limit else words[:limit] + "..."


if __name__ == "__main__":
    _try()

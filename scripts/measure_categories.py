"""How far Mr X keeps from the detectives: the weights by which pimbot guesses where he is.

Example:
    python scripts/measure_categories.py glasses --games 200 --simulations 300

PimBot plays itself without such weights. Before each round of the detectives, every distance to the
nearest detective that some possible station has is counted, and the one that Mr X really has; their
ratio is printed, as `sog/methods/grown/pimbot.py` has it (Nijssen and Winands 2012, section V.B).
"""

import jax
import numpy as np
from script_arguments import game_text, script_parser

from sog.games import make
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL
from sog.games.scotland_yard.game import ScotlandYard
from sog.methods.grown.pimbot import CATEGORIES, PimBot, category
from sog.methods.plain.scotland_yard import Roads
from sog.play.rules import after, deal, first_state, step
from sog.players.player import Host


def main() -> None:
    """Plays, counts and prints."""
    parser = script_parser(__doc__)
    parser.add_argument("game", type=game_text, help="a game of Scotland Yard")
    parser.add_argument("--games", type=int, default=100, help="default: 100")
    parser.add_argument("--simulations", type=int, default=300, help="per move (default: 300)")
    arguments = parser.parse_args()
    game = make(arguments.game)
    method = PimBot(categories=False, budget=arguments.simulations)
    if not isinstance(game, ScotlandYard):
        parser.error(f"GAME must be one of Scotland Yard, got {game}.")
    method.check(game)
    roads = Roads(game)
    make_agent = method.agents(game, Host())
    agents = [make_agent(player, player) for player in (PLAYER_0, PLAYER_1)]
    could, was = np.zeros(CATEGORIES), np.zeros(CATEGORIES)
    for number in range(arguments.games):
        key = jax.random.key(number)
        state, infostates = first_state(game), deal(game, key)
        for agent in agents:
            agent.begin()
        while (actor := int(state.stage)) != TERMINAL:
            if actor == PLAYER_1 and int(state.turn) == 0:
                stations = np.asarray(state.stations).tolist()
                places = np.flatnonzero(np.asarray(state.possible)).tolist()
                for found in {category(roads, stations, place) for place in places}:
                    could[found] += 1
                was[category(roads, stations, int(infostates[PLAYER_0]))] += 1
            action = agents[actor].act(int(infostates[actor])) if actor < len(agents) else 0
            key, step_key = jax.random.split(key)
            outcome, infostates = step(game, step_key, state, infostates, action)
            state = after(game, state, outcome)
            for agent in agents:
                agent.observe(outcome)
    ratios = was / np.maximum(could, 1)
    for distance, (ratio, count) in enumerate(zip(ratios, could, strict=True), start=1):
        print(f"distance {distance}: {ratio:.3f} of {count:.0f} times")


if __name__ == "__main__":
    main()
